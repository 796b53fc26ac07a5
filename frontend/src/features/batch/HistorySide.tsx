import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import { exact, Glyph, toast, useCopy, useNow, useSpan } from '@/ui';
import { actorsOf, type BatchEvent, declaredRuns, isSettled, type Round, type Spent, whereTimeWent } from './events';
import { reportOf, type Words } from './eventText';
import styles from './HistorySide.module.css';

interface Props {
  rounds: readonly Round[];
  events: readonly BatchEvent[];
  attempts: readonly Schemas['Attempt'][];
  runs: readonly TaskRun[];
  words: Words;
}

/** Declared runs that are listed. */
const MAX_DECLARED = 20;

/** The summary beside the history: where the time went, who acted, and what was only declared. */
export function HistorySide({ rounds, events, attempts, runs, words }: Props) {
  const { t } = useTranslation(['batch', 'history']);
  const now = useNow();
  const copy = useCopy();
  const { batch, zone, nameOf } = words;
  const spent = whereTimeWent({ batch, rounds, attempts }, events, now);
  const actors = actorsOf(events, batch);
  const declared = declaredRuns(runs);
  const time = (at: number) => exact(at, { zone }).slice(5);
  return (
    <aside className={styles.side} aria-label={t('history:side')}>
      <Times spent={spent} over={isSettled(batch)} />
      <h2>{t('history:who')}</h2>
      {actors.length === 0 && <p className="hg-quiet">{t('history:nobody')}</p>}
      <ul>
        {actors.map(({ name, count, from, to }) => (
          <li key={name}>
            <b>{name}</b>
            <small>{t('history:actions', { count, from: time(from), to: time(to) })}</small>
          </li>
        ))}
      </ul>
      {declared.length > 0 && (
        <>
          <h2>{t('history:declared')}</h2>
          <ul>
            {declared.slice(0, MAX_DECLARED).map((run) => (
              <li key={run.key} className={styles.declared}>
                <Glyph state={run.state} size={20} byPerson />
                <span>
                  <b>{nameOf(run.key)}</b>
                  {run.detail && <small>{t('history:declaredBy', { name: run.detail })}</small>}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Button
        variant="default"
        size="xs"
        onClick={() => {
          const title = `${batch.schedule || t('kind.adhoc')} · ${t('id', { id: batch.id })}`;
          void copy(reportOf(events, title, words)).then((done) => {
            if (done) toast(t('history:copied'));
          });
        }}
      >
        {t('history:copy')}
      </Button>
    </aside>
  );
}

const PARTS = ['ran', 'untouched', 'rest'] as const;

function Times({ spent, over }: { spent: Spent; over: boolean }) {
  const { t } = useTranslation(['batch', 'history']);
  const span = useSpan();
  return (
    <>
      <h2>{t(over ? 'history:spent.title' : 'history:spent.soFar')}</h2>
      <p className={styles.total}>{span(spent.total)}</p>
      <div className={styles.bar} aria-hidden="true">
        {PARTS.map((part) => (
          <i key={part} data-part={part} style={{ flexGrow: spent[part] }} />
        ))}
      </div>
      <dl>
        {PARTS.filter((part) => spent[part] > 0).map((part) => (
          <div key={part}>
            <dt data-part={part}>{t(`history:spent.${part}`)}</dt>
            <dd>{span(spent[part])}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
