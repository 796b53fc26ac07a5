// The code of the page is split into chunks. A chunk can be missing for two reasons. If the server was upgraded while
// the page was open, the files have other names, and the page is reloaded. If the server cannot be reached, a reload
// would show the error page of the browser, so the page shows its own error instead. A chunk that was only preloaded
// never causes a reload, because the user has not requested it.

/** Matches the errors of Chromium, Firefox, Safari and Vite for a chunk that could not be fetched. */
export const NOT_FETCHED = /dynamically imported module|importing a module script|unable to preload/i;

/** The minimum time between two reloads for missing chunks, in milliseconds. It prevents a loop of reloads. */
const MIN_RELOAD_INTERVAL = 60_000;
const STORAGE_KEY = 'hivego.reloaded';

/** The parts of the browser that this module uses. Tests replace them. */
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

async function isReachable({ fetch }: Browser): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Reloads the page if the server can be reached. Returns whether it can. */
export async function reloadIfReachable(env: Browser = browser): Promise<boolean> {
  if (!(await isReachable(env))) return false;
  env.reload();
  return true;
}

/** Reloads the page for a missing chunk if the server can be reached and the last such reload is a minute ago. */
export async function reloadForMissingChunk(env: Browser = browser): Promise<void> {
  if (env.now() - Number(env.storage.getItem(STORAGE_KEY)) < MIN_RELOAD_INTERVAL || !(await isReachable(env))) return;
  env.storage.setItem(STORAGE_KEY, String(env.now()));
  env.reload();
}
