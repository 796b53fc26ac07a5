import { useThrottledCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { executorsQuery, keys } from '@/api/queries';
import { check, type DocumentStore, joinFaults } from '@/document';
import { useHandlerTexts } from '@/i18n/handlers';
import { useTopic } from '@/live';
import type { View } from '@/scene';
import { useDocumentTitle } from '@/ui';
import { type Editor, EditorContext, type EditorSearch, FaultsContext } from '../context';
import type { Draft, DraftActions } from '../drafts/types';
import { offered } from '../handlers';
import { newPristineFields, watchPristineFields } from '../pristineFields';
import { Actions } from './Actions';
import { Header } from './Header';
import { revisionsQuery } from './queries';
import { ScheduleStatus } from './ScheduleStatus';
import { countChanges, isSame, type Session, SessionContext } from './session';
import { Tabs } from './Tabs';
import { useServerValidation } from './useServerValidation';
import { Views } from './Views';
import styles from './Page.module.css';

/** The list of executors is read again at most once in so many milliseconds. */
const EXECUTORS_EVERY = 1000;
/** The revisions are read again every so many milliseconds, as somebody else may publish one. */
const REVISIONS_EVERY = 10_000;

type OpenDraft = Draft & DraftActions;

/** The editor of a schedule whose draft is loaded: header, tabs and the view. */
export function EditorShell({ name, draft, store }: { name: string; draft: OpenDraft; store: DocumentStore }) {
  const { t } = useTranslation('editor');
  const search = useSearch({ from: '/shell/schedules/$name' });
  const navigate = useNavigate({ from: '/schedules/$name' });
  const handlers = useHandlers();
  const goTo = useCallback(
    (part: Partial<EditorSearch>, options?: { replace?: boolean }) =>
      void navigate({ to: '.', search: (old) => ({ ...old, ...part }), ...options }),
    [navigate],
  );
  const base = draft.base?.revision;
  const canvasView = useRef<View>(undefined);
  const [pristine] = useState(newPristineFields);
  useEffect(() => watchPristineFields(store, pristine), [store, pristine]);
  const editor = useMemo(
    (): Editor => ({ name, store, base, handlers, search, goTo, pristine, canvasView }),
    [name, store, base, handlers, search, goTo, pristine],
  );
  useDocumentTitle(t('tab', { name, view: t(`view.${search.view ?? 'canvas'}`) }));
  useLeaveWarning(draft);
  return (
    <EditorContext value={editor}>
      <ValidationProvider draft={draft} store={store} name={name} handlers={handlers}>
        <div className={styles.page}>
          <Header>
            <Actions />
          </Header>
          <Tabs>
            <ScheduleStatus />
          </Tabs>
          <Views />
        </div>
      </ValidationProvider>
    </EditorContext>
  );
}

/**
 * Provides the faults of the document and its differences from the base. A change renders only the parts that read
 * those.
 */
function ValidationProvider({
  draft,
  store,
  name,
  handlers,
  children,
}: {
  draft: OpenDraft;
  store: DocumentStore;
  name: string;
  handlers: Editor['handlers'];
  children: ReactNode;
}) {
  const doc = useDeferredValue(useStore(store, (s) => s.doc));
  const validation = useServerValidation(doc);
  const faults = useMemo(() => {
    const here = check(doc, handlers);
    return validation ? joinFaults(here, validation.faults, validation.doc, doc) : here;
  }, [doc, handlers, validation]);
  // A schedule without a revision is not polled: if somebody else publishes it meanwhile, publishing reports that.
  const { data: revisions } = useQuery({
    ...revisionsQuery(name),
    refetchInterval: REVISIONS_EVERY,
    retry: false,
    enabled: draft.base !== undefined,
  });
  const newest = revisions?.[0];
  const base = draft.base?.doc;
  const changed = useMemo(() => !base || !isSame(base, doc), [base, doc]);
  const changes = useMemo(() => (base && changed ? countChanges(base, doc) : 0), [base, changed, doc]);
  const [publishedHere, setPublishedHere] = useState<number>();
  const session = useMemo(
    (): Session => ({ name, draft, changed, changes, newest, publishedHere, onPublished: setPublishedHere }),
    [name, draft, changed, changes, newest, publishedHere],
  );
  return (
    <SessionContext value={session}>
      <FaultsContext value={faults}>{children}</FaultsContext>
    </SessionContext>
  );
}

/** The handlers that executors offer, read again when an executor comes or goes. */
function useHandlers() {
  const client = useQueryClient();
  const { data: executors } = useQuery(executorsQuery);
  useTopic(
    { topic: 'executors' },
    useThrottledCallback(() => void client.invalidateQueries({ queryKey: keys.executors }), EXECUTORS_EVERY),
  );
  const words = useHandlerTexts();
  return useMemo(() => offered(executors?.items ?? [], words), [executors, words]);
}

/** Asks before the page is left if changes are stored neither on the server nor in this browser. */
function useLeaveWarning({ state, kept }: Draft): void {
  const lost = !kept && state !== 'saved';
  useEffect(() => {
    if (!lost) return undefined;
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => {
      window.removeEventListener('beforeunload', ask);
    };
  }, [lost]);
}
