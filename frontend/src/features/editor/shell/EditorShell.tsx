import { useThrottledCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { executorsQuery, keys, meQuery } from '@/api/queries';
import { check, type Doc, type DocumentStore, joinFaults } from '@/document';
import { lastSchedule } from '@/features/find';
import { type HandlerTexts, UNTRANSLATED, useHandlerTexts } from '@/i18n/handlers';
import { useTopic } from '@/live';
import type { View } from '@/scene';
import { useDocumentTitle } from '@/ui';
import { api, data, type Schemas } from '@/api/client';
import {
  type Editor,
  EditorContext,
  type EditorSearch,
  FaultsContext,
  type JsonSchema,
  type OfferedHandler,
} from '../context';
import type { Draft, DraftActions } from '../drafts/types';
import { PresenceProvider } from '../presence/PresenceProvider';
import { newPristineFields, watchPristineFields } from '../pristineFields';
import { Actions } from './Actions';
import { Header } from './Header';
import { revisionsQuery } from './queries';
import { ScheduleStatus, Tabs } from './Tabs';
import { countChanges, isSame, type Session, SessionContext } from './session';
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
  const user = useQuery(meQuery).data?.name;
  const former = useCallback(() => {
    const other = user === undefined ? undefined : lastSchedule(user, name);
    if (other === undefined) return undefined;
    return { name: other, open: () => void navigate({ to: '/schedules/$name', params: { name: other }, search: {} }) };
  }, [user, name, navigate]);
  const base = draft.base?.revision;
  const canvasView = useRef<View>(undefined);
  const textSearch = useRef<() => void>(undefined);
  const [pristine] = useState(newPristineFields);
  useEffect(() => watchPristineFields(store, pristine), [store, pristine]);
  const editor = useMemo(
    (): Editor => ({ name, store, base, handlers, search, goTo, pristine, canvasView, textSearch, former }),
    [name, store, base, handlers, search, goTo, pristine, former],
  );
  useDocumentTitle(t('tab', { name, view: t(`view.${search.view ?? 'canvas'}`) }));
  useLeaveWarning(draft);
  return (
    <EditorContext value={editor}>
      <ValidationProvider draft={draft} store={store} name={name} handlers={handlers}>
        <PresenceProvider>
          <div className={styles.page}>
            <Header>
              <Actions />
            </Header>
            <Tabs>
              <ScheduleStatus />
            </Tabs>
            <Views />
          </div>
        </PresenceProvider>
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
    const clientFaults = check(doc, handlers);
    return validation ? joinFaults(clientFaults, validation.faults, validation.doc, doc) : clientFaults;
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

/** The handlers that executors offer, read again when the executors change. */
function useHandlers() {
  const client = useQueryClient();
  const { data: executors } = useQuery(executorsQuery);
  useTopic(
    { topic: 'executors' },
    useThrottledCallback(() => void client.invalidateQueries({ queryKey: keys.executors }), EXECUTORS_EVERY),
  );
  const texts = useHandlerTexts();
  return useMemo(() => offeredHandlers(executors?.items ?? [], texts), [executors, texts]);
}

/** Asks before the page is left if changes are stored neither on the server nor in this browser. */
function useLeaveWarning({ state, storedLocally }: Draft): void {
  const unsaved = !storedLocally && state !== 'saved';
  useEffect(() => {
    if (!unsaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => {
      window.removeEventListener('beforeunload', ask);
    };
  }, [unsaved]);
}

/**
 * The handlers that executors offer, by name. If executors describe a handler differently, one that is connected takes
 * precedence.
 */
function offeredHandlers(
  executors: readonly Schemas['Executor'][],
  texts: HandlerTexts = UNTRANSLATED,
): OfferedHandler[] {
  const byName = new Map<string, OfferedHandler & { groups: Record<string, number> }>();
  const isReachable = (e: Schemas['Executor']) => e.state === 'online' || e.state === 'draining';
  for (const executor of [...executors].sort((a, b) => Number(isReachable(b)) - Number(isReachable(a)))) {
    for (const { schema, ...handler } of executor.handlers) {
      const offeredHandler = byName.get(handler.name) ?? {
        ...texts.handler(handler),
        schema: parseSchema(schema, handler.name, texts),
        groups: {},
      };
      offeredHandler.groups[executor.group] =
        (offeredHandler.groups[executor.group] ?? 0) + Number(isReachable(executor));
      byName.set(handler.name, offeredHandler);
    }
  }
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** Parses a schema that an executor sent; undefined if it is not an object. */
function parseSchema(text: string | undefined, handler: string, texts: HandlerTexts): JsonSchema | undefined {
  if (!text) return undefined;
  try {
    const schema: unknown = JSON.parse(text);
    return typeof schema === 'object' && schema !== null ? texts.schema(handler, schema) : undefined;
  } catch {
    return undefined;
  }
}

/** The server is asked after so many milliseconds without a change. */
const DELAY = 600;

/** The server's faults of a document, with the document that it was asked about. */
interface ServerValidation {
  doc: Doc;
  valid: boolean;
  faults: readonly Schemas['Fault'][];
}

async function validate(doc: Doc, signal: AbortSignal): Promise<ServerValidation> {
  const { valid, faults } = await data(
    api.POST('/api/v1/validate', { body: doc as unknown as Record<string, never>, signal }),
  );
  return { doc, valid, faults };
}

/** Asks the server to validate the document, a moment after each change. Until it answers, the answer before stays. */
function useServerValidation(doc: Doc): ServerValidation | undefined {
  const [validation, setValidation] = useState<ServerValidation>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      validate(doc, stop.signal).then(setValidation, () => undefined); // the header reports it
    }, DELAY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [doc]);
  return validation;
}
