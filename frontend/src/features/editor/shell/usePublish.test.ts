import { describe, expect, it } from 'vitest';
import { ApiError, OfflineError, type Problem } from '@/api/client';
import type { Doc } from '@/document';
import { isOvertaken, publicationTarget } from './usePublish';

const doc: Doc = { apiVersion: 'hivego/v1', kind: 'Schedule', name: 'a', jobs: [] };
const refused = (status: number, reason?: Problem['reason']) =>
  new ApiError(status, { type: '', title: '', status, code: 'conflict', detail: '', reason });

describe('publishing', () => {
  it.each<[string, unknown, boolean]>([
    ['a newer revision', refused(409, 'revision_moved'), true],
    ['a schedule that is there by now', refused(409, 'schedule_exists'), true],
    ['another conflict', refused(409, 'key_reused'), false],
    ['faults', refused(400, 'document_faults'), false],
    ['no connection', new OfflineError(), false],
    ['anything else', 'oh', false],
  ])('isOvertaken for %s: %s', (_, error, want) => {
    expect(isOvertaken(error)).toBe(want);
  });

  it('publishes a document with another name as a new schedule', () => {
    expect(publicationTarget(doc, 'a', 7)).toEqual({ base: 7, renamed: false });
    expect(publicationTarget(doc, 'a', undefined)).toEqual({ base: 0, renamed: false });
    expect(publicationTarget(doc, 'b', 7)).toEqual({ base: 0, renamed: true });
  });
});
