import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, api, data, type Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { noteCreated, proposedQuery } from '@/api/queries';

/** The drafts of the user, by name. */
export const draftsQuery = queryOptions({
  queryKey: ['drafts'],
  queryFn: async ({ signal }) => (await data(api.GET('/api/v1/drafts', { signal }))).items,
});

/**
 * Whether a schedule has a name. The best matches of a search tell it: a GET of a missing schedule would log an error
 * in the browser's console.
 */
export const takenQuery = (name: string) => ({
  ...proposedQuery(name),
  select: (found: readonly { name: string }[]) => found.some((one) => one.name === name),
});

/** Converts a document from YAML or JSON. */
export function convert(text: string): Promise<Schemas['Converted']> {
  return data(
    api.POST('/api/v1/documents', {
      body: text as never,
      bodySerializer: (body) => body as unknown as string,
      headers: { 'Content-Type': 'application/yaml' },
    }),
  );
}

/** The document of the newest revision of a schedule. */
export async function fetchDefinition(name: string): Promise<Definition> {
  return (await data(api.GET('/api/v1/schedules/{name}', { params: { path: { name } } })))
    .definition as unknown as Definition;
}

/** The object that already has a name. */
export type NameOwner = 'schedule' | 'draft';

/** Stores the first draft of a new schedule. Returns the owner of the name if the name is taken. */
export async function createDraft(definition: Definition, client: QueryClient): Promise<NameOwner | undefined> {
  const path = { name: definition.name };
  if ((await client.fetchQuery(proposedQuery(path.name))).some(({ name }) => name === path.name)) return 'schedule';
  try {
    await api.PUT('/api/v1/drafts/{name}', {
      params: { path },
      body: { base: 0, version: 0, definition: definition as unknown as Record<string, never> },
    });
    noteCreated(client, path.name);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return 'draft';
    throw error;
  }
}
