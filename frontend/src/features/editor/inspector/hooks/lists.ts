import type { DefinitionHook } from '@/api/definition';

/** The lists of hooks, in the order in which they run. */
export const HOOK_LISTS = ['onFailure', 'onSuccess', 'onEnd'] as const;
/** The name of a list of hooks. */
export type HookList = (typeof HOOK_LISTS)[number];
/** The hooks of a schedule, a job or a task. */
export type HooksOf = Partial<Record<HookList, readonly DefinitionHook[]>>;
