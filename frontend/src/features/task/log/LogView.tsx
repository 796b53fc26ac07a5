import { Button } from '@mantine/core';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '@/ui';
import { LogBar } from './LogBar';
import styles from './LogView.module.css';
import { useLogPrefs } from './prefs';
import { Row } from './Row';
import type { LogSource } from './source';
import { useLog } from './useLog';
import { useSearch } from './useSearch';

export interface LogViewProps {
  /** The log; another one needs another key. */
  source: LogSource;
  /** What it is the log of, for screen readers. */
  label: string;
  /** The attempt runs: more may come. */
  running: boolean;
  /** The attempt failed: its error is looked for and shown first. */
  failed: boolean;
  /** Start of the attempt, in milliseconds since 1970. */
  since?: number;
  /** Place of the line that the address names. */
  at?: number;
  /** Address of a line, and what to do when somebody picks one. */
  hrefOf: (offset: number) => string;
  onPick: (offset: number) => void;
  /** What can be done about the error; stands below its line. */
  remedy?: (offset: number) => ReactNode;
  /** Said when there is nothing in the log: not yet, or not any more. */
  empty: { soon: ReactNode; none: ReactNode };
  /** Tells that the line of the error stands in the log, with what can be done. */
  onError?: (found: boolean) => void;
}

/** A log of any size: it opens where it matters, follows what grows, and never holds more than a few megabytes. */
export function LogView({
  source,
  label,
  running,
  failed,
  since,
  at,
  hrefOf,
  onPick,
  remedy,
  empty,
  onError,
}: LogViewProps) {
  const { t } = useTranslation('log');
  const [prefs] = useLogPrefs();
  const { reader, viewport, view, error } = useLog(source, { at, failed, running });
  const { found, search, clear } = useSearch({ reader, viewport });
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [shownAt, setShownAt] = useState(at);
  const { state } = view;

  useEffect(() => {
    if (!scroller.current || !sizer.current || !block.current) return undefined;
    return viewport.attach({ scroller: scroller.current, sizer: sizer.current, block: block.current });
  }, [viewport]);
  useLayoutEffect(() => {
    viewport.place();
  });
  const remedied = error !== undefined && remedy !== undefined;
  useEffect(() => {
    onError?.(remedied);
    return () => {
      onError?.(false);
    };
  }, [onError, remedied]);

  // The address has changed: by a link, or by going back. What was picked here is in sight already.
  if (at !== shownAt) setShownAt(at);
  useEffect(() => {
    if (at !== undefined && !viewport.sees(at)) viewport.go({ offset: at });
  }, [viewport, at]);

  const onSearch = useCallback(
    (text: string, backwards: boolean) => void search(text, backwards, found),
    [search, found],
  );
  const places = useMemo(
    () => ({
      start: () => {
        viewport.go('start');
      },
      end: () => {
        viewport.go('end');
      },
      error:
        error === undefined
          ? undefined
          : () => {
              viewport.go({ offset: error });
            },
    }),
    [viewport, error],
  );

  const key = (e: KeyboardEvent) => {
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'f' && !e.shiftKey && !e.altKey) {
      e.preventDefault();
      field.current?.focus();
      field.current?.select();
    } else if (e.target === scroller.current && (e.key === 'Home' || e.key === 'End')) {
      e.preventDefault();
      viewport.go(e.key === 'Home' ? 'start' : 'end');
    }
  };
  const last = view.rows.at(-1);
  const digits = Math.max(String((last && reader.numberOf(last)) ?? 0).length, 3);
  const nothing = state.size === 0;
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- it hears the keys of what is inside
    <div className={styles.log} onKeyDown={key}>
      <LogBar
        field={field}
        found={found}
        onSearch={onSearch}
        onClear={clear}
        onStart={places.start}
        onEnd={places.end}
        onError={places.error}
        file={source.file}
      />
      {state.offline && (
        <p className={styles.note} role="status">
          {t(state.size === undefined ? 'offlineFirst' : 'offline')}
        </p>
      )}
      {state.error && (
        <div className={styles.refused}>
          <ErrorNote error={state.error} retry={reader.retry} />
        </div>
      )}
      <div className={styles.frame}>
        {/* A region that scrolls takes the focus, so that it scrolls by keyboard as well. */}
        <div
          ref={scroller}
          className={styles.scroller}
          role="region"
          aria-label={label}
          // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrows and page keys scroll it
          tabIndex={0}
          data-wrap={prefs.wrap}
          style={{ '--log-number': `${String(digits + 1)}ch` } as CSSProperties}
        >
          <div ref={sizer} className={styles.sizer}>
            <div ref={block} className={styles.block}>
              {view.rows.map((line) => (
                <div key={line.offset}>
                  <Row
                    line={line}
                    number={reader.numberOf(line)}
                    times={prefs.times}
                    since={since}
                    wanted={found.wanted}
                    mark={holds(line, error) ? 'error' : holds(line, found.at ?? at) ? 'link' : undefined}
                    href={hrefOf(line.offset)}
                    onPick={onPick}
                  />
                  {remedy && error !== undefined && holds(line, error) && (
                    <div className={styles.remedy}>{remedy(line.offset)}</div>
                  )}
                </div>
              ))}
            </div>
          </div>
        </div>
        {state.size === undefined && !state.error && !state.offline && <p className={styles.empty}>{t('loading')}</p>}
        {nothing && <div className={styles.empty}>{running && !state.complete ? empty.soon : empty.none}</div>}
        {!view.sticky && state.fresh && (
          <Button className={styles.fresh} size="compact-sm" radius="xl" onClick={places.end}>
            {t('fresh')}
          </Button>
        )}
      </div>
    </div>
  );
}

function holds(line: { offset: number; end: number }, place: number | undefined): boolean {
  return place !== undefined && line.offset <= place && place < line.end;
}
