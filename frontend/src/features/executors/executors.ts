import type { Schemas } from '@/api/client';
import type { ShownState } from '@/ui';

/** An executor as the API lists it. */
export type Executor = Schemas['Executor'];
/** An action that an administrator can take on an executor. */
export type ExecutorAction = 'offline' | 'online' | 'drain' | 'undrain' | 'forget';
/**
 * The state of an executor that the page shows. `offline` means that a person took it offline; the states `silent` and
 * `lost`, which the server finds, take precedence.
 */
export type Condition = 'online' | 'draining' | 'drained' | 'connecting' | 'silent' | 'lost' | 'offline';

/** The condition of an executor. */
export function condition(e: Executor): Condition {
  if (e.state !== 'online' && e.state !== 'draining') return e.state;
  if (e.offline) return 'offline';
  return e.drained && e.running === 0 ? 'drained' : e.drained ? 'draining' : e.state;
}

/** The state whose colour and glyph are shown for a condition. */
export const STATE_OF_CONDITION: Record<Condition, ShownState> = {
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
  /** Slots of the executors that are online. */
  slots: number;
  running: number;
}

/** Executors by group, in the order of the list. */
export function groupExecutors(all: readonly Executor[]): Group[] {
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

/** The used part of the slots of an executor, from 0 to 1. */
export function loadOf(e: Pick<Executor, 'running' | 'slots'>): number {
  return e.slots > 0 ? Math.min(1, e.running / e.slots) : e.running > 0 ? 1 : 0;
}

/** The order of the parts of a form field: the description is below the input. */
export const FIELD_ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** The names that the server allows for groups. */
export const GROUP = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** The commands that start an executor of a group on a machine, with its token in a file that only its user reads. */
export function startCommands(origin: string, group: string, token: string): string {
  const file = `${group}.token`;
  return [
    `(umask 077 && printf %s '${token}' > ${file})`,
    `hivego executor --server ${origin} --group ${group} --token-file ${file}`,
  ].join('\n');
}

/** The form HOST:PORT. The server checks addresses more strictly. */
export const ADDRESS = /^(\[[0-9A-Fa-f:.%]+\]|[^\s:/[\]]+):\d{1,5}$/;

/** A parameter of a handler. `type` is the JSON type; it is undefined if the schema gives none, or several. */
export interface Param {
  name: string;
  type?: string;
  description?: string;
  required: boolean;
}

/**
 * The parameters in the JSON Schema of a handler, which `translate` translates first. Undefined if the schema cannot be
 * parsed or describes no parameters.
 */
export function paramsOf(
  schema: string | undefined,
  translate: (schema: object) => object = (untranslated) => untranslated,
): Param[] | undefined {
  if (!schema) return undefined;
  try {
    const { properties, required } = translate(JSON.parse(schema) as object) as {
      properties?: Record<string, { type?: unknown; title?: unknown; description?: unknown }>;
      required?: unknown;
    };
    if (typeof properties !== 'object' || properties === null) return undefined;
    const requiredNames = Array.isArray(required) ? (required as unknown[]) : [];
    return Object.entries(properties).map(([name, field]) => {
      const text = [field.description, field.title].find((candidate) => typeof candidate === 'string');
      return {
        name,
        type: typeof field.type === 'string' ? field.type : undefined,
        description: text as string | undefined,
        required: requiredNames.includes(name),
      };
    });
  } catch {
    return undefined;
  }
}
