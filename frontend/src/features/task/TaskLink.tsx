import { Glyph, shownState, useTaskName } from '@/ui';
import { type RunStore, useRun } from '@/live';
import { useTranslation } from 'react-i18next';
import styles from './TaskLink.module.css';

interface Props {
  store: RunStore;
  task: string;
  onSelect: (task: string) => void;
  /** With its state as a sign; its word is there for screen readers. */
  sign?: boolean;
}

/** Another task of the batch; a click shows it. */
export function TaskLink({ store, task, onSelect, sign }: Props) {
  const { t } = useTranslation('states');
  const run = useRun(store, store.numberOf(task));
  const state = run && shownState(run);
  const name = useTaskName(task);
  return (
    <button
      type="button"
      className={styles.link}
      data-state={state}
      onClick={() => {
        onSelect(task);
      }}
    >
      {sign && state && <Glyph state={state} size={14} bare />}
      <span title={name === task ? undefined : task}>{name}</span>
      {sign && state && <span className="hg-visually-hidden">{t(state)}</span>}
    </button>
  );
}

/** Several of them, after one another; how many more there are beyond a few. */
export function TaskLinks({
  tasks,
  most = 6,
  ...rest
}: Omit<Props, 'task'> & { tasks: readonly string[]; most?: number }) {
  const { t } = useTranslation('task');
  const more = tasks.length - most;
  return (
    <>
      {tasks.slice(0, most).map((task, i) => (
        <span key={task}>
          {i > 0 && t('comma')}
          <TaskLink task={task} {...rest} />
        </span>
      ))}
      {more > 0 && <span>{t('andMore', { count: more })}</span>}
    </>
  );
}
