import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { problemText } from '@/api/problem';
import { keys } from '@/api/queries';
import { toast } from '@/ui';

/** Takes a problem, or all problems of a batch, or gives them back. A refusal is shown as a notice. */
export function useTaking(what: { alert: number } | { batch: number }) {
  const { t } = useTranslation('problems');
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (take: boolean) => {
      if ('alert' in what) {
        const params = { params: { path: { alert: what.alert } } };
        if (take) await api.PUT('/api/v1/alerts/{alert}/taker', { ...params, body: {} });
        else await api.DELETE('/api/v1/alerts/{alert}/taker', params);
        return;
      }
      const params = { params: { path: { id: what.batch } } };
      if (take) await api.PUT('/api/v1/batches/{id}/taker', { ...params, body: {} });
      else await api.DELETE('/api/v1/batches/{id}/taker', params);
    },
    onError: (error) => {
      toast(problemText(error, t).detail, { error: true });
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.alerts }),
  });
}
