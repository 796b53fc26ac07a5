import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OverviewScene } from './paint';
import type { PaintReply, PaintRequest } from './paintWorker';
import { newPainter } from './painter';
import type { Layout } from '../types';

const layout: Layout = { lanes: [], boxes: new Map(), edges: [], width: 0, height: 0 } as unknown as Layout;
const picture = (width: number): OverviewScene => ({
  canvasView: { view: { x: 0, y: 0, zoom: 1 }, density: 2 },
  size: { width, height: 10 },
  colours: {},
  removedEdges: new Set(),
});

const workers: FakeWorker[] = [];
class FakeWorker {
  onmessage?: (event: { data: PaintReply }) => void;
  onerror?: (event: { preventDefault: () => void }) => void;
  readonly requests: PaintRequest[] = [];
  readonly terminate = vi.fn();
  constructor() {
    workers.push(this);
  }
  postMessage(request: PaintRequest) {
    this.requests.push(request);
  }
}

/** The worker of the latest renderer. */
function latest(): FakeWorker {
  const worker = workers.at(-1);
  if (!worker) throw new Error('no worker was started');
  return worker;
}

/** A canvas of the page. Its bitmap is a text with its size. */
class FakeOffscreen {
  constructor(
    public width: number,
    public height: number,
  ) {}
  getContext() {
    return null;
  }
  transferToImageBitmap() {
    return `page ${String(this.width)}x${String(this.height)}`;
  }
}

function fakeCanvas() {
  const shown: unknown[] = [];
  const canvas = {
    getContext: () => ({
      transferFromImageBitmap: (bitmap: unknown) => {
        shown.push(bitmap);
      },
    }),
  };
  return { shown, canvas: canvas as unknown as HTMLCanvasElement };
}

beforeEach(() => {
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('OffscreenCanvas', FakeOffscreen);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the renderer of the overview', () => {
  it('shows the pictures of the worker, each on its canvas', () => {
    const painter = newPainter(layout);
    const worker = latest();
    const [ground, cards] = [fakeCanvas(), fakeCanvas()];
    const done = vi.fn();
    painter.paint(ground.canvas, picture(100), done);
    painter.paint(cards.canvas, picture(100), done);
    expect(worker.requests).toHaveLength(3);
    expect(done).not.toHaveBeenCalled();
    for (const request of worker.requests.slice(1).reverse()) {
      if ('id' in request)
        worker.onmessage?.({
          data: { id: request.id, bitmap: `worker ${String(request.id)}` as unknown as ImageBitmap },
        });
    }
    expect([ground.shown, cards.shown]).toEqual([['worker 1'], ['worker 2']]);
    expect(done).toHaveBeenCalledTimes(2);
    painter.stop();
    expect(worker.terminate).toHaveBeenCalled();
  });

  it('paints on the page if the worker cannot be loaded, earlier requests included', () => {
    const painter = newPainter(layout);
    const worker = latest();
    const { shown, canvas } = fakeCanvas();
    const done = vi.fn();
    painter.paint(canvas, picture(100), done);
    worker.onerror?.({ preventDefault: () => undefined });
    expect(shown).toEqual(['page 200x20']);
    painter.paint(canvas, picture(50), done);
    expect(shown).toEqual(['page 200x20', 'page 100x20']);
    expect(done).toHaveBeenCalledTimes(2);
    expect(worker.terminate).toHaveBeenCalled();
  });

  it('discards an unwanted picture', () => {
    const painter = newPainter(layout);
    const { shown, canvas } = fakeCanvas();
    const bitmap = { close: vi.fn() };
    painter.paint(canvas, picture(100), vi.fn(), () => true);
    latest().onmessage?.({ data: { id: 1, bitmap: bitmap as unknown as ImageBitmap } });
    expect(shown).toEqual([]);
    expect(bitmap.close).toHaveBeenCalled();
  });
});
