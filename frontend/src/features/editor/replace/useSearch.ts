import { useEffect, useMemo, useState } from 'react';
import { findMatches, type Found, patternOf, type TextQuery } from '@/document/matches';
import type { SearchRequest } from './searchWorker';

/** How many hits are listed. */
export const LIMIT = 500;
/** A search with a regular expression begins after so many milliseconds without typing. */
const DELAY = 150;
/** After so many milliseconds a search with a regular expression is given up: it may never end. */
const PATIENCE = 2000;

/** The state of a search. */
export type SearchState =
  { status: 'searching' | 'slow' } | { status: 'wrong'; error: unknown } | ({ status: 'found' } & Found);

/**
 * Searches texts. A regular expression is searched in a worker, which is stopped if it takes too long; other texts are
 * found while rendering.
 */
export function useSearch(texts: readonly string[], query: TextQuery, replacement: string): SearchState {
  const error = useMemo(() => faultOf(query), [query]);
  const inWorker = query.regex && query.text !== '' && error === undefined;
  const atOnce = useMemo(
    () => (query.regex ? undefined : findMatches(texts, query, replacement, LIMIT)),
    [texts, query, replacement],
  );
  const request = useMemo(
    (): SearchRequest | undefined => (inWorker ? { texts, query, replacement, limit: LIMIT } : undefined),
    [inWorker, texts, query, replacement],
  );
  const [answer, setAnswer] = useState<{ request: SearchRequest; state: SearchState }>();
  useEffect(() => {
    if (!request) return undefined;
    let stop: (() => void) | undefined;
    const timer = setTimeout(() => {
      stop = searchInWorker(request, (state) => {
        setAnswer({ request, state });
      });
    }, DELAY);
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [request]);
  if (error !== undefined) return { status: 'wrong', error };
  if (request) return answer?.request === request ? answer.state : { status: 'searching' };
  return { status: 'found', ...(atOnce ?? { matches: [], more: false }) };
}

function faultOf(query: TextQuery): unknown {
  try {
    patternOf(query);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Searches in a worker, and calls back once. The returned function stops it. */
function searchInWorker(request: SearchRequest, then: (state: SearchState) => void): () => void {
  const worker = new Worker(new URL('./searchWorker.ts', import.meta.url), { type: 'module' });
  const stop = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const timer = setTimeout(() => {
    stop();
    then({ status: 'slow' });
  }, PATIENCE);
  worker.onmessage = ({ data }: MessageEvent<Found>) => {
    stop();
    then({ status: 'found', ...data });
  };
  worker.onerror = (error) => {
    stop();
    then({ status: 'wrong', error });
  };
  worker.postMessage(request);
  return stop;
}

/** The parts of messages of browsers, and the text of this page that replaces each. */
const REASONS = [
  [/character class|unterminated class|missing .*\]/i, 'class'],
  [/unterminated group|unterminated parenthetical|missing \)|invalid group/i, 'group'],
  [/unmatched|unmatched '?\)|raw bracket '?\)/i, 'close'],
  [/nothing to repeat|invalid quantifier/i, 'repeat'],
  [/out of order/i, 'range'],
  [/escape|\\ at end/i, 'escape'],
  [/lone quantifier|incomplete quantifier|raw brace|raw bracket/i, 'brace'],
  [/group name|named|capture/i, 'name'],
] as const;

/** Why a text is no regular expression: a key below `replace:why`, or the message of the browser. */
export function reasonOf(error: unknown): { key: (typeof REASONS)[number][1] } | { message: string } {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.slice(message.lastIndexOf(': ') + 1).trim();
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  return known ? { key: known[1] } : { message: reason.replace(/\.$/, '') };
}
