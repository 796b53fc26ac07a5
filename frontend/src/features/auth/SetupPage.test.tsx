import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { renderPage } from '@/test/page';
import { SetupPage } from './SetupPage';

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

  it('leads to what is wrong, field by field, before it asks the server', async () => {
    const { calls } = show();
    const asked = () => calls.filter((call) => call.method === 'POST').length;
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
    expect(asked()).toBe(0);
    await userEvent.type(again, 'short and long enough{Enter}');
    await waitFor(() => {
      expect(asked()).toBe(1);
    });
  });
});
