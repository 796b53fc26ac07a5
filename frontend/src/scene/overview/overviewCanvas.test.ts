import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { View } from '../camera';
import type { OverviewScene } from './paint';
import type { Painter } from './painter';
import { MARGIN, newOverviewCanvas } from './overviewCanvas';

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
  const requests: { picture: OverviewScene; done: () => void; unwanted?: () => boolean }[] = [];
  const painter: Painter = {
    paint: (_, picture, done, unwanted) => {
      requests.push({ picture, done, unwanted });
    },
    stop: () => undefined,
  };
  const canvas = document.createElement('canvas');
  const done = vi.fn();
  const overviewCanvas = newOverviewCanvas(
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
    requests,
    canvas,
    done,
    overviewCanvas,
    frame: () => {
      frames.splice(0).forEach((work) => {
        work();
      });
    },
    moveView: (view: View) => {
      canvasView = view;
      overviewCanvas.move();
    },
    paint: () => {
      requests.at(-1)?.done();
    },
  };
}

describe('newOverviewCanvas', () => {
  it('requests one picture at a time, and another one after a change', () => {
    const { requests, overviewCanvas, frame, paint } = fixture();
    overviewCanvas.repaint();
    overviewCanvas.repaint();
    frame();
    expect(requests).toHaveLength(1);
    overviewCanvas.repaint();
    frame();
    expect(requests).toHaveLength(1);
    paint();
    frame();
    expect(requests).toHaveLength(2);
    paint();
    frame();
    expect(requests).toHaveLength(2);
  });

  it('moves its picture with the view at once, and paints when the view rests', () => {
    const { requests, canvas, overviewCanvas, frame, moveView, paint } = fixture();
    overviewCanvas.repaint();
    frame();
    paint();
    expect(canvas.style.transform).toBe(`translate(${String(-MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    moveView({ x: 30, y: 0, zoom: 1 });
    expect(canvas.style.transform).toBe(`translate(${String(30 - MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    frame();
    expect(requests).toHaveLength(1);
    vi.runAllTimers();
    frame();
    expect(requests).toHaveLength(2);
  });

  it('paints at once when the view leaves the picture or zooms', () => {
    for (const view of [
      { x: MARGIN, y: 0, zoom: 1 },
      { x: 0, y: 0, zoom: 1.2 },
    ]) {
      const { requests, overviewCanvas, frame, moveView, paint } = fixture();
      overviewCanvas.repaint();
      frame();
      paint();
      moveView(view);
      frame();
      expect(requests).toHaveLength(2);
    }
  });

  it('paints again if the view moved away and back while the picture was painted', () => {
    const { requests, canvas, overviewCanvas, frame, moveView, paint } = fixture();
    overviewCanvas.repaint();
    frame();
    paint();
    moveView({ x: 500, y: 0, zoom: 1 });
    frame(); // requested at 500
    moveView({ x: 0, y: 0, zoom: 1 });
    expect(canvas.style.transform).toBe(`translate(${String(-MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    paint(); // the picture of 500 is all there is
    expect(canvas.style.transform).toBe(`translate(${String(-500 - MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    frame();
    expect(requests).toHaveLength(3);
    paint();
    expect(canvas.style.transform).toBe(`translate(${String(-MARGIN)}px, ${String(-MARGIN)}px) scale(1)`);
    frame();
    vi.runAllTimers();
    frame();
    expect(requests).toHaveLength(3);
  });

  it('ignores pictures after it is stopped', () => {
    const { requests, done, overviewCanvas, frame, moveView, paint } = fixture();
    overviewCanvas.repaint();
    frame();
    expect(requests[0]?.unwanted?.()).toBe(false);
    overviewCanvas.stop();
    expect(requests[0]?.unwanted?.()).toBe(true);
    paint();
    moveView({ x: 900, y: 0, zoom: 1 });
    frame();
    vi.runAllTimers();
    expect(done).not.toHaveBeenCalled();
    expect(requests).toHaveLength(1);
  });
});
