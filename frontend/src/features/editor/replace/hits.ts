import type { DocText, Match, Replacement } from '@/document';

/** One match in a text of the document. */
export interface Hit {
  /** Unique in a search. */
  id: string;
  at: DocText;
  match: Match;
}

/** The hits of a search, in the order of the document. */
export const hitsOf = (texts: readonly DocText[], matches: readonly (readonly Match[])[]): Hit[] =>
  texts.flatMap((at, i) =>
    (matches[i] ?? []).map((match, n): Hit => ({ id: `${at.path.join('.')} ${String(n)}`, at, match })),
  );

/** The hits without those that were left out, by their texts. */
export function replacementsOf(hits: readonly Hit[], leftOut: ReadonlySet<string>): Replacement[] {
  const byText = new Map<DocText, Match[]>();
  for (const { id, at, match } of hits) {
    if (leftOut.has(id)) continue;
    const list = byText.get(at);
    if (list) list.push(match);
    else byText.set(at, [match]);
  }
  return [...byText].map(([at, matches]) => ({ at, matches }));
}

/** The line of a text around a match, cut to a few characters before and after it. */
export interface Excerpt {
  before: string;
  hit: string;
  insert: string;
  after: string;
}

const AROUND = 36;
/** A longer match is cut. */
const LONGEST = 160;

/** The surroundings of a match. */
export function excerptOf(text: string, { start, end, insert }: Match): Excerpt {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const nextLine = text.indexOf('\n', end);
  const lineEnd = nextLine < 0 ? text.length : nextLine;
  const before = text.slice(lineStart, start);
  const after = text.slice(end, lineEnd);
  return {
    before: before.length > AROUND ? `…${before.slice(1 - AROUND)}` : before.trimStart(),
    hit: cut(text.slice(start, end)),
    insert: cut(insert),
    after: after.length > AROUND ? `${after.slice(0, AROUND - 1)}…` : after,
  };
}

const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
