import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { attemptsQuery } from '@/api/queries';
import type { TaskRun } from '@/live';
import { useCopy } from '@/ui';
import type { TabProps } from './Notes';
import { actionsFor, requestFor } from './Actions';
import { LogView } from './log/LogView';
import { apiSource } from './log/source';
import type { TaskSearch } from './search';
import styles from './TaskLog.module.css';

interface Props extends TabProps {
  /** The attempt to show; undefined means the latest. */
  attempt?: number;
  at?: number;
  onSearch: (change: TaskSearch & { task?: string }) => void;
  /** Undefined if the batch cannot be repaired. */
  onRepair?: (request: Schemas['RepairRequest']) => void;
  onError: (found: boolean) => void;
  onEdit?: () => void;
}

const MAY_WRITE: ReadonlySet<string> = new Set(['running', 'unknown', 'ready']);
const FAILED_OUTCOMES: ReadonlySet<string> = new Set(['failure', 'timeout', 'refused']);

/** The log of the selected attempt of the task, or of its latest one. */
export function TaskLog(props: Props) {
  const { t } = useTranslation('task');
  const { run, attempt, onSearch } = props;
  if (run.attempts === 0) return <p className={styles.none}>{t('noLog', { context: run.state })}</p>;
  return (
    <>
      {attempt !== undefined && attempt < run.attempts && (
        <p className={styles.older}>
          {t('older', { number: attempt })}
          <button
            type="button"
            onClick={() => {
              onSearch({ attempt: undefined, at: undefined });
            }}
          >
            {t('showLatest')}
          </button>
        </p>
      )}
      <AttemptLog key={`${String(props.batch)} ${props.task} ${String(attempt ?? run.attempts)}`} {...props} />
    </>
  );
}

function AttemptLog({ batch, task, run, attempt, at, onSearch, onRepair, onError, onEdit }: Props) {
  const { t } = useTranslation('task');
  const { data: attempts } = useQuery(attemptsQuery(batch, task));
  const source = useMemo(() => apiSource(batch, task, attempt), [batch, task, attempt]);
  const number = attempt ?? run.attempts;
  const latest = number === run.attempts;
  const shown = attempts?.items.findLast((a) => a.number === number && a.outcome !== 'returned');
  const { running, failed, startedAt } = progressOf(run, latest, shown);
  return (
    <LogView
      source={source}
      label={t('logOf', { task, number })}
      running={running}
      failed={failed}
      since={startedAt ? new Date(startedAt).getTime() : undefined}
      at={at}
      hrefOf={(offset) => permalink(location, task, number, offset)}
      onSelectLine={(offset) => {
        onSearch({ attempt: number, at: offset });
      }}
      remedy={(offset) => (
        <Remedy
          run={run}
          latest={latest}
          onRepair={onRepair}
          onEdit={onEdit}
          href={permalink(location, task, number, offset)}
        />
      )}
      onError={latest ? onError : undefined}
      empty={{ soon: <p>{t('logSoon')}</p>, none: <p>{shown?.logBytes ? t('logGone') : t('logEmpty')}</p> }}
    />
  );
}

/**
 * Whether the attempt runs or failed, and when it started. For the latest attempt the run decides, because attempts are
 * read only from time to time.
 */
function progressOf(run: TaskRun, latest: boolean, attempt: Schemas['Attempt'] | undefined) {
  const startedAt = latest && run.startedAt ? run.startedAt : attempt?.startedAt;
  const running = latest && MAY_WRITE.has(run.state) && !(run.state === 'ready' && run.notBefore);
  const failed =
    latest && !running ? ['failed', 'ready'].includes(run.state) : FAILED_OUTCOMES.has(attempt?.outcome ?? '');
  return { running, failed, startedAt };
}

/** The actions below the error line of the log. */
function Remedy({
  run,
  latest,
  onRepair,
  onEdit,
  href,
}: Pick<Props, 'run' | 'onRepair' | 'onEdit'> & { latest: boolean; href: string }) {
  const { t } = useTranslation('task');
  const { t: common } = useTranslation('common');
  const [copied, setCopied] = useState(false);
  const actions = latest && onRepair ? actionsFor(run) : [];
  const label = copied ? common('copied') : common('copyLink');
  const write = useCopy();
  const copy = async () => {
    if (await write(new URL(href, location.href).href)) setCopied(true);
  };
  return (
    <>
      {actions.includes('resume') && (
        <Button
          h={30}
          px={12}
          fz={13}
          onClick={() => {
            onRepair?.(requestFor('resume', run.key));
          }}
        >
          {t('resumeHere')}
        </Button>
      )}
      {actions.includes('rerun') && (
        <Button
          h={30}
          px={12}
          fz={13}
          onClick={() => {
            onRepair?.(requestFor('rerun', run.key));
          }}
        >
          {t('actions.rerun')}
        </Button>
      )}
      {onEdit && (
        <Button h={30} px={12} fz={13} onClick={onEdit}>
          {t('actions.edit')}
        </Button>
      )}
      <Button h={30} px={12} fz={13} onClick={() => void copy()}>
        {label}
      </Button>
    </>
  );
}

/** The address of a line of a log: the address of the page with the task, the attempt and the offset of the line. */
export function permalink(
  page: { pathname: string; search: string },
  task: string,
  attempt: number,
  offset: number,
): string {
  const search = new URLSearchParams(page.search);
  search.delete('tab');
  search.set('task', quoteIfJson(task));
  search.set('attempt', String(attempt));
  search.set('at', String(offset));
  return `${page.pathname}?${search.toString()}`;
}

/** Quotes a key that is valid JSON, such as `7`, because the router parses values of the address as JSON. */
function quoteIfJson(value: string): string {
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}
