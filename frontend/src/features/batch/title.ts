import { useEffect } from 'react';
import type { ShownState } from '@/ui';

const SIGNS: Partial<Record<ShownState, string>> = {
  failed: '✕',
  succeeded: '✓',
  running: '▶',
  queued: '…',
  canceled: '■',
};
/** The glyph of a state in a square of 16, as in the page. */
const PATHS: Partial<Record<ShownState, string>> = {
  failed: 'M5 5l6 6M11 5l-6 6',
  succeeded: 'M4.5 8.5l2.3 2.3 4.7-5.2',
  running: 'M6.4 5l4.6 3-4.6 3z',
  queued: 'M4.9 8h.1M8 8h.1M11.1 8h.1',
  canceled: 'M5.5 5.5h5v5h-5z',
};

/**
 * Shows a state in the browser's tab: `words` with a sign in the title, and a cell in the colour of the state as the
 * icon.
 */
export function useTabState(words: string, state: ShownState): void {
  useEffect(() => {
    const before = document.title;
    document.title = [SIGNS[state], words].filter(Boolean).join(' ');
    return () => {
      document.title = before;
    };
  }, [words, state]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link) return undefined;
    const before = link.href;
    link.href = iconOf(
      state,
      getComputedStyle(document.documentElement)
        .getPropertyValue(`--${state === 'queued' ? 'waiting' : state}`)
        .trim(),
    );
    return () => {
      link.href = before;
    };
  }, [state]);
}

/** The picture as an address that holds it. */
function iconOf(state: ShownState, colour: string): string {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">` +
    `<path d="M8 .5l6.5 3.75v7.5L8 15.5l-6.5-3.75v-7.5z" fill="${colour}"/>` +
    `<path d="${PATHS[state] ?? ''}" fill="none" stroke="#fff" stroke-width="2" ` +
    `stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
