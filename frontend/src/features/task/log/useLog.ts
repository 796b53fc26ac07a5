import { useEffect, useState, useSyncExternalStore } from 'react';
import { LogReader, type Clock } from './reader';
import type { LogSource } from './source';
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
 * Where a log opens: at the line of a link, at the error of a failed attempt, at the end if the attempt runs, else at
 * the start.
 */
export interface Opening {
  at?: number;
  failed: boolean;
  running: boolean;
}

/** A log that is open: its reader, its viewport, and what to draw now. */
export interface OpenLog {
  reader: LogReader;
  viewport: Viewport;
  view: View;
  /** Place of the line that says why the attempt failed, once it is found. */
  error?: number;
}

/** Opens a log, and follows it as long as the component lives. The source is that of the first call. */
export function useLog(source: LogSource, { at, failed, running }: Opening): OpenLog {
  const [{ reader, viewport, opening }] = useState(() => {
    const made = new LogReader(source, browser);
    const place: number | 'start' | 'end' = at ?? (running || failed ? 'end' : 'start');
    return { reader: made, viewport: new Viewport(made), opening: place };
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
    const look = () => {
      reader.watch(running, document.hidden);
    };
    look();
    document.addEventListener('visibilitychange', look);
    window.addEventListener('online', reader.retry);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('online', reader.retry);
    };
  }, [reader, running]);

  useEffect(() => {
    if (!failed || error !== undefined) return undefined;
    const stop = new AbortController();
    reader.find({}, stop.signal).then(
      (place) => {
        if (place?.offset === undefined || stop.signal.aborted) return;
        setError(place.offset);
        if (typeof opening !== 'number' && !viewport.moved) viewport.show({ offset: place.offset });
      },
      () => undefined,
    ); // without it the end of the log is shown
    return () => {
      stop.abort();
    };
  }, [reader, viewport, opening, failed, complete, error]);

  return { reader, viewport, view, error };
}
