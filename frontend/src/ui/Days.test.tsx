import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Days } from './Days';

const REVERSED = 'The first day is after the last, so nothing is listed.';

it('names the zone of its days, and says that a first day after the last selects nothing', async () => {
  const show = (from?: string, to?: string) => (
    <MantineProvider env="test">
      <Days from={from} to={to} zone="Asia/Shanghai" onChange={vi.fn()} />
    </MantineProvider>
  );
  const { rerender } = render(show('2026-11-20', '2026-11-20'));
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  rerender(show('2026-11-20'));
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  rerender(show('2026-11-20', '2026-11-19'));
  expect(screen.getByRole('status')).toHaveTextContent(REVERSED);
  await userEvent.click(screen.getByRole('button', { name: /2026-11-20/ }));
  expect(await screen.findByText('Days begin and end in Asia/Shanghai.')).toBeInTheDocument();
});
