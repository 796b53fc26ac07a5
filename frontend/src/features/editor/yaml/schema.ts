import type { JsonSchema } from '../context';
import type { Step } from './place';

/** The schema of documents, as far as completion reads it. */
export interface Schema extends Omit<JsonSchema, 'properties' | 'items' | 'oneOf' | 'anyOf' | 'additionalProperties'> {
  $ref?: string;
  $defs?: Record<string, Schema>;
  const?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  additionalProperties?: boolean | Schema;
}

/** Schemas refer to each other at most so often on the way to a value. */
const MOST_REFERENCES = 10;

/** A schema with its reference and its only alternative to null followed. What stands beside a reference wins. */
export function followed(root: Schema, schema: Schema | undefined, left = MOST_REFERENCES): Schema | undefined {
  if (!schema || left === 0) return schema;
  const { $ref, oneOf, anyOf, ...rest } = schema;
  const target =
    $ref !== undefined
      ? root.$defs?.[$ref.replace('#/$defs/', '')]
      : schema.properties
        ? undefined
        : (oneOf ?? anyOf)?.find((one) => one.type !== 'null');
  return target ? { ...followed(root, target, left - 1), ...rest } : schema;
}

/** The schema at the end of a way; undefined where it says nothing. */
export function schemaAt(root: Schema, path: readonly Step[]): Schema | undefined {
  let schema = followed(root, root);
  for (const step of path) {
    if (!schema) return undefined;
    if ('item' in step) schema = followed(root, schema.items);
    else {
      const own: Schema | undefined =
        schema.properties && Object.hasOwn(schema.properties, step.field) ? schema.properties[step.field] : undefined;
      const other = schema.additionalProperties;
      schema = followed(root, own ?? (typeof other === 'object' ? other : undefined));
    }
  }
  return schema;
}

/** Whether a schema allows a type. */
export const allows = (schema: Schema | undefined, type: string): boolean =>
  schema?.type === type || (Array.isArray(schema?.type) && schema.type.includes(type));

/** The simple values that a schema lists, as YAML writes them. */
export function valuesOf(schema: Schema | undefined): string[] {
  if (!schema) return [];
  const listed = schema.const !== undefined ? [schema.const] : (schema.enum ?? []);
  const values = listed.filter((value) => value !== null).map(String);
  return values.length === 0 && allows(schema, 'boolean') && !allows(schema, 'string') ? ['true', 'false'] : values;
}

/** The examples of a schema that are simple values, as YAML writes them. */
export const examplesOf = (schema: Schema | undefined): string[] =>
  (schema?.examples ?? []).flatMap((example) =>
    typeof example === 'string' ? quoted(example) : typeof example === 'number' ? String(example) : [],
  );

/** A text as YAML: in quotes if it could be read as something else. */
export const quoted = (text: string): string =>
  /^[A-Za-z0-9_./-][\w ./+-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|~|[\d.e+-]+)$/i.test(text)
    ? text
    : JSON.stringify(text);
