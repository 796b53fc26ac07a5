import type { Place } from './marks';

interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** Where a key moves the current cell; undefined if it does not move it. */
export function moveOf(key: Key, { x, y }: Place, most: Place, page: number): Place | undefined {
  const all = key.ctrlKey || key.metaKey;
  const to = (nx: number, ny: number): Place => ({
    x: Math.max(0, Math.min(most.x, nx)),
    y: Math.max(0, Math.min(most.y, ny)),
  });
  switch (key.key) {
    case 'ArrowLeft':
      return to(x - 1, y);
    case 'ArrowRight':
      return to(x + 1, y);
    case 'ArrowUp':
      return to(x, y - 1);
    case 'ArrowDown':
      return to(x, y + 1);
    case 'Home':
      return to(0, all ? 0 : y);
    case 'End':
      return to(most.x, all ? most.y : y);
    case 'PageUp':
      return to(x, y - page);
    case 'PageDown':
      return to(x, y + page);
    default:
      return undefined;
  }
}
