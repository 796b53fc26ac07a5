import { Tooltip } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, memo, type MouseEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useExact } from './shownZone';
import { useSpan } from './time';
import styles from './RunHistory.module.css';

/** A recent batch of a schedule. */
export type RecentBatch = Schemas['RecentBatch'];

interface Bar {
  batch: RecentBatch;
  /** From 0 to 1: the duration relative to the longest one. A batch that has not ended has the full height. */
  height: number;
  /** Duration in milliseconds, if the batch has ended. */
  duration?: number;
}

/** The bars of recent batches, oldest first. */
export function barsOf(recent: readonly RecentBatch[] = []): Bar[] {
  const durations = recent.map((b) =>
    b.startedAt && b.finishedAt ? Math.max(0, millisOf(b.finishedAt) - millisOf(b.startedAt)) : undefined,
  );
  const longest = Math.max(1, ...durations.map((ms) => ms ?? 0));
  return recent.map((batch, i) => {
    const ms = durations[i];
    return {
      batch,
      duration: ms,
      height:
        ms === undefined
          ? batch.state === 'queued' || batch.state === 'running'
            ? 1
            : 0.25
          : Math.max(0.25, ms / longest),
    };
  });
}

function millisOf(at: string): number {
  return new Date(at).getTime();
}

interface Props {
  name: string;
  recent?: readonly RecentBatch[];
}

/**
 * The latest batches of a schedule as bars, oldest first. The height of a bar shows the duration, its colour the state.
 * Each bar links to its batch. Tab reaches one bar, first the newest one; the arrow keys reach the others.
 */
export const RunHistory = memo(function RunHistory({ name, recent }: Props) {
  const { t } = useTranslation('schedules');
  const navigate = useNavigate();
  const bars = barsOf(recent);
  const [tabStop, setTabStop] = useState<number>();
  const [hint, setHint] = useState('');
  const current = bars.some((b) => b.batch.id === tabStop) ? tabStop : bars.at(-1)?.batch.id;
  const moveFocus = (event: KeyboardEvent<HTMLOListElement>) => {
    const at = bars.findIndex((b) => b.batch.id === current);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 }[event.key];
    const next = to === undefined ? undefined : bars[to];
    if (!next) return;
    event.preventDefault();
    setTabStop(next.batch.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-batch="${String(next.batch.id)}"]`)?.focus();
  };
  // Plain links with one click listener: each router link would render again after every change of the address.
  const openBatch = (event: MouseEvent<HTMLOListElement>) => {
    const id = (event.target as Element).closest<HTMLElement>('[data-batch]')?.dataset.batch;
    if (id === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    void navigate({ to: '/batches/$id', params: { id: Number(id) } });
  };
  if (bars.length === 0) return null;
  return (
    // One tooltip for all bars, because a page may have thousands of them.
    <Tooltip label={hint} disabled={!hint} position="top-end">
      {/* The list takes no focus itself. It handles the keys and clicks of its links. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ol className={styles.strip} aria-label={t('strip.label', { name })} onKeyDown={moveFocus} onClick={openBatch}>
        {bars.map((bar) => (
          <li key={bar.batch.id}>
            <BarLink bar={bar} tabStop={bar.batch.id === current} onHint={setHint} />
          </li>
        ))}
      </ol>
    </Tooltip>
  );
});

function BarLink({ bar, tabStop, onHint }: { bar: Bar; tabStop: boolean; onHint: (text: string) => void }) {
  const { t } = useTranslation(['schedules', 'states']);
  const span = useSpan();
  const exact = useExact();
  const { batch, duration, height } = bar;
  const parts = [exact(batch.moment), t(`states:${batch.state}`)];
  if (duration !== undefined) parts.push(span(duration));
  if (batch.kind !== 'scheduled') parts.push(t(`schedules:kind.${batch.kind}`));
  const text = parts.join(' · ');
  return (
    <a
      href={`/batches/${String(batch.id)}`}
      onMouseEnter={() => {
        onHint(text);
      }}
      onFocus={() => {
        onHint(text);
      }}
      className={styles.bar}
      data-state={batch.state}
      data-batch={batch.id}
      aria-label={text}
      tabIndex={tabStop ? 0 : -1}
    >
      <i style={{ height: `${String(Math.round(height * 22))}px` }} />
    </a>
  );
}
