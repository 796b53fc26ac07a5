import { type RefObject, useEffect } from 'react';

/**
 * Marks a row that scrolls sideways with `data-fade`: `start`, `end` or `both`, for the sides at which something is out
 * of sight. The style sheet fades these edges, so that nobody takes a cut word for the end of the row.
 */
export function useEdgeFades(row: RefObject<HTMLElement | null>): void {
  useEffect(() => (row.current ? follow(row.current) : undefined), [row]);
}

function follow(element: HTMLElement): () => void {
  const update = () => {
    const sides = sidesOf(element);
    if (sides) element.dataset.fade = sides;
    else delete element.dataset.fade;
  };
  // The labels change their widths with the language and the font.
  const sizes = new ResizeObserver(update);
  const observeAll = () => {
    for (const part of [element, ...element.children]) sizes.observe(part);
  };
  observeAll();
  // Links and buttons that come or go change neither the size of the row nor where it is scrolled to.
  const parts = new MutationObserver(() => {
    observeAll();
    update();
  });
  parts.observe(element, { childList: true });
  element.addEventListener('scroll', update, { passive: true });
  update();
  return () => {
    sizes.disconnect();
    parts.disconnect();
    element.removeEventListener('scroll', update);
  };
}

/** The sides at which a part of the row is out of sight. */
function sidesOf({ scrollLeft, scrollWidth, clientWidth }: Element): 'start' | 'end' | 'both' | undefined {
  const start = scrollLeft > 1;
  const end = scrollLeft + clientWidth < scrollWidth - 1;
  if (start && end) return 'both';
  return start ? 'start' : end ? 'end' : undefined;
}
