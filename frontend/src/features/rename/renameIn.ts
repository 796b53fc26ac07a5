import type { Definition } from '@/api/definition';

/** A definition that waits for a schedule by its new name. */
export function renameIn(definition: Definition, former: string, to: string): Definition {
  return {
    ...definition,
    triggers: definition.triggers?.map((trigger) => ({
      ...trigger,
      ...(trigger.after && {
        after: trigger.after.map((upstream) =>
          upstream.schedule === former ? { ...upstream, schedule: to } : upstream,
        ),
      }),
    })),
  };
}
