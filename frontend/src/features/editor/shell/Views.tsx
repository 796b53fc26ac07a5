import { type ComponentType, lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { jobOf, type Selection, taskOf } from '@/document';
import { loadTexts } from '@/i18n';
import { BannerStack } from '@/ui';
import { NoticesHeightContext, DrawerContext, type EditorView, useDoc, useEditor } from '../context';
import { Notices } from './Notices';
import { Outline } from './Outline';
import styles from './Page.module.css';

const component = <K extends string>(
  load: () => Promise<Record<K, ComponentType>>,
  name: K,
  ...texts: Parameters<typeof loadTexts>
) =>
  lazy(async () => {
    const [loaded] = await Promise.all([load(), loadTexts(...texts)]);
    return { default: loaded[name] };
  });

const VIEWS: Record<EditorView, ComponentType> = {
  canvas: component(() => import('../canvas/Canvas'), 'Canvas', 'canvas'),
  table: component(() => import('../table/TableView'), 'TableView', 'views'),
  yaml: component(() => import('../yaml/YamlView'), 'YamlView', 'views'),
  settings: component(() => import('../settings/Settings'), 'Settings'),
  history: component(() => import('./history/History'), 'History'),
};
const Inspector = component(() => import('../inspector/Inspector'), 'Inspector');

/**
 * The view that the address names, with the inspector beside the views that show tasks. Each is loaded when it is first
 * shown.
 */
export function Views() {
  const {
    search: { view = 'canvas' },
  } = useEditor();
  const View = VIEWS[view];
  useAddressedSelection();
  const [drawerOpen, setAsked] = useState(false);
  const [noticesHeight, setAbove] = useState(0);
  // The drawer closes when its subject is deselected, and with the table.
  const nothingSelected = useDoc(
    ({ selection: { tasks, job, edge } }) => tasks.length === 0 && job === undefined && !edge,
  );
  if (drawerOpen && (nothingSelected || view !== 'table')) setAsked(false);
  const drawer = useMemo(
    () =>
      view === 'table'
        ? {
            shown: drawerOpen,
            show: () => {
              setAsked(true);
            },
            hide: () => {
              setAsked(false);
            },
          }
        : { shown: true, show: () => undefined },
    [view, drawerOpen],
  );
  return (
    <DrawerContext value={drawer}>
      <div className={styles.body} id="editor-view" role="tabpanel" aria-labelledby={`tab-${view}`}>
        <div className={styles.column}>
          <BannerStack over={view === 'canvas'} onHeight={setAbove}>
            <Notices />
          </BannerStack>
          <div className={styles.view}>
            <NoticesHeightContext value={noticesHeight}>
              <Suspense fallback={<Outline />}>
                <View />
              </Suspense>
            </NoticesHeightContext>
          </div>
        </div>
        {(view === 'canvas' || view === 'table') && (
          <Suspense fallback={<div className={styles.room} />}>
            <Inspector />
          </Suspense>
        )}
      </div>
    </DrawerContext>
  );
}

/** The part of a selection that an address can name: one task, or a job. */
const addressable = ({ tasks, job, edge }: Selection) => ({
  task: tasks.length === 1 && !edge ? tasks[0] : undefined,
  job,
});
const keyOf = ({ task, job }: { task?: string; job?: string }) => `${task ?? ''}|${job ?? ''}`;

/**
 * Keeps the selection and the address in step, whichever changes. The inspector cannot do this: the first click may
 * come before its code is loaded.
 */
function useAddressedSelection(): void {
  const {
    store,
    search: { task, job },
    goTo,
  } = useEditor();
  const selection = useDoc((s) => s.selection);
  const synced = useRef(keyOf({}));
  useEffect(() => {
    const wanted = keyOf({ task, job });
    if (wanted === synced.current) return;
    synced.current = wanted;
    const { doc, select, selection: now } = store.getState();
    if (wanted === keyOf(addressable(now))) return;
    if (task !== undefined && taskOf(doc, task)) select({ tasks: [task] });
    else if (job !== undefined && jobOf(doc, job)) select({ tasks: [], job });
    else select({ tasks: [] });
  }, [store, task, job]);
  useEffect(() => {
    const now = addressable(store.getState().selection);
    if (keyOf(now) === synced.current) return;
    synced.current = keyOf(now);
    goTo(now, { replace: true });
  }, [store, selection, goTo]);
}
