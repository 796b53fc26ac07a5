import type { FocusEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { jobOfTask, renameTask, taskOf, tasksOf } from '@/document';
import { useDoc, useEditor } from '../../context';
import { touchField } from '../../pristineFields';
import { beside, PanelFaults, useTaskFaults, useVisibleFaults } from '../faults';
import { Faults } from '../Faults';
import fieldStyles from '../fields/Field.module.css';
import { TextField } from '../fields/Text';
import { DurationField } from '../fields/Typed';
import { Head } from '../Head';
import styles from '../Inspector.module.css';
import { schemaForm, unused } from '../schema/model';
import { textOr, useTaskEdit } from '../useEdit';
import { GroupField, HandlerField, RuleField, WhenField } from './fields';
import { KeyField } from './KeyField';
import { Needs } from './Needs';
import { Params } from './Params';
import { Preview } from './Preview';
import { Rare, RARE } from './Rare';
import { Retry } from './Retry';

const FIELDS = ['key', 'title', 'handler', 'needs', 'rule', 'when', 'retry', 'timeout', 'group', ...RARE];

/** Everything about one task. */
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
      ? [...form.fields.map((field) => field.name), ...unused(form, task.params)].map((name) => `params.${name}`)
      : ['params']),
  ];
  const waits = task.needs?.length
    ? t('waitsFor', { needs: task.needs.slice(0, 3).join(', ') + (task.needs.length > 3 ? ' …' : '') })
    : undefined;
  const left = (event: FocusEvent<HTMLElement>) => {
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
      <div role="presentation" className={styles.body} onBlur={left}>
        <Faults faults={beside(faults, shown)} />
        <div className={fieldStyles.two}>
          <KeyField
            value={key}
            taken={tasksOf(doc)
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
              set('title', { title: textOr(text) });
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
        <Rare task={task} faults={faults} set={set} />
        <Preview task={key} main={form?.fields.find((field) => field.language)?.name} />
      </div>
    </PanelFaults>
  );
}
