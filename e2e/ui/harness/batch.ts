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

/** Waits until the page shows this state of its live connection. */
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

/** Waits until the page shows each task of a batch in the state that the API returns. */
export async function agrees(page: Page, server: Server, id: number): Promise<void> {
  let compared = '';
  await until('the page agrees with the API', async () => {
    const batch = await server.batch(id);
    const want = Object.fromEntries(batch.tasks.map((t) => [t.key, t.state]));
    const have = await states(page);
    compared = JSON.stringify({ want, have });
    return Object.keys(want).length > 0 && Object.entries(want).every(([task, state]) => have[task] === state);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${compared}`);
  });
}

/** Begins to record the states that each card shows, in their order and with their time (milliseconds since 1970). */
export async function record(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: Record<string, { state: string; at: number }[]> = {};
    const note = () => {
      for (const c of document.querySelectorAll<HTMLElement>('[data-task][data-state]')) {
        const list = (seen[c.dataset.task ?? ''] ??= []);
        if (list.at(-1)?.state !== c.dataset.state) list.push({ state: c.dataset.state ?? '', at: Date.now() });
      }
    };
    note();
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['data-state'],
    });
    Object.assign(window, { seen });
  });
}

/** The states since `record`, by task. */
export async function recorded(page: Page): Promise<Record<string, { state: string; at: number }[]>> {
  return page.evaluate(() => (window as unknown as { seen: Record<string, { state: string; at: number }[]> }).seen);
}

const FINAL = new Set(['succeeded', 'failed', 'canceled', 'skipped', 'ignored']);

/** Fails if a card has ever left a final state. */
export async function neverBack(page: Page): Promise<void> {
  const seen = await recorded(page);
  expect(Object.keys(seen).length).toBeGreaterThan(0);
  for (const [task, list] of Object.entries(seen)) {
    const end = list.findIndex(({ state }) => FINAL.has(state));
    expect(
      end === -1 ? [] : list.slice(end + 1).map(({ state }) => state),
      `${task} after its end; all of its states: ${list.map((s) => s.state).join(' ')}`,
    ).toEqual([]);
  }
}
