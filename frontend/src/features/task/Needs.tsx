import { useTranslation } from 'react-i18next';
import { type RunStore, useRun } from '@/live';
import { Elapsed, Glyph, shownState } from '@/ui';
import styles from './Needs.module.css';
import type { TabProps } from './Notes';

/** The tab with the tasks that the task waits for, and the tasks that wait for it. */
export function Needs({ store, relations, onSelect }: TabProps) {
  const { t } = useTranslation('task');
  const { needs, dependants, implicit, task } = relations;
  return (
    <div className={styles.needs}>
      <section>
        <h3>{t('needs.before', { count: needs.length })}</h3>
        {implicit && needs.length > 0 && <p className="hg-quiet">{t('needs.implicit')}</p>}
        {task?.rule && task.rule !== 'all_success' && <p className="hg-quiet">{t(`rules.${task.rule}`)}</p>}
        {needs.length === 0 ? (
          <p className="hg-quiet">{t('needs.first')}</p>
        ) : (
          <TaskList tasks={needs} store={store} onSelect={onSelect} />
        )}
      </section>
      <section>
        <h3>{t('needs.after', { count: dependants.length })}</h3>
        {dependants.length === 0 ? (
          <p className="hg-quiet">{t('needs.last')}</p>
        ) : (
          <TaskList tasks={dependants} store={store} onSelect={onSelect} />
        )}
      </section>
    </div>
  );
}

function TaskList({ tasks, ...rest }: { tasks: readonly string[]; store: RunStore; onSelect: (task: string) => void }) {
  return (
    <ul className={styles.list}>
      {tasks.map((task) => (
        <li key={task}>
          <TaskItem task={task} {...rest} />
        </li>
      ))}
    </ul>
  );
}

function TaskItem({ task, store, onSelect }: { task: string; store: RunStore; onSelect: (task: string) => void }) {
  const { t } = useTranslation('states');
  const run = useRun(store, store.numberOf(task));
  const state = run ? shownState(run) : 'none';
  return (
    <button
      type="button"
      data-state={state}
      onClick={() => {
        onSelect(task);
      }}
    >
      <Glyph state={state} size={20} />
      <b>{task}</b>
      <span>
        {t(state)}
        {run?.startedAt && (
          <>
            {' '}
            · <Elapsed from={run.startedAt} to={run.finishedAt} />
          </>
        )}
      </span>
    </button>
  );
}
