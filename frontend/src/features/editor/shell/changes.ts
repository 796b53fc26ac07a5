import { diff, type Doc } from '@/document';

/** How many changes lead from one document to another; one at least if they differ at all, were it in a comment or an order. */
export const countChanges = (from: Doc, to: Doc): number => Math.max(1, diff(from, to).count);
