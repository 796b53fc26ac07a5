/** An element and all around it, from the inside. */
export function withAround(element: Element | null): Element[] {
  const all: Element[] = [];
  for (let e = element; e; e = e.parentElement) all.push(e);
  return all;
}

/** Gives the focus to the nearest of these that is there and can take it; to the page's content if there is none. */
export function focusNearest(around: readonly Element[]): void {
  const next =
    around.find((e, at) => e.isConnected && (at === 0 || e.hasAttribute('tabindex'))) ??
    document.getElementById('content');
  if (next instanceof HTMLElement || next instanceof SVGElement) next.focus({ preventScroll: true });
}
