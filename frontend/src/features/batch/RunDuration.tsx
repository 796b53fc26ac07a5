import type { TaskRun } from '@/live';
import { TookUsually, type UsualRun } from '@/ui';
import { isUnderWay } from './table';

interface Props {
  run: TaskRun;
  usual?: UsualRun;
  /** Without the usual duration, which only marks what took longer. */
  short?: boolean;
}

/** How long the latest attempt of a run took or has taken so far; nothing if it has not started. */
export function RunDuration({ run, usual, short }: Props) {
  const { startedAt, finishedAt } = run;
  if (startedAt === undefined || (finishedAt === undefined && !isUnderWay(run))) return null;
  const compared = run.state === 'canceled' ? undefined : usual;
  return <TookUsually from={startedAt} to={finishedAt} usual={compared} short={short} />;
}
