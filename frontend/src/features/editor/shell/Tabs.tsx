import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Switch, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data, type Schemas } from '@/api/client';
import { problemText } from '@/api/problem';
import { keys, scheduleQuery } from '@/api/queries';
import { NeedsServer, RunHistory, TimeUntil, toast, useEdgeFades } from '@/ui';
import { type EditorView, useEditor } from '../context';
import styles from './Tabs.module.css';

const VIEWS = ['canvas', 'table', 'yaml', 'settings', 'history'] as const satisfies readonly EditorView[];

/** The tabs of the views. Tab reaches the current one, the arrow keys reach the others. */
export function Tabs({ children }: { children: ReactNode }) {
  const { t } = useTranslation('editor');
  const {
    search: { view = 'canvas' },
  } = useEditor();
  const list = useRef<HTMLDivElement>(null);
  useEdgeFades(list);
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = tabs.at(to % tabs.length);
    next?.focus();
    next?.click();
  };
  return (
    <div className={styles.bar}>
      {/* The list itself takes no focus: it handles the keys of the tabs in it. */}
      {/* eslint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div ref={list} className={styles.tabs} role="tablist" aria-label={t('views')} onKeyDown={move}>
        {VIEWS.map((v) => (
          <Link
            key={v}
            id={`tab-${v}`}
            role="tab"
            aria-selected={v === view}
            aria-controls="editor-view"
            tabIndex={v === view ? 0 : -1}
            from="/schedules/$name"
            to="."
            search={(s) => ({ ...s, view: v === 'canvas' ? undefined : v })}
            activeProps={{}}
          >
            {t(`view.${v}`)}
          </Link>
        ))}
      </div>
      {children}
    </div>
  );
}

/** The schedule is read again every so many milliseconds, for its latest batches. */
const REFRESH_EVERY = 15_000;

/** The published schedule: its latest batches, its next tick, and the switch that enables it. */
export function ScheduleStatus() {
  const { t } = useTranslation(['editor', 'schedules']);
  const { name, base } = useEditor();
  const { data: schedule } = useQuery({
    ...scheduleQuery(name),
    enabled: base !== undefined,
    refetchInterval: REFRESH_EVERY,
  });
  const enable = useEnable(name);
  if (!schedule || base === undefined) return null;
  const next = schedule.enabled ? schedule.nextAt?.[0] : undefined;
  const finished = schedule.enabled ? schedule.finished : undefined;
  const triggers = (schedule.triggers ?? []).length > 0;
  return (
    <div className={styles.status}>
      <Link to="/schedules/$name/runs" params={{ name }} search={{}}>
        {t('schedule.runs')}
      </Link>
      <Link to="/batches" search={{ schedule: name }}>
        {t('schedule.batches')}
      </Link>
      <Link to="/schedules/$name/chain" params={{ name }} search={{}}>
        {t('schedule.chain')}
      </Link>
      <RunHistory name={name} recent={schedule.recent?.slice(-12)} />
      <Tooltip label={finished && t(`schedules:next.finishedAbout.${finished}`)} disabled={!finished} multiline>
        <Link to="/schedules/$name/ticks" params={{ name }}>
          {next && (
            <>
              {t('schedule.next')} <TimeUntil at={next} />
            </>
          )}
          {!next && t(finished ? 'schedules:next.finished' : 'schedule.ticks')}
        </Link>
      </Tooltip>
      {triggers && (
        <NeedsServer>
          <Switch
            size="xs"
            checked={schedule.enabled}
            disabled={enable.isPending}
            label={t(schedule.enabled ? 'schedule.enabled' : 'schedule.disabled')}
            onChange={(event) => {
              enable.mutate(event.currentTarget.checked);
            }}
          />
        </NeedsServer>
      )}
    </div>
  );
}

/** Enables or disables a schedule. The page shows that at once, and reverts it if the server refuses. */
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
      toast(t(enabled ? 'toast.enabled' : 'toast.disabled', { name }));
    },
    onError: (error, enabled) => {
      put(!enabled);
      const { title, detail } = problemText(error, problems);
      toast(`${title}. ${detail}`, { error: true });
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.schedule(name), exact: true }),
        client.invalidateQueries({ queryKey: keys.schedules }), // each list has a key of its own
      ]),
  });
}
