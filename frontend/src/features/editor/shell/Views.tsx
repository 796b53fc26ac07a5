import { type ComponentType, lazy, Suspense, useMemo, useState } from 'react';
import { BannerStack } from '@/ui';
import { AboveContext, type EditorView, useDoc, useEditor } from '../context';
import { SheetContext } from '../sheet';
import { Notices } from './Notices';
import { Outline } from './Outline';
import { useAddress } from './useAddress';
import styles from './Page.module.css';

const named = <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K) =>
  lazy(async () => ({ default: (await load())[name] }));

const VIEWS: Record<EditorView, ComponentType> = {
  canvas: named(() => import('../canvas'), 'Canvas'),
  table: named(() => import('../table'), 'TableView'),
  yaml: named(() => import('../yaml'), 'YamlView'),
  settings: named(() => import('../settings'), 'Settings'),
  history: named(() => import('./history'), 'History'),
};
const Inspector = named(() => import('../inspector'), 'Inspector');

/** The view that the address names, with the drawer where tasks are at hand. Each comes by itself. */
export function Views() {
  const {
    search: { view = 'canvas' },
  } = useEditor();
  const View = VIEWS[view];
  useAddress();
  const [asked, setAsked] = useState(false);
  const [above, setAbove] = useState(0);
  // It was asked for once, and what it was asked for is gone.
  const none = useDoc(({ selection: { tasks, job, edge } }) => tasks.length === 0 && job === undefined && !edge);
  if (asked && (none || view !== 'table')) setAsked(false);
  const sheet = useMemo(
    () =>
      view === 'table'
        ? {
            shown: asked,
            show: () => {
              setAsked(true);
            },
            hide: () => {
              setAsked(false);
            },
          }
        : { shown: true, show: () => undefined },
    [view, asked],
  );
  return (
    <SheetContext value={sheet}>
      <div className={styles.body} id="editor-view" role="tabpanel" aria-labelledby={`tab-${view}`}>
        <div className={styles.column}>
          <BannerStack over={view === 'canvas'} onHeight={setAbove}>
            <Notices />
          </BannerStack>
          <div className={styles.view}>
            <AboveContext value={above}>
              <Suspense fallback={<Outline />}>
                <View />
              </Suspense>
            </AboveContext>
          </div>
        </div>
        {(view === 'canvas' || view === 'table') && (
          <Suspense fallback={<div className={styles.room} />}>
            <Inspector />
          </Suspense>
        )}
      </div>
    </SheetContext>
  );
}
