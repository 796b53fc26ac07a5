import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { DocFault, Task } from '@/document';
import { type OfferedHandler, useDoc } from '../../context';
import { JsonField } from '../code/CodeField';
import { namesFor } from '../fields/completion';
import { Remove } from '../fields/Lists';
import { hasFaultAt, useFaultsAt } from '../faults';
import styles from '../Inspector.module.css';
import { More } from '../Panel';
import { type Form, own, schemaForm, unknownParams } from '../schema/model';
import { EitherFields, type FieldsProps, SchemaFields } from '../schema/SchemaForm';
import { useTaskEdit } from '../useEdit';

/** The environment variables that HiveGo sets for every process of a task. */
const ENVIRONMENT = [
  'BATCH',
  'SCHEDULE',
  'JOB',
  'TASK',
  'ROUND',
  'ATTEMPT',
  'MOMENT',
  'WORKSPACE',
  'OUTPUT',
  'PROGRESS',
].map((name) => ({ label: `$HIVEGO_${name}` }));

/** The form for the params of a handler, or a JSON field if the handler has no usable schema. */
export function Params({
  task,
  handler,
  faults,
}: {
  task: Task;
  handler?: OfferedHandler;
  faults: readonly DocFault[];
}) {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const { set, setParam } = useTaskEdit([task.key]);
  const form = useMemo(() => schemaForm(handler?.schema), [handler]);
  const names = useMemo(() => namesFor(doc, task.key), [doc, task.key]);
  const code = useMemo(
    () =>
      Object.entries(doc.params ?? {})
        .flatMap(([name, value]) => [
          { label: `$${name}`, detail: String(value) },
          { label: `:${name}`, detail: String(value) },
        ])
        .concat(ENVIRONMENT as { label: string; detail: string }[]),
    [doc.params],
  );
  if (!form) {
    return (
      <JsonField
        label={t('params.label')}
        name="params"
        note={t(handler ? 'params.noForm' : 'params.unknown')}
        value={task.params}
        onChange={(params) => {
          set('params', { params: isObject(params) ? params : undefined });
        }}
      />
    );
  }
  const value = task.params ?? {};
  const shared = { path: 'params', value, onChange: setParam, names, code };
  const usual = form.fields.filter((field) => !field.advanced);
  const rare = form.fields.filter((field) => field.advanced);
  return (
    <>
      <Fields form={form} fields={usual} {...shared} />
      {rare.length > 0 && (
        <More
          title={t('params.rare')}
          count={rare.filter((field) => own(value, field.name) !== undefined).length}
          wrong={hasFaultAt(
            faults,
            rare.map((field) => `params.${field.name}`),
          )}
        >
          <SchemaFields fields={rare} {...shared} />
        </More>
      )}
      <UnknownParams task={task} form={form} onChange={setParam} />
    </>
  );
}

function Fields({ form, ...rest }: FieldsProps & { form: Form }) {
  const { t } = useTranslation('inspector');
  return form.either ? (
    <EitherFields either={form.either} label={t('params.either')} {...rest} />
  ) : (
    <SchemaFields {...rest} />
  );
}

/** Params that are not in the handler's schema. They stay, because the handler may have been changed by mistake. */
function UnknownParams({
  task,
  form,
  onChange,
}: {
  task: Task;
  form: Form;
  onChange: (name: string, value: unknown) => void;
}) {
  const { t } = useTranslation('inspector');
  const names = unknownParams(form, task.params);
  if (names.length === 0) return null;
  if (form.open) {
    return names.map((name) => (
      <JsonField
        key={name}
        label={name}
        name={`params.${name}`}
        value={task.params?.[name]}
        onChange={(value) => {
          onChange(name, value);
        }}
      />
    ));
  }
  return (
    <section className={styles.section}>
      <h3>{t('params.kept')}</h3>
      <p className="hg-quiet">{t('params.keptNote')}</p>
      <ul className={styles.unknownParams}>
        {names.map((name) => (
          <UnknownParam
            key={name}
            name={name}
            value={task.params?.[name]}
            onDrop={() => {
              onChange(name, undefined);
            }}
          />
        ))}
      </ul>
    </section>
  );
}

function UnknownParam({ name, value, onDrop }: { name: string; value: unknown; onDrop: () => void }) {
  const { t } = useTranslation('inspector');
  const wrong = useFaultsAt(`params.${name}`).some((fault) => !fault.warning);
  return (
    <li data-field={`params.${name}`} data-wrong={wrong || undefined}>
      <code>
        {name}: {JSON.stringify(value)}
      </code>
      <Remove label={t('params.drop', { name })} onClick={onDrop} />
    </li>
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
