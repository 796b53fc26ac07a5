// The code of the page comes in parts, and a part that is wanted can be missing for two reasons. Either the server was upgraded
// under the open page and has other files now: then the page begins anew, at the same address. Or the server cannot be reached:
// then beginning anew would leave nothing but the browser's own error page, so the page stays and says what it lacks. A part that
// was fetched ahead and did not come is no reason for anything: a page does not begin anew under somebody who does not want it yet.

/** Parts of the page that were not fetched, in the words of Chromium, Firefox, Safari and Vite. */
export const NOT_FETCHED = /dynamically imported module|importing a module script|unable to preload/i;

/** Two parts that are missing so close together (milliseconds) are one reason: what did not help is not done again. */
const ONCE = 60_000;
const KEPT = 'hivego.reloaded';

/** What it needs of the browser; tests give their own. */
export interface Here {
  fetch: (path: string, init: RequestInit) => Promise<{ ok: boolean }>;
  reload: () => void;
  now: () => number;
  kept: Pick<Storage, 'getItem' | 'setItem'>;
}

const browser: Here = {
  fetch: (path, init) => fetch(path, init),
  reload: () => {
    location.reload();
  },
  now: () => Date.now(),
  kept: sessionStorage,
};

/** Whether the server answers. */
export async function reachable(here: Here = browser): Promise<boolean> {
  return here.fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Begins the page anew if the server is there to give it; answers whether it does. */
export async function beginAnew(here: Here = browser): Promise<boolean> {
  if (!(await reachable(here))) return false;
  here.reload();
  return true;
}

/** A part of the page's code that is wanted could not be fetched. */
export async function partMissing(here: Here = browser): Promise<void> {
  if (here.now() - Number(here.kept.getItem(KEPT)) < ONCE || !(await reachable(here))) return;
  here.kept.setItem(KEPT, String(here.now()));
  here.reload();
}
