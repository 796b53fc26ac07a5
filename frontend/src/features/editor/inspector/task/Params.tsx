import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { DocFault, Task } from '@/document';
import { type OfferedHandler, useDoc } from '../../context';
import { JsonField } from '../code/CodeField';
import { type Name, namesFor } from '../fields/completion';
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

/** The environment variables that a hook has as well. */
const EVENT = ['SCOPE', 'KEY', 'STATE', 'ERROR', 'TASK', 'BATCH', 'ROUND'].map((name) => ({
  label: `$HIVEGO_EVENT_${name}`,
}));

/** The params of a task. */
export function Params({
  task,
  handler,
  faults,
}: {
  task: Task;
  handler?: OfferedHandler;
  faults: readonly DocFault[];
}) {
  const doc = useDoc((s) => s.doc);
  const { set, setParam } = useTaskEdit([task.key]);
  const names = useMemo(() => namesFor(doc, task.key), [doc, task.key]);
  return (
    <ParamsForm
      path="params"
      params={task.params}
      handler={handler}
      faults={faults}
      names={names}
      onChange={(params) => {
        set('params', { params });
      }}
      onParam={setParam}
    />
  );
}

interface ParamsFormProps {
  /** The field of the document that holds them: `params`, `onEnd[0].params`. */
  path: string;
  params: Task['params'];
  handler?: OfferedHandler;
  faults: readonly DocFault[];
  names: readonly Name[];
  /** They are those of a hook. */
  hook?: boolean;
  onChange: (params: Task['params']) => void;
  onParam: (name: string, value: unknown) => void;
}

/** The form for the params of a handler, or a JSON field if the handler has no usable schema. */
export function ParamsForm({ path, params, handler, faults, names, hook, onChange, onParam }: ParamsFormProps) {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const form = useMemo(() => schemaForm(handler?.schema), [handler]);
  const code = useMemo(
    () =>
      Object.entries(doc.params ?? {})
        .flatMap(([name, value]) => [
          { label: `$${name}`, detail: String(value) },
          { label: `:${name}`, detail: String(value) },
        ])
        .concat([...ENVIRONMENT, ...(hook ? EVENT : [])] as { label: string; detail: string }[]),
    [doc.params, hook],
  );
  if (!form) {
    return (
      <JsonField
        label={t('params.label')}
        name={path}
        note={t(handler ? 'params.noForm' : 'params.unknown')}
        value={params}
        onChange={(value) => {
          onChange(isObject(value) ? value : undefined);
        }}
      />
    );
  }
  const value = params ?? {};
  const shared = { path, value, onChange: onParam, names, code };
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
            rare.map((field) => `${path}.${field.name}`),
          )}
        >
          <SchemaFields fields={rare} {...shared} />
        </More>
      )}
      <UnknownParams path={path} params={params} form={form} onChange={onParam} />
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
  path,
  params,
  form,
  onChange,
}: {
  path: string;
  params: Task['params'];
  form: Form;
  onChange: (name: string, value: unknown) => void;
}) {
  const { t } = useTranslation('inspector');
  const names = unknownParams(form, params);
  if (names.length === 0) return null;
  if (form.open) {
    return names.map((name) => (
      <JsonField
        key={name}
        label={name}
        name={`${path}.${name}`}
        value={params?.[name]}
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
            path={path}
            name={name}
            value={params?.[name]}
            onDrop={() => {
              onChange(name, undefined);
            }}
          />
        ))}
      </ul>
    </section>
  );
}

function UnknownParam({
  path,
  name,
  value,
  onDrop,
}: {
  path: string;
  name: string;
  value: unknown;
  onDrop: () => void;
}) {
  const { t } = useTranslation('inspector');
  const wrong = useFaultsAt(`${path}.${name}`).some((fault) => !fault.warning);
  return (
    <li data-field={`${path}.${name}`} data-wrong={wrong || undefined}>
      <code>
        {name}: {JSON.stringify(value)}
      </code>
      <Remove label={t('params.drop', { name })} onClick={onDrop} />
    </li>
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
