import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { scheduleQuery } from '@/api/queries';
import { RunHistory, TimeUntil } from '@/ui';
import { useEditor } from '../context';
import { usePause } from './usePause';
import styles from './Tabs.module.css';

/** How often the schedule is looked at for its latest batches, in milliseconds. */
const EVERY = 15_000;

/** What the published schedule does meanwhile: its latest batches, its next tick, its switch. */
export function Life() {
  const { t } = useTranslation('editor');
  const { name, base } = useEditor();
  const { data: schedule } = useQuery({ ...scheduleQuery(name), enabled: base !== undefined, refetchInterval: EVERY });
  const pause = usePause(name);
  if (!schedule || base === undefined) return null;
  const next = schedule.enabled ? schedule.nextAt?.[0] : undefined;
  const triggers = (schedule.triggers ?? []).length > 0;
  return (
    <div className={styles.life}>
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
          disabled={pause.isPending}
          label={t(schedule.enabled ? 'life.on' : 'life.off')}
          onChange={(event) => {
            pause.mutate(event.currentTarget.checked);
          }}
        />
      )}
    </div>
  );
}
