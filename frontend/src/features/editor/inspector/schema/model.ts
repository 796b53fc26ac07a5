import type { JsonSchema } from '../../context';

export type FieldKind = 'text' | 'number' | 'boolean' | 'enum' | 'texts' | 'map' | 'object' | 'choice' | 'json';
export type Language = 'shell' | 'sql' | 'json';

/** One field of a form, as a JSON Schema asks for it. */
export interface SchemaField {
  /** Its property. */
  name: string;
  kind: FieldKind;
  title: string;
  description?: string;
  required: boolean;
  /** Rarely used: below "More". */
  advanced: boolean;
  /** It is typed unseen. */
  secret: boolean;
  multiline: boolean;
  language?: Language;
  /** `${{ … }}` is filled in here. */
  rendered: boolean;
  unit?: string;
  default?: unknown;
  /** An example, shown as long as nothing is written. */
  example?: string;
  integer?: boolean;
  min?: number;
  max?: number;
  /** Of an enum: its values with their words. */
  options?: readonly { value: unknown; label: string }[];
  /** Of an object. */
  fields?: readonly SchemaField[];
  /** Of a choice: what it can be. */
  choices?: readonly Choice[];
}

/** One way to give a value: some fields of its own. */
export interface Choice {
  title: string;
  fields: readonly SchemaField[];
  required: readonly string[];
  fixed: Readonly<Record<string, unknown>>;
}

/** A handler's form. */
export interface Form {
  fields: readonly SchemaField[];
  /** Fields of which one set or another is given, never both: their names. */
  either?: readonly { title: string; names: readonly string[] }[];
  /** Other params than those of the fields may be given. */
  open: boolean;
}

/** Deeper objects, and forms with more fields than these, are edited as JSON. */
const DEEPEST = 3;
const MOST = 100;

/** The form of a handler's schema; undefined where there is none to be made of it. Schemas come from strangers: nothing in them is believed. */
export function formOf(schema: JsonSchema | undefined): Form | undefined {
  const root = object(schema);
  const properties = object(root?.properties);
  if (!root || !properties) return undefined;
  const names = Object.keys(properties);
  if (names.length === 0 || names.length > MOST) return undefined;
  return {
    fields: fieldsOf(root, 1, false),
    either: eitherOf(root, properties),
    open: root.additionalProperties !== false,
  };
}

function fieldsOf(schema: Loose, depth: number, rendered: boolean): SchemaField[] {
  const properties = object(schema.properties) ?? {};
  const required = texts(schema.required);
  const order = texts(schema['x-order']).filter((name) => Object.hasOwn(properties, name));
  const names = [...new Set([...order, ...Object.keys(properties)])];
  return names.map((name) => fieldOf(name, object(properties[name]) ?? {}, required.includes(name), depth, rendered));
}

function fieldOf(name: string, schema: Loose, required: boolean, depth: number, inherited: boolean): SchemaField {
  const rendered = inherited || isRendered(schema);
  const language = languageOf(schema);
  const field: SchemaField = {
    name,
    required,
    rendered,
    language,
    kind: 'json',
    title: text(schema.title) ?? words(name),
    description: text(schema.description),
    advanced: schema['x-advanced'] === true && !required,
    secret: schema['x-secret'] === true,
    multiline: schema['x-multiline'] === true || language !== undefined,
    unit: text(schema['x-unit']),
    default: schema.default,
    example: exampleOf(schema),
  };
  return { ...field, ...shapeOf(schema, depth, rendered) };
}

/** What a field is edited with. */
function shapeOf(schema: Loose, depth: number, rendered: boolean): Partial<SchemaField> & { kind: FieldKind } {
  const options = optionsOf(schema);
  if (options) return { kind: 'enum', options };
  const choices = choicesOf(schema, depth, rendered);
  if (choices) return { kind: 'choice', choices };
  if (
    schema.$ref !== undefined ||
    schema.oneOf !== undefined ||
    schema.anyOf !== undefined ||
    schema.allOf !== undefined
  )
    return { kind: 'json' };
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'text' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'number':
      return { kind: 'number', min: number(schema.minimum), max: number(schema.maximum) };
    case 'integer':
      return { kind: 'number', integer: true, min: number(schema.minimum), max: number(schema.maximum) };
    case 'array':
      return { kind: isText(object(schema.items)) ? 'texts' : 'json' };
    case 'object': {
      const properties = object(schema.properties);
      if (properties && Object.keys(properties).length > 0) {
        if (depth >= DEEPEST || Object.keys(properties).length > MOST) return { kind: 'json' };
        return { kind: 'object', fields: fieldsOf(schema, depth + 1, rendered) };
      }
      const values = object(schema.additionalProperties);
      return isText(values) ? { kind: 'map', rendered: rendered || isRendered(values) } : { kind: 'json' };
    }
    default:
      return { kind: 'json' };
  }
}

/** The server fills `${{ … }}` in. */
const isRendered = (schema: Loose | undefined) => ['plain', 'url', 'json'].includes(String(schema?.['x-render']));

