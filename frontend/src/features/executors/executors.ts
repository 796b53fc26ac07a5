import type { Schemas } from '@/api/client';
import type { ShownState } from '@/ui';

/** An executor as the API lists it. */
export type Executor = Schemas['Executor'];
/**
 * How an executor stands, in one word. `offline` means that a person took it offline; it gives way to the worse states
 * that the server finds.
 */
export type Condition = 'online' | 'draining' | 'drained' | 'connecting' | 'silent' | 'lost' | 'offline';

/** The condition of an executor. */
export function condition(e: Executor): Condition {
  if (e.state !== 'online' && e.state !== 'draining') return e.state;
  if (e.offline) return 'offline';
  return e.drained && e.running === 0 ? 'drained' : e.drained ? 'draining' : e.state;
}

/** The state whose colour and glyph a condition borrows. */
export const FACE: Record<Condition, ShownState> = {
  online: 'succeeded',
  draining: 'waiting',
  drained: 'ignored',
  connecting: 'waiting',
  silent: 'unknown',
  lost: 'failed',
  offline: 'canceled',
};

/** The executors of one group, with their slots and running tasks added up. */
export interface Group {
  name: string;
  executors: Executor[];
  /** Of those that take work. */
  slots: number;
  running: number;
}

/** Executors by group, in the order in which they came. */
export function groups(all: readonly Executor[]): Group[] {
  const out = new Map<string, Group>();
  for (const e of all) {
    const group = out.get(e.group) ?? { name: e.group, executors: [], slots: 0, running: 0 };
    group.executors.push(e);
    group.running += e.running;
    if (condition(e) === 'online') group.slots += e.slots;
    out.set(e.group, group);
  }
  return [...out.values()];
}

/** How full an executor is, from 0 to 1. */
export function load(e: Pick<Executor, 'running' | 'slots'>): number {
  return e.slots > 0 ? Math.min(1, e.running / e.slots) : e.running > 0 ? 1 : 0;
}

/** The order of the parts of a form field: the description stands below the input. */
export const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** The rule of the server for names of groups. */
export const GROUP = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** The commands that start an executor of a group on a machine, with its token in a file that only its user reads. */
export function startCommands(origin: string, group: string, token: string): string {
  const file = `${group}.token`;
  return [
    `(umask 077 && printf %s '${token}' > ${file})`,
    `hivego executor --server ${origin} --group ${group} --token-file ${file}`,
  ].join('\n');
}

/** HOST:PORT, roughly: the server says what is wrong with the rest. */
export const ADDRESS = /^(\[[0-9A-Fa-f:.%]+\]|[^\s:/[\]]+):\d{1,5}$/;

/** A parameter of a handler. `type` is the JSON type; it is undefined if the schema gives none, or several. */
export interface Param {
  name: string;
  type?: string;
  description?: string;
  required: boolean;
}

/**
 * The parameters that a handler's JSON Schema describes, after `say` has translated it. Undefined if the schema cannot
 * be read or describes no parameters.
 */
export function paramsOf(
  schema: string | undefined,
  say: (schema: object) => object = (it) => it,
): Param[] | undefined {
  if (!schema) return undefined;
  try {
    const { properties, required } = say(JSON.parse(schema) as object) as {
      properties?: Record<string, { type?: unknown; title?: unknown; description?: unknown }>;
      required?: unknown;
    };
    if (typeof properties !== 'object' || properties === null) return undefined;
    const wanted = Array.isArray(required) ? (required as unknown[]) : [];
    return Object.entries(properties).map(([name, field]) => {
      const words = [field.description, field.title].find((text) => typeof text === 'string');
      return {
        name,
        type: typeof field.type === 'string' ? field.type : undefined,
        description: words as string | undefined,
        required: wanted.includes(name),
      };
    });
  } catch {
    return undefined;
  }
}
