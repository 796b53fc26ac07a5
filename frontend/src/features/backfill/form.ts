import type { Schemas } from '@/api/client';

/** The order in which a backfill takes its moments. */
export type Order = Schemas['BackfillOrder'];
/** What happens to a moment that has a batch. */
export type Existing = Schemas['BackfillExisting'];
/** What a failed batch means. */
export type OnFailure = Schemas['BackfillOnFailure'];
/** A backfill with its progress. */
export type Backfill = Schemas['Backfill'];
/** What the dialog asks for. */
export type BackfillRequest = Schemas['BackfillRequest'];

/** The orders to choose from. */
export const ORDERS: readonly Order[] = ['asc', 'desc'];
/** The ways to treat existing batches. */
export const EXISTING: readonly Existing[] = ['keep', 'failed', 'rerun'];
/** The reactions to a failure. */
export const ON_FAILURE: readonly OnFailure[] = ['stop', 'continue'];

/** The most batches that a backfill may have at once. */
export const MAX_PARALLEL = 100;

/** The fields of the dialog. Texts are as the user wrote them. */
export interface Form {
  from: string;
  to: string;
  step: string;
  parallel: string;
  order: Order;
  existing: Existing;
  onFailure: OnFailure;
  note: string;
  withDependants: boolean;
}

const DAY = 86_400_000;

/** The fields at first: the seven days before today, given as a date. */
export function initialForm(today: string): Form {
  const daysBefore = (n: number) => new Date(Date.parse(today) - n * DAY).toISOString().slice(0, 10);
  return {
    from: daysBefore(7),
    to: daysBefore(1),
    step: '',
    parallel: '1',
    order: 'asc',
    existing: 'keep',
    onFailure: 'stop',
    note: '',
    withDependants: false,
  };
}

/** The number of batches at once; undefined if the text is not such a number. */
export function parallelOf(text: string): number | undefined {
  const n = Number(text);
  return /^\d+$/.test(text.trim()) && n >= 1 && n <= MAX_PARALLEL ? n : undefined;
}

/** The request for the fields; undefined if a field cannot be sent. */
export function requestOf(form: Form, params: BackfillRequest['params']): BackfillRequest | undefined {
  const parallel = parallelOf(form.parallel);
  if (parallel === undefined || form.from === '') return undefined;
  const { from, to, order, existing, onFailure } = form;
  return {
    from,
    ...(to && { to }),
    ...(form.step.trim() && { step: form.step.trim() }),
    parallel,
    order,
    existing,
    onFailure,
    ...(form.note.trim() && { note: form.note.trim() }),
    ...(form.withDependants && { withDependants: true }),
    ...(params && Object.keys(params).length > 0 && { params }),
  };
}
