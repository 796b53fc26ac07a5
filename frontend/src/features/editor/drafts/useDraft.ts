import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { ApiError, api, data } from '@/api/client';
import { newKey } from '@/api/key';
import { meQuery, wasBegun } from '@/api/queries';
import { type Doc, mended, ordered } from '@/document';
import { Journal } from './journal';
import { DraftKeeper } from './keeper';
import type { Draft, DraftActions, DraftServer } from './types';

/** The reader's draft of a schedule: opened, and kept as long as the page is there. */
export function useDraft(name: string): Draft & DraftActions {
  const user = useQuery(meQuery).data?.name ?? '';
  const queries = useQueryClient();
  const keeper = useMemo(
    () =>
      new DraftKeeper({
        server: serverOf(name, () => wasBegun(queries, name)),
        journal: new Journal(localStorage, user, name),
        empty: emptyOf(name),
        newId: newKey,
      }),
    [name, user, queries],
  );
  useEffect(() => {
    const stop = keeper.start();
    // The list of drafts is another one when this one comes into being, or is gone.
    const unsubscribe = keeper.state.subscribe((now, before) => {
      if ((now.version === 0) !== (before.version === 0))
        void queries.invalidateQueries({ queryKey: ['drafts'], exact: true });
    });
    const flush = () => {
      if (document.visibilityState === 'hidden') void keeper.save();
    };
    window.addEventListener('online', keeper.retry);
    document.addEventListener('visibilitychange', flush);
    return () => {
      window.removeEventListener('online', keeper.retry);
      document.removeEventListener('visibilitychange', flush);
      unsubscribe();
      stop();
    };
  }, [keeper, queries]);
  const draft = useStore(keeper.state);
  const { settle, published, rebase, discard, retry } = keeper;
  return useMemo(
    () => ({ ...draft, settle, published, rebase, discard, retry }),
    [draft, settle, published, rebase, discard, retry],
  );
}

const emptyOf = (name: string): Doc => ({ apiVersion: 'hivego/v1', kind: 'Schedule', name, jobs: [] });

/** The calls that a keeper makes. `isNew` says whether nobody can have published it yet. */
function serverOf(name: string, isNew = () => false): DraftServer {
  const path = { name };
  const read = (definition: unknown): Doc => ordered(mended(definition as Doc));
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
      const { data: kept } = await api.GET('/api/v1/drafts/{name}', { params: { path } });
      if (!kept) return undefined; // No Content: there is none
      return {
        version: kept.version,
        base: kept.base,
        doc: read(kept.definition),
        savedAt: Date.parse(kept.updatedAt),
      };
    },
    put: async ({ version, base, doc }) => {
      const kept = await data(
        api.PUT('/api/v1/drafts/{name}', {
          params: { path },
          body: { version, base, definition: doc as unknown as Record<string, never> },
        }),
      );
      return { version: kept.version, savedAt: Date.parse(kept.updatedAt) };
    },
    remove: async (version) => {
      await api.DELETE('/api/v1/drafts/{name}', { params: { path, query: version > 0 ? { version } : {} } });
    },
  };
}
