import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { problemText } from '@/api/problem';
import { keys } from '@/api/queries';
import { toast } from '@/ui';

/** Loads again what a planned change has an effect on. */
export function useRefresh(schedule: string): () => void {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [keys.schedule(schedule), keys.forecast]) void client.invalidateQueries({ queryKey });
  };
}

/** Undoes the planned change of a moment; a toast says why that is refused. */
export function useUndo(schedule: string) {
  const { t } = useTranslation('problems');
  const refresh = useRefresh(schedule);
  return useMutation({
    mutationFn: (moment: string) =>
      data(
        api.DELETE('/api/v1/schedules/{name}/planned-changes/{moment}', {
          params: { path: { name: schedule, moment } },
        }),
      ),
    onError: (error) => {
      const { title, detail } = problemText(error, t);
      toast(`${title}. ${detail}`, { error: true });
    },
    onSettled: refresh,
  });
}
