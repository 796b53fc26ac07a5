import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import type { Batch } from '@/live';
import { renderPage } from '@/test/page';
import { MainActions } from './Actions';
import { summarize } from './summary';

const actions = { pending: undefined } as unknown as Parameters<typeof MainActions>[0]['actions'];

function show(batch: Partial<Batch>, state: 'canceled' | 'running') {
  const run = {
    number: 0,
    key: 'a',
    job: 'j',
    state,
    reason: '',
    attempts: 1,
    executor: '',
    error: '',
    round: 1,
  } as const;
  const summary = summarize([run], new Set());
  renderPage(() => <MainActions batch={batch as Batch} resumable={summary.resumable} actions={actions} />, {
    at: '/',
    path: '/',
    answers: {},
  });
}

describe('the main actions', () => {
  beforeEach(() => setLanguage('en'));

  it('offer to resume a batch that was canceled', async () => {
    show({ live: false, wish: 'cancel', state: 'canceled', schedule: 's' }, 'canceled');
    expect(await screen.findByRole('button', { name: 'Resume…' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /Cancel/ })).toBeNull();
  });

  it('offer no other action while a batch is being canceled', async () => {
    show({ live: true, wish: 'cancel', state: 'running', schedule: 's' }, 'running');
    expect(await screen.findByRole('button')).toBeDisabled();
  });
});
