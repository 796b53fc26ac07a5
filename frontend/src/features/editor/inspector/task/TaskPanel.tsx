import type { FocusEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { type DocFault, type Job, jobOfTask, renameTask, type Task, taskOf, tasksOf } from '@/document';
import { lazyPreload } from '@/ui';
import { type OfferedHandler, useDoc, useEditor } from '../../context';
import { touchField } from '../../pristineFields';
import { hasFaultAt, faultsElsewhere, PanelFaults, useTaskFaults, useVisibleFaults } from '../faults';
import { Faults, Head, More } from '../Panel';
import { TextField } from '../fields/Text';
import { DurationField } from '../fields/Typed';
import { schemaForm, unknownParams } from '../schema/model';
import { unsetIfEmpty, useTaskEdit } from '../useEdit';
import {
  ExecutorField,
  Flag,
  GroupField,
  HandlerField,
  KeyField,
  PriorityField,
  RuleField,
  type SetField,
  WhenField,
} from './fields';
import { Needs } from './Needs';
import { HooksField } from '../hooks/HooksField';
import { HOOK_LISTS } from '../hooks/lists';
import { Params } from './Params';
import type { PoolFieldProps } from './Pool';
import { Preview } from './Preview';
import { InheritsFrom, useInherited } from './inherited';
import { OnLostFields } from './OnLost';
import { RepairedFailure } from './RepairedFailure';
import { TaskRetry } from './Retry';
import type { RoutingProps } from './Routing';
import type { ShardingProps } from './Sharding';
import { MapField } from '../fields/Lists';
import fieldStyles from '../fields/Field.module.css';
import styles from '../Inspector.module.css';

// The folded part has these.
const PoolField = lazyPreload<PoolFieldProps>(() => import('./Pool').then((m) => m.PoolField));
const Routing = lazyPreload<RoutingProps>(() => import('./Routing').then((m) => m.Routing));
const Sharding = lazyPreload<ShardingProps>(() => import('./Sharding').then((m) => m.Sharding));

/** The fields of a task that the folded part of the form holds. */
const RARE_FIELDS = [
  'description',
  'executor',
  'labels',
  'selector',
  'route',
  'routeKey',
  'reject',
  'shard',
  'priority',
  'pool',
  'killGrace',
  'onLost',
  'allowFailure',
  'disabled',
] as const;

/** The fields that the form shows. */
const FIELDS = [
  'key',
  'title',
  'handler',
  'needs',
  'rule',
  'when',
  'retry',
  'timeout',
  'group',
  ...HOOK_LISTS,
  ...RARE_FIELDS,
];

/** The panel of one task, with all its fields. */
export function TaskPanel({ task: key, onClose }: { task: string; onClose: () => void }) {
  const { t } = useTranslation('inspector');
  const { store, handlers, pristine } = useEditor();
  const doc = useDoc((s) => s.doc);
  const faults = useVisibleFaults(key, useTaskFaults(doc, key));
  const { set } = useTaskEdit([key]);
  const task = taskOf(doc, key);
  if (!task) return null;
  const job = jobOfTask(doc, key);
  const handler = handlers.find((one) => one.name === task.handler);
  const form = schemaForm(handler?.schema);
  const shown = [
    ...FIELDS,
    ...(form
      ? [...form.fields.map((field) => field.name), ...unknownParams(form, task.params)].map((name) => `params.${name}`)
      : ['params']),
  ];
  const waits = task.needs?.length
    ? t('waitsFor', { needs: task.needs.slice(0, 3).join(', ') + (task.needs.length > 3 ? ' …' : '') })
    : undefined;
  const noteTouched = (event: FocusEvent<HTMLElement>) => {
    const field = event.target.closest<HTMLElement>('[data-field]');
    if (field?.dataset.field !== undefined && !field.contains(event.relatedTarget))
      touchField(pristine, key, field.dataset.field);
  };
  return (
    <PanelFaults value={faults}>
      <InheritsFrom value={job}>
        <Head title={task.title ?? key} onClose={onClose}>
          {[handler?.title ?? task.handler, job && t('inJob', { job: job.title ?? job.key }), waits]
            .filter(Boolean)
            .join(' · ')}
        </Head>
        <div role="presentation" className={styles.body} onBlur={noteTouched}>
          <RepairedFailure task={key} />
          <Faults faults={faultsElsewhere(faults, shown)} />
          <div className={fieldStyles.two}>
            <KeyField
              value={key}
              otherKeys={tasksOf(doc)
                .filter((other) => other !== task)
                .map((other) => other.key)}
              onRename={(to) => {
                store.getState().apply(renameTask(store.getState().doc, key, to));
              }}
            />
            <TextField
              label={t('title')}
              name="title"
              value={task.title ?? ''}
              placeholder={key}
              onChange={(text) => {
                set('title', { title: unsetIfEmpty(text) });
              }}
            />
          </div>
          <HandlerField value={task.handler} set={set} />
          <Params key={task.handler} task={task} handler={handler} faults={faults} />
          <Needs task={task} />
          <RuleField value={task.rule} set={set} />
          <WhenField task={key} value={task.when} set={set} />
          <Often task={task} job={job} handler={handler} set={set} />
          <HooksField
            of="task"
            value={task}
            faults={faults}
            onChange={(list, index, hooks) => {
              set(`${list}[${String(index)}]`, { [list]: hooks });
            }}
          />
          <RareFields task={task} faults={faults} set={set} />
          <Preview task={key} main={form?.fields.find((field) => field.language)?.name} />
        </div>
      </InheritsFrom>
    </PanelFaults>
  );
}

interface OftenProps {
  task: Task;
  job?: Job;
  handler?: OfferedHandler;
  set: SetField;
}

/** The fields that many tasks set or inherit: retries, timeout and group. */
function Often({ task, job, handler, set }: OftenProps) {
  const defaults = job?.defaults ?? {};
  const { t } = useTranslation('inspector');
  const inWords = useInherited();
  return (
    <>
      <TaskRetry task={task.key} value={task.retry} inherited={defaults.retry} set={set} />
      <div className={fieldStyles.two}>
        <DurationField
          label={t('timeout')}
          name="timeout"
          value={task.timeout}
          placeholder={defaults.timeout === undefined ? t('none') : inWords(defaults.timeout)}
          onChange={(timeout) => {
            set('timeout', { timeout });
          }}
        />
        <GroupField value={task.group} inherited={defaults.group} handler={handler} set={set} />
      </div>
    </>
  );
}

interface RareProps {
  task: Task;
  faults: readonly DocFault[];
  set: SetField;
}

/** The fields that most tasks leave at their defaults, folded. */
function RareFields({ task, faults, set }: RareProps) {
  const { t } = useTranslation('inspector');
  const inWords = useInherited();
  const job = useDoc((s) => jobOfTask(s.doc, task.key));
  const defaults = job?.defaults ?? {};
  const offNote = job?.disabled ? t('disabled.byJob', { job: job.title ?? job.key }) : t('disabled.note');
  return (
    <More count={RARE_FIELDS.filter((name) => task[name] !== undefined).length} wrong={hasFaultAt(faults, RARE_FIELDS)}>
      <TextField
        label={t('description')}
        name="description"
        multiline
        value={task.description ?? ''}
        onChange={(text) => {
          set('description', { description: unsetIfEmpty(text) });
        }}
      />
      <PriorityField value={task.priority} inherited={defaults.priority} set={set} help={t('priority.note')} />
      <PoolField value={task.pool} set={set} />
      <Flag name="allowFailure" value={task.allowFailure} set={set} note={t('allowFailure.note')} />
      <Flag name="disabled" value={task.disabled} set={set} note={offNote} />
      <ExecutorField value={task.executor} set={set} />
      <MapField
        label={t('labels.label')}
        name="labels"
        help={t('labels.note')}
        names={[]}
        value={task.labels ?? {}}
        onChange={(labels) => {
          set('labels', { labels });
        }}
      />
      <Routing task={task} set={set} />
      <Sharding task={task} set={set} />
      <DurationField
        label={t('killGrace.label')}
        name="killGrace"
        value={task.killGrace}
        placeholder={defaults.killGrace === undefined ? t('unit.s', { count: 10 }) : inWords(defaults.killGrace)}
        help={t('killGrace.note')}
        onChange={(killGrace) => {
          set('killGrace', { killGrace });
        }}
      />
      <OnLostFields
        value={task.onLost}
        inherited={defaults.onLost}
        onChange={(onLost) => {
          set('onLost', { onLost });
        }}
      />
    </More>
  );
}
