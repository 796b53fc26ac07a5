import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clock } from '@/ui';
import type { Times } from './prefs';
import styles from './Row.module.css';
import { marked, spansOf } from './text';
import type { Placed } from './window';

/** Characters of a line that are shown before somebody asks for more. */
const SHORT = 2000;

interface Props {
  line: Placed;
  number?: number;
  times: Times;
  /** Times since then, in milliseconds since 1970. */
  since?: number;
  /** What was searched for. */
  wanted: string;
  mark?: 'error' | 'link';
  /** Address of this line. */
  href: string;
  onPick: (offset: number) => void;
}

/** One line: number, time, text. */
export const Row = memo(function Row({ line, number, times, since, wanted, mark, href, onPick }: Props) {
  const { t } = useTranslation('log');
  const [all, setAll] = useState(false);
  const { spans, cut } = useMemo(() => spansOf(line.text, all ? Infinity : SHORT), [line.text, all]);
  const shown = useMemo(() => (wanted ? marked(spans, wanted) : spans), [spans, wanted]);
  const sign = line.head ? (number ?? '·') : '↳';
  return (
    <div
      className={styles.row}
      data-stream={line.stream}
      data-mark={mark}
      data-times={times}
      aria-current={mark ? 'location' : undefined}
    >
      <a
        className={styles.number}
        href={href}
        tabIndex={-1}
        aria-label={number === undefined ? t('linkToLine') : t('line', { number })}
        onClick={(e) => {
          if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return;
          e.preventDefault();
          onPick(line.offset);
        }}
      >
        {sign}
      </a>
      {times !== 'none' && (
        <span className={styles.time}>{line.at === undefined ? '' : timeText(line.at, times, since)}</span>
      )}
      <span className={styles.text}>
        {line.stream === 'err' && <span className={styles.tag}>{t('stderr')}</span>}
        {shown.map((s, i) => {
          const look = {
            'data-color': s.background ? undefined : s.color,
            'data-back': s.background,
            className: lookOf(s),
          };
          if (s.href)
            return (
              <a key={i} {...look} href={s.href} target="_blank" rel="noopener noreferrer nofollow" tabIndex={-1}>
                {s.text}
              </a>
            );
          if (s.hit)
            return (
              <mark key={i} {...look}>
                {s.text}
              </mark>
            );
          return look.className || s.color || s.background ? (
            <span key={i} {...look}>
              {s.text}
            </span>
          ) : (
            s.text
          );
        })}
        {cut > 0 && (
          <button
            type="button"
            className={styles.more}
            onClick={() => {
              setAll(true);
            }}
          >
            {t('moreOfLine', { count: cut })}
          </button>
        )}
      </span>
    </div>
  );
});

function lookOf(s: { bold?: boolean; dim?: boolean; italic?: boolean; underline?: boolean }): string | undefined {
  const names = [
    s.bold && styles.bold,
    s.dim && styles.dim,
    s.italic && styles.italic,
    s.underline && styles.underline,
  ].filter(Boolean);
  return names.length > 0 ? names.join(' ') : undefined;
}

const clockTime = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

function timeText(at: number, times: Times, since?: number): string {
  if (times === 'clock' || since === undefined) return clockTime.format(at);
  const ms = Math.max(at - since, 0);
  return `+${clock(ms)}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`;
}
