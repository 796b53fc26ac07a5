import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { problemText } from '@/api/problem';
import { keys, scheduleQuery } from '@/api/queries';
import { RunHistory, TimeUntil, toast } from '@/ui';
import { useEditor } from '../context';
import styles from './Tabs.module.css';

/** The schedule is read again every so many milliseconds, for its latest batches. */
const REFRESH_EVERY = 15_000;

/** The published schedule: its latest batches, its next tick, and the switch that enables it. */
export function ScheduleStatus() {
  const { t } = useTranslation('editor');
  const { name, base } = useEditor();
  const { data: schedule } = useQuery({
    ...scheduleQuery(name),
    enabled: base !== undefined,
    refetchInterval: REFRESH_EVERY,
  });
  const enable = useEnable(name);
  if (!schedule || base === undefined) return null;
  const next = schedule.enabled ? schedule.nextAt?.[0] : undefined;
  const triggers = (schedule.triggers ?? []).length > 0;
  return (
    <div className={styles.status}>
      <Link to="/batches" search={{ schedule: name }}>
        {t('life.batches')}
      </Link>
      <RunHistory name={name} recent={schedule.recent?.slice(-12)} zone={schedule.timezone} />
      <Link to="/schedules/$name/ticks" params={{ name }}>
        {next ? (
          <>
            {t('life.next')} <TimeUntil at={next} zone={schedule.timezone ?? 'UTC'} />
          </>
        ) : (
          t('life.ticks')
        )}
      </Link>
      {triggers && (
        <Switch
          size="xs"
          checked={schedule.enabled}
          disabled={enable.isPending}
          label={t(schedule.enabled ? 'life.on' : 'life.off')}
          onChange={(event) => {
            enable.mutate(event.currentTarget.checked);
          }}
        />
      )}
    </div>
  );
}

/** Enables or disables a schedule. The page shows that at once, and takes it back if the server refuses. */
function useEnable(name: string) {
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
