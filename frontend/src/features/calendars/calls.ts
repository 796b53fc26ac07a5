import { queryOptions } from '@tanstack/react-query';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import type { CalendarDoc } from './days';

/** A calendar in the list, without its document. */
export type CalendarSummary = Schemas['CalendarSummary'];
/** A fault of a file, with its line and its remedy. */
export type Fault = Schemas['Fault'];

/** The longest note on a revision, in characters. */
export const NOTE_LENGTH = 200;

/** A calendar with its newest revision. */
export const calendarQuery = (name: string) =>
  queryOptions({
    queryKey: keys.calendar(name),
    queryFn: async ({ signal }) => {
      const calendar = await data(api.GET('/api/v1/calendars/{name}', { params: { path: { name } }, signal }));
      return { ...calendar, doc: calendar.definition as unknown as CalendarDoc };
    },
  });

/** The revisions of a calendar, newest first, without their documents. */
export const revisionsQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.calendar(name), 'revisions'],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/calendars/{name}/revisions', { params: { path: { name } }, signal }))).items,
  });

/** The document of a revision, which never changes. */
export const revisionQuery = (name: string, number: number) =>
  queryOptions({
    queryKey: ['calendarRevision', name, number],
    queryFn: async ({ signal }) =>
      (
        await data(
          api.GET('/api/v1/calendars/{name}/revisions/{number}', { params: { path: { name, number } }, signal }),
        )
      ).definition as unknown as CalendarDoc,
    staleTime: Infinity,
  });

/** Saves a document as the revision after `base`; 0 for a new calendar. */
export function saveCalendar(doc: CalendarDoc, base: number, note = ''): Promise<Schemas['Saved']> {
  const query = { base, ...(note.trim() ? { note: note.trim() } : {}) };
  return data(
    api.PUT('/api/v1/calendars/{name}', {
      params: { path: { name: doc.name }, query },
      body: doc as unknown as Record<string, never>,
    }),
  );
}

/** A file with days: its text, and its name if it has one. */
export interface SourceFile {
  name?: string;
  text: string;
}

/** The format of a file, by its name or else by its text. */
export function formatOf({ name = '', text }: SourceFile): Schemas['CalendarFile']['format'] {
  if (/\.ics$/i.test(name) || /^\uFEFF?\s*BEGIN:/i.test(text)) return 'ics';
  if (/\.ya?ml$/i.test(name) || /^kind:\s*Calendar\b/m.test(text)) return 'yaml';
  return 'csv';
}

/** The days of a file, as the server reads them. */
export const fileQuery = (file: SourceFile) =>
  queryOptions({
    queryKey: ['calendarFile', file],
    queryFn: ({ signal }) =>
      data(api.POST('/api/v1/calendar-files', { body: { format: formatOf(file), text: file.text }, signal })),
    enabled: file.text.trim() !== '',
    staleTime: Infinity,
    gcTime: 0,
  });
