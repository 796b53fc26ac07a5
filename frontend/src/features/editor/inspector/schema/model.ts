import type { JsonSchema } from '../../context';

/** How a field is edited; `json` where no other control fits its schema. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'enum' | 'texts' | 'map' | 'object' | 'choice' | 'json';
/** The languages that code fields highlight. */
export type Language = 'shell' | 'sql' | 'json';

/** One field of a form, read from a property of a JSON Schema. */
export interface SchemaField {
  /** The name of the property. */
  name: string;
  kind: FieldKind;
  title: string;
  description?: string;
  required: boolean;
  /** Rarely used: it is shown below "More". */
  advanced: boolean;
  /** What is typed is not shown. */
  secret: boolean;
  multiline: boolean;
  language?: Language;
  /** The server replaces `${{ … }}` in the value. */
  rendered: boolean;
  /** `${{ secrets.NAME }}` is replaced too. */
  secrets: boolean;
  /** It may be the name of a connection. */
  connection: boolean;
  unit?: string;
  default?: unknown;
  /** An example, shown as the placeholder. */
  example?: string;
  integer?: boolean;
  min?: number;
  max?: number;
  /** Of an enum: its values with their labels. */
  options?: readonly { value: unknown; label: string }[];
  /** Of an object: its members. */
  fields?: readonly SchemaField[];
  /** Of a choice: its alternatives. */
  choices?: readonly Choice[];
}

/** One alternative of a choice: an object with some fields, and with members of a constant value (`fixed`). */
export interface Choice {
  title: string;
  fields: readonly SchemaField[];
  required: readonly string[];
  fixed: Readonly<Record<string, unknown>>;
}

/** The form of a handler's params. */
export interface Form {
  fields: readonly SchemaField[];
  /** Sets of field names that exclude each other: fields of one set only are given. */
  either?: readonly { title: string; names: readonly string[] }[];
  /** Whether params without a field are allowed. */
  open: boolean;
}

/** What the server replaces in a value. Everything below a field takes it over. */
type Rendering = Pick<SchemaField, 'rendered' | 'secrets'>;

/** Objects that are nested deeper are edited as JSON. */
const MAX_DEPTH = 3;
/** Objects with more fields, and enums with more values, are edited as JSON. */
const MAX_ENTRIES = 100;

/**
 * The form for a handler's schema; undefined if the schema has no usable properties. Executors send schemas, so any
 * value may be malformed.
 */
export function schemaForm(schema: JsonSchema | undefined): Form | undefined {
  const root = object(schema);
  const properties = object(root?.properties);
  if (!root || !properties) return undefined;
  const names = Object.keys(properties);
  if (names.length === 0 || names.length > MAX_ENTRIES) return undefined;
  return {
    fields: fieldsOf(root, 1, { rendered: false, secrets: false }),
    either: eitherOf(root, properties),
    open: root.additionalProperties !== false,
  };
}

function fieldsOf(schema: Loose, depth: number, inherited: Rendering): SchemaField[] {
  const properties = object(schema.properties) ?? {};
  const required = texts(schema.required);
  const order = texts(schema['x-order']).filter((name) => Object.hasOwn(properties, name));
  const names = [...new Set([...order, ...Object.keys(properties)])];
  return names.map((name) => fieldOf(name, object(properties[name]) ?? {}, required.includes(name), depth, inherited));
}

function fieldOf(name: string, schema: Loose, required: boolean, depth: number, inherited: Rendering): SchemaField {
  const rendering = renderingOf(schema, inherited);
  const language = languageOf(schema);
  const field: SchemaField = {
    name,
    required,
    ...rendering,
    language,
    kind: 'json',
    title: text(schema.title) ?? titleOf(name),
    description: text(schema.description),
    advanced: schema['x-advanced'] === true && !required,
    secret: schema['x-secret'] === true,
    connection: schema['x-connection'] === true,
    multiline: schema['x-multiline'] === true || language !== undefined,
    unit: text(schema['x-unit']),
    default: schema.default,
    example: exampleOf(schema),
  };
  return { ...field, ...shapeOf(schema, depth, rendering) };
}

type Shape = Partial<SchemaField> & { kind: FieldKind };

const COMPOSED = ['$ref', 'oneOf', 'anyOf', 'allOf'] as const;

/** The kind of a field, with the properties that this kind needs. */
function shapeOf(schema: Loose, depth: number, rendering: Rendering): Shape {
  const options = optionsOf(schema);
  if (options) return { kind: 'enum', options };
  const choices = choicesOf(schema, depth, rendering);
  if (choices) return { kind: 'choice', choices };
  if (COMPOSED.some((name) => schema[name] !== undefined)) return { kind: 'json' };
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
      return { kind: mayBeText(object(schema.items)) ? 'texts' : 'json' };
    case 'object':
      return objectShape(schema, depth, rendering);
    default:
      return { kind: 'json' };
  }
}

