import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Diff, Doc, TaskChange } from '@/document';
import type { GraphTask } from '@/graph';
import { CardFrame, type SceneRenderer, newSceneStore, Scene } from '@/scene';
import { ChangeList, ChangeMark, type Mark } from '../ChangeList';
import { useFieldWords } from '../words';
import { drawingOf, marksOf } from './compare';
import styles from './History.module.css';

interface Changes {
  of: ReadonlyMap<string, TaskChange>;
  freed: ReadonlyMap<string, readonly string[]>;
}

const ChangesContext = createContext<Changes>({ of: new Map(), freed: new Map() });
/** The colours of the view from afar are those of states. */
const FAR: Record<Mark, string> = { added: 'succeeded', removed: 'failed', changed: 'running', moved: 'ready' };

/** Two documents in one drawing: what was added, removed, changed and moved, by sign, word, line and colour. */
export function GraphDiff({ before, after, diff }: { before: Doc; after: Doc; diff: Diff }) {
  const { t } = useTranslation('editor');
  const { graph, gone, freed } = useMemo(() => drawingOf(before, after, diff), [before, after, diff]);
  const marks = useMemo(() => marksOf(diff), [diff]);
  const changes = useMemo(
    (): Changes => ({ of: new Map(diff.tasks.map((task) => [task.key, task])), freed }),
    [diff, freed],
  );
  const [sceneStore] = useState(newSceneStore);
  const [picked, setPicked] = useState<string>();
  const renderer = useMemo(
    (): SceneRenderer => ({
      Card: DiffCard,
      stateOf: (key) => {
        const mark = marks.get(key);
        return mark ? FAR[mark] : 'none';
      },
      hot: () => [],
      gone,
      subscribe: () => () => undefined,
      first: () => [...marks.keys()][0],
    }),
    [marks, gone],
  );
  useEffect(() => {
    sceneStore.setState({ selected: new Set(picked === undefined ? [] : [picked]) });
  }, [sceneStore, picked]);
  const shown = picked === undefined ? undefined : changes.of.get(picked);
  return (
    <ChangesContext value={changes}>
      <div className={styles.graph}>
        <Scene
          graph={graph}
          renderer={renderer}
          sceneStore={sceneStore}
          selected={picked}
          onSelect={setPicked}
          label={t('history.graph')}
          help={t('history.graphHelp')}
          empty={t('history.noTasks')}
        />
      </div>
      {gone.size > 0 && (
        <p className={styles.legend}>
          <svg width="26" height="8" aria-hidden="true">
            <path d="M1 4h24" />
          </svg>
          {t('history.gone', { count: gone.size })}
        </p>
      )}
      {shown && (
        <div className={styles.detail}>
          <ChangeList diff={{ head: [], jobs: [], tasks: [shown], count: 1 }} />
        </div>
      )}
    </ChangesContext>
  );
}

function DiffCard({ task, job }: { task: GraphTask; job: string }) {
  const { t } = useTranslation('editor');
  const { label } = useFieldWords();
  const { of, freed } = useContext(ChangesContext);
  const change = of.get(task.key);
  const left = freed.get(task.key);
  const free = left && t('history.freed', { tasks: left.join(', ') });
  // What is heard of it is how many it waits for now.
  const now = useMemo(() => (left ? { ...task, needs: task.needs.slice(0, -left.length) } : task), [task, left]);
  const mark: Mark | undefined =
    change &&
    (change.kind === 'changed' && change.fields.length === 0 && change.movedFrom !== undefined ? 'moved' : change.kind);
  const words = mark
    ? [
        t(`mark.${mark}`),
        ...(change?.fields.map(({ field }) => label(field, (change.after ?? change.before)?.handler)) ?? []),
      ].join(' · ')
    : task.handler;
  return (
    <CardFrame
      task={now}
      job={job}
      state="none"
      data={{ 'data-diff': mark ?? 'none' }}
      words={[mark && words, free]}
      heard={free}
      sign={mark ? <ChangeMark kind={mark} bare /> : <span className={styles.same} aria-hidden="true" />}
      line={<span className={styles.words}>{words}</span>}
    />
  );
}
