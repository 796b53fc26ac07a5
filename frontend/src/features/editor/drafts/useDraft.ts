import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { api, ApiError, data, newIdempotencyKey } from '@/api/client';
import { meQuery, takeCreatedNote } from '@/api/queries';
import { type Doc, repairKeys, ordered } from '@/document';
import { Journal } from './journal';
import { DraftSync } from './draftSync';
import type { Draft, DraftActions, DraftServer } from './types';

/** Opens the reader's draft of a schedule, and keeps it in step with the server while the component is mounted. */
export function useDraft(name: string): Draft & DraftActions {
  const user = useQuery(meQuery).data?.name ?? '';
  const queries = useQueryClient();
  const sync = useMemo(
    () =>
      new DraftSync({
        server: serverOf(name, () => takeCreatedNote(queries, name)),
        journal: new Journal(localStorage, user, name),
        empty: emptyOf(name),
        newId: newIdempotencyKey,
      }),
    [name, user, queries],
  );
  useEffect(() => {
    const stop = sync.start();
    // The list of drafts changes when this draft is made or deleted.
    const unsubscribe = sync.state.subscribe((now, before) => {
      if ((now.version === 0) !== (before.version === 0))
        void queries.invalidateQueries({ queryKey: ['drafts'], exact: true });
    });
    const flush = () => {
      if (document.visibilityState === 'hidden') void sync.save();
    };
    window.addEventListener('online', sync.retry);
    document.addEventListener('visibilitychange', flush);
    return () => {
      window.removeEventListener('online', sync.retry);
      document.removeEventListener('visibilitychange', flush);
      unsubscribe();
      stop();
    };
  }, [sync, queries]);
  const draft = useStore(sync.state);
  const { resolveConflict, published, rebase, discard, retry } = sync;
  return useMemo(
    () => ({ ...draft, resolveConflict, published, rebase, discard, retry }),
    [draft, resolveConflict, published, rebase, discard, retry],
  );
}

const emptyOf = (name: string): Doc => ({ apiVersion: 'hivego/v1', kind: 'Schedule', name, jobs: [] });

/** The calls for one schedule. `isNew` says whether nobody can have published it yet, which saves a call. */
function serverOf(name: string, isNew = () => false): DraftServer {
  const path = { name };
  const read = (definition: unknown): Doc => ordered(repairKeys(definition as Doc));
  return {
    published: async () => {
      if (isNew()) return undefined;
      try {
        const { revision, definition } = await data(api.GET('/api/v1/schedules/{name}', { params: { path } }));
        return { revision, doc: read(definition) };
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
    revision: async (number) =>
      read(
        (await data(api.GET('/api/v1/schedules/{name}/revisions/{number}', { params: { path: { name, number } } })))
          .definition,
      ),
    draft: async () => {
      const { data: stored } = await api.GET('/api/v1/drafts/{name}', { params: { path } });
      if (!stored) return undefined; // 204 No Content
      return {
        version: stored.version,
        base: stored.base,
        doc: read(stored.definition),
        savedAt: Date.parse(stored.updatedAt),
      };
    },
    put: async ({ version, base, doc }) => {
      const draft = await data(
        api.PUT('/api/v1/drafts/{name}', {
          params: { path },
          body: { version, base, definition: doc as unknown as Record<string, never> },
        }),
      );
      return { version: draft.version, savedAt: Date.parse(draft.updatedAt) };
    },
    remove: async (version) => {
      await api.DELETE('/api/v1/drafts/{name}', { params: { path, query: version > 0 ? { version } : {} } });
    },
  };
}
