import { findMatches, type Found, type TextQuery } from '@/document/matches';

/** The page's request to the worker. */
export interface SearchRequest {
  texts: readonly string[];
  query: TextQuery;
  replacement: string;
  limit: number;
}

addEventListener('message', ({ data: { texts, query, replacement, limit } }: MessageEvent<SearchRequest>) => {
  postMessage(findMatches(texts, query, replacement, limit) satisfies Found);
});
