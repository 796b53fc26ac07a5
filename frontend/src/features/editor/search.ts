import { withInvalidUnset } from '@/ui/searchParams';
import type { EditorSearch, EditorView } from './context';

const VIEWS: readonly unknown[] = ['table', 'yaml', 'settings', 'history'] satisfies EditorView[];
const WAYS: readonly unknown[] = ['graph', 'list', 'text'] satisfies EditorSearch['as'][];
const count = (v: unknown) => (Number.isSafeInteger(v) && (v as number) >= 1 ? (v as number) : undefined);
// The router parses values that look like JSON, such as numbers.
const text = (v: unknown) =>
  typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean' ? String(v) || undefined : undefined;

/** Reads the search part of an address; invalid values are left out. */
export function checkEditorSearch(s: Record<string, unknown>): EditorSearch {
  const out: EditorSearch = {
    view: VIEWS.includes(s.view) ? (s.view as EditorView) : undefined,
    task: text(s.task),
    job: text(s.job),
    field: text(s.field),
    batch: count(s.batch),
    q: text(s.q),
    sort: text(s.sort),
    from: count(s.from),
    to: count(s.to),
    as: WAYS.includes(s.as) ? (s.as as EditorSearch['as']) : undefined,
  };
  return withInvalidUnset(out, s);
}
