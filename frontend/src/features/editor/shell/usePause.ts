import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { problemText } from '@/api/problem';
import { keys } from '@/api/queries';
import { toast } from '@/ui';

/** Switches a schedule on or off: seen at once, and taken back if the server refuses. */
export function usePause(name: string) {
  const { t } = useTranslation('schedules');
  const { t: problems } = useTranslation('problems');
  const client = useQueryClient();
  const put = (enabled: boolean) =>
    client.setQueryData<Schemas['Schedule']>(keys.schedule(name), (old) => old && { ...old, enabled });
  return useMutation({
    mutationFn: (enabled: boolean) =>
      data(api.PUT('/api/v1/schedules/{name}/enabled', { params: { path: { name } }, body: { enabled } })),
    onMutate: put,
    onSuccess: (_, enabled) => {
      toast(t(enabled ? 'said.on' : 'said.off', { name }));
    },
    onError: (error, enabled) => {
      put(!enabled);
      const { title, detail } = problemText(error, problems);
      toast(`${title}. ${detail}`, { error: true });
    },
    onSettled: () =>
      Promise.all(
        [keys.schedule(name), keys.schedules].map((queryKey) => client.invalidateQueries({ queryKey, exact: true })),
      ),
  });
}
