// The page's code is split into chunks, and a chunk can be missing for two reasons. If the server was upgraded while
// the page was open, its files have other names: the page is reloaded at the same address. If the server cannot be
// reached, a reload would leave only the browser's own error page, so the page stays and says what is missing. A chunk
// that was only prefetched never causes a reload, because no one has asked for it yet.

/** Matches the errors of Chromium, Firefox, Safari and Vite for a chunk that could not be fetched. */
export const NOT_FETCHED = /dynamically imported module|importing a module script|unable to preload/i;

/**
 * The least time between two reloads for missing chunks, in milliseconds. It keeps a reload that did not help from
 * repeating.
 */
const BETWEEN_RELOADS = 60_000;
const STORAGE_KEY = 'hivego.reloaded';

/** The parts of the browser that are used here; tests give their own. */
export interface Browser {
  fetch: (path: string, init: RequestInit) => Promise<{ ok: boolean }>;
  reload: () => void;
  now: () => number;
  storage: Pick<Storage, 'getItem' | 'setItem'>;
}

const browser: Browser = {
  fetch: (path, init) => fetch(path, init),
  reload: () => {
    location.reload();
  },
  now: () => Date.now(),
  storage: sessionStorage,
};

async function reachable(on: Browser): Promise<boolean> {
  return on.fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Reloads the page if the server answers, and returns whether it does. */
export async function reloadIfReachable(on: Browser = browser): Promise<boolean> {
  if (!(await reachable(on))) return false;
  on.reload();
  return true;
}

/** Reloads the page for a missing chunk if the server answers and no such reload happened within the last minute. */
export async function chunkMissing(on: Browser = browser): Promise<void> {
  if (on.now() - Number(on.storage.getItem(STORAGE_KEY)) < BETWEEN_RELOADS || !(await reachable(on))) return;
  on.storage.setItem(STORAGE_KEY, String(on.now()));
  on.reload();
}
