import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DEFAULT_FIELDS, faultKind, type Job, jobOf, moveJob, removeJob, renameJob, setJobDisabled } from '@/document';
import { lazyPreload } from '@/ui';
import { useDoc, useEditor, useFaults } from '../context';
import { faultsElsewhere, PanelFaults, useJobFaults } from './faults';
import { Faults, Head } from './Panel';
import { Check, TextField } from './fields/Text';
import { HooksField } from './hooks/HooksField';
import type { JobDefaultsProps } from './JobDefaults';
import { HOOK_LISTS } from './hooks/lists';
import { DurationField } from './fields/Typed';
import { KeyField } from './task/fields';
import { unsetIfEmpty, useJobEdit } from './useEdit';
import styles from './Inspector.module.css';

// The folded part has it.
const JobDefaults = lazyPreload<JobDefaultsProps>(() => import('./JobDefaults').then((m) => m.JobDefaults));

/** The fields that the form shows. */
const FIELDS = [
  'key',
  'title',
  'description',
  'disabled',
  'timeout',
  ...DEFAULT_FIELDS.map((name) => `defaults.${name}`),
  ...HOOK_LISTS,
];

/** The panel of one job: its fields, its tasks and its position among the jobs. */
export function JobPanel({ job: key, onClose }: { job: string; onClose: () => void }) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const faults = useJobFaults(doc, key);
  const set = useJobEdit(key);
  const job = jobOf(doc, key);
  if (!job) return null;
  const index = doc.jobs.indexOf(job);
  const { apply } = store.getState();
  return (
    <PanelFaults value={faults}>
      <Head title={job.title ?? key} onClose={onClose}>
        {t('job.nth', { n: index + 1, of: doc.jobs.length })} · {t('job.tasks', { count: job.tasks?.length ?? 0 })}
      </Head>
      <div className={styles.body}>
        <Faults faults={faultsElsewhere(faults, FIELDS)} />
        <KeyField
          value={key}
          otherKeys={doc.jobs.filter((other) => other !== job).map((other) => other.key)}
          onRename={(to) => {
            apply(renameJob(store.getState().doc, key, to));
          }}
        />
        <TextField
          label={t('title')}
          name="title"
          value={job.title ?? ''}
          placeholder={key}
          onChange={(text) => {
            set('title', { title: unsetIfEmpty(text) });
          }}
        />
        <TextField
          label={t('description')}
          name="description"
          multiline
          value={job.description ?? ''}
          onChange={(text) => {
            set('description', { description: unsetIfEmpty(text) });
          }}
        />
        <Check
          label={t('disabled.label')}
          name="disabled"
          note={t('job.disabledNote')}
          checked={job.disabled === true}
          onChange={(on) => {
            apply(setJobDisabled(store.getState().doc, key, on));
          }}
        />
        <DurationField
          label={t('timeout')}
          name="timeout"
          value={job.timeout}
          placeholder={t('none')}
          help={t('job.timeoutNote')}
          onChange={(timeout) => {
            set('timeout', { timeout });
          }}
        />
        <JobDefaults job={job} faults={faults} />
        <HooksField
          of="job"
          value={job}
          faults={faults}
          onChange={(list, index, hooks) => {
            set(`${list}[${String(index)}]`, { [list]: hooks });
          }}
        />
        <TaskList job={job} />
        <Buttons job={job} />
      </div>
    </PanelFaults>
  );
}

/** The tasks of a job: a click on one selects it. */
function TaskList({ job }: { job: Job }) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const faults = useFaults();
  const tasks = job.tasks ?? [];
  return (
    <section className={styles.section}>
      <h3>{t('job.tasksTitle')}</h3>
      {tasks.length === 0 && <p className="hg-quiet">{t('job.empty')}</p>}
      <ul className={styles.tasks}>
        {tasks.map((task) => {
          const kinds = faults.filter((fault) => fault.task === task.key).map(faultKind);
          const [wrong, empty] = [kinds.includes('wrong'), kinds.includes('empty')];
          return (
            <li key={task.key} data-wrong={wrong || undefined}>
              <button
                type="button"
                onClick={() => {
                  store.getState().select({ tasks: [task.key] });
                }}
              >
                <b>{task.title ?? task.key}</b>
                <small>{wrong ? t('faulty') : empty ? t('toFill') : task.handler}</small>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Moves a job up and down, and removes it. */
function Buttons({ job }: { job: Job }) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const index = useDoc((s) => s.doc.jobs.indexOf(job));
  const count = useDoc((s) => s.doc.jobs.length);
  const { apply } = store.getState();
  const { key } = job;
  return (
    <div className={styles.buttons}>
      <Button
        disabled={index === 0}
        onClick={() => {
          apply(moveJob(store.getState().doc, key, index - 1));
        }}
      >
        {t('job.up')}
      </Button>
      <Button
        disabled={index === count - 1}
        onClick={() => {
          apply(moveJob(store.getState().doc, key, index + 1));
        }}
      >
        {t('job.down')}
      </Button>
      <Button
        className={styles.danger}
        onClick={() => {
          apply(removeJob(store.getState().doc, key));
        }}
      >
        {t('job.remove')}
      </Button>
    </div>
  );
}
