import { queryOptions } from '@tanstack/react-query';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { type Doc, ordered } from '@/document';

/** The revisions of a schedule, newest first, without their documents. */
export async function readRevisions(name: string, signal?: AbortSignal): Promise<Schemas['Revision'][]> {
  return (await data(api.GET('/api/v1/schedules/{name}/revisions', { params: { path: { name } }, signal }))).items;
}

/** A revision with its document. */
export async function readRevision(name: string, number: number, signal?: AbortSignal) {
  const read = await data(
    api.GET('/api/v1/schedules/{name}/revisions/{number}', { params: { path: { name, number } }, signal }),
  );
  return { ...read, document: read.document ?? '', doc: ordered(read.definition as unknown as Doc) };
}

/** The revisions of a schedule, newest first. They are read again when the schedule's queries are invalidated. */
export const revisionsQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.schedule(name), 'revisions'],
    queryFn: ({ signal }) => readRevisions(name, signal),
  });

/** It never changes. */
export const revisionQuery = (name: string, number: number) =>
  queryOptions({
    queryKey: ['revision', name, number],
    queryFn: ({ signal }) => readRevision(name, number, signal),
    staleTime: Infinity,
  });
