import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../code/CodeField';
import { JsonField } from '../code/JsonField';
import type { Name } from '../expression/complete';
import { ExpressionInput } from '../expression/ExpressionInput';
import { Check } from '../fields/Check';
import { Field, type FieldProps } from '../fields/Field';
import { MapField, TextsField } from '../fields/Lists';
import { ChooseField, Pick, TextField } from '../fields/Text';
import { NumberField } from '../fields/Typed';
import { useFaultsAt } from '../faults';
import { More } from '../More';
import { choiceOf, fits, own, type SchemaField } from './model';
import styles from '../fields/Field.module.css';

export interface FormContext {
  /** Names for expressions. */
  names: readonly Name[];
  /** Names for code: `$region`, `:region`. */
  code: readonly { label: string; detail?: string }[];
}

export interface FieldsProps extends FormContext {
  fields: readonly SchemaField[];
  /** Where they stand in the document: `params`. */
  path: string;
  value: Readonly<Record<string, unknown>>;
  /** One of them changed; undefined takes it away. */
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

interface InputProps extends FormContext {
  field: SchemaField;
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** One field of a JSON Schema, by what its value can be. */
function SchemaInput({ field, path, value, onChange, names, code }: InputProps) {
  const { t } = useTranslation('inspector');
  const shared: FieldProps = {
    label: field.title,
    name: path,
    help: field.description,
    required: field.required,
    aside: field.required ? undefined : field.unit,
  };
  const placeholder =
    field.example ??
    (field.default === undefined
      ? undefined
      : typeof field.default === 'object'
        ? JSON.stringify(field.default)
        : String(field.default));
  const setText = (text: string) => {
    onChange(text === '' ? undefined : text);
  };
  if (!fits(field, value)) return <JsonField {...shared} value={value} onChange={onChange} />;
  switch (field.kind) {
    case 'text':
      if (field.language) {
        return (
          <CodeField
            {...shared}
            language={field.language}
            names={
              field.language === 'json'
                ? []
                : code.filter((name) => name.label.startsWith(field.language === 'sql' ? ':' : '$'))
            }
            value={textOf(value)}
            placeholder={placeholder}
            expressions={field.rendered ? names : undefined}
            onChange={setText}
          />
        );
      }
      if (field.secret)
        return <TextField {...shared} secret value={textOf(value)} placeholder={placeholder} onChange={setText} />;
      return (
        <Field {...shared}>
          {(control) => (
            <ExpressionInput
              {...control}
              multiline={field.multiline}
              names={field.rendered ? names : []}
              value={textOf(value)}
              placeholder={placeholder}
              onChange={setText}
            />
          )}
        </Field>
      );
    case 'number':
      return (
        <NumberField
          {...shared}
          expressions
          value={value as number | string | undefined}
          integer={field.integer}
          min={field.min}
          max={field.max}
          unit={field.unit}
          placeholder={placeholder}
          aside={undefined}
          onChange={onChange}
        />
      );
    case 'boolean':
      return (
        <Check
          label={field.title}
          name={path}
          note={field.description}
          checked={(value ?? field.default) === true}
          onChange={(on) => {
            onChange(on === (field.default ?? false) && !field.required ? undefined : on);
          }}
        />
      );
    case 'enum': {
      const options = (field.options ?? []).map((option, i) => ({ value: String(i), label: option.label }));
      const at = (field.options ?? []).findIndex((option) => option.value === value);
      const fallback = field.options?.find((option) => option.value === field.default)?.label;
      const unset = { value: '', label: fallback ?? t('unset') };
      const foreign = value !== undefined && at < 0 ? [{ value: 'own', label: textOf(value) }] : [];
      return (
        <ChooseField
          {...shared}
          options={[unset, ...foreign, ...options]}
          value={value === undefined ? '' : at < 0 ? 'own' : String(at)}
          quiet={value === undefined}
          onPick={(picked) => {
            if (picked !== 'own') onChange(picked === '' ? undefined : field.options?.[Number(picked)]?.value);
          }}
        />
      );
    }
    case 'texts':
      return (
        <TextsField
          {...shared}
          names={field.rendered ? names : []}
          value={(value as string[] | undefined) ?? []}
          placeholder={placeholder}
          onChange={onChange}
        />
      );
    case 'map':
      return (
        <MapField
          {...shared}
          names={field.rendered ? names : []}
          value={(value as Record<string, string> | undefined) ?? {}}
          onChange={onChange}
        />
      );
    case 'object': {
      const given = (value as Record<string, unknown> | undefined) ?? {};
      const inner = field.fields ?? [];
      return (
        <ObjectField {...shared} given={Object.keys(given).length} inside={inner.map((one) => `${path}.${one.name}`)}>
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
    case 'choice':
      return (
        <ChoiceFields
          field={field}
          path={path}
          value={(value as Record<string, unknown> | undefined) ?? {}}
          onChange={onChange}
          names={names}
          code={code}
          shared={shared}
        />
      );
    case 'json':
      return <JsonField {...shared} value={value} onChange={onChange} />;
  }
}

interface ChoiceProps extends FormContext {
  field: SchemaField;
  path: string;
  value: Readonly<Record<string, unknown>>;
  onChange: (value: unknown) => void;
  shared: FieldProps;
}

/** A value that is given in one of several ways. Changing the way keeps what both have. */
function ChoiceFields({ field, path, value, onChange, shared, ...rest }: ChoiceProps) {
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
    const kept = Object.entries(value).filter(([name]) => next.fields.some((one) => one.name === name));
    const made = { ...next.fixed, ...Object.fromEntries(kept) };
    onChange(Object.keys(made).length > 0 ? made : undefined);
  };
  return (
    <Field {...shared} group inside={choice.fields.map((one) => `${path}.${one.name}`)}>
      {() => (
        <div className={styles.group}>
          <Pick
            label={shared.label}
            options={choices.map((one, i) => ({ value: String(i), label: one.title }))}
            value={String(at)}
            onPick={pick}
          />
          <SchemaFields
            fields={choice.fields}
            path={path}
            value={value}
            {...rest}
            onChange={(name, next) => {
              onChange(withMember({ ...choice.fixed, ...value }, name, next));
            }}
          />
        </div>
      )}
    </Field>
  );
}

/** Fields of an object: folded where it may be left out and is. */
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

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** An object with another member, or without it; undefined if nothing is left. */
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

/** Fields of which one set or another is given: only those of the chosen one are shown, and any that have a value. */
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
