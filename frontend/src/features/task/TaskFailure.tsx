import { CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { errorText } from '@/api/problem';
import { attemptsQuery, keys } from '@/api/queries';
import { apiSource } from './log/source';
import { plainText } from './log/text';
import { linesBefore } from './log/window';
import styles from './TaskFailure.module.css';

/** The bytes of the line of the error that are read at most. */
const MAX_LINE = 4096;

interface Props {
  batch: number;
  task: string;
  onClose: () => void;
}

/** How a task failed in a batch: the line of the error in its log, and the exit code. Nothing if it did not fail. */
export function TaskFailure({ batch, task, onClose }: Props) {
  const { t } = useTranslation('task');
  const { data: attempt } = useQuery({ ...attemptsQuery(batch, task), select: lastFailure, retry: false });
  const { data: line } = useQuery({
    queryKey: [...keys.batch(batch), 'error', task, attempt?.number],
    queryFn: ({ signal }) => readError(batch, task, attempt?.number, signal),
    enabled: attempt !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  if (!attempt) return null;
  const text = line?.text ?? errorText(attempt, t);
  return (
    <section className={styles.failure} aria-label={t('failure.label')}>
      <div>
        <b>{t('failure.head', { batch })}</b>
        {attempt.exitCode !== undefined && <span>{t('exit', { code: attempt.exitCode })}</span>}
        <Link to="/batches/$id" params={{ id: batch }} search={{ task, attempt: attempt.number, at: line?.offset }}>
          {t('failure.log')}
        </Link>
        <CloseButton size="sm" aria-label={t('failure.close')} onClick={onClose} />
      </div>
      {text && <code>{text}</code>}
    </section>
  );
}

const FAILED: ReadonlySet<string | undefined> = new Set(['failure', 'timeout', 'refused']);

/** The last attempt, if it failed. */
function lastFailure({ items }: Schemas['AttemptList']): Schemas['Attempt'] | undefined {
  const last = items.findLast(({ outcome }) => outcome !== 'returned');
  return last && FAILED.has(last.outcome) ? last : undefined;
}

/** The line of the error in a log; null if it has none. */
async function readError(batch: number, task: string, attempt: number | undefined, signal: AbortSignal) {
  const source = apiSource(batch, task, attempt);
  const { offset } = await source.find({}, signal);
  if (offset === undefined) return null;
  const { bytes } = await source.read(offset, MAX_LINE, signal);
  const end = bytes.indexOf(0x0a);
  const [line] = linesBefore(end < 0 ? bytes : bytes.subarray(0, end + 1), 0);
  return line ? { text: plainText(line.text), offset } : null;
}
