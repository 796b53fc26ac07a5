import { useCallback } from 'react';
import { RunActions } from '@/features/task';
import { type Batch, type RunStore, useRun } from '@/live';
import { SceneView, type SceneViewProps } from '@/scene';
import type { BatchActions } from './Actions';

type Props = Omit<SceneViewProps, 'onOpen' | 'actions'> & {
  batch: Batch;
  onRepair: BatchActions['repair'];
};

/** The graph of a batch, with the actions of its tasks. */
export function Graph({ batch, onRepair, ...props }: Props) {
  const { store } = props;
  const cardActions = useCallback(
    (task: string) => <CardActions store={store} task={task} onRepair={onRepair} />,
    [store, onRepair],
  );
  return <SceneView {...props} actions={batch.live && batch.wish === 'cancel' ? undefined : cardActions} />;
}

/** The actions on the card of a task. */
function CardActions({ store, task, onRepair }: { store: RunStore; task: string; onRepair: BatchActions['repair'] }) {
  const run = useRun(store, store.numberOf(task));
  return run && <RunActions run={run} onRepair={onRepair} />;
}
