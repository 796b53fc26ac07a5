import type { TFunction } from 'i18next';
import { memo, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { byNumber, chainTrail, criticalPath, failureEdges, skippedBundles, type TaskGraph } from '@/graph';
import type { RunStore } from '@/live';
import { FINAL, type ShownState, shownState, took, type UsualRun } from '@/ui';
import { Card, RunsContext, TaskLine } from './Card';
import { JobHead } from './JobHead';
import { Scene } from './Scene';
import type { SceneProps } from './sceneApi';
import { newSceneStore, type SceneRenderer, type SceneStore } from './sceneStore';
import { ToolButton } from './ToolButton';

/** The props of the scene of a batch. */
export type SceneViewProps = Pick<
  SceneProps,
  | 'graph'
  | 'selected'
  | 'onSelect'
  | 'onOpen'
  | 'onMenu'
  | 'reveal'
  | 'savedView'
  | 'coveredRight'
  | 'coveredTop'
  | 'actions'
> & {
  /** The state of the batch that is shown on the graph. */
  store: RunStore;
  /** When the tasks usually run, by key. */
  usual?: ReadonlyMap<string, UsualRun>;
};

const NO_USUAL: ReadonlyMap<string, UsualRun> = new Map();

/**
 * The graph of a schedule with the live state of a batch. It fills its parent, which must have a height. It follows the
 * runs by itself, and does not render again when the page does.
 */
export const SceneView = memo(function SceneView({ store, usual = NO_USUAL, ...props }: SceneViewProps) {
  const { graph, selected } = props;
  const { t } = useTranslation('scene');
  const { t: stateName } = useTranslation('states');
  const { t: lines } = useTranslation(['scene', 'states']);
  const { t: common } = useTranslation('common');
  const runs = useMemo(
    () => ({
      runs: store,
      stateName,
      usual,
      usually: (run: UsualRun) => stateName('usually', { time: took(run.took, common) }),
      t: lines,
      took: (ms: number, running?: boolean) => took(ms, common, running),
    }),
    [store, stateName, usual, lines, common],
  );
  const [sceneStore] = useState(newSceneStore);
  const renderer = useMemo(() => rendererOf(graph, store, stateName), [graph, store, stateName]);
  useEffect(() => {
    sceneStore.setState({ selected: new Set(selected === undefined ? [] : [selected]) });
  }, [sceneStore, selected]);
  return (
    <RunsContext value={runs}>
      <Scene
        {...props}
        sceneStore={sceneStore}
        renderer={renderer}
        label={t('graph')}
        help={t(props.actions ? 'helpActions' : 'help')}
        empty={t('empty')}
        tools={<CriticalPath graph={graph} runs={store} sceneStore={sceneStore} />}
      />
    </RunsContext>
  );
});

function rendererOf(graph: TaskGraph, store: RunStore, stateName: TFunction<'states'>): SceneRenderer {
  const runOf = (key: string) => store.getRun(store.numberOf(key) ?? -1);
  // Looking for the edges reads all runs, and every rendering of the scene asks for them.
  let edges: { version: number; list: readonly string[] } | undefined;
  return {
    Card,
    Line: TaskLine,
    Head: JobHead,
    stateOf: (key) => {
      const run = runOf(key);
      return run ? shownState(run) : 'none';
    },
    failureEdges: () => {
      const version = store.getVersion();
      if (edges?.version !== version) edges = { version, list: failureEdges(graph, runOf) };
      return edges.list;
    },
    skippedBundles: () => skippedBundles(graph, runOf),
    nameOfState: (state) => (state === 'none' ? '' : stateName(state as ShownState)),
    subscribe: store.subscribe,
    // The first failed run, otherwise the first running one.
    firstTask: () => {
      const { tasks } = byNumber(graph);
      const find = (state: string) => tasks.find(({ key }) => runOf(key)?.state === state)?.key;
      return find('failed') ?? find('running');
    },
  };
}

const CRITICAL_ICON = 'M4 2.5v2c0 3 8 4 8 7v2M4 13.5v-2M12 2.5v2';

/** The button that lights the critical path: the chain of tasks that determined the duration of an ended batch. */
function CriticalPath({ graph, runs, sceneStore }: { graph: TaskGraph; runs: RunStore; sceneStore: SceneStore }) {
  const { t } = useTranslation('scene');
  const on = useStore(sceneStore, (s) => s.pinned !== undefined);
  const ended = useSyncExternalStore(runs.subscribe, () => FINAL.has(runs.getBatch()?.state ?? 'none'));
  const show = (wanted: boolean) => {
    const chain = wanted ? criticalPath(graph, (key) => runs.getRun(runs.numberOf(key) ?? -1)) : [];
    sceneStore.setState({ pinned: chain.length > 0 ? chainTrail(chain) : undefined });
  };
  // Another graph, or a batch that runs again, has another critical path.
  useEffect(
    () => () => {
      sceneStore.setState({ pinned: undefined });
    },
    [sceneStore, graph, ended],
  );
  return (
    <ToolButton
      label={t('critical')}
      hint={ended ? t('criticalHint') : t('criticalLater')}
      icon={CRITICAL_ICON}
      disabled={!ended}
      on={on}
      act={() => {
        show(!on);
      }}
    />
  );
}
