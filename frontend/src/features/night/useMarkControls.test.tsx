import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Cursor, Mark } from './marks';
import { useMarkControls } from './useMarkControls';

const MARK: Mark = { look: 'succeeded', from: 20, to: 40, moment: 20 };
const SCALE = { from: 0, to: 100, width: 100 };
const FIRST: Cursor = { row: 0, mark: 0 };

const spies = () => ({ onCursor: vi.fn(), onMove: vi.fn(), onChoose: vi.fn(), onZoom: vi.fn(), onBack: vi.fn() });

function Picture({ calls, cursor }: { calls: ReturnType<typeof spies>; cursor?: Cursor }) {
  const { drag, handlers } = useMarkControls({
    marks: [[MARK]],
    scale: SCALE,
    cursor,
    start: FIRST,
    pointOf: ({ clientX: x }) => ({ x, draggable: x < 90, at: x >= 20 && x <= 40 ? FIRST : undefined }),
    ...calls,
  });
  return (
    <div
      role="application"
      data-drag={drag ? `${String(drag.from)} ${String(drag.to)}` : undefined}
      ref={(box) => {
        if (box) box.setPointerCapture = () => undefined; // jsdom has no pointer capture
      }}
      {...handlers}
    >
      <button type="button">inside</button>
    </div>
  );
}

function picture(cursor?: Cursor) {
  const calls = spies();
  render(<Picture calls={calls} cursor={cursor} />);
  return { calls, box: screen.getByRole('application') };
}

describe('the controls of a picture of marks', () => {
  it('a drag changes the window, and opens nothing', () => {
    const { calls, box } = picture();
    fireEvent.pointerDown(box, { clientX: 30, button: 0 });
    fireEvent.pointerMove(box, { clientX: 35 });
    expect(box.dataset.drag).toBe('30 35');
    fireEvent.pointerLeave(box);
    expect(box.dataset.drag).toBe('30 35'); // the pointer is captured
    fireEvent.pointerUp(box, { clientX: 70, button: 0 });
    expect(box.dataset.drag).toBeUndefined();
    expect(calls.onZoom.mock.calls).toEqual([[30, 70]]);
    expect(calls.onChoose).not.toHaveBeenCalled();
  });

  it('a click opens the mark; other buttons, and places without a mark, open nothing', () => {
    const { calls, box } = picture();
    fireEvent.pointerUp(box, { clientX: 30, button: 2 });
    fireEvent.pointerUp(box, { clientX: 60, button: 0 });
    expect(calls.onChoose).not.toHaveBeenCalled();
    fireEvent.pointerDown(box, { clientX: 30, button: 0 });
    fireEvent.pointerUp(box, { clientX: 32, button: 0 });
    expect(calls.onChoose.mock.calls).toEqual([[FIRST]]);
    expect(calls.onZoom).not.toHaveBeenCalled();
  });

  it.each([
    ['Home', 'onMove', [FIRST]],
    ['Enter', 'onChoose', [FIRST]],
    ['+', 'onZoom', [5, 55]],
    ['-', 'onZoom', [-70, 130]],
    ['0', 'onBack', []],
    ['Escape', 'onBack', []],
  ] as const)('%s does its work', (key, name, values) => {
    const { calls, box } = picture(FIRST);
    expect(fireEvent.keyDown(box, { key })).toBe(false);
    expect(calls[name].mock.calls).toEqual([[...values]]);
  });

  it('leaves keys to the browser and to the elements inside', () => {
    const { calls, box } = picture(FIRST);
    expect(fireEvent.keyDown(box, { key: '+', ctrlKey: true })).toBe(true);
    expect(fireEvent.keyDown(screen.getByRole('button'), { key: 'Enter' })).toBe(true);
    expect(fireEvent.keyDown(box, { key: 'x' })).toBe(true);
    for (const spy of Object.values(calls)) expect(spy).not.toHaveBeenCalled();
  });
});
