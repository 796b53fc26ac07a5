import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError, data } from '@/api/client';
import { problemText } from '@/api/problem';
import { ErrorNote, exact, Glyph, Moment, type ShownState } from '@/ui';
import { PlanRows } from '@/features/repair';
import { type BatchCommand, type BatchEvent, personOf } from './events';
import { effectText, errorOf, noteOf, sentenceOf, type Words } from './eventText';
import styles from './History.module.css';

interface Props {
  event: BatchEvent;
  words: Words;
  /** Number of task runs of the batch. */
  total: number;
}

/** An event: when, who, what, why, and what it changed. */
export function HistoryEvent({ event, words, total }: Props) {
  const { batch, zone } = words;
  const person = personOf(event, batch);
  const [note, error] = [noteOf(event), errorOf(event, words)];
  const sentence = sentenceOf(event, words);
  return (
    <li className={styles.event}>
      <Moment at={event.at}>
        {exact(event.at, { zone, seconds: true }).slice(11)}
        <small>{exact(event.at, { zone }).slice(5, 10)}</small>
      </Moment>
      <span className={styles.mark}>
        <Mark event={event} batchState={batch.state} />
      </span>
      <div className={styles.text}>
        <p>
          {person !== undefined && <b>{person}</b>} <Sentence event={event} sentence={sentence} />
        </p>
        {note && <q>{note}</q>}
        {error && <code>{error}</code>}
        <Details event={event} words={words} total={total} />
      </div>
    </li>
  );
}

/** The sentence; that of a failure leads to the log of the task. */
function Sentence({ event, sentence }: { event: BatchEvent; sentence: string }) {
  if (event.type !== 'failed') return sentence;
  return (
    <Link from="/batches/$id" to="." search={(s) => ({ ...s, task: event.run.key, tab: undefined })}>
      {sentence}
    </Link>
  );
}

/** What stands below the sentence of an event. */
function Details({ event, words, total }: Props) {
  const { t } = useTranslation('history');
  switch (event.type) {
    case 'failed':
      return event.skipped > 0 && <p className="hg-quiet">{t('skipped', { count: event.skipped })}</p>;
    case 'command':
      return <CommandDetails command={event.command} words={words} total={total} />;
    case 'published':
      return (
        event.revision.number > 1 && (
          <Link
            className={styles.quiet}
            to="/schedules/$name"
            params={{ name: words.batch.schedule }}
            search={{ view: 'history', from: event.revision.number - 1, to: event.revision.number }}
          >
            {t('changes')}
          </Link>
        )
      );
    case 'ended':
      return <Caused words={words} />;
    default:
      return null;
  }
}

/** The schedules that the success of the batch let start. */
function Caused({ words: { batch, language } }: { words: Words }) {
  const { t } = useTranslation('history');
  if (!batch.caused?.length) return null;
  const names = [...new Set(batch.caused.map((link) => link.schedule))];
  return (
    <p className="hg-quiet">
      {t('caused', { schedules: new Intl.ListFormat(language, { type: 'conjunction' }).format(names) })}
    </p>
  );
}

function CommandDetails({ command, words, total }: { command: BatchCommand; words: Words; total: number }) {
  const { t } = useTranslation(['history', 'problems']);
  const effect = effectText(command, total, words);
  const { state, problem } = command;
  return (
    <>
      {state === 'pending' && <p className="hg-quiet">{t('history:pending')}</p>}
      {state === 'refused' && problem && (
        <p className={styles.refused}>
          {t('history:refused', { words: problemText(new ApiError(problem.status, problem), t as never).detail })}
        </p>
      )}
      {effect && <p className="hg-quiet">{effect}</p>}
      {command.changes.length > 0 && <Plan command={command.id} />}
    </>
  );
}

/** The plan of an applied repair, loaded once it is unfolded. */
function Plan({ command }: { command: number }) {
  const { t } = useTranslation('history');
  const [open, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ['command', command],
    queryFn: () => data(api.GET('/api/v1/commands/{id}', { params: { path: { id: command } } })),
    staleTime: Infinity,
    enabled: open,
  });
  const plan = query.data?.plan;
  return (
    <details
      className={styles.plan}
      onToggle={(e) => {
        setOpen(e.currentTarget.open);
      }}
    >
      <summary>{t('plan')}</summary>
      {query.error && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {plan && <PlanRows plan={plan} runs={[]} named={plan.rows.some((row) => row.why === 'asked')} />}
    </details>
  );
}

const MARK_OF_ACTION = {
  resume: 'retrying',
  rerun: 'retrying',
  mark_success: 'succeeded',
  mark_skip: 'ignored',
  cancel: 'canceled',
  close: 'none',
} as const satisfies Record<string, ShownState>;

const MARK_OF_WISH = { run: 'running', pause: 'paused', cancel: 'canceled' } as const satisfies Record<
  string,
  ShownState
>;

function markOf(event: BatchEvent, batchState: ShownState): ShownState {
  switch (event.type) {
    case 'begun':
      return 'ready';
    case 'failed':
      return event.run.state;
    case 'more':
      return 'failed';
    case 'ended':
      return batchState;
    case 'command': {
      const { wish, action } = event.command;
      return wish ? MARK_OF_WISH[wish] : action ? MARK_OF_ACTION[action] : 'none';
    }
    case 'published':
      return 'queued';
    default:
      return 'none';
  }
}

/** The sign of an event; that of a declared success differs from that of a run. */
function Mark({ event, batchState }: { event: BatchEvent; batchState: ShownState }) {
  const declared = event.type === 'taken' || (event.type === 'command' && event.command.action === 'mark_success');
  return <Glyph state={markOf(event, batchState)} size={22} byPerson={declared} />;
}
