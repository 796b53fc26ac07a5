import { ApiError, api, data, type Schemas } from '@/api/client';
import type { Doc } from '@/document';

/** Makes a document the newest revision of the schedule that it names. `base` 0: there must be none yet. */
export function publish(doc: Doc, base: number, note: string): Promise<Schemas['Saved']> {
  return data(
    api.PUT('/api/v1/schedules/{name}', {
      params: { path: { name: doc.name }, query: { base, note: note.trim() || undefined } },
      body: doc as unknown as Record<string, never>,
    }),
  );
}

/** Whether a refusal says that somebody else has published meanwhile. */
export function isOvertaken(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 409 &&
    (error.problem.reason === 'revision_moved' || error.problem.reason === 'schedule_exists')
  );
}

/** Where a document is published: under another name than that of its page it becomes a schedule of its own. */
export function targetOf(doc: Doc, page: string, base: number | undefined): { base: number; renamed: boolean } {
  const renamed = doc.name !== page;
  return { base: renamed ? 0 : (base ?? 0), renamed };
}
