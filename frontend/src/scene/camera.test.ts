import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { written } from '@/graph/testing';
import { READABLE, reveal } from './camera';
import { layoutGraph } from './layout';

const screen = { width: 1280, height: 600 };
const [drawer, width] = [420, 2400];
const keys = Array.from({ length: 10 }, (_, i) => `t${String(i)}`);
const layout = layoutGraph(toGraph(written(keys)), { width });
const boxOf = (key: string) => {
  const box = layout.boxes.get(key);
  if (!box) throw new Error(`no card ${key}`);
  return box;
};

describe('a card that a drawer would cover', () => {
  const whole = { x: 0, y: 0, zoom: screen.width / width };
  const last = boxOf('t9');

  it('moves out from under it, without another zoom if that is wanted', () => {
    const view = reveal(whole, last, layout, screen, drawer, 0, whole.zoom);
    expect(view.zoom).toBe(whole.zoom);
    expect((last.x + last.width) * view.zoom + view.x).toBeLessThanOrEqual(screen.width - drawer);
    expect(last.x * view.zoom + view.x).toBeGreaterThanOrEqual(0);
  });

  it('is made readable otherwise', () => {
    expect(whole.zoom).toBeLessThan(READABLE);
    expect(reveal(whole, last, layout, screen, drawer).zoom).toBe(READABLE);
  });

  it('stays where it is if it is beside the drawer', () => {
    const below = { ...whole, y: 40 };
    expect(reveal(below, boxOf('t0'), layout, screen, drawer, 0, whole.zoom)).toBe(below);
  });
});
