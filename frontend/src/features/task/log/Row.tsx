import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clock, useShownZone } from '@/ui';
import type { Times } from './prefs';
import styles from './Row.module.css';
import { markHits, spansOf } from './text';
import type { NumberedLine } from './window';

/** How many characters of a long line are shown at first. */
const SHORT_LENGTH = 2000;

interface Props {
  line: NumberedLine;
  number?: number;
  times: Times;
  /** The user has chosen the times: a narrow log shows them, too. */
  chosen: boolean;
  /** Start of the relative times, in milliseconds since 1970. */
  since?: number;
  /** The text of the search. */
  searched: string;
  mark?: 'error' | 'link';
  /** Address of this line. */
  href: string;
  onSelectLine: (offset: number) => void;
}

/** One line: number, time, text. */
export const Row = memo(function Row({
  line,
  number,
  times,
  chosen,
  since,
  searched,
  mark,
  href,
  onSelectLine,
}: Props) {
  const { t } = useTranslation('log');
  const [all, setAll] = useState(false);
  const { spans, cut } = useMemo(() => spansOf(line.text, all ? Infinity : SHORT_LENGTH), [line.text, all]);
  const markedSpans = useMemo(() => (searched ? markHits(spans, searched) : spans), [spans, searched]);
  const label = line.head ? (number ?? '·') : '↳';
  return (
    <div
      className={styles.row}
      data-stream={line.stream}
      data-mark={mark}
      data-times={times}
      data-chosen={chosen || undefined}
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
          onSelectLine(line.offset);
        }}
      >
        {label}
      </a>
      {times !== 'none' && <Time at={line.at} times={times} since={since} />}
      <span className={styles.text}>
        {line.stream === 'err' && <span className={styles.tag}>{t('stderr')}</span>}
        {markedSpans.map((s, i) => {
          const style = {
            'data-color': s.background ? undefined : s.color,
            'data-back': s.background,
            className: classOf(s),
          };
          if (s.href)
            return (
              <a key={i} {...style} href={s.href} target="_blank" rel="noopener noreferrer nofollow" tabIndex={-1}>
                {s.text}
              </a>
            );
          if (s.hit)
            return (
              <mark key={i} {...style}>
                {s.text}
              </mark>
            );
          return style.className || s.color || s.background ? (
            <span key={i} {...style}>
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

function classOf(s: { bold?: boolean; dim?: boolean; italic?: boolean; underline?: boolean }): string | undefined {
  const names = [
    s.bold && styles.bold,
    s.dim && styles.dim,
    s.italic && styles.italic,
    s.underline && styles.underline,
  ].filter(Boolean);
  return names.length > 0 ? names.join(' ') : undefined;
}

/** The time of a line. A narrow log shows it only on demand. */
function Time({ at, times, since }: { at?: number } & Pick<Props, 'times' | 'since'>) {
  const zone = useShownZone();
  if (at === undefined) return <span className={styles.time} />;
  const text = timeText(at, times, since, zone);
  return (
    <span className={styles.time} title={`${clockTime(zone).format(at)} ${zone ?? ''}`}>
      {text}
    </span>
  );
}

const clocks = new Map<string | undefined, Intl.DateTimeFormat>();

/** The format of the clock in a zone. It is made once, because each line needs it. */
function clockTime(zone: string | undefined): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const format = (timeZone?: string) =>
    new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      hourCycle: 'h23',
      timeZone,
    });
  let made: Intl.DateTimeFormat;
  try {
    made = format(zone);
  } catch {
    made = format(); // the browser does not know the zone
  }
  clocks.set(zone, made);
  return made;
}

function timeText(at: number, times: Times, since: number | undefined, zone: string | undefined): string {
  if (times === 'clock' || since === undefined) return clockTime(zone).format(at);
  const ms = Math.max(at - since, 0);
  return `+${clock(ms)}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`;
}
