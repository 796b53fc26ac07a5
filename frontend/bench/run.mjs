// npm run bench:canvas. Builds the page of the benchmark, opens it in Chromium, and measures graphs of 1,000 and 5,000
// tasks: the time until the first tasks are painted, and the CPU time of the main thread per frame. Measured are a
// batch while 1,000 runs a second change, and a batch and the editor while the view is panned. CPU time depends little
// on other programs. Plain React Flow with dagre on the same graph is measured for comparison.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import { launch, quantile } from './chromium.mjs';
import { frames, pan, requestFrames, startTrace } from './frames.mjs';

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

/** Stops the browser and the server, and removes the files. */
async function cleanUp() {
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
    void cleanUp().finally(() => process.exit(1));
  });

async function measure(view, jobs, width, zoomedOut, panned) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(180_000);
  await page.goto(`${server.resolvedUrls.local[0]}?view=${view}&jobs=${jobs}&width=${width}`);
  await page.waitForFunction(() => window.painted !== undefined);
  const painted = await page.evaluate(() => window.painted);
  if (zoomedOut) {
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.waitForSelector('[data-overview]');
    // Zooms in a little, so that the view can be panned, and waits for the end of the animation.
    if (panned) await page.getByRole('button', { name: 'Zoom in' }).click();
    await new Promise((done) => {
      setTimeout(done, 1000);
    });
  }
  await requestFrames(page);
  await startTrace(browser, page);
  await page.mouse.move(700, 400);
  if (panned) await pan(page, SECONDS);
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
  const sorted = frames(trace);
  return [painted, quantile(sorted, 0.5), quantile(sorted, 0.95), quantile(sorted, 0.99)].map((ms) =>
    ms.toFixed(1).padStart(9),
  );
}

try {
  await build(settings);
  server = await preview({ ...settings, preview: { port: 0, host: '127.0.0.1' } });
  browser = await launch();
  console.log(
    `main thread, CPU ms per frame at 1,000 changes a second or while panned; first paint in ms from the data`,
  );
  console.log(`${''.padEnd(34)}    paint      p50      p95      p99`);
  for (const [jobs, width] of [
    [40, 25],
    [100, 50],
  ]) {
    for (const [name, view, zoomedOut, panned] of [
      ['scene, cards', 'scene', false, false],
      ['scene, zoomed out', 'scene', true, false],
      ['plain React Flow with dagre', 'plain', false, false],
      ['scene, panned', 'scene', false, true],
      ['editor, panned', 'editor', false, true],
      ['editor, zoomed out, panned', 'editor', true, true],
      ['plain, panned', 'plain', false, true],
    ]) {
      try {
        const cells = await measure(view, jobs, width, zoomedOut, panned);
        console.log(`${`${jobs * width} tasks, ${name}`.padEnd(34)}${cells.join('')}`);
      } catch (error) {
        console.log(`${`${jobs * width} tasks, ${name}`.padEnd(34)} ${String(error).split('\n')[0]}`);
      }
    }
  }
} finally {
  await cleanUp();
}
process.exit();
