import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { View } from '../camera';
import type { OverviewScene } from './paint';
import type { Renderer } from './renderer';
import { MARGIN, newOverviewCanvas } from './canvas';

let frames: (() => void)[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (work: () => void) => frames.push(work));
  vi.stubGlobal('cancelAnimationFrame', (id: number) => {
    frames[id - 1] = () => undefined;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A canvas with a renderer that the test controls. */
function fixture() {
  let canvasView: View = { x: 0, y: 0, zoom: 1 };
  const asked: { picture: OverviewScene; done: () => void; unwanted?: () => boolean }[] = [];
  const painter: Renderer = {
    paint: (_, picture, done, unwanted) => {
      asked.push({ picture, done, unwanted });
    },
    stop: () => undefined,
  };
  const canvas = document.createElement('canvas');
  const done = vi.fn();
  const drawer = newOverviewCanvas(
    painter,
    canvas,
    () => canvasView,
    () => ({
      canvasView: { view: { x: canvasView.x + MARGIN, y: canvasView.y + MARGIN, zoom: canvasView.zoom }, density: 1 },
      size: { width: 800, height: 600 },
      colours: {},
      removedEdges: new Set(),
    }),
    done,
  );
  return {
    asked,
    canvas,
    done,
    drawer,
    frame: () => {
      frames.splice(0).forEach((work) => {
        work();
      });
    },
    look: (view: View) => {
      canvasView = view;
      drawer.move();
    },
    paint: () => {
      asked.at(-1)?.done();
    },
  };
}

describe('newOverviewCanvas', () => {
  it('requests one picture at a time, and another one after a change', () => {
    const { asked, drawer, frame, paint } = fixture();
    drawer.repaint();
    drawer.repaint();
    frame();
    expect(asked).toHaveLength(1);
    drawer.repaint();
    frame();
    expect(asked).toHaveLength(1);
    paint();
    frame();
    expect(asked).toHaveLength(2);
    paint();
    frame();
    expect(asked).toHaveLength(2);
  });

  it('moves its picture with the view at once, and paints when the view rests', () => {
    const { asked, canvas, drawer, frame, look, paint } = fixture();
    drawer.repaint();
    frame();
    paint();
    expect(canvas.style.transform).toBe(`translate(${String(-MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    look({ x: 30, y: 0, zoom: 1 });
    expect(canvas.style.transform).toBe(`translate(${String(30 - MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    frame();
    expect(asked).toHaveLength(1);
    vi.runAllTimers();
    frame();
    expect(asked).toHaveLength(2);
  });

  it('paints at once when the view leaves the picture or zooms', () => {
    for (const view of [
      { x: MARGIN, y: 0, zoom: 1 },
      { x: 0, y: 0, zoom: 1.2 },
    ]) {
      const { asked, drawer, frame, look, paint } = fixture();
      drawer.repaint();
      frame();
      paint();
      look(view);
      frame();
      expect(asked).toHaveLength(2);
    }
  });

  it('paints again when the view jumped there and back while the picture was painted', () => {
    const { asked, canvas, drawer, frame, look, paint } = fixture();
    drawer.repaint();
    frame();
    paint();
    look({ x: 500, y: 0, zoom: 1 });
    frame(); // asked for at 500
    look({ x: 0, y: 0, zoom: 1 });
    expect(canvas.style.transform).toBe(`translate(${String(-MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    paint(); // the picture of 500 is all there is
    expect(canvas.style.transform).toBe(`translate(${String(-500 - MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    frame();
    expect(asked).toHaveLength(3);
    paint();
    expect(canvas.style.transform).toBe(`translate(${String(-MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    frame();
    vi.runAllTimers();
    frame();
    expect(asked).toHaveLength(3);
  });

  it('ignores pictures after it is stopped', () => {
    const { asked, done, drawer, frame, look, paint } = fixture();
    drawer.repaint();
    frame();
    expect(asked[0]?.unwanted?.()).toBe(false);
    drawer.stop();
    expect(asked[0]?.unwanted?.()).toBe(true);
    paint();
    look({ x: 900, y: 0, zoom: 1 });
    frame();
    vi.runAllTimers();
    expect(done).not.toHaveBeenCalled();
    expect(asked).toHaveLength(1);
  });
});
