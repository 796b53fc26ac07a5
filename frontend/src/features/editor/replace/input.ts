import type { TextKind, TextQuery } from '@/document';

/** The input of the dialog. */
export interface ReplaceInput {
  query: TextQuery;
  replacement: string;
  kind: Exclude<TextKind, 'others'> | 'all';
}
