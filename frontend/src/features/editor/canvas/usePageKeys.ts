import { type RefObject, useEffect, useRef } from 'react';
import { isOverPage, takesText } from '../focus';
import { actionFor, type Pressed } from './keys';

/**
 * Keys that are about the canvas while something else of the page has the focus: whoever clicked a button goes on with
 * what is selected. Deleting asks for the focus near: beside a field that one only believes to be in, it would take a task.
 */
export function usePageKeys(place: RefObject<HTMLElement | null>, onKey: (event: Pressed) => boolean): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.defaultPrevented || takesText(target) || isOverPage(target)) return;
      const action = actionFor(event);
      const near = target instanceof Node && place.current?.contains(target);
      if (action !== 'duplicate' && !(action === 'remove' && near)) return;
      if (latest.current(event)) event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, [place]);
}
