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
import { useLog, useSearch } from './useLog';
import type { View, Viewport } from './viewport';

/** The log to show, and the state of its attempt. */
export interface LogViewProps {
  /** The log. For another log, render the component with another key. */
  source: LogSource;
  /** The name of the log, for screen readers. */
  label: string;
  /** The attempt runs, so the log may grow. */
  running: boolean;
  /** The attempt failed, so the log opens at the error. */
  failed: boolean;
  /** Start of the attempt, in milliseconds since 1970. */
  since?: number;
  /** Offset of the line in the address of the page. */
  at?: number;
  /** The address of a line. */
  hrefOf: (offset: number) => string;
  onSelectLine: (offset: number) => void;
  /** The actions below the line of the error. */
  remedy?: (offset: number) => ReactNode;
  /** The texts of an empty log: one that may still grow, and one that will not. */
  empty: { soon: ReactNode; none: ReactNode };
  /** Called with true while the log shows the actions below the line of the error. */
  onError?: (found: boolean) => void;
}

/** A log of any size. It opens at its error or end, follows new lines, and holds at most a few megabytes. */
export function LogView({
  source,
  label,
  running,
  failed,
  since,
  at,
  hrefOf,
  onSelectLine,
  remedy,
  empty,
  onError,
}: LogViewProps) {
  const { t } = useTranslation('log');
  const [prefs] = useLogPrefs();
  const { reader, viewport, view, error } = useLog(source, { at, failed, running });
  const { state: searchState, search, clear } = useSearch({ reader, viewport });
  const { scroller, sizer, block } = useViewportElements(viewport);
  const field = useRef<HTMLInputElement>(null);
  const { state } = view;
  const showsRemedy = error !== undefined && remedy !== undefined;
  useEffect(() => {
    onError?.(showsRemedy);
    return () => {
      onError?.(false);
    };
  }, [onError, showsRemedy]);
  useAddressedLine(viewport, at);

  const onSearch = useCallback(
    (text: string, backwards: boolean) => void search(text, backwards, searchState),
    [search, searchState],
  );
  const jump = useJumps(viewport, error);
  const onKeyDown = (e: KeyboardEvent) => {
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'f' && !e.shiftKey && !e.altKey) {
      e.preventDefault();
      field.current?.focus();
      field.current?.select();
    } else if (e.target === scroller.current && (e.key === 'Home' || e.key === 'End')) {
      e.preventDefault();
      viewport.goTo(e.key === 'Home' ? 'start' : 'end');
    }
  };
  const last = view.rows.at(-1);
  const digits = Math.max(String((last && reader.numberOf(last)) ?? 0).length, 3);
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- it handles the keys of its children
    <div className={styles.log} onKeyDown={onKeyDown}>
      <LogBar
        field={field}
        searchState={searchState}
        onSearch={onSearch}
        onClear={clear}
        onStart={jump.start}
        onEnd={jump.end}
        onError={jump.error}
        file={source.file}
      />
      <ReadError reader={reader} state={state} />
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
                searched={searchState.text}
                error={error}
                marked={searchState.at ?? at}
                hrefOf={hrefOf}
                onSelectLine={onSelectLine}
                remedy={remedy}
              />
            </div>
          </div>
        </div>
        <EmptyLog state={state} running={running} empty={empty} />
        {!view.sticky && state.hasNew && (
          <Button className={styles.fresh} size="compact-sm" radius="xl" onClick={jump.end}>
            {t('fresh')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Why no more lines are loaded: the server is out of reach, or refused the request. */
function ReadError({ reader, state }: { reader: LogReader; state: LogState }) {
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

/** The text of a log without lines: it is loading, or it is empty. */
function EmptyLog({ state, running, empty }: Pick<LogViewProps, 'running' | 'empty'> & { state: LogState }) {
  const { t } = useTranslation('log');
  return (
    <>
      {state.size === undefined && !state.error && !state.offline && <p className={styles.empty}>{t('loading')}</p>}
      {state.size === 0 && <div className={styles.empty}>{running && !state.complete ? empty.soon : empty.none}</div>}
    </>
  );
}

interface LinesProps extends Pick<LogViewProps, 'since' | 'hrefOf' | 'onSelectLine' | 'remedy'> {
  rows: View['rows'];
  reader: LogReader;
  /** The text of the search. */
  searched: string;
  /** Offset of the error. */
  error?: number;
  /** Offset of the line that the address or the search refers to. */
  marked?: number;
}

/** The rendered rows, with the remedy below the line of the error. */
function Lines({ rows, reader, since, searched, error, marked, hrefOf, onSelectLine, remedy }: LinesProps) {
  const [prefs] = useLogPrefs();
  return (
    <>
      {rows.map((line) => (
        <div key={line.offset}>
          <Row
            line={line}
            number={reader.numberOf(line)}
            times={prefs.times}
            chosen={prefs.chosen}
            since={since}
            searched={searched}
            mark={contains(line, error) ? 'error' : contains(line, marked) ? 'link' : undefined}
            href={hrefOf(line.offset)}
            onSelectLine={onSelectLine}
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

/** Attaches the viewport to its elements, and positions the rows after each render. */
function useViewportElements(viewport: Viewport) {
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!scroller.current || !sizer.current || !block.current) return undefined;
    return viewport.attach({ scroller: scroller.current, sizer: sizer.current, block: block.current });
  }, [viewport]);
  useLayoutEffect(() => {
    viewport.position();
  });
  return { scroller, sizer, block };
}

/** Shows the line of the address after the address has changed, unless the line is visible already. */
function useAddressedLine(viewport: Viewport, at: number | undefined): void {
  const [shownAt, setShownAt] = useState(at);
  if (at !== shownAt) setShownAt(at);
  useEffect(() => {
    if (at !== undefined && !viewport.shows(at)) viewport.goTo({ offset: at });
  }, [viewport, at]);
}

/** The functions that jump to the start, to the end, and to the error once it is found. */
function useJumps(viewport: Viewport, error: number | undefined) {
  return useMemo(
    () => ({
      start: () => {
        viewport.goTo('start');
      },
      end: () => {
        viewport.goTo('end');
      },
      error:
        error === undefined
          ? undefined
          : () => {
              viewport.goTo({ offset: error });
            },
    }),
    [viewport, error],
  );
}
