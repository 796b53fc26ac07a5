// npm run bench:canvas. Builds the page of the benchmark, opens it in Chromium, and prints for graphs of 1,000 and 5,000
// tasks when the first tasks are painted, and how long the main thread works in a frame: of a batch while 1,000 runs a second
// change, of the editor while the view is panned. CPU time, so that other programs disturb little. Plain React Flow with
// dagre on the same graph stands beside both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import { at, launch } from './chromium.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SECONDS = 6;

const out = mkdtempSync(join(tmpdir(), 'hivego-bench-'));
const settings = { configFile: here('../vite.config.ts'), root: here('.'), logLevel: 'warn', build: { outDir: out, emptyOutDir: true } };
await build(settings);
const server = await preview({ ...settings, preview: { port: 0, host: '127.0.0.1' } });
const browser = await launch();

/** CPU milliseconds of the main thread from each animation frame to the next, sorted. */
function frames(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const ticks = traceEvents.filter((e) => e.name === 'FireAnimationFrame').map((e) => e.ts).sort((a, b) => a - b);
  const { pid, tid } = traceEvents.find((e) => e.name === 'FireAnimationFrame');
  const sums = new Array(ticks.length).fill(0);
  const tasks = traceEvents.filter((e) => e.pid === pid && e.tid === tid && e.name === 'RunTask' && e.ph === 'X').sort((a, b) => a.ts - b.ts);
  let frame = 0;
  for (const { ts, dur, tdur } of tasks) {
    while (frame + 1 < ticks.length && ticks[frame + 1] <= ts + (dur ?? 0)) frame++;
    sums[frame] += (tdur ?? dur ?? 0) / 1000;
  }
  return sums.slice(1, -1).sort((a, b) => a - b);
}

/** Moves the view back and forth by the wheel. */
async function pan(page) {
  await page.mouse.move(700, 400);
  for (const end = Date.now() + SECONDS * 1000, way = [1, 1, 1, -1, -1, -1]; Date.now() < end; way.push(way.shift())) {
    for (let i = 0; i < 20; i++) {
      await page.mouse.wheel(way[0] * 12, way[0] * 30);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  }
}

async function measure(view, jobs, width, far, panned) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(180_000);
  await page.goto(`${server.resolvedUrls.local[0]}?view=${view}&jobs=${jobs}&width=${width}`);
  await page.waitForFunction(() => window.painted !== undefined);
  const painted = await page.evaluate(() => window.painted);
  if (far) {
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.waitForSelector('canvas');
  }
  await page.evaluate(() => { requestAnimationFrame(function again() { requestAnimationFrame(again); }); });
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  if (panned) await pan(page);
  else {
    await page.evaluate(() => { window.stop = window.change(); });
    await new Promise((done) => { setTimeout(done, SECONDS * 1000); });
  }
  const trace = await browser.stopTracing();
  await page.close();
  const all = frames(trace);
  return [painted, at(all, 0.5), at(all, 0.95), all.at(-1) ?? 0].map((ms) => ms.toFixed(1).padStart(9));
}

console.log(`main thread, CPU ms a frame at 1,000 changes a second or while panned; first paint in ms from the data`);
console.log(`${''.padEnd(34)}    paint      p50      p95      max`);
for (const [jobs, width] of [[40, 25], [100, 50]]) {
  for (const [name, view, far, panned] of [
    ['scene, cards', 'scene', false, false], ['scene, all from afar', 'scene', true, false], ['plain React Flow with dagre', 'plain', false, false],
    ['editor, panned', 'editor', false, true], ['editor, panned from afar', 'editor', true, true], ['plain, panned', 'plain', false, true],
  ]) {
    try {
      console.log(`${`${jobs * width} tasks, ${name}`.padEnd(34)}${(await measure(view, jobs, width, far, panned)).join('')}`);
    } catch (error) {
      console.log(`${`${jobs * width} tasks, ${name}`.padEnd(34)} ${String(error).split('\n')[0]}`);
    }
  }
}
await browser.close();
await new Promise((done) => { server.httpServer.close(done); });
rmSync(out, { recursive: true, force: true });
