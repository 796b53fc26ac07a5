import { type ReactNode, useMemo, useState } from 'react';
import { Field, type FieldProps } from '../fields/Field';
import { Pick } from '../fields/Text';
import { useFaultsAt } from '../faults';
import { More } from '../Panel';
import { type FormContext, frameOf, type InputProps, INPUTS, JsonInput } from './inputs';
import { choiceOf, fits, own, type SchemaField } from './model';
import styles from '../fields/Field.module.css';

/** The props of a list of schema fields. */
export interface FieldsProps extends FormContext {
  fields: readonly SchemaField[];
  /** The object in the document that contains them: `params`. */
  path: string;
  value: Readonly<Record<string, unknown>>;
  /** Takes the new value of one field; undefined removes it. */
  onChange: (name: string, value: unknown) => void;
}

/** The fields of a JSON Schema, one below the other. */
export function SchemaFields({ fields, path, value, onChange, ...rest }: FieldsProps) {
  return fields.map((field) => (
    <SchemaInput
      key={field.name}
      field={field}
      path={`${path}.${field.name}`}
      value={own(value, field.name)}
      onChange={(next) => {
        onChange(field.name, next);
      }}
      {...rest}
    />
  ));
}

/** One field of a JSON Schema, with the control of its kind; as JSON if its value fits no control. */
function SchemaInput(props: InputProps) {
  const { field, value } = props;
  if (!fits(field, value)) return <JsonInput {...props} />;
  if (field.kind === 'object') return <ObjectInput {...props} />;
  if (field.kind === 'choice') return <ChoiceInput {...props} />;
  const Input = INPUTS[field.kind];
  return <Input {...props} />;
}

const membersOf = (value: unknown) => (value as Record<string, unknown> | undefined) ?? {};

/** An object with known members. */
function ObjectInput(props: InputProps) {
  const { field, path, value, onChange, names, code } = props;
  const given = membersOf(value);
  const inner = field.fields ?? [];
  return (
    <ObjectField
      {...frameOf(props)}
      given={Object.keys(given).length}
      inside={inner.map((one) => `${path}.${one.name}`)}
    >
      <div className={styles.group}>
        <SchemaFields
          fields={inner}
          path={path}
          value={given}
          names={names}
          code={code}
          onChange={(name, next) => {
            onChange(withMember(given, name, next));
          }}
        />
      </div>
    </ObjectField>
  );
}

/** A value with alternatives. Picking another one keeps the members that both have. */
function ChoiceInput(props: InputProps) {
  const { field, path, onChange, names, code } = props;
  const value = membersOf(props.value);
  const choices = field.choices ?? [];
  const [picked, setPicked] = useState<number>();
  const at = picked ?? choiceOf(choices, value);
  const choice = choices[at];
  if (!choice) return null;
  const pick = (text: string) => {
    const to = Number(text);
    const next = choices[to];
    if (!next) return;
    setPicked(to);
    const shared = Object.entries(value).filter(([name]) => next.fields.some((one) => one.name === name));
    const members = { ...next.fixed, ...Object.fromEntries(shared) };
    onChange(Object.keys(members).length > 0 ? members : undefined);
  };
  return (
    <Field {...frameOf(props)} group inside={choice.fields.map((one) => `${path}.${one.name}`)}>
      {() => (
        <div className={styles.group}>
          <Pick
            label={field.title}
            options={choices.map((one, i) => ({ value: String(i), label: one.title }))}
            value={String(at)}
            onPick={pick}
          />
          <SchemaFields
            fields={choice.fields}
            path={path}
            value={value}
            names={names}
            code={code}
            onChange={(name, next) => {
              onChange(withMember({ ...choice.fixed, ...value }, name, next));
            }}
          />
        </div>
      )}
    </Field>
  );
}

/** The frame of an object: an optional one is folded while it is empty. */
function ObjectField({ given, children, ...field }: FieldProps & { given: number; children: ReactNode }) {
  const faults = useFaultsAt(field.name);
  const group = (
    <Field {...field} group>
      {() => children}
    </Field>
  );
  return field.required ? (
    group
  ) : (
    <More title={field.label} count={given} wrong={faults.length > 0}>
      {group}
    </More>
  );
}

/** A copy of an object with one member set, or removed for undefined; undefined if no member is left. */
function withMember(
  value: Readonly<Record<string, unknown>>,
  name: string,
  next: unknown,
): Record<string, unknown> | undefined {
  const all = Object.entries(value)
    .filter(([key]) => key !== name || next !== undefined)
    .map(([key, one]) => [key, key === name ? next : one] as const);
  const out = Object.fromEntries(
    Object.hasOwn(value, name) || next === undefined ? all : [...all, [name, next] as const],
  );
  return Object.keys(out).length > 0 ? out : undefined;
}

interface EitherProps extends FieldsProps {
  either: readonly { title: string; names: readonly string[] }[];
  label: string;
}

/** Fields in sets that exclude each other: the form shows the chosen set, and each field that has a value. */
export function EitherFields({ either, fields, value, label, ...rest }: EitherProps) {
  const [picked, setPicked] = useState<number>();
  const given = either.findIndex((set) => set.names.some((name) => own(value, name) !== undefined));
  const chosen = picked ?? Math.max(given, 0);
  const shown = useMemo(
    () =>
      fields.filter((field) => {
        const set = either.findIndex((one) => one.names.includes(field.name));
        return set < 0 || set === chosen || own(value, field.name) !== undefined;
      }),
    [fields, either, chosen, value],
  );
  const first = shown.findIndex((field) => either.some((set) => set.names.includes(field.name)));
  return (
    <>
      <SchemaFields fields={shown.slice(0, first)} value={value} {...rest} />
      <Pick
        label={label}
        options={either.map((set, i) => ({ value: String(i), label: set.title }))}
        value={String(chosen)}
        onPick={(to) => {
          setPicked(Number(to));
        }}
      />
      <SchemaFields fields={shown.slice(first)} value={value} {...rest} />
    </>
  );
}
