import { effectiveTasks } from '@/api/defaults';
import type { Schemas } from '@/api/client';
import type { Definition, DefinitionTask } from '@/api/definition';

/** A value that a param of a run can have. */
export type ParamValue = string | number | boolean;
/** The kind of the field of a param, by the type of the declared value. */
export type ParamKind = 'text' | 'number' | 'boolean';

/** A declared param as a field of the dialog. */
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

/** The values that the user has entered, by the name of the param. Untouched fields have no value. */
export type Typed = Readonly<Record<string, string | boolean>>;

/** The params that differ from their declared values. `invalid` names number fields whose text is not a number. */
export function changedParams(
  fields: readonly ParamField[],
  typed: Typed,
): { params: Record<string, ParamValue>; invalid: string[] } {
  const params: Record<string, ParamValue> = {};
  const invalid: string[] = [];
  for (const { name, kind, declared } of fields) {
    const value = typed[name];
    if (value === undefined || value === declared || (kind === 'number' && value === String(declared))) continue;
    if (kind === 'number' && !isNumber(String(value))) invalid.push(name);
    else params[name] = kind === 'number' ? asNumber(String(value)) : value;
  }
  return { params, invalid };
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

/** The faults of a refused run that concern a param, by the name of the param. Their paths begin with `params.`. */
export function paramFaults(faults: readonly Schemas['Fault'][] | undefined): Map<string, Schemas['Fault']> {
  return new Map(
    (faults ?? []).flatMap((f) => (f.path.startsWith('params.') ? [[f.path.slice('params.'.length), f] as const] : [])),
  );
}

/** Tasks of one handler, group and executor name that no executor would take now. */
export interface TasksWithoutExecutor {
  handler: string;
  group: string;
  executor?: string;
  tasks: string[];
}

/**
 * The tasks of a definition that would wait because no online executor takes them. With `task`, only that one is
 * checked.
 */
export function tasksWithoutExecutor(
  definition: Definition,
  executors: readonly Schemas['Executor'][],
  task?: string,
): TasksWithoutExecutor[] {
  const groups = new Map<string, TasksWithoutExecutor>();
  const online = executors.filter((e) => e.state === 'online' && !e.offline);
  for (const one of effectiveTasks(definition)) {
    if ((task === undefined ? one.disabled : one.key !== task) || online.some((e) => takes(e, one))) continue;
    const group = one.group ?? 'default';
    const key = JSON.stringify([one.handler, group, one.executor]);
    const entry = groups.get(key) ?? { handler: one.handler, group, executor: one.executor, tasks: [] };
    entry.tasks.push(one.key);
    groups.set(key, entry);
  }
  return [...groups.values()];
}

function takes(executor: Schemas['Executor'], task: DefinitionTask): boolean {
  return (
    executor.group === (task.group ?? 'default') &&
    (task.executor === undefined || task.executor === executor.name) &&
    Object.entries(task.labels ?? {}).every(([label, value]) => executor.labels?.[label] === value) &&
    executor.handlers.some((h) => h.name === task.handler)
  );
}
