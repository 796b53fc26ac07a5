import { type Doc, positionsOf } from '@/document';
import type { OfferedHandler } from '../context';
import type { Place, Step } from './place';
import { allows, examplesOf, followed, quoted, type Schema, schemaAt, valuesOf } from './schema';

/** What can be written at a place. */
export interface Offer {
  /** The text that is inserted; `|` is where the caret goes. */
  insert: string;
  label: string;
  /** Why or what it is, in a few words. */
  detail?: string;
  info?: string;
  required?: boolean;
}

/** What the page knows beside the schema. */
export interface Known {
  schema: Schema;
  doc: Doc;
  handlers: readonly OfferedHandler[];
  calendars: readonly string[];
  connections: readonly string[];
  pools: readonly string[];
  zones: readonly string[];
  /** The label of a field in the form; the field itself if it has none. */
  labelOf?: (field: string) => string;
}

/** The way as a pattern: `jobs[].tasks[].needs[]`. */
export const pathText = (path: readonly Step[]): string =>
  path.reduce((text, step) => ('item' in step ? `${text}[]` : text === '' ? step.field : `${text}.${step.field}`), '');

/** What can be written at a place: keys that the object lacks, or values. */
export function offersAt(place: Place, known: Known): Offer[] {
  const { schema, path } = schemaFor(place, known);
  const here = schemaAt(schema, path);
  if (place.kind === 'value') return valueOffers(place, here, known);
  // After a dash stands a key of an object, or a simple item.
  if (here && !here.properties && place.path.some((step) => 'item' in step) && !allows(here, 'object'))
    return valueOffers(place, here, known);
  return keyOffers(place, here, schema, path === place.path ? known.labelOf : undefined);
}

/** The schema that holds at a place: below `params`, that of the handler. */
function schemaFor({ path, objects }: Place, { schema, handlers }: Known): { schema: Schema; path: readonly Step[] } {
  const at = path.findIndex((step, i) => 'field' in step && step.field === 'params' && i > 0 && inTaskOrHook(path, i));
  if (at < 0) return { schema, path };
  const outer = path.slice(0, at).filter((step) => 'item' in step).length;
  const handler = (objects[outer] ?? new Map<string, string>()).get('handler');
  const own = handlers.find(({ name }) => name === handler)?.schema as Schema | undefined;
  return { schema: own ?? {}, path: path.slice(at + 1) };
}

/** Whether `params` at an index of a path belong to a task or a hook. */
const inTaskOrHook = (path: readonly Step[], at: number) =>
  /(^|\.)(tasks|onFailure|onSuccess|onEnd)\[\]$/.test(pathText(path.slice(0, at)));

function keyOffers(
  { path, objects, flow, indent }: Place,
  schema: Schema | undefined,
  root: Schema,
  labelOf?: (field: string) => string,
): Offer[] {
  const outer = path.slice(path.findLastIndex((step) => 'item' in step) + 1);
  const present = objects.at(-1) ?? new Map<string, string>();
  return Object.entries(schema?.properties ?? {}).flatMap(([name, own]): Offer[] => {
    if (present.has(name) || name === '#') return [];
    const required = schema?.required?.includes(name) ?? false;
    return [
      {
        label: name,
        insert: `${name}:${flow ? ' |' : afterKey(root, own, indent)}`,
        detail: own.title ?? labelled(pathText([...outer, { field: name }]), labelOf),
        info: followed(root, own)?.description,
        required,
      },
    ];
  });
}

function labelled(field: string, labelOf: ((field: string) => string) | undefined): string | undefined {
  const label = labelOf?.(field);
  return label === field ? undefined : label;
}

/** What follows a new key: an object and a list of objects begin on the next line. */
function afterKey(root: Schema, schema: Schema, indent: number): string {
  if (schema.oneOf?.some((one) => typeOf(root, one) === 'string')) return ' |'; // it may be written as a text
  const type = typeOf(root, schema);
  const next = `\n${' '.repeat(indent + 2)}`;
  if (type === 'object') return `${next}|`;
  if (type === 'array') return typeOf(root, schema.items) === 'object' ? `${next}- |` : ' [|]';
  return ' |';
}

/** The type of values other than null. */
function typeOf(root: Schema, schema: Schema | undefined): string | undefined {
  const type = followed(root, schema)?.type ?? [];
  return (Array.isArray(type) ? type : [type]).find((one) => one !== 'null');
}

function valueOffers(place: Place, schema: Schema | undefined, known: Known): Offer[] {
  const names = namesAt(place, schema, known).filter(({ label }) => !place.items.includes(label));
  if (names.length > 0) return names;
  const listed = valuesOf(schema);
  const offered = listed.length > 0 ? listed : examplesOf(schema);
  const initial = schema?.default;
  return offered.map((value) => ({
    label: value,
    insert: value,
    info: schema?.description,
    ...(String(initial) === value ? { detail: 'default' } : listed.length === 0 ? { detail: 'example' } : {}),
  }));
}

const named = (names: readonly string[], more: (name: string) => Partial<Offer> = () => ({})): Offer[] =>
  names.map((name) => ({ label: name, insert: quoted(name), ...more(name) }));

/** The names of other things that a value may be. */
function namesAt(place: Place, schema: Schema | undefined, { doc, handlers, ...known }: Known): Offer[] {
  const path = pathText(place.path);
  if (/(tasks|onFailure|onSuccess|onEnd)\[\]\.handler$/.test(path))
    return handlers.map(({ name, title, description }) => ({
      label: name,
      insert: quoted(name),
      detail: title === name ? undefined : title,
      info: description,
    }));
  if (/tasks\[\]\.needs\[\]$/.test(path) || /tasks\[\]\.needs$/.test(path)) return needs(place, doc);
  if (/(tasks\[\]|onFailure\[\]|onSuccess\[\]|onEnd\[\]|defaults)\.group$/.test(path)) {
    const handler = place.objects.at(-1)?.get('handler');
    const groups = handlers.filter(({ name }) => handler === undefined || name === handler).map((one) => one.groups);
    return named([...new Set(groups.flatMap((one) => Object.keys(one)))].sort());
  }
  if (/tasks\[\]\.pool(\.name)?$/.test(path)) return named(known.pools);
  if (path === 'triggers[].calendar.name') return named(known.calendars);
  if (path === 'timezone') return named(known.zones);
  return schema?.['x-connection'] ? named(known.connections) : [];
}

/** The tasks that a task can need: all tasks of earlier jobs, or all tasks if its job is unknown. */
function needs({ objects, path, word }: Place, doc: Doc): Offer[] {
  const [, job, task] = objects;
  const key = task?.get('key');
  const lane = doc.jobs.findIndex((one) => one.key === job?.get('key'));
  const until = lane >= 0 ? lane : (positionsOf(doc).get(key ?? '')?.job ?? doc.jobs.length);
  const inBrackets = 'item' in (path.at(-1) ?? {}) || word.startsWith('[');
  return doc.jobs.slice(0, until).flatMap((one) =>
    (one.tasks ?? []).map((other) => ({
      label: other.key,
      insert: inBrackets ? quoted(other.key) : `[${quoted(other.key)}|]`,
      detail: other.title,
      info: one.title ?? one.key,
    })),
  );
}
