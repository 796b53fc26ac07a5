import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useClock, useNow } from './now';

function Clocks() {
  return <p>{useClock() === useNow() ? 'the same second' : 'different seconds'}</p>;
}

it('shows one time in one rendering, while the clock of the machine goes on between two reads', () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let time = Date.now() + 60_000;
  vi.spyOn(Date, 'now').mockImplementation(() => time++);
  render(<Clocks />);
  expect(screen.getByText('the same second')).toBeInTheDocument();
  expect(error).not.toHaveBeenCalled();
});
