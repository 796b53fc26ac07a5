import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { newQueryClient } from '@/api/queries';
import { loadTexts, setLanguage } from '@/i18n';
import { theme } from '@/ui/theme';
import { Filters } from './Filters';
import type { ReportsSearch } from './search';
import { queryOf } from './useReports';

beforeEach(async () => {
  await setLanguage('en');
  await loadTexts('reports');
});

/** Shows the filters of an address. `goTo` changes the address as the browser's back button does. */
function show() {
  const address = { search: {} as ReportsSearch };
  const filters = () => (
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={newQueryClient()}>
        <Filters
          search={address.search}
          query={queryOf(address.search, 0, 'UTC')}
          onChange={(part) => {
            goTo({ ...address.search, ...part });
          }}
        />
      </QueryClientProvider>
    </MantineProvider>
  );
  const { rerender } = render(filters());
  const goTo = (search: ReportsSearch) => {
    address.search = search;
    act(() => {
      rerender(filters());
    });
  };
  return { address, goTo };
}

it.each([
  ['Started by', 'cron', { by: 'cron' }],
  ['Parameter a=b', 'region=east', { param: 'region=east' }],
])('applies the text filter %j by Enter, keeps its focus, and follows the address', async (name, text, applied) => {
  const { address, goTo } = show();
  const field = screen.getByLabelText(name);
  await userEvent.type(field, `${text}{Enter}`);
  expect(address.search).toEqual(applied);
  expect(screen.getByLabelText(name)).toBe(field);
  expect(field).toHaveFocus();
  goTo({});
  expect(field).toHaveValue('');
  expect(field).toHaveFocus();
  await userEvent.tab();
  expect(address.search).toEqual({});
  goTo(applied as ReportsSearch);
  expect(field).toHaveValue(text);
});

it('drops the fault of a text when the address has another one', async () => {
  const { goTo } = show();
  const field = screen.getByLabelText('Parameter a=b');
  await userEvent.type(field, 'region{Enter}');
  expect(field).toBeInvalid();
  goTo({ param: 'region=east' });
  expect(field).toHaveValue('region=east');
  expect(field).toBeValid();
});
