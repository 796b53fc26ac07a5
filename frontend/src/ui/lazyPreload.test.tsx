import { act, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { lazyPreload } from './lazyPreload';

/** A part with a state: the number of its mounts. */
const newPart = () => {
  const mounts = { count: 0 };
  const Part = ({ name }: { name: string }) => {
    const [mount] = useState(() => (mounts.count += 1));
    return <p>{`${name} ${String(mount)}`}</p>;
  };
  return Part;
};

it('shows a part at once that was loaded in idle time', async () => {
  vi.useFakeTimers();
  const load = vi.fn(() => Promise.resolve(newPart()));
  const Part = lazyPreload(load);
  await vi.advanceTimersByTimeAsync(2000);
  vi.useRealTimers();
  render(<Part name="loaded" />);
  expect(screen.getByText('loaded 1')).toBeInTheDocument();
  expect(load).toHaveBeenCalledTimes(1);
});

it('keeps the state of a part that was shown before it was loaded', async () => {
  let resolve: (part: ReturnType<typeof newPart>) => void = () => undefined;
  const part = new Promise<ReturnType<typeof newPart>>((loaded) => {
    resolve = loaded;
  });
  const Part = lazyPreload(() => part);
  const { container, rerender } = render(<Part name="early" />);
  expect(container).toBeEmptyDOMElement();
  await act(async () => {
    resolve(newPart());
    await part;
  });
  expect(await screen.findByText('early 1')).toBeInTheDocument();
  rerender(<Part name="later" />);
  expect(screen.getByText('later 1')).toBeInTheDocument();
});

it('loads again after a failure', async () => {
  vi.useFakeTimers();
  const load = vi.fn(() => Promise.resolve(newPart())).mockRejectedValueOnce(new Error('the network is away'));
  const Part = lazyPreload(load);
  await vi.advanceTimersByTimeAsync(2000);
  vi.useRealTimers();
  render(<Part name="again" />);
  expect(await screen.findByText('again 1')).toBeInTheDocument();
});
