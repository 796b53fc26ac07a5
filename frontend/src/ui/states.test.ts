import { beforeAll, describe, expect, it } from 'vitest';
import i18next from 'i18next';
import { setLanguage } from '@/i18n';
import { reasonText, shownBatch, waitReasonText } from './states';
import dispatchGo from '../../../server/hive/dispatch.go?raw';
import stateGo from '../../../server/hive/state.go?raw';

describe('the state of a batch', () => {
  it('is paused if it runs and its wish is pause', () => {
    expect(shownBatch({ state: 'running', wish: 'pause' })).toBe('paused');
    expect(shownBatch({ state: 'running', wish: 'run' })).toBe('running');
    expect(shownBatch({ state: 'queued', wish: 'pause' })).toBe('queued');
    expect(shownBatch({ state: 'failed' })).toBe('failed');
  });
});

const t = ((...args: [string, object]) => i18next.t(...(args as unknown as [never, never]))) as never;
/** All codes of a type in the server. */
const codes = (type: string) =>
  [stateGo, dispatchGo].flatMap((text) =>
    [...text.matchAll(new RegExp(`^\\s*(?:const )?\\w+ +${type} += "(\\w+)"`, 'gm'))].map((m) => m[1]!),
  );

describe.each(['en', 'zh'] as const)('in %s', (language) => {
  beforeAll(() => setLanguage(language));
  it('each reason of the server has a text', () => {
    const all = codes('Reason');
    expect(all).toContain('upstream_failed');
    for (const reason of all) {
      const text = reasonText({ state: 'failed', reason, cause: 'b', detail: 'ann', exitCode: 3, executor: 'e' }, t);
      expect(text, reason).not.toBe('');
      expect(text, reason).not.toBe(reason);
      expect(text, reason).not.toContain('{{');
    }
  });
  it('each wait reason of the server has a text', () => {
    const all = codes('WaitReason');
    expect(all).toContain('busy');
    for (const waitReason of all) expect(waitReasonText(waitReason, t)).not.toBe(waitReason);
  });
});

describe('reasonText', () => {
  beforeAll(() => setLanguage('en'));
  it.each([
    [{ state: 'failed', reason: 'exit', exitCode: 2 }, 'exit code 2'],
    [{ state: 'failed', reason: 'exit' }, 'its work failed'],
    [{ state: 'skipped', reason: 'upstream_failed', cause: 'b' }, 'because of b'],
    [{ state: 'succeeded', reason: 'person', detail: 'ann' }, 'by ann'],
    [{ state: 'succeeded', reason: 'person' }, 'by a person'],
    [{ state: 'ready', reason: '', hold: 'busy' }, 'all slots are taken'],
    [{ state: 'running', reason: '', hold: 'busy' }, ''],
    [{ state: 'failed', reason: 'of_a_later_server' }, 'of_a_later_server'],
  ] as const)('%o: %s', (run, want) => {
    expect(reasonText(run, t)).toBe(want);
  });
});
