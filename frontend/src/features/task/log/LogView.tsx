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
import type { LogReader, LogState } from './reader';
import { useLog } from './useLog';
import type { View, Viewport } from './viewport';
import { useSearch } from './useSearch';

/** The log to show, and what is known of its attempt. */
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
  const { scroller, sizer, block } = useViewportElements(viewport);
  const field = useRef<HTMLInputElement>(null);
  const { state } = view;
  const remedied = error !== undefined && remedy !== undefined;
  useEffect(() => {
    onError?.(remedied);
    return () => {
      onError?.(false);
    };
  }, [onError, remedied]);
  useAddressedLine(viewport, at);

  const onSearch = useCallback(
    (text: string, backwards: boolean) => void search(text, backwards, found),
    [search, found],
  );
  const jump = useJumps(viewport, error);
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
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- it hears the keys of what is inside
    <div className={styles.log} onKeyDown={key}>
      <LogBar
        field={field}
        found={found}
        onSearch={onSearch}
        onClear={clear}
        onStart={jump.start}
        onEnd={jump.end}
        onError={jump.error}
        file={source.file}
      />
      <Trouble reader={reader} state={state} />
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
              <Lines
                rows={view.rows}
                reader={reader}
                since={since}
                wanted={found.wanted}
                error={error}
                linked={found.at ?? at}
                hrefOf={hrefOf}
                onPick={onPick}
                remedy={remedy}
              />
            </div>
          </div>
        </div>
        <Nothing state={state} running={running} empty={empty} />
        {!view.sticky && state.fresh && (
          <Button className={styles.fresh} size="compact-sm" radius="xl" onClick={jump.end}>
            {t('fresh')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Why nothing more is read: the server is out of reach, or refused. */
function Trouble({ reader, state }: { reader: LogReader; state: LogState }) {
  const { t } = useTranslation('log');
  return (
    <>
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
    </>
  );
}

/** Stands in an empty log: it is loading, or holds nothing. */
function Nothing({ state, running, empty }: Pick<LogViewProps, 'running' | 'empty'> & { state: LogState }) {
  const { t } = useTranslation('log');
  return (
    <>
      {state.size === undefined && !state.error && !state.offline && <p className={styles.empty}>{t('loading')}</p>}
      {state.size === 0 && <div className={styles.empty}>{running && !state.complete ? empty.soon : empty.none}</div>}
    </>
  );
}

interface LinesProps extends Pick<LogViewProps, 'since' | 'hrefOf' | 'onPick' | 'remedy'> {
  rows: View['rows'];
  reader: LogReader;
  /** The text of the search. */
  wanted: string;
  /** Offset of the error. */
  error?: number;
  /** Offset of the line that the address or the search points at. */
  linked?: number;
}

/** The rows in sight, with the remedy below the line of the error. */
function Lines({ rows, reader, since, wanted, error, linked, hrefOf, onPick, remedy }: LinesProps) {
  const [prefs] = useLogPrefs();
  return (
    <>
      {rows.map((line) => (
        <div key={line.offset}>
          <Row
            line={line}
            number={reader.numberOf(line)}
            times={prefs.times}
            since={since}
            wanted={wanted}
            mark={contains(line, error) ? 'error' : contains(line, linked) ? 'link' : undefined}
            href={hrefOf(line.offset)}
            onPick={onPick}
          />
          {remedy && error !== undefined && contains(line, error) && (
            <div className={styles.remedy}>{remedy(line.offset)}</div>
          )}
        </div>
      ))}
    </>
  );
}

function contains(line: { offset: number; end: number }, offset: number | undefined): boolean {
  return offset !== undefined && line.offset <= offset && offset < line.end;
}

/** Attaches the viewport to its elements, and places the rows after each render. */
function useViewportElements(viewport: Viewport) {
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!scroller.current || !sizer.current || !block.current) return undefined;
    return viewport.attach({ scroller: scroller.current, sizer: sizer.current, block: block.current });
  }, [viewport]);
  useLayoutEffect(() => {
    viewport.place();
  });
  return { scroller, sizer, block };
}

/** Goes to the line in the address when the address changes, unless the user picked it here: then it is in sight. */
function useAddressedLine(viewport: Viewport, at: number | undefined): void {
  const [shownAt, setShownAt] = useState(at);
  if (at !== shownAt) setShownAt(at);
  useEffect(() => {
    if (at !== undefined && !viewport.sees(at)) viewport.go({ offset: at });
  }, [viewport, at]);
}

/** The jumps to the start, to the end, and to the error once that is found. */
function useJumps(viewport: Viewport, error: number | undefined) {
  return useMemo(
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
}
