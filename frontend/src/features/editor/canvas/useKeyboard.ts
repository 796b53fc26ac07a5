import { type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CARD, jobOfMark, type Point } from '@/scene';
import { isOverPage, takesText } from '@/ui';
import { useEditor } from '../context';
import type { CanvasContextValue } from './canvasStore';
import { commandFor, type KeyPress, runKey } from './keyboardCommands';
import { answerText } from './Tips';

/** Returns the canvas's key handler, which the scene calls before its own, and handles a few keys on the whole page. */
export function useKeyboard(
  context: CanvasContextValue,
  container: RefObject<HTMLElement | null>,
): (press: KeyPress) => boolean {
  const { store } = useEditor();
  const { t } = useTranslation('document');
  const { t: tCanvas } = useTranslation('canvas');
  const onKey = (press: KeyPress) =>
    runKey(press, {
      ...context,
      store,
      positionOf: (mark) => positionOf(container.current, mark),
      announcements: {
        connecting: (task) => tCanvas('link.begun', { task }),
        connectEnded: () => tCanvas('link.ended'),
        answer: (answer) => answerText(t, answer),
      },
    });
  usePageKeys(container, onKey);
  return onKey;
}

/**
 * The point of the window for the menu of a card or lane; without a mark, of the active element. It is the middle of a
 * card, and as far from the upper left corner of anything larger.
 */
function positionOf(container: HTMLElement | null, mark: string | undefined): Point {
  const rect = (container?.querySelector(selectorOf(mark)) ?? container)?.getBoundingClientRect();
  if (!rect) return { x: 0, y: 0 };
  return {
    x: rect.left + Math.min(rect.width, CARD.width) / 2,
    y: rect.top + Math.min(rect.height, CARD.height) / 2,
  };
}

function selectorOf(mark: string | undefined): string {
  if (mark === undefined) return '[data-active]';
  const job = jobOfMark(mark);
  return job === undefined ? `[data-task="${mark}"]` : `[data-lane-head="${job}"]`;
}

/**
 * Handles keys for the canvas while another part of the page has the focus: after a click on a button, Ctrl+D still
 * duplicates the selection. Delete requires the focus on the canvas, so that a key for a field deletes no task.
 */
function usePageKeys(container: RefObject<HTMLElement | null>, onKey: (press: KeyPress) => boolean): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.defaultPrevented || takesText(target) || isOverPage(target)) return;
      const command = commandFor(event);
      const near = target instanceof Node && container.current?.contains(target);
      if (command !== 'duplicate' && !(command === 'remove' && near)) return;
      if (latest.current(event)) event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, [container]);
}
