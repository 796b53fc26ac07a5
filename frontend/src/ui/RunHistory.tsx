import { Tooltip } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, memo, type MouseEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useSpan } from './span';
import { exact } from './time';
import styles from './RunHistory.module.css';

/** One of the recent batches of a schedule, as the API lists them. */
export type RecentBatch = Schemas['RecentBatch'];

interface Bar {
  batch: RecentBatch;
  /** Part of the full height, by its duration against the longest; what has no duration yet is full. */
  height: number;
  /** Milliseconds, if it has ended. */
  took?: number;
}

/** The bars of a row, oldest first. */
export function bars(recent: readonly RecentBatch[] = []): Bar[] {
  const took = recent.map((b) =>
    b.startedAt && b.finishedAt ? Math.max(0, time(b.finishedAt) - time(b.startedAt)) : undefined,
  );
  const longest = Math.max(1, ...took.map((t) => t ?? 0));
  return recent.map((batch, i) => {
    const ms = took[i];
    return {
      batch,
      took: ms,
      height:
        ms === undefined
          ? batch.state === 'queued' || batch.state === 'running'
            ? 1
            : 0.25
          : Math.max(0.25, ms / longest),
    };
  });
}

function time(at: string): number {
  return new Date(at).getTime();
}

interface Props {
  name: string;
  recent?: readonly RecentBatch[];
  zone?: string;
}

/**
 * The latest batches of a schedule as bars, oldest first. A bar's height shows the duration, its colour the state; each
 * bar is a link. The keyboard has one tab stop here, the newest bar; the arrow keys go to the others.
 */
export const RunHistory = memo(function RunHistory({ name, recent, zone }: Props) {
  const { t } = useTranslation('schedules');
  const navigate = useNavigate();
  const all = bars(recent);
  const [stop, setStop] = useState<number>();
  const [hint, setHint] = useState('');
  const current = all.some((b) => b.batch.id === stop) ? stop : all.at(-1)?.batch.id;
  const move = (event: KeyboardEvent<HTMLOListElement>) => {
    const at = all.findIndex((b) => b.batch.id === current);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    const next = to === undefined ? undefined : all[to];
    if (!next) return;
    event.preventDefault();
    setStop(next.batch.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-batch="${String(next.batch.id)}"]`)?.focus();
  };
  // Plain links, led by one listener: the router's own ones would each hear of every change of the address.
  const go = (event: MouseEvent<HTMLOListElement>) => {
    const id = (event.target as Element).closest<HTMLElement>('[data-batch]')?.dataset.batch;
    if (id === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    void navigate({ to: '/batches/$id', params: { id: Number(id) } });
  };
  if (all.length === 0) return null;
  return (
    // One note for all bars: there are dozens of them in a row and hundreds of rows.
    <Tooltip label={hint} disabled={!hint} position="top-end">
      {/* The list itself takes no focus: it hears the keys and clicks of the links in it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ol className={styles.strip} aria-label={t('strip.label', { name })} onKeyDown={move} onClick={go}>
        {all.map((bar) => (
          <li key={bar.batch.id}>
            <BarLink bar={bar} zone={zone} stop={bar.batch.id === current} onHint={setHint} />
          </li>
        ))}
      </ol>
    </Tooltip>
  );
});

function BarLink({
  bar,
  zone,
  stop,
  onHint,
}: {
  bar: Bar;
  zone?: string;
  stop: boolean;
  onHint: (text: string) => void;
}) {
  const { t } = useTranslation(['schedules', 'states']);
  const span = useSpan();
  const { batch, took, height } = bar;
  const parts = [exact(batch.moment, { zone }), t(`states:${batch.state}`)];
  if (took !== undefined) parts.push(span(took));
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
      tabIndex={stop ? 0 : -1}
    >
      <i style={{ height: `${String(Math.round(height * 22))}px` }} />
    </a>
  );
}
