import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { errorText, translateSentence } from '@/api/problem';
import { attemptsQuery } from '@/api/queries';
import { Ago, reasonCodeText, Elapsed, Empty, ErrorNote, Glyph, type ShownState } from '@/ui';
import styles from './Attempts.module.css';
import { Scheduling } from './Scheduling';
import { SentParams } from './SentParams';
import type { TabProps } from './Notes';

type Attempt = Schemas['Attempt'];

const OUTCOMES: Record<string, ShownState> = {
  success: 'succeeded',
  failure: 'failed',
  timeout: 'failed',
  refused: 'failed',
  killed: 'canceled',
  lost: 'unknown',
  returned: 'skipped',
};

/** The attempts of the task, the latest first. A click selects the attempt whose log is shown. */
export function Attempts({
  batch,
  task,
  run,
  attempt,
  onSelectAttempt,
  onCompare,
}: TabProps & {
  attempt?: number;
  onSelectAttempt: (number: number) => void;
  onCompare: (left: number, right: number) => void;
}) {
  const { t } = useTranslation('task');
  const queries = useQueryClient();
  const query = attemptsQuery(batch, task);
  const { data, error, refetch } = useQuery({ ...query, enabled: run.attempts > 0 });
  const key = JSON.stringify(query.queryKey);
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: JSON.parse(key) as string[] });
  }, [queries, key, run.attempts, run.state]);
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (run.attempts === 0) return <Empty title={t('attempts.none')} />;
  const items = [...(data?.items ?? [])].reverse();
  const shown = attempt ?? run.attempts;
  return (
    <>
      {run.attempts > 1 && (
        <Button
          size="compact-sm"
          className={styles.compare}
          onClick={() => {
            if (shown > 1) onCompare(shown - 1, shown);
            else onCompare(1, 2);
          }}
        >
          {t('compare.open')}
        </Button>
      )}
      <ol className={styles.list} reversed>
        {items.map((a) => (
          <li key={a.id} aria-current={a.number === shown ? 'true' : undefined}>
            <Card attempt={a} onSelectAttempt={onSelectAttempt} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Card({ attempt: a, onSelectAttempt }: { attempt: Attempt; onSelectAttempt: (number: number) => void }) {
  const { t } = useTranslation('task');
  const state: ShownState = a.outcome ? (OUTCOMES[a.outcome] ?? 'none') : a.state === 'running' ? 'running' : 'ready';
  const outcome =
    a.outcome && a.outcome in OUTCOMES ? t(`outcomes.${a.outcome as 'success'}`) : t(`attempts.${a.state}`);
  const at = a.finishedAt ?? a.startedAt ?? a.offeredAt;
  return (
    <>
      <button
        type="button"
        className={styles.card}
        onClick={() => {
          onSelectAttempt(a.number);
        }}
      >
        <Glyph state={state} size={22} />
        <b data-state={state}>
          {t('attempts.number', { number: a.number })} · <span>{outcome}</span>
        </b>
        <span className={styles.ago}>
          <Ago at={at} />
        </span>
        <span className={styles.facts}>
          {[
            t('attempts.round', { round: a.round }),
            a.executor,
            a.startedAt && <Elapsed key="time" from={a.startedAt} to={a.finishedAt} />,
            a.exitCode !== undefined && t('exit', { code: a.exitCode }),
          ]
            .filter(Boolean)
            .map((fact, i) => (
              <span key={i}>{fact}</span>
            ))}
        </span>
      </button>
      {a.error && <p className={styles.error}>{errorText(a, t)}</p>}
      {a.killReason && (
        <p className={styles.extra}>
          {a.killReason === 'person'
            ? t('attempts.killedByPerson')
            : t('attempts.killed', { reason: reasonCodeText(a.killReason, t) })}
        </p>
      )}
      {a.notes && a.notes.length > 0 && (
        <ul className={styles.extra}>
          {a.notes.map((n, i) => (
            <li key={i}>{translateSentence(n, a.noteReasons?.[i], t)}</li>
          ))}
        </ul>
      )}
      <Scheduling scheduling={a.scheduling} chosen={a.executor} />
      <SentParams params={a.params} />
    </>
  );
}
