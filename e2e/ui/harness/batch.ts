import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Server, until } from './server';

/** The card of a task in the graph. */
export function card(page: Page, task: string): Locator {
  return page.locator(`[data-task="${task}"][data-state]`);
}

/** Waits until the card of a task shows a state. */
export async function shows(page: Page, task: string, state: string): Promise<void> {
  await page.locator(`[data-task="${task}"][data-state="${state}"]`).waitFor();
}

/** Waits until the live connection of the page is in a state. */
export async function connection(page: Page, state: 'live' | 'offline' | 'connecting'): Promise<void> {
  await page.locator(`[data-live="${state}"]`).first().waitFor();
}

/** The states of all cards that the page shows. */
async function states(page: Page): Promise<Record<string, string>> {
  return page.evaluate(
    () =>
      Object.fromEntries(
        [...document.querySelectorAll<HTMLElement>('[data-task][data-state]')].map((c) => [
          c.dataset.task,
          c.dataset.state,
        ]),
      ) as Record<string, string>,
  );
}

/** Waits until the page shows every task as the API tells it, and the API has nothing else to tell any more. */
export async function agrees(page: Page, server: Server, id: number): Promise<void> {
  let said = '';
  await until('the page agrees with the API', async () => {
    const batch = await server.batch(id);
    const want = Object.fromEntries(batch.tasks.map((t) => [t.key, t.state]));
    const have = await states(page);
    said = JSON.stringify({ want, have });
    return Object.keys(want).length > 0 && Object.entries(want).every(([task, state]) => have[task] === state);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${said}`);
  });
}

/** From now on notes which states each card shows, one after another, and when (milliseconds since 1970). */
export async function record(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: Record<string, { state: string; at: number }[]> = {};
    const look = () => {
      for (const c of document.querySelectorAll<HTMLElement>('[data-task][data-state]')) {
        const list = (seen[c.dataset.task ?? ''] ??= []);
        if (list.at(-1)?.state !== c.dataset.state) list.push({ state: c.dataset.state ?? '', at: Date.now() });
      }
    };
    look();
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['data-state'],
    });
    Object.assign(window, { seen });
  });
}

/** What was noted. */
export async function recorded(page: Page): Promise<Record<string, { state: string; at: number }[]>> {
  return page.evaluate(() => (window as unknown as { seen: Record<string, { state: string; at: number }[]> }).seen);
}

const FINAL = new Set(['succeeded', 'failed', 'canceled', 'skipped', 'ignored']);

/** Fails if a task was ever seen to do anything after its end. */
export async function neverBack(page: Page): Promise<void> {
  const seen = await recorded(page);
  expect(Object.keys(seen).length).toBeGreaterThan(0);
  for (const [task, list] of Object.entries(seen)) {
    const end = list.findIndex(({ state }) => FINAL.has(state));
    expect(
      end === -1 ? [] : list.slice(end + 1).map(({ state }) => state),
      `${task} after its end; all it was seen as: ${list.map((s) => s.state).join(' ')}`,
    ).toEqual([]);
  }
}
