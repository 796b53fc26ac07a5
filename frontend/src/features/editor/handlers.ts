import type { Schemas } from '@/api/client';
import { UNTRANSLATED, type HandlerTexts } from '@/i18n/handlers';
import type { JsonSchema, OfferedHandler } from './context';

/**
 * The handlers that executors offer, by name. If executors describe a handler differently, one that is connected takes
 * precedence.
 */
export function offered(
  executors: readonly Schemas['Executor'][],
  words: HandlerTexts = UNTRANSLATED,
): OfferedHandler[] {
  const found = new Map<string, OfferedHandler & { groups: Record<string, number> }>();
  const reached = (e: Schemas['Executor']) => e.state === 'online' || e.state === 'draining';
  for (const executor of [...executors].sort((a, b) => Number(reached(b)) - Number(reached(a)))) {
    for (const { schema, ...handler } of executor.handlers) {
      const known = found.get(handler.name) ?? {
        ...words.handler(handler),
        schema: read(schema, handler.name, words),
        groups: {},
      };
      known.groups[executor.group] = (known.groups[executor.group] ?? 0) + Number(reached(executor));
      found.set(handler.name, known);
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** A schema that an executor sent; undefined if it is none. */
function read(text: string | undefined, handler: string, words: HandlerTexts): JsonSchema | undefined {
  if (!text) return undefined;
  try {
    const schema: unknown = JSON.parse(text);
    return typeof schema === 'object' && schema !== null ? words.schema(handler, schema) : undefined;
  } catch {
    return undefined;
  }
}
