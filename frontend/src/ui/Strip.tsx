import { Tooltip } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, memo, type MouseEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Bar, bars, type RecentBatch } from './bars';
import { useSpan } from './span';
import styles from './Strip.module.css';
import { exact } from './time';

interface Props {
  name: string;
  recent?: readonly RecentBatch[];
  zone?: string;
}

/**
 * The latest batches of a schedule as bars, oldest first: as high as they took long, in the colour of their state, each a
 * link. The keyboard finds one stop here, the newest; the arrow keys go to the others.
 */
export const Strip = memo(function Strip({ name, recent, zone }: Props) {
  const { t } = useTranslation('schedules');
  const navigate = useNavigate();
  const all = bars(recent);
  const [stop, setStop] = useState<number>();
  const [told, setTold] = useState('');
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
    <Tooltip label={told} disabled={!told} position="top-end">
      {/* The list itself takes no focus: it hears the keys and clicks of the links in it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ol className={styles.strip} aria-label={t('strip.label', { name })} onKeyDown={move} onClick={go}>
        {all.map((bar) => (
          <li key={bar.batch.id}>
            <BarLink bar={bar} zone={zone} stop={bar.batch.id === current} onTell={setTold} />
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
  onTell,
}: {
  bar: Bar;
  zone?: string;
  stop: boolean;
  onTell: (words: string) => void;
}) {
  const { t } = useTranslation(['schedules', 'states']);
  const span = useSpan();
  const { batch, took, height } = bar;
  const parts = [exact(batch.moment, { zone }), t(`states:${batch.state}`)];
  if (took !== undefined) parts.push(span(took));
  if (batch.kind !== 'scheduled') parts.push(t(`schedules:kind.${batch.kind}`));
  const words = parts.join(' · ');
  return (
    <a
      href={`/batches/${String(batch.id)}`}
      onMouseEnter={() => {
        onTell(words);
      }}
      onFocus={() => {
        onTell(words);
      }}
      className={styles.bar}
      data-state={batch.state}
      data-batch={batch.id}
      aria-label={words}
      tabIndex={stop ? 0 : -1}
    >
      <i style={{ height: `${String(Math.round(height * 22))}px` }} />
    </a>
  );
}
