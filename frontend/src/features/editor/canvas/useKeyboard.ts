import { type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { jobOfMark, type Point } from '@/scene';
import { useEditor } from '../context';
import { isOverPage, takesText } from '../keys';
import type { CanvasContextValue } from './canvasStore';
import { commandFor, type KeyPress, runKey } from './keyboardCommands';
import { answerText } from './Tips';

/** Half of a card, about: menus opened by keys stand in its middle. */
const CARD_MIDDLE = { x: 188, y: 46 };

/** Answers what takes the keys of the canvas before the scene does, and lets a few of them work from the whole page. */
export function useKeyboard(
  context: CanvasContextValue,
  place: RefObject<HTMLElement | null>,
): (press: KeyPress) => boolean {
  const { store } = useEditor();
  const { t } = useTranslation('document');
  const { t: own } = useTranslation('canvas');
  const onKey = (press: KeyPress) =>
    runKey(press, {
      ...context,
      store,
      positionOf: (mark) => positionOf(place.current, mark),
      say: {
        connecting: (task) => own('link.begun', { task }),
        connectEnded: () => own('link.ended'),
        answer: (answer) => answerText(t, answer),
      },
    });
  usePageKeys(place, onKey);
  return onKey;
}

/** The point of the window for a menu about a card, a lane or, without a mark, what is active. */
function positionOf(place: HTMLElement | null, mark: string | undefined): Point {
  const rect = (place?.querySelector(selectorOf(mark)) ?? place)?.getBoundingClientRect();
  if (!rect) return { x: 0, y: 0 };
  return {
    x: rect.left + Math.min(rect.width, CARD_MIDDLE.x) / 2,
    y: rect.top + Math.min(rect.height, CARD_MIDDLE.y) / 2,
  };
}

function selectorOf(mark: string | undefined): string {
  if (mark === undefined) return '[data-active]';
  const job = jobOfMark(mark);
  return job === undefined ? `[data-task="${mark}"]` : `[data-lane-head="${job}"]`;
}

/**
 * Keys that are about the canvas while something else of the page has the focus: whoever clicked a button goes on
 * with what is selected. Deleting needs the focus on the canvas: who only believes to be in a field would lose a
 * task.
 */
function usePageKeys(place: RefObject<HTMLElement | null>, onKey: (press: KeyPress) => boolean): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.defaultPrevented || takesText(target) || isOverPage(target)) return;
      const command = commandFor(event);
      const near = target instanceof Node && place.current?.contains(target);
      if (command !== 'duplicate' && !(command === 'remove' && near)) return;
      if (latest.current(event)) event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, [place]);
}
