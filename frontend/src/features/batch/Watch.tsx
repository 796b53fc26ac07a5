import { ActionIcon, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Batch } from '@/live';
import { mood, type Summary } from './summary';

const STORAGE_KEY = 'hivego.watch';
const ICON =
  'M8 2.5a3.5 3.5 0 0 0-3.5 3.5c0 3-1.5 4-1.5 5h10c0-1-1.5-2-1.5-5A3.5 3.5 0 0 0 8 2.5zM6.7 13.2a1.4 1.4 0 0 0 2.6 0';

/** Whether this browser shows notifications. Those of a phone do not come from pages. */
const notifications = () => ('Notification' in window ? window.Notification : undefined);

interface Props {
  batch: Batch;
  summary: Summary;
}

/**
 * Watches a batch that runs: the browser tells of its end, and of its first failure, while another tab is shown. The
 * browser asks the user for the permission at the click, and never before. The tab shows the state in any case.
 */
export function Watch({ batch, summary }: Props) {
  const { t } = useTranslation('task');
  const [watched, setWatched] = useState(() => readWatched().includes(batch.id));
  const [denied, setDenied] = useState(() => notifications()?.permission === 'denied');
  useNotifications(watched, { batch, summary });
  if (!batch.live) return null;
  const toggle = async () => {
    const next = !watched;
    setWatched(next);
    storeWatched(batch.id, next);
    const api = notifications();
    if (next && api?.permission === 'default') setDenied((await api.requestPermission()) !== 'granted');
  };
  const only = denied || !notifications();
  const label = watched ? t('watch.on') : t('watch.off');
  return (
    <Tooltip multiline maw={260} label={only && watched ? t('watch.only') : watched ? t('watch.onHint') : label}>
      <ActionIcon
        variant={watched ? 'light' : 'default'}
        size={34}
        aria-label={t('watch.label')}
        aria-pressed={watched}
        onClick={() => void toggle()}
      >
        <svg
          viewBox="0 0 16 16"
          width={16}
          height={16}
          fill={watched ? 'currentColor' : 'none'}
          stroke="currentColor"
          strokeWidth="1.4"
          strokeLinejoin="round"
          aria-hidden="true"
        >
          <path d={ICON} />
        </svg>
      </ActionIcon>
    </Tooltip>
  );
}

/** Tells of the first failure and of the end, unless the user looks at the page. */
function useNotifications(watched: boolean, { batch, summary }: Props): void {
  const { t } = useTranslation(['task', 'batch']);
  const failed = summary.failed.length + summary.held.length;
  const before = useRef({ live: batch.live, failed });
  useEffect(() => {
    const last = before.current;
    before.current = { live: batch.live, failed };
    const ended = last.live && !batch.live;
    const firstFailure = batch.live && last.failed === 0 && failed > 0;
    if (!watched || !(ended || firstFailure)) return;
    const name = batch.schedule || (batch.tasks[0]?.key ?? '');
    const text = ended ? t(`batch:mood.${mood(batch)}`) : t('watch.failing', { count: failed });
    notify(`${name} · ${text}`, t('batch:id', { id: batch.id }), `hivego-${String(batch.id)}`);
  }, [watched, batch, failed, t]);
}

/** Shows a notification, if the user permits it and does not look at the page. */
function notify(title: string, body: string, tag: string): void {
  const api = notifications();
  if (api?.permission !== 'granted' || (document.visibilityState === 'visible' && document.hasFocus())) return;
  try {
    const shown = new api(title, {
      body,
      tag,
      icon: document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href,
    });
    shown.addEventListener('click', () => {
      window.focus();
      shown.close();
    });
  } catch {
    // The browser has the permission, but shows notifications of service workers only. The tab shows the state.
  }
}

/** The batches that this tab watches. They are forgotten when the tab is closed. */
function readWatched(): number[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'number') : [];
  } catch {
    return [];
  }
}

function storeWatched(batch: number, watched: boolean): void {
  const others = readWatched().filter((id) => id !== batch);
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(watched ? [...others, batch].slice(-50) : others));
}