const isText = (schema: Loose | undefined) =>
  schema !== undefined && typeOf(schema) === 'string' && schema.enum === undefined;

/** The one type of a schema; null beside it is of no account. */
function typeOf(schema: Loose): string | undefined {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter(
    (type): type is string => typeof type === 'string' && type !== 'null',
  );
  return types.length === 1 ? types[0] : undefined;
}

function languageOf(schema: Loose): Language | undefined {
  const named = text(schema['x-language']) ?? text(schema['x-render']);
  if (named === 'shell' || named === 'sh' || named === 'bash') return 'shell';
  return named === 'sql' || named === 'json' ? named : undefined;
}

function exampleOf(schema: Loose): string | undefined {
  const [first]: unknown[] = Array.isArray(schema.examples) ? schema.examples : [];
  if (typeof first === 'string' || typeof first === 'number') return String(first);
  return first === undefined ? undefined : JSON.stringify(first);
}

function optionsOf(schema: Loose): SchemaField['options'] {
  if (!Array.isArray(schema.enum) || schema.enum.length === 0 || schema.enum.length > MOST) return undefined;
  const values: unknown[] = schema.enum;
  if (!values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))) return undefined;
  const titles: unknown[] = Array.isArray(schema['x-enum-titles']) ? schema['x-enum-titles'] : [];
  return values.map((value, i) => ({ value, label: text(titles[i]) ?? String(value) }));
}

/** The ways of a oneOf whose ways are all objects with fields. */
function choicesOf(schema: Loose, depth: number, rendered: boolean): readonly Choice[] | undefined {
  const ways: unknown[] = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  if (ways.length < 2 || ways.length > 12 || depth >= DEEPEST) return undefined;
  const choices = ways.map((way, i): Choice | undefined => {
    const branch = object(way);
    const properties = object(branch?.properties);
    if (!branch || !properties || branch.$ref !== undefined || Object.keys(properties).length > MOST) return undefined;
    const fixed = Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => {
        const value = object(property)?.const;
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
    const fields = fieldsOf(branch, depth + 1, rendered).filter((field) => !Object.hasOwn(fixed, field.name));
    const naming = Object.values(fixed).find((value): value is string => typeof value === 'string');
    return {
      title: text(branch.title) ?? naming ?? fields[0]?.title ?? String(i + 1),
      fields,
      required: texts(branch.required),
      fixed,
    };
  });
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

/** `oneOf: [{required: [statement]}, {required: [file]}]`: one or the other of the form's own fields. */
function eitherOf(root: Loose, properties: Loose): Form['either'] {
  const ways: unknown[] = Array.isArray(root.oneOf) ? root.oneOf : [];
  if (ways.length < 2) return undefined;
  const sets = ways.map((way) => texts(object(way)?.required).filter((name) => Object.hasOwn(properties, name)));
  if (sets.some((names) => names.length === 0) || new Set(sets.flat()).size !== sets.flat().length) return undefined;
  return sets.map((names, i) => ({
    names,
    title:
      text(object(ways[i])?.title) ??
      names.map((name) => text(object(properties[name])?.title) ?? words(name)).join(', '),
  }));
}

/** Which way a value takes: the first of whose own marks it has all; the first if it has none. */
export function choiceOf(choices: readonly Choice[], value: unknown): number {
  const given = object(value) ?? {};
  const found = choices.findIndex(
    (choice) =>
      Object.entries(choice.fixed).every(([name, fixed]) => given[name] === fixed) &&
      choice.required.every((name) => Object.hasOwn(given, name)) &&
      (choice.required.length > 0 || Object.keys(choice.fixed).length > 0),
  );
  return Math.max(found, 0);
}

/** Whether a value can be shown by the field's own control; else it is shown as JSON, so that nothing of it is lost. */
export function fits(field: SchemaField, value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value === 'string' && ['number', 'enum', 'text'].includes(field.kind)) return true;
  switch (field.kind) {
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'enum':
      return field.options?.some((option) => option.value === value) ?? false;
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'map':
      return Object.values(object(value) ?? { none: 0 }).every((one) => typeof one === 'string');
    case 'object':
    case 'choice':
      return object(value) !== undefined;
    case 'json':
      return true;
    default:
      return false;
  }
}

/** Names of params that no field of the form shows: kept with the task, and of no use to its handler. */
export function unused(form: Form | undefined, params: Readonly<Record<string, unknown>> | undefined): string[] {
  if (!form) return [];
  const known = new Set(form.fields.map((field) => field.name));
  return Object.keys(params ?? {}).filter((name) => !known.has(name));
}

type Loose = Readonly<Record<string, unknown>>;

const object = (value: unknown): Loose | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : undefined;
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** `max_rows` and `maxRows` as words. */
function words(name: string): string {
  const spaced = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return spaced === '' ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** What a value has itself: every object inherits a `constructor`, which a stranger's schema may name. */
export const own = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
