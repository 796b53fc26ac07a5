/** The most rows that are read; what follows is left out. */
export const MAX_ROWS = 5000;
/** The longest text that is read, in characters. */
const MAX_TEXT = 4 << 20;

/** The cells of a text, and whether it had more rows. */
export interface Cells {
  rows: string[][];
  more: boolean;
}

const DELIMITERS = ['\t', ';', ','] as const;

/**
 * Reads the cells of a text from a spreadsheet. Cells are separated by tabs, commas or semicolons, and may be quoted.
 * Rows without a text are left out.
 */
export function cellsOf(text: string): Cells {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const delimiter = delimiterOf(source);
  const rows: string[][] = [];
  let at = 0;
  while (at < source.length) {
    const { cells, end } = readRow(source, at, delimiter);
    at = end;
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (rows.length > MAX_ROWS) return { rows: rows.slice(0, MAX_ROWS + 1), more: true };
    rows.push(cells.map(withoutApostrophe));
  }
  return { rows, more: false };
}

/** Whether a text looks like rows of a spreadsheet: it has a tab, or several lines with as many delimiters. */
export function looksLikeRows(text: string): boolean {
  if (text.length > MAX_TEXT || text.trim() === '') return false;
  const first = text.slice(0, 20_000);
  if (first.includes('\t')) return true;
  const { rows } = cellsOf(text.length > first.length ? first.slice(0, first.lastIndexOf('\n') + 1) : text);
  const [width = 0] = rows.map((row) => row.length);
  return rows.length > 1 && width > 1 && rows.every((row) => row.length === width);
}

/** The delimiter that gives the first row most cells; a tab is preferred, because texts hardly have one. */
function delimiterOf(source: string): string {
  const counts = DELIMITERS.map((delimiter) => readRow(source, 0, delimiter).cells.length);
  return (counts[0] ?? 0) > 1 ? '\t' : (DELIMITERS[counts.indexOf(Math.max(...counts))] ?? '\t');
}

function readRow(source: string, start: number, delimiter: string): { cells: string[]; end: number } {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    let cell = '';
    if (source[at] === '"') {
      at++;
      for (;;) {
        const quote = source.indexOf('"', at);
        cell += source.slice(at, quote < 0 ? source.length : quote);
        at = quote < 0 ? source.length : quote + 1;
        if (source[at] !== '"' || quote < 0) break;
        cell += '"';
        at++;
      }
    }
    const rest = restOfCell(source, at, delimiter);
    cells.push(cell + rest);
    at += rest.length;
    if (source[at] !== delimiter) return { cells, end: at + 1 };
    at++;
  }
}

function restOfCell(source: string, from: number, delimiter: string): string {
  let at = from;
  while (at < source.length && source[at] !== delimiter && source[at] !== '\n') at++;
  return source.slice(from, at);
}

/** Rows as text with tabs, for the clipboard. */
export const tsvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => quoted(withApostrophe(cell))).join('\t')).join('\n');

const quoted = (cell: string) => (/[\t\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A spreadsheet computes a text that begins like a formula. The apostrophe prevents that, as in downloads of CSV. */
const withApostrophe = (cell: string) => (/^'*[=+\-@]/.test(cell) ? `'${cell}` : cell);
const withoutApostrophe = (cell: string) => (/^'+[=+\-@]/.test(cell) ? cell.slice(1) : cell);
