import type { ComponentType } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { connectionsQuery, secretsQuery } from '@/api/secrets';
import { CodeField, JsonField } from '../code/CodeField';
import { type Name, secretNames } from '../fields/completion';
import { ExpressionInput, type Suggestion } from '../fields/Suggest';
import { Check, ChooseField, TextField } from '../fields/Text';
import { Field, type FieldProps } from '../fields/Field';
import { MapField, TextsField } from '../fields/Lists';
import { NumberField } from '../fields/Typed';
import type { FieldKind, SchemaField } from './model';

/** The names that fields offer for completion. */
export interface FormContext {
  /** Names for expressions. */
  names: readonly Name[];
  /** Names for code, with their sign: `$region`, `:region`. */
  code: readonly { label: string; detail?: string }[];
}

/** The props of the control of one schema field. */
export interface InputProps extends FormContext {
  field: SchemaField;
  /** The field of the document, as faults name it: `params.env`. */
  path: string;
  value: unknown;
  /** Takes the new value; undefined removes it. */
  onChange: (value: unknown) => void;
}

/** The label, help and unit of a schema field. */
export const frameOf = ({ field, path }: InputProps): FieldProps => ({
  label: field.title,
  name: path,
  help: field.description,
  required: field.required,
  aside: field.required ? undefined : field.unit,
});

/** The controls of the kinds without members; the values fit their kinds. */
export const INPUTS: Readonly<Record<Exclude<FieldKind, 'object' | 'choice'>, ComponentType<InputProps>>> = {
  text: TextInput,
  number: NumberInput,
  boolean: BooleanInput,
  enum: EnumInput,
  texts: TextsInput,
  map: MapInput,
  json: JsonInput,
};

/** The names that expressions of a field may use. The secrets are loaded when a field that takes them is shown. */
function useNames({ field, names }: InputProps): readonly Name[] {
  const { data: secrets = [] } = useQuery({ ...secretsQuery, enabled: field.secrets });
  if (!field.rendered) return [];
  return field.secrets ? [...names, ...secretNames(secrets)] : names;
}

/** The connections of the server, for a field that may name one. */
function useConnections({ field }: InputProps): readonly Suggestion[] {
  const { data } = useQuery({ ...connectionsQuery, enabled: field.connection });
  return (field.connection && data?.items.map(({ name, type }) => ({ value: name, detail: type }))) || [];
}

function TextInput(props: InputProps) {
  const { field, value, onChange } = props;
  const names = useNames(props);
  const connections = useConnections(props);
  const frame = frameOf(props);
  const shared = {
    value: textOf(value),
    placeholder: placeholderOf(field),
    onChange: (text: string) => {
      onChange(text === '' ? undefined : text);
    },
  };
  if (field.language)
    return (
      <CodeField
        {...frame}
        {...shared}
        language={field.language}
        names={codeNames(field, props.code)}
        expressions={field.rendered ? names : undefined}
      />
    );
  if (field.secret) return <TextField {...frame} {...shared} secret />;
  return (
    <Field {...frame}>
      {(control) => (
        <ExpressionInput {...control} {...shared} multiline={field.multiline} names={names} suggestions={connections} />
      )}
    </Field>
  );
}

/** The names that a language offers: SQL binds begin with `:`, variables of a shell with `$`. */
function codeNames({ language }: SchemaField, code: FormContext['code']): FormContext['code'] {
  if (language === 'json') return [];
  return code.filter((name) => name.label.startsWith(language === 'sql' ? ':' : '$'));
}

function NumberInput(props: InputProps) {
  const { field, value, onChange } = props;
  return (
    <NumberField
      {...frameOf(props)}
      expressions
      value={value as number | string | undefined}
      integer={field.integer}
      min={field.min}
      max={field.max}
      unit={field.unit}
      placeholder={placeholderOf(field)}
      aside={undefined}
      onChange={onChange}
    />
  );
}

function BooleanInput({ field, path, value, onChange }: InputProps) {
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
}

function EnumInput(props: InputProps) {
  const { field, value, onChange } = props;
  const { t } = useTranslation('inspector');
  const options = field.options ?? [];
  const at = options.findIndex((option) => option.value === value);
  const fallback = options.find((option) => option.value === field.default)?.label;
  const unset = { value: '', label: fallback ?? t('unset') };
  const unlisted = value !== undefined && at < 0 ? [{ value: 'own', label: textOf(value) }] : [];
  return (
    <ChooseField
      {...frameOf(props)}
      options={[unset, ...unlisted, ...options.map((option, i) => ({ value: String(i), label: option.label }))]}
      value={value === undefined ? '' : at < 0 ? 'own' : String(at)}
      quiet={value === undefined}
      onPick={(picked) => {
        if (picked !== 'own') onChange(picked === '' ? undefined : options[Number(picked)]?.value);
      }}
    />
  );
}

function TextsInput(props: InputProps) {
  const { field, value, onChange } = props;
  const names = useNames(props);
  return (
    <TextsField
      {...frameOf(props)}
      names={names}
      value={(value as string[] | undefined) ?? []}
      placeholder={placeholderOf(field)}
      onChange={onChange}
    />
  );
}

function MapInput(props: InputProps) {
  const { value, onChange } = props;
  const names = useNames(props);
  return (
    <MapField
      {...frameOf(props)}
      names={names}
      value={(value as Record<string, string> | undefined) ?? {}}
      onChange={onChange}
    />
  );
}

/** Any value, as JSON. */
export function JsonInput(props: InputProps) {
  return <JsonField {...frameOf(props)} value={props.value} onChange={props.onChange} />;
}

function placeholderOf({ example, default: fallback }: SchemaField): string | undefined {
  if (example !== undefined || fallback === undefined) return example;
  return typeof fallback === 'object' ? JSON.stringify(fallback) : String(fallback as string | number | boolean);
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
