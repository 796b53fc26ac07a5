import { describe, expect, it } from 'vitest';
import { reloadIfReachable, type Browser, reloadForMissingChunk } from './reload';

function fakeBrowser(answers: boolean | 'none') {
  const storage = new Map<string, string>();
  const state = { reloads: 0, time: 1_000_000, answers };
  const browser: Browser = {
    fetch: () =>
      state.answers === 'none'
        ? Promise.reject(new TypeError('Failed to fetch'))
        : Promise.resolve({ ok: state.answers }),
    reload: () => {
      state.reloads++;
    },
    now: () => state.time,
    storage: {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => {
        storage.set(key, value);
      },
    },
  };
  return { state, browser };
}

describe('a chunk that cannot be fetched', () => {
  it('causes a reload if the server can be reached', async () => {
    const { state, browser } = fakeBrowser(true);
    await reloadForMissingChunk(browser);
    expect(state.reloads).toBe(1);
  });

  it('causes no reload while the server cannot be reached', async () => {
    for (const answers of [false, 'none'] as const) {
      const { state, browser } = fakeBrowser(answers);
      await reloadForMissingChunk(browser);
      expect(state.reloads).toBe(0);
      expect(await reloadIfReachable(browser)).toBe(false);
    }
  });

  it('causes at most one reload a minute', async () => {
    const { state, browser } = fakeBrowser(true);
    await reloadForMissingChunk(browser);
    state.time += 59_000;
    await reloadForMissingChunk(browser);
    expect(state.reloads).toBe(1);
    state.time += 2_000;
    await reloadForMissingChunk(browser);
    expect(state.reloads).toBe(2);
  });

  it('causes a reload as soon as the server can be reached again', async () => {
    const { state, browser } = fakeBrowser('none');
    await reloadForMissingChunk(browser);
    state.answers = true;
    await reloadForMissingChunk(browser);
    expect(state.reloads).toBe(1);
  });
});
