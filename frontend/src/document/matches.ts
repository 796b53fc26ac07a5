/** What is searched for in texts. */
export interface TextQuery {
  text: string;
  matchCase: boolean;
  wholeWord: boolean;
  /** The text is a regular expression of JavaScript; `^` and `$` match at lines. */
  regex: boolean;
}

/** A part of a text, and what replaces it. */
export interface Match {
  start: number;
  end: number;
  insert: string;
}

/** The matches of each text, and whether there are more than the limit. */
export interface Found {
  matches: readonly (readonly Match[])[];
  more: boolean;
}

const BEFORE_WORD = String.raw`(?<![\p{L}\p{N}_])`;
const AFTER_WORD = String.raw`(?![\p{L}\p{N}_])`;

/** The pattern of a query. Throws a SyntaxError if the text is not a regular expression. */
export function patternOf({ text, matchCase, wholeWord, regex }: TextQuery): RegExp {
  const flags = matchCase ? 'gmu' : 'gimu';
  // Compiled alone first, so that brackets which are not closed cannot match those around the text.
  const source = regex ? new RegExp(text, flags).source : text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return wholeWord ? new RegExp(`${BEFORE_WORD}(?:${source})${AFTER_WORD}`, flags) : new RegExp(source, flags);
}

/**
 * Finds a query in texts. The replacement of a regular expression may name its groups as `$1`, `$<name>` and `$&`.
 * Empty matches are left out: they would insert the replacement everywhere.
 */
export function findMatches(texts: readonly string[], query: TextQuery, replacement: string, limit: number): Found {
  if (query.text === '') return { matches: [], more: false };
  const pattern = patternOf(query);
  let left = limit;
  let more = false;
  const matches = texts.map((text): Match[] => {
    const found: Match[] = [];
    if (more) return found;
    for (const match of text.matchAll(pattern)) {
      if (match[0] === '') continue;
      if (left === 0) {
        more = true;
        break;
      }
      left--;
      const insert = query.regex ? filledIn(replacement, match) : replacement;
      found.push({ start: match.index, end: match.index + match[0].length, insert });
    }
    return found;
  });
  return { matches, more };
}

/** A replacement with the groups of a match filled in. A group that the pattern does not have stays as it is. */
const filledIn = (replacement: string, match: RegExpExecArray): string =>
  replacement.replace(/\$(?:(\$)|(&)|<([^>]*)>|(\d{1,2}))/g, (whole: string, dollar, all, name, number) => {
    if (dollar !== undefined) return '$';
    if (all !== undefined) return match[0];
    if (name !== undefined) return match.groups && name in match.groups ? (match.groups[name as string] ?? '') : whole;
    return Number(number) > 0 && Number(number) < match.length ? (match[Number(number)] ?? '') : whole;
  });

/** A text with some of its matches replaced, which are given in their order. */
export function withReplaced(text: string, matches: readonly Match[]): string {
  let out = '';
  let done = 0;
  for (const { start, end, insert } of matches) {
    out += text.slice(done, start) + insert;
    done = end;
  }
  return out + text.slice(done);
}
