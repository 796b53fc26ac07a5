import { useCallback, useEffect, useRef, useState } from 'react';
import type { LogQuestion } from './source';
import type { OpenLog } from './useLog';

/** How the search in a log stands. */
export interface Found {
  /** What is being looked for, marked in every line. */
  wanted: string;
  /** Place of the line that was found. */
  at?: number;
  state: 'idle' | 'busy' | 'found' | 'none' | 'failed';
  /** 0 to 1, while a long log is searched. */
  progress: number;
  /** It went over the end, or the start, to the other one. */
  around?: boolean;
}

const NOTHING: Found = { wanted: '', state: 'idle', progress: 0 };

/** Searches the whole log, not only what is loaded: the server does it. `:120` goes to that line. */
export function useSearch({ reader, viewport }: Pick<OpenLog, 'reader' | 'viewport'>) {
  const [found, setFound] = useState<Found>(NOTHING);
  const running = useRef<AbortController>(undefined);
  useEffect(
    () => () => {
      running.current?.abort();
    },
    [],
  );

  const clear = useCallback(() => {
    running.current?.abort();
    setFound(NOTHING);
  }, []);

  const search = useCallback(
    async (text: string, backwards: boolean, before: Found) => {
      running.current?.abort();
      const stop = new AbortController();
      running.current = stop;
      const line = lineOf(text);
      const wanted = line === undefined ? text : '';
      setFound({ wanted, at: before.at, state: 'busy', progress: 0 });
      const progress = (part: number) => {
        if (!stop.signal.aborted) setFound({ wanted, at: before.at, state: 'busy', progress: part });
      };
      try {
        const again = before.wanted === wanted && before.at !== undefined;
        const from = again ? beyond(reader, before.at ?? 0, backwards) : viewport.reading();
        const find = (question: LogQuestion) => reader.find(question, stop.signal, progress);
        const direction = { text, backwards: backwards || undefined };
        let place = await find(line === undefined ? { ...direction, from } : { line });
        const around = !place && line === undefined;
        if (around) place = await find(direction);
        if (stop.signal.aborted) return;
        if (place?.offset === undefined) {
          setFound({ wanted, state: 'none', progress: 1 });
          return;
        }
        viewport.go({ offset: place.offset });
        setFound({ wanted, at: place.offset, state: 'found', progress: 1, around });
      } catch {
        if (!stop.signal.aborted) setFound({ wanted, state: 'failed', progress: 0 });
      }
    },
    [reader, viewport],
  );

  return { found, search, clear };
}

/** The line number in a search text such as `:120`. */
function lineOf(text: string): number | undefined {
  const digits = /^:\s*([1-9]\d{0,14})$/.exec(text.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Where the search goes on after, or before, the line at offset. */
function beyond(reader: OpenLog['reader'], offset: number, backwards: boolean): number {
  if (backwards) return offset;
  const line = reader.getState().lines[reader.indexAt(offset)];
  return line?.offset === offset ? line.end : offset + 1;
}
