import { useEffect } from 'react';

/** An element and its ancestors, the element first. */
export function withAncestors(element: Element | null): Element[] {
  const chain: Element[] = [];
  for (let e = element; e; e = e.parentElement) chain.push(e);
  return chain;
}

/**
 * Focuses the first of these elements that is in the page and can take the focus, or else the content of the page.
 * `chain` is a result of withAncestors.
 */
export function focusNearest(chain: readonly Element[]): void {
  const next =
    chain.find((e, at) => e.isConnected && (at === 0 || e.hasAttribute('tabindex'))) ??
    document.getElementById('content');
  if (next instanceof HTMLElement || next instanceof SVGElement) next.focus({ preventScroll: true });
}

/** Focuses the first invalid field of a form, after the next render. */
export function focusFirstFault(form: Element): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"], input[data-invalid]')?.focus());
}

/** Milliseconds to wait, because a closing dialog returns the focus itself. */
const DELAY = 1000;

/** When the focused element is removed from the page, focuses its nearest ancestor that can take the focus. */
export function useFocusFallback(): void {
  useEffect(() => {
    let focusedChain: Element[] = [];
    const noteFocus = ({ target }: FocusEvent) => {
      focusedChain = withAncestors(target instanceof Element ? target : null);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body && focusedChain[0]?.isConnected === false)
        timer ??= setTimeout(restoreFocus, DELAY);
    });
    const restoreFocus = () => {
      timer = undefined;
      if (document.activeElement !== document.body || focusedChain[0]?.isConnected !== false) return;
      focusNearest(focusedChain);
      focusedChain = [];
    };
    document.addEventListener('focusin', noteFocus);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', noteFocus);
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
}
