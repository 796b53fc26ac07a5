import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type Clock, LogReader } from './reader';
import type { LogQuery, LogSource } from './source';
import { type View, Viewport } from './viewport';

const browser: Clock = {
  later: (f, ms) => {
    const timer = setTimeout(f, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * Decides where a log opens: at the line of a link, at the error of a failed attempt, at the end if the attempt runs,
 * else at the start.
 */
export interface Opening {
  at?: number;
  failed: boolean;
  running: boolean;
}

/** An open log: its reader, its viewport, and the current view. */
export interface OpenLog {
  reader: LogReader;
  viewport: Viewport;
  view: View;
  /** Offset of the line with the error of the attempt, once it is found. */
  error?: number;
}

/** Opens a log, and follows it while the component is mounted. Only the source of the first call is used. */
export function useLog(source: LogSource, { at, failed, running }: Opening): OpenLog {
  const [{ reader, viewport, opening }] = useState(() => {
    const newReader = new LogReader(source, browser);
    const position: number | 'start' | 'end' = at ?? (running || failed ? 'end' : 'start');
    return { reader: newReader, viewport: new Viewport(newReader), opening: position };
  });
  const [error, setError] = useState<number>();
  const view = useSyncExternalStore(viewport.subscribe, viewport.getView);
  const { complete } = view.state;

  useEffect(() => {
    reader.open();
    viewport.show(typeof opening === 'number' ? { offset: opening } : opening);
    return () => {
      reader.close();
    };
  }, [reader, viewport, opening]);

  useEffect(() => {
    const updateWatch = () => {
      reader.watch(running, document.hidden);
    };
    updateWatch();
    document.addEventListener('visibilitychange', updateWatch);
    window.addEventListener('online', reader.retry);
    return () => {
      document.removeEventListener('visibilitychange', updateWatch);
      window.removeEventListener('online', reader.retry);
    };
  }, [reader, running]);

  useEffect(() => {
    if (!failed || error !== undefined) return undefined;
    const stop = new AbortController();
    reader.find({}, stop.signal).then(
      (match) => {
        if (match?.offset === undefined || stop.signal.aborted) return;
        setError(match.offset);
        if (typeof opening !== 'number' && !viewport.userMoved) viewport.show({ offset: match.offset });
      },
      () => undefined,
    ); // if the search fails, the end of the log stays shown
    return () => {
      stop.abort();
    };
  }, [reader, viewport, opening, failed, complete, error]);

  return { reader, viewport, view, error };
}

/** The state of the search in a log. */
export interface SearchState {
  /** The text that is searched for, and marked in every line. */
  text: string;
  /** Offset of the line that was found. */
  at?: number;
  status: 'idle' | 'busy' | 'found' | 'none' | 'failed';
  /** The searched part of the log, from 0 to 1. */
  progress: number;
  /** The search continued at the other end of the log. */
  wrapped?: boolean;
}

const NO_SEARCH: SearchState = { text: '', status: 'idle', progress: 0 };

/** Searches the whole log on the server, not only the loaded lines. The text `:120` finds the line with that number. */
export function useSearch({ reader, viewport }: Pick<OpenLog, 'reader' | 'viewport'>) {
  const [state, setState] = useState<SearchState>(NO_SEARCH);
  const running = useRef<AbortController>(undefined);
  useEffect(
    () => () => {
      running.current?.abort();
    },
    [],
  );

  const clear = useCallback(() => {
    running.current?.abort();
    setState(NO_SEARCH);
  }, []);

  const search = useCallback(
    async (text: string, backwards: boolean, before: SearchState) => {
      running.current?.abort();
      const stop = new AbortController();
      running.current = stop;
      const line = lineOf(text);
      const marked = line === undefined ? text : '';
      setState({ text: marked, at: before.at, status: 'busy', progress: 0 });
      const progress = (part: number) => {
        if (!stop.signal.aborted) setState({ text: marked, at: before.at, status: 'busy', progress: part });
      };
      try {
        const again = before.text === marked && before.at !== undefined;
        const from = again ? offsetAfterMatch(reader, before.at ?? 0, backwards) : viewport.topOffset();
        const find = (query: LogQuery) => reader.find(query, stop.signal, progress);
        const direction = { text, backwards: backwards || undefined };
        let match = await find(line === undefined ? { ...direction, from } : { line });
        const wrapped = !match && line === undefined;
        if (wrapped) match = await find(direction);
        if (stop.signal.aborted) return;
        if (match?.offset === undefined) {
          setState({ text: marked, status: 'none', progress: 1 });
          return;
        }
        viewport.goTo({ offset: match.offset });
        setState({ text: marked, at: match.offset, status: 'found', progress: 1, wrapped });
      } catch {
        if (!stop.signal.aborted) setState({ text: marked, status: 'failed', progress: 0 });
      }
    },
    [reader, viewport],
  );

  return { state, search, clear };
}

/** The line number in a search text such as `:120`. */
function lineOf(text: string): number | undefined {
  const digits = /^:\s*([1-9]\d{0,14})$/.exec(text.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The offset where a search continues after the line at `offset`, or before it. */
function offsetAfterMatch(reader: OpenLog['reader'], offset: number, backwards: boolean): number {
  if (backwards) return offset;
  const line = reader.getState().lines[reader.indexAt(offset)];
  return line?.offset === offset ? line.end : offset + 1;
}
