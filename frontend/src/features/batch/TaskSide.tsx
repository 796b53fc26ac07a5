import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Definition } from '@/api/definition';
import { TaskDrawer } from '@/features/task';
import { toGraph } from '@/graph';
import { loadTexts } from '@/i18n';
import { type Batch, type RunStore, taskKeyOf } from '@/live';
import { lazyPreload } from '@/ui';
import type { BatchActions } from './Actions';
import { NoTask, Side } from './Side';
import { allowedToFail } from './summary';
import type { Address } from './useAddress';

const SlotWaits = lazyPreload(async () => {
  const [part] = await Promise.all([import('./timeline/SlotWaits'), loadTexts('timeline')]);
  return part.SlotWaits;
});

/** A loaded batch with its definition. */
export interface ViewProps {
  batch: Batch;
  store: RunStore;
  /** Undefined until it is loaded. */
  definition?: Definition;
  /** Why the definition cannot be loaded. */
  problem: unknown;
  retry: () => void;
}

/** The parts of the page that change its address, and the batch. */
export interface PartProps extends ViewProps {
  address: Address;
  /** Shows the plan of a repair. Undefined for a batch that the server no longer has: it can only be looked at. */
  onRepair?: BatchActions['repair'];
}

interface SideProps extends PartProps {
  isWide: boolean;
  onWidth: (width: number) => void;
}

/** The selected task, beside the view, or over it on a narrow screen. */
export function TaskSide({ isWide, onWidth, ...props }: SideProps) {
  const { search } = props.address;
  if (search.task === undefined) return null;
  const drawer = <Drawer {...props} task={search.task} isWide={isWide} />;
  if (!isWide) return drawer;
  return (
    <Side over={search.view === undefined} onWidth={onWidth}>
      {drawer}
    </Side>
  );
}

function Drawer({
  batch,
  store,
  definition,
  address,
  onRepair,
  task,
  isWide,
}: PartProps & { task: string; isWide: boolean }) {
  const navigate = useNavigate();
  const { search, change, select } = address;
  const close = useCallback(() => {
    select(undefined);
  }, [select]);
  const edit = () =>
    void navigate({
      to: '/schedules/$name',
      params: { name: batch.schedule },
      search: { task: taskKeyOf(task), batch: batch.id },
    });
  if (store.numberOf(task) === undefined) return <NoTask batch={batch} task={task} onClose={close} over={!isWide} />;
  return (
    definition && (
      <TaskDrawer
        batch={batch.id}
        store={store}
        definition={definition}
        task={task}
        search={search}
        onSearch={change}
        onClose={close}
        onRepair={onRepair}
        onEdit={batch.schedule && onRepair ? edit : undefined}
        notes={search.view === 'timeline' && <TaskWaits {...{ batch, store, definition, task }} />}
      />
    )
  );
}

/** What a task waited for. It is computed only beside the timeline, which needs the same. */
function TaskWaits({
  batch,
  store,
  definition,
  task,
}: Pick<ViewProps, 'batch' | 'store' | 'definition'> & { task: string }) {
  const graph = useMemo(() => definition && toGraph(definition), [definition]);
  const allowed = useMemo(() => allowedToFail(definition), [definition]);
  return <SlotWaits {...{ batch, store, definition, graph, allowed, task }} />;
}
