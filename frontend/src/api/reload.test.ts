import { describe, expect, it } from 'vitest';
import { reloadIfReachable, type Browser, chunkMissing } from './reload';

function world(answers: boolean | 'none') {
  const kept = new Map<string, string>();
  const w = { reloads: 0, time: 1_000_000, answers };
  const browser: Browser = {
    fetch: () =>
      w.answers === 'none' ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve({ ok: w.answers }),
    reload: () => {
      w.reloads++;
    },
    now: () => w.time,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => {
        kept.set(key, value);
      },
    },
  };
  return { w, browser };
}

describe('a chunk that cannot be fetched', () => {
  it('reloads the page if the server answers: it has other files now', async () => {
    const { w, browser } = world(true);
    await chunkMissing(browser);
    expect(w.reloads).toBe(1);
  });

  it('leaves the page as it is while the server cannot be reached', async () => {
    for (const answers of [false, 'none'] as const) {
      const { w, browser } = world(answers);
      await chunkMissing(browser);
      expect(w.reloads).toBe(0);
      expect(await reloadIfReachable(browser)).toBe(false);
    }
  });

  it('does not reload twice within a minute', async () => {
    const { w, browser } = world(true);
    await chunkMissing(browser);
    w.time += 59_000;
    await chunkMissing(browser);
    expect(w.reloads).toBe(1);
    w.time += 2_000;
    await chunkMissing(browser);
    expect(w.reloads).toBe(2);
  });

  it('does not count a try that the server did not answer as a reload', async () => {
    const { w, browser } = world('none');
    await chunkMissing(browser);
    w.answers = true;
    await chunkMissing(browser);
    expect(w.reloads).toBe(1);
  });
});
