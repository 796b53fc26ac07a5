import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { renderPage } from '@/test/page';
import { nameFault, passwordFault, SetupPage } from './SetupPage';

function show() {
  return renderPage(SetupPage, {
    at: '/setup',
    path: '/setup',
    answers: {
      'GET /api/v1/setup': () => ({ needed: true, code: false }),
      'POST /api/v1/setup': () => ({ name: 'admin', admin: true, csrf: 'x' }),
    },
  });
}

describe('the first page of a new server', () => {
  beforeEach(async () => {
    await setLanguage('en');
  });

  it('moves the focus to each invalid field before it sends the form', async () => {
    const { calls } = show();
    const sent = () => calls.filter((call) => call.method === 'POST').length;
    const password = await screen.findByLabelText('Password');
    const again = screen.getByLabelText('The password again');
    const go = screen.getByRole('button', { name: 'Create and begin' });
    await waitFor(() => {
      expect(go).toBeEnabled();
    });
    await userEvent.type(password, 'short');
    await userEvent.click(go);
    await waitFor(() => {
      expect(password).toHaveFocus();
    });
    expect(password).toHaveAccessibleDescription(expect.stringContaining('At least 10 characters.'));
    await userEvent.type(password, ' and long enough');
    await userEvent.click(go);
    await waitFor(() => {
      expect(again).toHaveFocus();
    });
    expect(sent()).toBe(0);
    await userEvent.type(again, 'short and long enough{Enter}');
    await waitFor(() => {
      expect(sent()).toBe(1);
    });
  });
});

it.each([
  ['admin', undefined],
  ['a.b@c-d_e', undefined],
  ['', 'name'],
  ['-a', 'name'],
  ['a b', 'name'],
  ['数据', 'name'],
  ['a'.repeat(64), 'name'],
])('name %s: %s', (name, fault) => {
  expect(nameFault(name)).toBe(fault);
});

it.each([
  ['short', 'short'],
  ['ten chars!', undefined],
  ['密码密码密码密码密码', undefined],
  ['🐝🐝🐝🐝🐝🐝🐝🐝🐝', 'short'],
])('password %s: %s', (password, fault) => {
  expect(passwordFault(password)).toBe(fault);
});
