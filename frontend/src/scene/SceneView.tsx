import { type ReactNode, type RefObject, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { byNumber, failureEdges, type TaskGraph } from '@/graph';
import type { RunStore } from '@/live';
import { shownState } from '@/ui';
import type { View } from './camera';
import { Card, RunsContext } from './Card';
import { Critical } from './Critical';
import { Scene } from './Scene';
import { type Look, newStage } from './stage';

export interface SceneViewProps {
  graph: TaskGraph;
  /** The state of the batch that is laid over the graph. */
  store: RunStore;
  /** Key of the selected task. */
  selected?: string;
  onSelect: (key: string | undefined) => void;
  /** A task was opened: by Enter or a double click, which select it too. */
  onOpen?: (key: string) => void;
  /** Key of a task to bring into sight; each new value moves the view. */
  reveal?: string;
  /** Has where a person left the view; the page keeps it while the scene is not there. */
  place?: RefObject<View | undefined>;
  /** So many pixels at its right are under something that the page shows over it. */
  covered?: number;
  /** The same at its top. */
  above?: number;
  /** What can be done with the task that is selected, or that the keyboard is on: shown at its card. It stays the same function. */
  actions?: (key: string) => ReactNode;
}

/** The graph of a schedule with the live state of a batch laid over it. It fills its parent, which must have a height. */
export function SceneView({ store, ...props }: SceneViewProps) {
  const { graph, selected } = props;
  const { t } = useTranslation('scene');
  const { t: word } = useTranslation('states');
  const runs = useMemo(() => ({ runs: store, word }), [store, word]);
  const [stage] = useState(newStage);
  const look = useMemo(() => lookOf(graph, store), [graph, store]);
  useEffect(() => {
    stage.setState({ selected: new Set(selected === undefined ? [] : [selected]) });
  }, [stage, selected]);
  return (
    <RunsContext value={runs}>
      <Scene
        {...props}
        stage={stage}
        look={look}
        label={t('graph')}
        help={t(props.actions ? 'helpActions' : 'help')}
        empty={t('empty')}
        tools={<Critical graph={graph} runs={store} stage={stage} />}
      />
    </RunsContext>
  );
}

function lookOf(graph: TaskGraph, store: RunStore): Look {
  const runOf = (key: string) => store.getRun(store.numberOf(key) ?? -1);
  return {
    Card,
    stateOf: (key) => {
      const run = runOf(key);
      return run ? shownState(run) : 'none';
    },
    hot: () => failureEdges(graph, runOf),
    subscribe: store.subscribe,
    // One that failed, else one that runs.
    first: () => {
      const { tasks } = byNumber(graph);
      const find = (state: string) => tasks.find(({ key }) => runOf(key)?.state === state)?.key;
      return find('failed') ?? find('running');
    },
  };
}
