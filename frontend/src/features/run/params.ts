import type { Schemas } from '@/api/client';
import type { Definition, DefinitionTask } from '@/api/definition';

/** A value that a param of a run can have. */
export type ParamValue = string | number | boolean;
/** Which field a param gets; it follows the type of the declared value. */
export type ParamKind = 'text' | 'number' | 'boolean';

/** A declared param as a field: its name, its kind and its declared value. */
export interface ParamField {
  name: string;
  kind: ParamKind;
  declared: ParamValue;
}

/** The fields for the params that a definition declares, in the order of the definition. */
export function fieldsOf(definition: Definition): ParamField[] {
  return Object.entries(definition.params ?? {}).map(([name, declared]) => ({
    name,
    kind: kindOf(declared),
    declared,
  }));
}

function kindOf(declared: ParamValue): ParamKind {
  if (typeof declared === 'boolean') return 'boolean';
  return typeof declared === 'number' ? 'number' : 'text';
}

/** What has been typed, by name; what was not touched is not in it. */
export type Typed = Readonly<Record<string, string | boolean>>;

/** The params to send: only those that differ from what is declared. `wrong` names those whose text is no number. */
export function given(
  fields: readonly ParamField[],
  typed: Typed,
): { params: Record<string, ParamValue>; wrong: string[] } {
  const params: Record<string, ParamValue> = {};
  const wrong: string[] = [];
  for (const { name, kind, declared } of fields) {
    const value = typed[name];
    if (value === undefined || value === declared || (kind === 'number' && value === String(declared))) continue;
    if (kind === 'number' && !isNumber(String(value))) wrong.push(name);
    else params[name] = kind === 'number' ? asNumber(String(value)) : value;
  }
  return { params, wrong };
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

/**
 * A number, or its text if a JavaScript number cannot hold all its digits. The server reads the text by the declared
 * type.
 */
function asNumber(text: string): number | string {
  const n = Number(text);
  return Number.isInteger(n) && !Number.isSafeInteger(n) ? text.trim() : n;
}

/** The faults of a refused run that speak of a param, by its name; `params.late` is the place of the param late. */
export function paramFaults(faults: readonly Schemas['Fault'][] | undefined): Map<string, Schemas['Fault']> {
  return new Map(
    (faults ?? []).flatMap((f) => (f.path.startsWith('params.') ? [[f.path.slice('params.'.length), f] as const] : [])),
  );
}

/** A kind of work that no executor would take now, and the tasks that wait for it. */
export interface Unmanned {
  handler: string;
  group: string;
  executor?: string;
  tasks: string[];
}

/** The places where work of a definition, or of one task of it, would wait because no online executor offers it. */
export function unmanned(definition: Definition, executors: readonly Schemas['Executor'][], task?: string): Unmanned[] {
  const out = new Map<string, Unmanned>();
  const here = executors.filter((e) => e.state === 'online' && !e.offline);
  for (const one of definition.jobs.flatMap((job) => job.tasks ?? [])) {
    if ((task === undefined ? one.disabled : one.key !== task) || here.some((e) => takes(e, one))) continue;
    const group = one.group ?? 'default';
    const place = JSON.stringify([one.handler, group, one.executor]);
    const known = out.get(place) ?? { handler: one.handler, group, executor: one.executor, tasks: [] };
    known.tasks.push(one.key);
    out.set(place, known);
  }
  return [...out.values()];
}

function takes(executor: Schemas['Executor'], task: DefinitionTask): boolean {
  return (
    executor.group === (task.group ?? 'default') &&
    (task.executor === undefined || task.executor === executor.name) &&
    Object.entries(task.labels ?? {}).every(([label, value]) => executor.labels?.[label] === value) &&
    executor.handlers.some((h) => h.name === task.handler)
  );
}
