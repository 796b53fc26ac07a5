import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { problemText } from '@/api/problem';
import { toast } from '@/ui';
import { change } from './useSchedules';

interface Switch {
  name: string;
  enabled: boolean;
}

/** Switches a schedule on or off: seen at once, and taken back if the server refuses. */
export function usePause() {
  const { t } = useTranslation('schedules');
  const { t: problems } = useTranslation('problems');
  const client = useQueryClient();
  const put = ({ name, enabled }: Switch) => {
    change(client, (s) => (s.name === name ? { ...s, enabled } : s));
  };
  return useMutation({
    mutationFn: ({ name, enabled }: Switch) =>
      data(api.PUT('/api/v1/schedules/{name}/enabled', { params: { path: { name } }, body: { enabled } })),
    onMutate: put,
    onSuccess: (_, { name, enabled }) => {
      toast(t(enabled ? 'said.on' : 'said.off', { name }));
    },
    onError: (error, { name, enabled }) => {
      put({ name, enabled: !enabled });
      const { title, detail } = problemText(error, problems);
      toast(`${title}. ${detail}`, { error: true });
    },
    onSettled: (_, __, { name }) => client.invalidateQueries({ queryKey: keys.schedule(name) }),
  });
}