/** An object with known members is edited field by field, one with texts under any name as a map. */
function objectShape(schema: Loose, depth: number, rendering: Rendering): Shape {
  const count = Object.keys(object(schema.properties) ?? {}).length;
  if (count === 0) {
    const values = object(schema.additionalProperties);
    return isText(values) ? { kind: 'map', ...renderingOf(values, rendering) } : { kind: 'json' };
  }
  if (depth >= MAX_DEPTH || count > MAX_ENTRIES) return { kind: 'json' };
  return { kind: 'object', fields: fieldsOf(schema, depth + 1, rendering) };
}

/** What the server replaces in a value. An address has no secrets: it is logged. */
function renderingOf(schema: Loose | undefined, inherited: Rendering): Rendering {
  const mode = String(schema?.['x-render']);
  if (!['plain', 'url', 'json'].includes(mode)) return inherited;
  return { rendered: true, secrets: schema?.['x-secrets'] === true && mode !== 'url' };
}

const isText = (schema: Loose | undefined) =>
  schema !== undefined && typeOf(schema) === 'string' && schema.enum === undefined;

/** Whether texts are among the single values that a schema allows. */
const mayBeText = (schema: Loose | undefined) =>
  isText(schema) ||
  (Array.isArray(schema?.type) &&
    schema.enum === undefined &&
    schema.type.includes('string') &&
    !schema.type.some((type) => type === 'object' || type === 'array'));

/** The one type of a schema, not counting null; undefined if it has none or several. */
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
  if (!Array.isArray(schema.enum) || schema.enum.length === 0 || schema.enum.length > MAX_ENTRIES) return undefined;
  const values: unknown[] = schema.enum;
  if (!values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))) return undefined;
  const titles: unknown[] = Array.isArray(schema['x-enum-titles']) ? schema['x-enum-titles'] : [];
  return values.map((value, i) => ({ value, label: text(titles[i]) ?? String(value) }));
}

/** The alternatives of a `oneOf` if all of them are objects with fields, else undefined. */
function choicesOf(schema: Loose, depth: number, rendering: Rendering): readonly Choice[] | undefined {
  const branches: unknown[] = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  if (branches.length < 2 || branches.length > 12 || depth >= MAX_DEPTH) return undefined;
  const choices = branches.map((branchSchema, i): Choice | undefined => {
    const branch = object(branchSchema);
    const properties = object(branch?.properties);
    if (!branch || !properties || branch.$ref !== undefined || Object.keys(properties).length > MAX_ENTRIES)
      return undefined;
    const fixed = Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => {
        const value = object(property)?.const;
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
    const fields = fieldsOf(branch, depth + 1, rendering).filter((field) => !Object.hasOwn(fixed, field.name));
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

/** Reads sets that exclude each other, from `oneOf: [{required: [statement]}, {required: [file]}]` at the root. */
function eitherOf(root: Loose, properties: Loose): Form['either'] {
  const branches: unknown[] = Array.isArray(root.oneOf) ? root.oneOf : [];
  if (branches.length < 2) return undefined;
  const sets = branches.map((branch) =>
    texts(object(branch)?.required).filter((name) => Object.hasOwn(properties, name)),
  );
  if (sets.some((names) => names.length === 0) || new Set(sets.flat()).size !== sets.flat().length) return undefined;
  return sets.map((names, i) => ({
    names,
    title:
      text(object(branches[i])?.title) ??
      names.map((name) => text(object(properties[name])?.title) ?? titleOf(name)).join(', '),
  }));
}

/** The index of the alternative that a value matches by its fixed and required members; 0 if it matches none. */
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

const FITS: Readonly<Record<FieldKind, (value: unknown, field: SchemaField) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' || typeof value === 'string', // an expression is a text
  boolean: (value) => typeof value === 'boolean',
  enum: (value, { options }) => typeof value === 'string' || (options?.some((one) => one.value === value) ?? false),
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  map: (value) => Object.values(object(value) ?? { none: 0 }).every((one) => typeof one === 'string'),
  object: (value) => object(value) !== undefined,
  choice: (value) => object(value) !== undefined,
  json: () => true,
};

/** Whether the field's own control can show a value. Otherwise the value is shown as JSON, so that nothing is lost. */
export const fits = (field: SchemaField, value: unknown): boolean =>
  value === undefined || FITS[field.kind](value, field);

/** The names of params without a field in the form. The task keeps them, although the schema does not have them. */
export function unknownParams(form: Form | undefined, params: Readonly<Record<string, unknown>> | undefined): string[] {
  if (!form) return [];
  const shown = new Set(form.fields.map((field) => field.name));
  return Object.keys(params ?? {}).filter((name) => !shown.has(name));
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

/** A title from a name: `max_rows` and `maxRows` give `Max rows`. */
function titleOf(name: string): string {
  const spaced = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return spaced === '' ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** An own member of an object. Objects inherit members such as `constructor`, which a schema may name as well. */
export const own = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
