import { describe, expect, it } from 'vitest';
import { beginAnew, type Here, partMissing } from './anew';

function world(answers: boolean | 'none') {
  const kept = new Map<string, string>();
  const w = { reloads: 0, time: 1_000_000, answers };
  const here: Here = {
    fetch: () =>
      w.answers === 'none' ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve({ ok: w.answers }),
    reload: () => {
      w.reloads++;
    },
    now: () => w.time,
    kept: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => {
        kept.set(key, value);
      },
    },
  };
  return { w, here };
}

describe('a part of the page that cannot be fetched', () => {
  it('begins the page anew if the server is there: it has other files now', async () => {
    const { w, here } = world(true);
    await partMissing(here);
    expect(w.reloads).toBe(1);
  });

  it('leaves the page as it is while the server is not there', async () => {
    for (const answers of [false, 'none'] as const) {
      const { w, here } = world(answers);
      await partMissing(here);
      expect(w.reloads).toBe(0);
      expect(await beginAnew(here)).toBe(false);
    }
  });

  it('does not begin anew again and again', async () => {
    const { w, here } = world(true);
    await partMissing(here);
    w.time += 59_000;
    await partMissing(here);
    expect(w.reloads).toBe(1);
    w.time += 2_000;
    await partMissing(here);
    expect(w.reloads).toBe(2);
  });

  it('that the server did not answer for does not count as beginning anew', async () => {
    const { w, here } = world('none');
    await partMissing(here);
    w.answers = true;
    await partMissing(here);
    expect(w.reloads).toBe(1);
  });
});
