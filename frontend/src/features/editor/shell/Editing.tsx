import { useThrottledCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { executorsQuery, keys } from '@/api/queries';
import type { DocumentStore } from '@/document';
import { useHandlerTexts } from '@/i18n/handlers';
import { useTopic } from '@/live';
import type { View } from '@/scene';
import { useDocumentTitle } from '@/ui';
import { type Editor, EditorContext, type EditorSearch, FaultsContext } from '../context';
import type { Draft, DraftActions } from '../drafts';
import { offered } from '../handlers';
import { newPristineFields, watchPristineFields } from '../pristineFields';
import { Actions } from './Actions';
import { countChanges } from './changes';
import { Header } from './Header';
import { Life } from './Life';
import { revisionsQuery } from './queries';
import { isSame, type Session, SessionContext } from './session';
import { Tabs } from './Tabs';
import { judgedFaults } from './faults';
import { useVerdict } from './useVerdict';
import { Views } from './Views';
import styles from './Page.module.css';

/** How often executors may be asked for what they offer, in milliseconds. */
const EVERY = 1000;
/** How often to look for a revision that somebody else published, in milliseconds. */
const LOOK = 10_000;

type Kept = Draft & DraftActions;

/** The editor of a schedule of which everything is known that it begins with. */
export function Editing({ name, draft, store }: { name: string; draft: Kept; store: DocumentStore }) {
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
  const place = useRef<View>(undefined);
  const [pristine] = useState(newPristineFields);
  useEffect(() => watchPristineFields(store, pristine), [store, pristine]);
  const editor = useMemo(
    (): Editor => ({ name, store, base, handlers, search, goTo, pristine, place }),
    [name, store, base, handlers, search, goTo, pristine],
  );
  useDocumentTitle(t('tab', { name, view: t(`view.${search.view ?? 'canvas'}`) }));
  useLeaving(draft);
  return (
    <EditorContext value={editor}>
      <Judged draft={draft} store={store} name={name} handlers={handlers}>
        <div className={styles.page}>
          <Header>
            <Actions />
          </Header>
          <Tabs>
            <Life />
          </Tabs>
          <Views />
        </div>
      </Judged>
    </EditorContext>
  );
}

/** Knows what is wrong with the document and how far it is from its base; what is in it is drawn anew only where it asks for that. */
function Judged({
  draft,
  store,
  name,
  handlers,
  children,
}: {
  draft: Kept;
  store: DocumentStore;
  name: string;
  handlers: Editor['handlers'];
  children: ReactNode;
}) {
  const doc = useDeferredValue(useStore(store, (s) => s.doc));
  const verdict = useVerdict(doc);
  const faults = useMemo(() => judgedFaults(doc, handlers, verdict), [doc, handlers, verdict]);
  // Nobody is asked again and again for what nobody has published yet; who publishes it meanwhile is met at the latest then.
  const { data: revisions } = useQuery({
    ...revisionsQuery(name),
    refetchInterval: LOOK,
    retry: false,
    enabled: draft.base !== undefined,
  });
  const newest = revisions?.[0];
  const base = draft.base?.doc;
  const changed = useMemo(() => !base || !isSame(base, doc), [base, doc]);
  const changes = useMemo(() => (base && changed ? countChanges(base, doc) : 0), [base, changed, doc]);
  const [done, setDone] = useState<number>();
  const session = useMemo(
    (): Session => ({ name, draft, changed, changes, newest, done, onPublished: setDone }),
    [name, draft, changed, changes, newest, done],
  );
  return (
    <SessionContext value={session}>
      <FaultsContext value={faults}>{children}</FaultsContext>
    </SessionContext>
  );
}

/** What executors offer, renewed when one comes or goes. */
function useHandlers() {
  const client = useQueryClient();
  const { data: executors } = useQuery(executorsQuery);
  useTopic(
    { topic: 'executors' },
    useThrottledCallback(() => void client.invalidateQueries({ queryKey: keys.executors }), EVERY),
  );
  const words = useHandlerTexts();
  return useMemo(() => offered(executors?.items ?? [], words), [executors, words]);
}

/** Asks before the page is left only where something is kept nowhere: this browser keeps the rest. */
function useLeaving({ state, kept }: Draft): void {
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
