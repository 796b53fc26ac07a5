import type { FocusEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { type DocFault, jobOfTask, renameTask, type Task, taskOf, tasksOf } from '@/document';
import { lazyPreload } from '@/ui';
import { useDoc, useEditor } from '../../context';
import { touchField } from '../../pristineFields';
import { hasFaultAt, faultsElsewhere, PanelFaults, useTaskFaults, useVisibleFaults } from '../faults';
import { Faults, Head, More } from '../Panel';
import { ChooseField, TextField } from '../fields/Text';
import { DurationField, NumberField } from '../fields/Typed';
import { schemaForm, unknownParams } from '../schema/model';
import { withoutUnset, unsetIfEmpty, useTaskEdit } from '../useEdit';
import {
  ExecutorField,
  Flag,
  GroupField,
  HandlerField,
  KeyField,
  PriorityField,
  Retry,
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
import { RepairedFailure } from './RepairedFailure';
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
        <Retry
          value={task.retry}
          onChange={(retry) => {
            set('retry', { retry });
          }}
        />
        <div className={fieldStyles.two}>
          <DurationField
            label={t('timeout')}
            name="timeout"
            value={task.timeout}
            placeholder={t('none')}
            onChange={(timeout) => {
              set('timeout', { timeout });
            }}
          />
          <GroupField value={task.group} handler={handler} set={set} />
        </div>
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
    </PanelFaults>
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
  const lost = task.onLost ?? {};
  const job = useDoc((s) => jobOfTask(s.doc, task.key));
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
      <PriorityField value={task.priority} set={set} help={t('priority.note')} />
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
        placeholder={t('unit.s', { count: 10 })}
        help={t('killGrace.note')}
        onChange={(killGrace) => {
          set('killGrace', { killGrace });
        }}
      />
      <div className={fieldStyles.two}>
        <ChooseField
          label={t('onLost.label')}
          name="onLost.do"
          quiet={lost.do === undefined}
          value={lost.do ?? ''}
          options={[
            { value: '', label: t('onLost.auto') },
            ...(['retry', 'hold', 'fail'] as const).map((one) => ({ value: one, label: t(`onLost.${one}`) })),
          ]}
          onPick={(picked) => {
            set('onLost', { onLost: withoutUnset({ ...lost, do: picked === '' ? undefined : (picked as 'retry') }) });
          }}
        />
        <NumberField
          label={t('onLost.max')}
          name="onLost.max"
          integer
          min={0}
          max={100}
          value={lost.max}
          placeholder="2"
          onChange={(n) => {
            set('onLost', { onLost: withoutUnset({ ...lost, max: typeof n === 'number' ? n : undefined }) });
          }}
        />
      </div>
    </More>
  );
}
