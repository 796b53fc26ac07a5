import { useTranslation } from 'react-i18next';
import { type RunStore, useRun } from '@/live';
import { Elapsed, Glyph, shownState } from '@/ui';
import type { Definition, DefinitionTask } from '@/api/definition';
import styles from './Needs.module.css';
import type { TabProps } from './Notes';

/** How a task depends on the other tasks of its schedule. Keys are in the order of the definition. */
export interface Relations {
  task?: DefinitionTask;
  /** The tasks that it waits for: its needs, or else every task of every earlier job. */
  needs: string[];
  /** Whether the definition names no needs for it. */
  implicit: boolean;
  /** The tasks that wait for it directly. */
  dependants: string[];
  /** The tasks that wait for it directly or indirectly. */
  downstream: string[];
}

/** Returns the relations of a task of a definition. */
export function relationsOf(definition: Definition, key: string): Relations {
  const jobs = definition.jobs.map((job) => job.tasks ?? []);
  const all = jobs.flat();
  const needs = new Map<string, string[]>();
  jobs.forEach((tasks, i) => {
    const earlier = jobs
      .slice(0, i)
      .flat()
      .map((t) => t.key);
    for (const t of tasks) needs.set(t.key, t.needs?.length ? t.needs : earlier);
  });
  const task = all.find((t) => t.key === key);
  const reached = new Set([key]);
  const downstream: string[] = [];
  for (const t of all) {
    // Needs are tasks of earlier jobs, so one pass in order finds all of them.
    if (t.key === key || !needs.get(t.key)?.some((n) => reached.has(n))) continue;
    reached.add(t.key);
    downstream.push(t.key);
  }
  return {
    task,
    needs: needs.get(key) ?? [],
    implicit: !task?.needs?.length,
    dependants: all.filter((t) => needs.get(t.key)?.includes(key)).map((t) => t.key),
    downstream,
  };
}

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
