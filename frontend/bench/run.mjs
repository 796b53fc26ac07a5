// npm run bench:canvas. Builds the page of the benchmark, opens it in Chromium, and prints for graphs of 1,000 and
// 5,000 tasks when the first tasks are painted, and how long the main thread works in a frame: of a batch while 1,000
// runs a second change, of a batch and of the editor while the view is panned. CPU time, so that other programs
// disturb little. Plain React Flow with dagre on the same graph stands beside both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import { at, launch } from './chromium.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SECONDS = 6;

const out = mkdtempSync(join(tmpdir(), 'hivego-bench-'));
const settings = {
  configFile: here('../vite.config.ts'),
  root: here('.'),
  logLevel: 'warn',
  build: { outDir: out, emptyOutDir: true },
};
let server;
let browser;

/** Leaves nothing behind, however the bench ends. */
async function tidy() {
  await Promise.race([
    browser?.close(),
    new Promise((done) => {
      setTimeout(done, 10_000);
    }),
  ]);
  server?.httpServer.close();
  rmSync(out, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    void tidy().finally(() => process.exit(1));
  });

/**
 * CPU milliseconds of the main thread from each frame to the next, sorted. A frame may call many that asked for it:
 * it is the task that they are called in.
 */
function frames(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const calls = traceEvents.filter((e) => e.name === 'FireAnimationFrame');
  const { pid, tid } = calls[0];
  const starts = calls.map((e) => e.ts).sort((a, b) => a - b);
  const tasks = traceEvents
    .filter((e) => e.pid === pid && e.tid === tid && e.name === 'RunTask' && e.ph === 'X')
    .sort((a, b) => a.ts - b.ts);
  const sums = [];
  let next = 0;
  for (const { ts, dur = 0, tdur = dur } of tasks) {
    while (starts[next] < ts) next++;
    if (starts[next] <= ts + dur) sums.push(0);
    if (sums.length > 0) sums[sums.length - 1] += tdur / 1000;
  }
  return sums.slice(1, -1).sort((a, b) => a - b);
}

/** Moves the view back and forth by the wheel, in every frame. */
const pan = (page) =>
  page.evaluate(
    (seconds) =>
      new Promise((done) => {
        const pane = document.querySelector('.react-flow__pane');
        const end = performance.now() + seconds * 1000;
        let frame = 0;
        const step = () => {
          if (performance.now() > end) {
            done();
            return;
          }
          const way = frame++ % 120 < 60 ? 1 : -1;
          pane.dispatchEvent(
            new WheelEvent('wheel', {
              deltaX: way * 12,
              deltaY: way * 30,
              bubbles: true,
              cancelable: true,
              clientX: 700,
              clientY: 400,
            }),
          );
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    SECONDS,
  );

async function measure(view, jobs, width, far, panned) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(180_000);
  await page.goto(`${server.resolvedUrls.local[0]}?view=${view}&jobs=${jobs}&width=${width}`);
  await page.waitForFunction(() => window.painted !== undefined);
  const painted = await page.evaluate(() => window.painted);
  if (far) {
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.waitForSelector('[data-overview]');
    // So that there is somewhere to go, when it has come to rest.
    if (panned) await page.getByRole('button', { name: 'Zoom in' }).click();
    await new Promise((done) => {
      setTimeout(done, 1000);
    });
  }
  await page.evaluate(() => {
    requestAnimationFrame(function again() {
      requestAnimationFrame(again);
    });
  });
  await browser.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  await page.mouse.move(700, 400);
  if (panned) await pan(page);
  else {
    await page.evaluate(() => {
      window.stop = window.change();
    });
    await new Promise((done) => {
      setTimeout(done, SECONDS * 1000);
    });
  }
  const trace = await browser.stopTracing();
  await page.close();
  const all = frames(trace);
  return [painted, at(all, 0.5), at(all, 0.95), at(all, 0.99)].map((ms) => ms.toFixed(1).padStart(9));
}

try {
  await build(settings);
  server = await preview({ ...settings, preview: { port: 0, host: '127.0.0.1' } });
  browser = await launch();
  console.log(`main thread, CPU ms a frame at 1,000 changes a second or while panned; first paint in ms from the data`);
  console.log(`${''.padEnd(34)}    paint      p50      p95      p99`);
  for (const [jobs, width] of [
    [40, 25],
    [100, 50],
  ]) {
    for (const [name, view, far, panned] of [
      ['scene, cards', 'scene', false, false],
      ['scene, all from afar', 'scene', true, false],
      ['plain React Flow with dagre', 'plain', false, false],
      ['scene, panned', 'scene', false, true],
      ['editor, panned', 'editor', false, true],
      ['editor, panned from afar', 'editor', true, true],
      ['plain, panned', 'plain', false, true],
    ]) {
      try {
        console.log(
          `${`${jobs * width} tasks, ${name}`.padEnd(34)}${(await measure(view, jobs, width, far, panned)).join('')}`,
        );
      } catch (error) {
        console.log(`${`${jobs * width} tasks, ${name}`.padEnd(34)} ${String(error).split('\n')[0]}`);
      }
    }
  }
} finally {
  await tidy();
}
process.exit();
