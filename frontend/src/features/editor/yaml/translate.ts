import type { Schema } from './schema';

/** The descriptions of the schema of documents in another language, by their places. */
export type Descriptions = Readonly<Record<string, string>>;

/** Calls `visit` for each schema with a description, with its place: the empty text, `flow`, `task` or `task.needs`. */
function changed(root: Schema, visit: (place: string, description: string) => string | undefined): Schema {
  const own = (schema: Schema, place: string): Schema => ({
    ...schema,
    ...(schema.description !== undefined && { description: visit(place, schema.description) ?? schema.description }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]) => [
          name,
          own(property, place === '' ? name : `${place}.${name}`),
        ]),
      ),
    }),
  });
  const defs = Object.entries(root.$defs ?? {}).map(([name, schema]) => [name, own(schema, name)] as const);
  return { ...own(root, ''), ...(root.$defs && { $defs: Object.fromEntries(defs) }) };
}

/** The schema with its descriptions in another language. */
export const translated = (schema: Schema, texts: Descriptions): Schema => changed(schema, (place) => texts[place]);

/** The descriptions of a schema by their places: the empty text, `flow`, `task` or `task.needs`. */
export function descriptionsOf(schema: Schema): Map<string, string> {
  const found = new Map<string, string>();
  changed(schema, (place, description) => {
    found.set(place, description);
    return undefined;
  });
  return found;
}
