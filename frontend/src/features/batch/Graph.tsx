import { useCallback, useState } from 'react';
import { RunActions, RunMenu } from '@/features/task';
import { type Batch, type RunStore, useRun } from '@/live';
import { SceneView, type SceneViewProps } from '@/scene';
import type { BatchActions } from './Actions';

type Props = Omit<SceneViewProps, 'onOpen' | 'actions' | 'onMenu'> & {
  batch: Batch;
  /** Undefined if the batch cannot be repaired. */
  onRepair?: BatchActions['repair'];
};

/** A task, and the point of the window at which its menu opens. */
interface MenuAt {
  task: string;
  point: { x: number; y: number };
}

/** The graph of a batch, with the actions of its tasks: at the card, and in a menu of the second mouse button. */
export function Graph({ batch, onRepair, ...props }: Props) {
  const { store } = props;
  const [menu, setMenu] = useState<MenuAt>();
  const cardActions = useCallback(
    (task: string) => onRepair && <CardActions store={store} task={task} onRepair={onRepair} />,
    [store, onRepair],
  );
  const openMenu = useCallback((task: string, point: MenuAt['point']) => {
    setMenu({ task, point });
  }, []);
  const closeMenu = useCallback(() => {
    setMenu(undefined);
  }, []);
  const fixed = !onRepair || (batch.live && batch.wish === 'cancel');
  return (
    <>
      <SceneView {...props} actions={fixed ? undefined : cardActions} onMenu={fixed ? undefined : openMenu} />
      {menu && !fixed && (
        <CardMenu
          key={`${menu.task} ${String(menu.point.x)} ${String(menu.point.y)}`}
          store={store}
          menu={menu}
          onRepair={onRepair}
          onClose={closeMenu}
        />
      )}
    </>
  );
}

interface CardProps {
  store: RunStore;
  onRepair: BatchActions['repair'];
}

/** The actions on the card of a task. */
function CardActions({ store, task, onRepair }: CardProps & { task: string }) {
  const run = useRun(store, store.numberOf(task));
  return run && <RunActions run={run} onRepair={onRepair} />;
}

function CardMenu({ store, menu, onRepair, onClose }: CardProps & { menu: MenuAt; onClose: () => void }) {
  const run = useRun(store, store.numberOf(menu.task));
  return run && <RunMenu run={run} at={menu.point} onRepair={onRepair} onClose={onClose} />;
}
