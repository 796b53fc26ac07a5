import type { Grid } from './grid';

// Which jobs are unfolded. The address has their keys, `*` for all or `-` for none.

/** A grid with at most so many tasks is unfolded at first. */
const FEW = 40;

/** The jobs that are unfolded at first: all, or in a large grid those that failed in the newest batch. */
export function openFirst({ rows, batches }: Grid, phone: boolean): ReadonlySet<string> {
  const few = rows.length <= (phone ? FEW / 4 : FEW);
  const failed = (cells: string) => cells[batches.length - 1] === 'f';
  return new Set(rows.filter(({ cells }) => few || failed(cells)).map(({ job }) => job));
}

/** Whether a job is unfolded: by the address, or else as at first. */
export function isOpenIn(jobs: string | undefined, first: ReadonlySet<string>): (job: string) => boolean {
  if (jobs === '*') return () => true;
  const named = jobs === undefined ? first : new Set(jobs.split(','));
  return (job) => named.has(job);
}

/** The address after a job was folded or unfolded. */
export function toggledJobs({ rows }: Grid, isOpen: (job: string) => boolean, toggled: string): string {
  const jobs = [...new Set(rows.map(({ job }) => job))];
  const open = jobs.filter((job) => isOpen(job) !== (job === toggled));
  return open.length === jobs.length ? '*' : open.join(',') || '-';
}
