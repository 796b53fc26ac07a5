import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Diff, Doc, TaskChange } from '@/document';
import { CardFrame, type Look, newStage, Scene, type SceneTask, toGraph } from '@/scene';
import { ChangeList } from '../ChangeList';
import { type Mark, Sign } from '../Sign';
import { useFieldWords } from '../words';
import { marksOf, union } from './compare';
import styles from './History.module.css';

const NOTHING: ReadonlyMap<string, TaskChange> = new Map();
const ChangesContext = createContext(NOTHING);
/** The colours of the view from afar are those of states. */
const FAR: Record<Mark, string> = { added: 'succeeded', removed: 'failed', changed: 'running', moved: 'ready' };

/** Two documents in one drawing: what was added, removed, changed and moved, by sign, word, line and colour. */
export function GraphDiff({ before, after, diff }: { before: Doc; after: Doc; diff: Diff }) {
  const { t } = useTranslation('editor');
  const graph = useMemo(() => toGraph(union(before, after, diff)), [before, after, diff]);
  const marks = useMemo(() => marksOf(diff), [diff]);
  const changes = useMemo(() => new Map(diff.tasks.map((task) => [task.key, task])), [diff]);
  const [stage] = useState(newStage);
  const [picked, setPicked] = useState<string>();
  const look = useMemo((): Look => ({
    Card: DiffCard,
    stateOf: (key) => {
      const mark = marks.get(key);
      return mark ? FAR[mark] : 'none';
    },
    hot: () => [],
    subscribe: () => () => undefined,
    first: () => [...marks.keys()][0],
  }), [marks]);
  useEffect(() => { stage.setState({ selected: new Set(picked === undefined ? [] : [picked]) }); }, [stage, picked]);
  const shown = picked === undefined ? undefined : changes.get(picked);
  return (
    <ChangesContext value={changes}>
      <div className={styles.graph}>
        <Scene graph={graph} look={look} stage={stage} selected={picked} onSelect={setPicked} label={t('history.graph')} help={t('history.graphHelp')} empty={t('history.noTasks')} />
      </div>
      {shown && <div className={styles.detail}><ChangeList diff={{ head: [], jobs: [], tasks: [shown], count: 1 }} /></div>}
    </ChangesContext>
  );
}

function DiffCard({ task, job }: { task: SceneTask; job: string }) {
  const { t } = useTranslation('editor');
  const { label } = useFieldWords();
  const change = useContext(ChangesContext).get(task.key);
  const mark: Mark | undefined = change && (change.kind === 'changed' && change.fields.length === 0 && change.movedFrom !== undefined ? 'moved' : change.kind);
  const words = mark ? [t(`mark.${mark}`), ...(change?.fields.map(({ field }) => label(field, (change.after ?? change.before)?.handler)) ?? [])].join(' · ') : task.handler;
  return (
    <CardFrame
      task={task} job={job} state="none" data={{ 'data-diff': mark ?? 'none' }} words={mark ? [words] : []}
      sign={mark ? <Sign kind={mark} bare /> : <span className={styles.same} aria-hidden="true" />} line={<span className={styles.words}>{words}</span>}
    />
  );
}
