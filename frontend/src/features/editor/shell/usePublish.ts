import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { type Diff, diff, type Doc } from '@/document';
import { toast } from '@/ui';
import { useEditor } from '../context';
import { useSession } from './session';
import { readRevision, readRevisions } from './queries';

/** A revision that somebody else published, with its changes. */
export interface MergedRevision {
  revision: number;
  by: string;
  diff: Diff;
}

/**
 * Merges the newest revision, which somebody else published, into the draft. `merge` returns undefined if there is
 * none, or if it failed.
 */
export function useMerge(): {
  /** The last revision that was merged. */
  merged: MergedRevision | undefined;
  merge: () => Promise<MergedRevision | undefined>;
  pending: boolean;
  error: unknown;
} {
  const { name, draft } = useSession();
  const [merged, setMerged] = useState<MergedRevision>();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const merge = async () => {
    setPending(true);
    setError(undefined);
    try {
      const [head] = await readRevisions(name);
      if (!head || head.number === draft.base?.revision) return undefined;
      const { doc } = await readRevision(name, head.number);
      const now = {
        revision: head.number,
        by: head.createdBy,
        diff: diff(draft.base?.doc ?? { ...doc, jobs: [] }, doc),
      };
      draft.rebase(head.number, doc);
      setMerged(now);
      return now;
    } catch (failed) {
      setError(failed);
      return undefined;
    } finally {
      setPending(false);
    }
  };
  return { merged, merge, pending, error };
}

/** Publishes a document as the next revision of the schedule that it names. `base` 0 demands that it has none yet. */
function publish(doc: Doc, base: number, note: string): Promise<Schemas['Saved']> {
  return data(
    api.PUT('/api/v1/schedules/{name}', {
      params: { path: { name: doc.name }, query: { base, note: note.trim() || undefined } },
      body: doc as unknown as Record<string, never>,
    }),
  );
}

/** Whether an error says that somebody else has published meanwhile. */
export function isOvertaken(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 409 &&
    (error.problem.reason === 'revision_moved' || error.problem.reason === 'schedule_exists')
  );
}

/** The base of a publication. A document with another name than its page is published as a new schedule. */
export function publicationTarget(
  doc: Doc,
  page: string,
  base: number | undefined,
): { base: number; renamed: boolean } {
  const renamed = doc.name !== page;
  return { base: renamed ? 0 : (base ?? 0), renamed };
}

interface Options {
  onClose: () => void;
  /** Called with the revision, unless the document was published as a new schedule. */
  onPublished: (revision: number) => void;
}

/**
 * Publishes the document of the editor. If somebody else published first, that revision is merged and nothing is
 * published.
 */
export function usePublish({ onClose, onPublished }: Options) {
  const { t } = useTranslation('editor');
  const { name, store } = useEditor();
  const { draft } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { merged, merge, error: mergeError } = useMerge();
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (note: string) => {
    const { doc } = store.getState();
    const target = publicationTarget(doc, name, draft.base?.revision);
    let saved;
    try {
      saved = await publish(doc, target.base, note);
    } catch (failed) {
      if (target.renamed || !isOvertaken(failed)) throw failed;
      await merge();
      return;
    }
    for (const queryKey of [keys.schedules, keys.schedule(name), ['drafts']])
      void client.invalidateQueries({ queryKey });
    onClose();
    toast(t('publish.done', { name: saved.name, revision: saved.revision }));
    if (target.renamed) {
      await draft.discard();
      await navigate({ to: '/schedules/$name', params: { name: saved.name }, search: {} });
      return;
    }
    draft.published(saved.revision, doc);
    onPublished(saved.revision);
  };
  return {
    sending,
    error: error ?? mergeError,
    /** The revision of somebody else that was merged instead of publishing. */
    merged,
    submit: (note: string) => {
      setSending(true);
      setError(undefined);
      send(note)
        .catch((failed: unknown) => {
          setError(failed);
        })
        .finally(() => {
          setSending(false);
        });
    },
  };
}
