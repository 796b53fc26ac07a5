import { useEffect } from 'react';

/** An element and all around it, from the inside. */
export function withAncestors(element: Element | null): Element[] {
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

/** Brings the focus to the first field of a form that has a fault, once that is drawn: the next key mends it. */
export function focusFirstFault(form: Element): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"], input[data-invalid]')?.focus());
}

/** Milliseconds: a dialog that closes gives the focus back by itself. */
const PATIENCE = 1000;

/**
 * The focus is never lost: when what had it goes away (a button that is of no use any more, the link to another page),
 * the nearest thing around it that can take the focus gets it, the page's content at the least.
 */
export function useFocusFallback(): void {
  useEffect(() => {
    let around: Element[] = [];
    const note = ({ target }: FocusEvent) => {
      around = withAncestors(target instanceof Element ? target : null);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body && around[0]?.isConnected === false)
        timer ??= setTimeout(keep, PATIENCE);
    });
    const keep = () => {
      timer = undefined;
      if (document.activeElement !== document.body || around[0]?.isConnected !== false) return;
      focusNearest(around);
      around = [];
    };
    document.addEventListener('focusin', note);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', note);
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
}
