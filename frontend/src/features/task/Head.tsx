import { ActionIcon, Tooltip } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { DefinitionTask } from '@/api/definition';
import type { TaskRun } from '@/live';
import { Ago, Elapsed, FINAL, shownState, StateChip } from '@/ui';
import { Icon } from './log/icons';
import styles from './Head.module.css';

interface Props {
  run: TaskRun;
  spec?: DefinitionTask;
  /** The one that is looked at; the latest if left out. */
  attempt?: number;
  onClose: () => void;
  /** What can be done about the task. */
  menu: ReactNode;
}

/** Which task this is, and what became of it, in one line. */
export function Head({ run, spec, attempt, onClose, menu }: Props) {
  const { t } = useTranslation('task');
  return (
    <div className={styles.head}>
      <div className={styles.names}>
        <h2>{spec?.title ?? run.key}</h2>
        {spec?.title && <code>{run.key}</code>}
      </div>
      <div className={styles.buttons}>
        {menu}
        <Tooltip label={t('close')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            aria-label={t('close')}
            onClick={onClose}
            className={styles.close}
          >
            <Icon name="close" />
          </ActionIcon>
        </Tooltip>
      </div>
      <p className={styles.facts}>
        <span>
          <StateChip state={shownState(run)} />
        </span>
        {useFacts(run, spec, attempt).map((fact, i) => (
          <span key={i}>{fact}</span>
        ))}
      </p>
    </div>
  );
}

/** When the task ran and for how long, and by what. */
function useFacts(run: TaskRun, spec: DefinitionTask | undefined, attempt: number | undefined): ReactNode[] {
  const { t } = useTranslation('task');
  const facts: ReactNode[] = timesOf(run, t('took'));
  if (spec) facts.push(spec.handler);
  if (run.executor) facts.push(t('executor', { name: run.executor }));
  if (run.attempts > 0) facts.push(t('attemptOf', { number: attempt ?? run.attempts, count: run.attempts }));
  if (run.exitCode !== undefined && run.state === 'failed') facts.push(t('exit', { code: run.exitCode }));
  return facts;
}

function timesOf(run: TaskRun, took: string): ReactNode[] {
  if (run.state === 'running' && run.startedAt) return [<Elapsed key="running" from={run.startedAt} />];
  if (!FINAL.has(run.state) || !run.finishedAt) return [];
  const ago = <Ago key="ago" at={run.finishedAt} />;
  if (!run.startedAt) return [ago];
  return [
    ago,
    <Fragment key="took">
      {took} <Elapsed from={run.startedAt} to={run.finishedAt} />
    </Fragment>,
  ];
}
