import { act, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { lazyPreload } from './lazyPreload';

/** A part whose state is the name at its mount. */
const newPart = () =>
  function Part({ name }: { name: string }) {
    const [first] = useState(name);
    return <p>{`${name} of ${first}`}</p>;
  };

it('shows a part at once that was loaded in idle time', async () => {
  vi.useFakeTimers();
  const load = vi.fn(() => Promise.resolve(newPart()));
  const Part = lazyPreload(load);
  await vi.advanceTimersByTimeAsync(2000);
  vi.useRealTimers();
  render(<Part name="loaded" />);
  expect(screen.getByText('loaded of loaded')).toBeInTheDocument();
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
  expect(await screen.findByText('early of early')).toBeInTheDocument();
  rerender(<Part name="later" />);
  expect(screen.getByText('later of early')).toBeInTheDocument();
});

it('loads again after a failure', async () => {
  vi.useFakeTimers();
  const load = vi.fn(() => Promise.resolve(newPart())).mockRejectedValueOnce(new Error('the network is away'));
  const Part = lazyPreload(load);
  await vi.advanceTimersByTimeAsync(2000);
  vi.useRealTimers();
  render(<Part name="again" />);
  expect(await screen.findByText('again of again')).toBeInTheDocument();
});
