import { type RefObject, useEffect, useRef } from 'react';

/**
 * Returns a function that focuses the line with an index. A distant line is rendered only after the view has scrolled,
 * so it is focused after the render that has it.
 */
export function useLineFocus(scroller: RefObject<HTMLElement | null>): (index: number) => void {
  const wanted = useRef<number>(undefined);
  const focus = () => {
    if (wanted.current === undefined) return;
    const line = scroller.current?.querySelector<HTMLElement>(`[data-index="${String(wanted.current)}"]`);
    if (!line) return;
    wanted.current = undefined;
    line.focus({ preventScroll: true });
  };
  useEffect(focus);
  return (index) => {
    wanted.current = index;
    focus();
  };
}
