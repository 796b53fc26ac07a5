import { type RefObject, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useMediaQuery } from '@mantine/hooks';
import { laneMark, type Look, newStage, Scene } from '@/scene';
import { span } from '@/ui';
import { AboveContext, useDoc, useEditor } from '../context';
import { isCovered } from '../sheet';
import { newActs } from './acts';
import { Announcer } from './Announcer';
import { Clipboard } from './Clipboard';
import styles from './Canvas.module.css';
import { CanvasContext, newDesk, newPointer, type Parts, WordsContext } from './desk';
import { newGraphs } from './graph';
import { Hands } from './Hands';
import { KeyHelp } from './KeyHelp';
import { LaneHead } from './LaneHead';
import { Linking } from './Linking';
import { Overlay } from './Overlay';
import { PaletteSide } from './PaletteSide';
import { QuickAdd } from './QuickAdd';
import { Rename } from './Rename';
import { Ring } from './Ring';
import { Start } from './Start';
import { stepOnCanvas } from './step';
import { TaskCard } from './TaskCard';
import { Tools } from './Tools';
import { useFaultWords } from './useFaultWords';
import { useKeys } from './useKeys';
import { usePageKeys } from './usePageKeys';

/** Brings the keyboard to the scene, as soon as that is there, unless it has gone elsewhere meanwhile. */
function goOn(place: RefObject<HTMLDivElement | null>): void {
  const scene = place.current?.querySelector<HTMLElement>('[role="application"]');
  if (scene) scene.focus({ preventScroll: true });
  else
    requestAnimationFrame(() => {
      if (place.current && document.activeElement === document.body) goOn(place);
    });
}

/** The schedule as a picture that one edits: palette, lanes, cards, and what hands and keys do with them. */
export function Canvas() {
  const { store, place: left } = useEditor();
  const above = useContext(AboveContext);
  const { t } = useTranslation('canvas');
  const { t: common } = useTranslation('common');
  const words = useMemo(() => ({ t, span: (ms: number) => span(ms, common) }), [t, common]);
  const [parts] = useState((): Parts => ({
    desk: newDesk(),
    stage: newStage(),
    pointer: newPointer(),
    acts: newActs(store, isCovered),
  }));
  const { desk, stage } = parts;
  const [graphOf] = useState(newGraphs);
  const graph = useSyncExternalStore(store.subscribe, () => graphOf(store.getState().doc));
  const selected = useDoc((s) => (s.selection.tasks.length === 1 ? s.selection.tasks[0] : undefined));
  const place = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const look = useMemo(
    (): Look => ({
      Card: TaskCard,
      Head: LaneHead,
      stateOf: (key) => (desk.getState().faults.get(key)?.warning === false ? 'failed' : 'none'),
      hot: () => [],
      subscribe: (listener) =>
        desk.subscribe((now, before) => {
          if (now.faults !== before.faults) listener();
        }),
      first: () => undefined,
    }),
    [desk],
  );
  const onKey = useKeys(parts, () => place.current);
  usePageKeys(place, onKey);
  useFaultWords(parts);
  useEffect(() => {
    // The keyboard follows what was selected, so that the next key is about it.
    const tell = () => {
      const { tasks, job } = store.getState().selection;
      const { active } = stage.getState();
      const at = job === undefined ? (tasks.includes(active ?? '') ? active : (tasks[0] ?? active)) : laneMark(job);
      stage.setState({ selected: new Set(tasks), active: at });
    };
    tell();
    return store.subscribe((now, before) => {
      if (now.selection !== before.selection) tell();
    });
  }, [store, stage]);
  useEffect(
    () =>
      desk.subscribe(({ hand, linking }) => {
        stage.setState({ still: hand.is === 'dragging' || linking !== undefined });
        if (hand.is === 'dragging') place.current?.setAttribute('data-hand', hand.what.held);
        else place.current?.removeAttribute('data-hand');
      }),
    [desk, stage],
  );

  return (
    <CanvasContext value={parts}>
      <WordsContext value={words}>
        <div className={styles.canvas}>
          {!narrow && (
            <aside className={styles.side}>
              <PaletteSide />
            </aside>
          )}
          <div ref={place} className={styles.place}>
            <Scene
              place={left}
              above={above}
              graph={graph}
              look={look}
              stage={stage}
              selected={selected}
              onSelect={() => undefined}
              editing
              onKey={onKey}
              onStep={stepOnCanvas}
              label={t('name')}
              help={t('help')}
              tools={<Tools />}
            >
              <Hands />
              <Clipboard />
              <Overlay />
              <Linking />
              <QuickAdd />
              <Rename />
              <Ring />
            </Scene>
            {graph.jobs.every((job) => job.tasks.length === 0) && (
              <Start
                empty={graph.jobs.length === 0}
                onTaken={() => {
                  goOn(place);
                }}
              />
            )}
            {narrow && <PaletteSide sheet />}
          </div>
        </div>
        <KeyHelp />
        <Announcer />
      </WordsContext>
    </CanvasContext>
  );
}
