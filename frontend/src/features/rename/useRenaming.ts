import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, api, data } from '@/api/client';
import type { Definition } from '@/api/definition';
import { keys } from '@/api/queries';
import { announceRename } from '@/api/renamed';
import { renameIn } from './renameIn';

interface Wish {
  to: string;
  note: string;
  /** The schedules that wait for it, and that are saved with the new name. */
  others: readonly string[];
}

/** Renames a schedule, together with the triggers of those that wait for it. */
export function useRenaming(name: string, onDone: () => void) {
  const client = useQueryClient();
  const call = useMutation({
    mutationFn: async ({ to, note, others }: Wish) => {
      const path = { name };
      const read = await Promise.all(
        others.map((other) => data(api.GET('/api/v1/schedules/{name}', { params: { path: { name: other } } }))),
      );
      return data(
        api.POST('/api/v1/schedules/{name}/rename', {
          params: { path },
          body: {
            to,
            note: note.trim() || undefined,
            documents: read.map(({ definition }) =>
              JSON.stringify(renameIn(definition as unknown as Definition, name, to)),
            ),
            bases: Object.fromEntries(read.map((other) => [other.name, other.revision])),
          },
        }),
      );
    },
    onSuccess: (renamed) => {
      onDone();
      announceRename(name, renamed.name);
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.schedules });
    },
  });
  return {
    rename: call.mutate,
    pending: call.isPending,
    waiting: namedBy(call.error),
    error: call.error,
    reset: call.reset,
  };
}

/** The schedules that an answer of the server names as waiting for the former name. */
function namedBy(error: unknown): string[] {
  if (!(error instanceof ApiError) || error.problem.reason !== 'rename_named') return [];
  return error.problem.params?.schedules?.split(', ') ?? [];
}
