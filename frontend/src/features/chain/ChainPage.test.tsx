import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { type Answers, renderPage } from '@/test/page';
import { ChainPage } from './ChainPage';
import { checkChainSearch } from './search';
import type { Bar, Chain, Link } from './chain';

const NOW = '2026-11-24T04:12:00.000Z';
const link = (name: string, place: Link['place'], over: Partial<Link> = {}): Link => ({
  name,
  place,
  missing: false,
  enabled: true,
  timezone: 'UTC',
  triggers: [{ text: '0 3 * * *', cron: '0 3 * * *' }],
  bars: [],
  more: 0,
  ...over,
});
const bar = (outcome: Bar['outcome'], over: Partial<Bar> = {}): Bar => ({
  moment: '2026-11-24T03:00:00.000Z',
  own: true,
  present: true,
  waiting: false,
  outcome,
  ...over,
});
const chain = (schedules: Link[], over: Partial<Chain> = {}): Chain => ({
  schedule: 'raw',
  now: NOW,
  from: '2026-11-24T02:00:00.000Z',
  until: '2026-11-24T08:00:00.000Z',
  cut: false,
  schedules,
  edges: [],
  failures: [],
  ...over,
});

function show(answers: Answers) {
  return renderPage(ChainPage, {
    at: '/schedules/raw/chain',
    path: '/schedules/$name/chain',
    answers,
  });
}

describe('the page of a chain', () => {
  beforeEach(() => setLanguage('en'));

  it('says that a schedule stands alone, with the next step', async () => {
    show({ 'GET /api/v1/schedules/raw/chain': () => chain([link('raw', 'subject')]) });
    await screen.findByRole('heading', { name: 'raw stands alone' });
    expect(screen.getByRole('link', { name: 'Open its settings' })).toHaveAttribute(
      'href',
      '/schedules/raw?view=settings',
    );
  });

  it('says what is not known, what is missing and what is left out', async () => {
    show({
      'GET /api/v1/schedules/raw/chain': () =>
        chain(
          [
            link('gone', 'before', { missing: true, triggers: [] }),
            link('raw', 'subject', { bars: [bar('held')], more: 3 }),
            link('mart', 'after', { bars: [bar('unknown', { mayBeginUntil: '2026-11-24T05:00:00.000Z' })] }),
            link('off', 'after', { enabled: false, bars: [bar('left_out')] }),
          ],
          {
            cut: true,
            edges: [
              {
                from: 'gone',
                to: 'raw',
                toMoment: bar('held').moment,
                needed: 0,
                met: 0,
                decides: false,
                missing: true,
              },
            ],
          },
        ),
    });
    const rows = (await screen.findAllByRole('listitem')).map((row) => row.textContent);
    expect(rows[0]).toContain('there is no such schedule');
    expect(rows[1]).toContain('waits for gone, which does not exist');
    expect(rows[1]).toContain('3 more moments are not shown');
    expect(rows[2]).toContain('its begin is not known · Tue 05:00 expires');
    expect(rows[3]).toContain('disabled: left out');
    expect(screen.getByText(/at most 200 schedules/)).toBeInTheDocument();
    expect(screen.getByText(/Nothing has failed/)).toBeInTheDocument();
    expect(screen.queryByRole('radiogroup')).toBeNull(); // nothing can be resumed
  });

  it('asks for another answer when a resume is assumed', async () => {
    const asked: (string | null)[] = [];
    show({
      'GET /api/v1/schedules/raw/chain': ({ url }) => {
        const resumeAt = new URL(url).searchParams.get('resumeAt');
        asked.push(resumeAt);
        return chain(
          [
            link('raw', 'subject', { bars: [bar('failed', { batch: 7, state: 'failed' })] }),
            link('mart', 'after', {
              bars: [
                resumeAt
                  ? bar('expected', { repairable: true, startsAt: NOW, lateSeconds: 4320 })
                  : bar('held', { repairable: true }),
              ],
            }),
          ],
          {
            resumeAt: resumeAt ?? undefined,
            failures: [{ schedule: 'raw', moment: NOW, batch: 7, state: 'failed', tasks: 2, of: 5, holds: ['mart'] }],
          },
        );
      },
    });
    await screen.findByText(/mart does not begin/);
    await userEvent.click(screen.getByText('if resumed now'));
    await screen.findByText(/mart begins 1 h 12 m late/);
    await waitFor(() => {
      expect(asked).toHaveLength(2);
    });
    expect(asked[0]).toBeNull();
    expect(screen.getByRole('button', { name: 'Resume 2 tasks… raw, batch #7' })).toBeInTheDocument();
  });
});

describe('the address of a chain', () => {
  it.each([
    [
      { resume: 'now', to: 'mart' },
      { resume: 'now', to: 'mart' },
    ],
    [{ resume: NOW }, { resume: NOW }],
    [
      { resume: 'soon', to: '' },
      { resume: undefined, to: undefined },
    ],
    [{}, {}],
  ])('%o', (given, want) => {
    expect(checkChainSearch(given)).toEqual(want);
  });
});
