import { type RefObject, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useMediaQuery } from '@mantine/hooks';
import { labelText, removeRedundant } from '@/document';
import { useCommands, useFind } from '@/features/find';
import { Scene, ToolButton } from '@/scene';
import { span, toast } from '@/ui';
import { NoticesHeightContext, useDoc, useEditor } from '../context';
import styles from './Canvas.module.css';
import { CanvasContext, CardTextsContext, useCanvasState } from './canvasStore';
import { Clipboard } from './Clipboard';
import { EmptyState, PalettePanel } from './Palette';
import { newGraphCache, useCanvasStores } from './useCanvasStores';
import { stepOnCanvas } from './keyboardNav';
import { Overlay } from './Overlay';
import { PointerGestures } from './PointerGestures';
import { QuickAdd } from './QuickAdd';
import { ContextMenu } from './ContextMenu';
import { Rename } from './Rename';
import { KeyboardConnect } from './Tips';
import { useKeyboard } from './useKeyboard';

/** The schedule as a drawing that is edited by pointer and keyboard: palette, lanes, cards and menus. */
export function Canvas() {
  const { store, canvasView: savedView } = useEditor();
  const coveredTop = useContext(NoticesHeightContext);
  const { t } = useTranslation('canvas');
  const { t: common } = useTranslation('common');
  const texts = useMemo(() => ({ t, span: (ms: number) => span(ms, common) }), [t, common]);
  const container = useRef<HTMLDivElement>(null);
  const { context, renderer } = useCanvasStores(container);
  const [graphOf] = useState(newGraphCache);
  const graph = useSyncExternalStore(store.subscribe, () => graphOf(store.getState().doc));
  const selected = useDoc((s) => (s.selection.tasks.length === 1 ? s.selection.tasks[0] : undefined));
  const narrow = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const onKey = useKeyboard(context, container);
  useCommands({ keySet: 'canvas' });

  return (
    <CanvasContext value={context}>
      <CardTextsContext value={texts}>
        <div className={styles.canvas}>
          {!narrow && (
            <aside className={styles.side}>
              <PalettePanel />
            </aside>
          )}
          <div ref={container} className={styles.place}>
            <Scene
              savedView={savedView}
              coveredTop={coveredTop}
              graph={graph}
              renderer={renderer}
              sceneStore={context.sceneStore}
              selected={selected}
              onSelect={() => undefined}
              editing
              onKey={onKey}
              onStep={stepOnCanvas}
              label={t('name')}
              help={t('help')}
              tools={<Tools />}
            >
              <PointerGestures />
              <Clipboard />
              <Overlay />
              <KeyboardConnect />
              <QuickAdd />
              <Rename />
              <ContextMenu />
            </Scene>
            {graph.jobs.every((job) => job.tasks.length === 0) && (
              <EmptyState
                empty={graph.jobs.length === 0}
                onTaken={() => {
                  focusScene(container);
                }}
              />
            )}
            {narrow && <PalettePanel fromBelow />}
          </div>
        </div>
        <Announcer />
      </CardTextsContext>
    </CanvasContext>
  );
}

/** Focuses the scene as soon as it is mounted, unless another element has the focus by then. */
function focusScene(container: RefObject<HTMLDivElement | null>): void {
  const scene = container.current?.querySelector<HTMLElement>('[role="application"]');
  if (scene) scene.focus({ preventScroll: true });
  else
    requestAnimationFrame(() => {
      if (container.current && document.activeElement === document.body) focusScene(container);
    });
}

const TIDY_ICON = 'M3 13l6-6M10.5 2.5v3M9 4h3M13 8v2M12 9h2M5 2.5v2M4 3.5h2';
const KEYS_ICON = 'M1.5 4.5h13v7h-13zM4 7h.1M6.7 7h.1M9.3 7h.1M12 7h.1M4.5 9.3h7';

/** The canvas's buttons in the toolbar over the graph. */
function Tools() {
  const { t } = useTranslation('canvas');
  const { openKeys } = useFind();
  const { store } = useEditor();
  const tidy = () => {
    const { doc, apply } = store.getState();
    const command = removeRedundant(doc);
    apply(command);
    if (!command) toast(t('tools.redundantNone'));
  };
  return (
    <>
      <ToolButton label={t('tools.redundant')} hint={t('tools.redundantHint')} icon={TIDY_ICON} act={tidy} />
      <ToolButton label={t('tools.keys')} hint="?" icon={KEYS_ICON} act={openKeys} />
    </>
  );
}

/** Announces every change of the document to screen readers, and the other announcements of the canvas. */
function Announcer() {
  const { t } = useTranslation('document');
  const { t: tCanvas } = useTranslation('canvas');
  const { store } = useEditor();
  const announcement = useCanvasState((s) => s.announcement);
  const [change, setChange] = useState('');
  useEffect(
    () =>
      store.subscribe((now, before) => {
        if (now.past === before.past) return;
        const label = now.past.at(-1)?.label;
        const undone = now.future.length > before.future.length ? now.future[0]?.label : undefined;
        if (undone) setChange(tCanvas('announcement.undone', { what: labelText(t, undone) }));
        else if (label && now.past.length >= before.past.length) setChange(labelText(t, label));
      }),
    [store, t, tCanvas],
  );
  return (
    <>
      <p className="hg-visually-hidden" role="status" data-announced="">
        {change}
      </p>
      <p className="hg-visually-hidden" role="status" aria-live="assertive">
        {announcement}
      </p>
    </>
  );
}
