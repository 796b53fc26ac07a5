// npm run bench:batch, after `make build`. Measures the page of a batch of 5,000 tasks with a real server: the CPU time
// of the main thread per frame, while 1,000 runs a second change or the view is panned, at the level of jobs and with a
// job open. The batch itself stands still: the changes are frames as those of the server, twenty a second, which the
// page gets as messages of its websocket.
//
// Settings, with defaults: JOBS (100) jobs with WIDTH (50) tasks.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { launch, quantile } from './chromium.mjs';
import { frames, pan, requestFrames, startTrace } from './frames.mjs';
import { cleanUpAtSignals, sleep, startServer } from './server.mjs';

const SECONDS = 6;
const [JOBS, WIDTH] = [Number(process.env.JOBS ?? 100), Number(process.env.WIDTH ?? 50)];

const server = startServer();
let browser;
async function cleanUp() {
  await Promise.race([browser?.close(), sleep(10_000)]);
  await server.stop();
}
cleanUpAtSignals(cleanUp);

/** A schedule whose first task runs until the end of the benchmark. All others need it. */
function document() {
  const wait = `while [ -e "${join(server.data, 'log')}" ]; do sleep 1; done`;
  const needs = (j, i) => [...new Set([i, (i * 7 + j) % WIDTH])].map((n) => `t${j - 1}_${n}`);
  const jobs = Array.from({ length: JOBS }, (_, j) => ({
    key: `job_${j}`,
    tasks: Array.from({ length: WIDTH }, (__, i) => ({
      key: `t${j}_${i}`,
      handler: 'shell',
      params: { command: 'true' },
      needs: j === 0 ? ['wait'] : needs(j, i),
    })),
  }));
  const first = { key: 'first', tasks: [{ key: 'wait', handler: 'shell', params: { command: wait } }] };
  return { apiVersion: 'hivego/v1', kind: 'Schedule', name: 'large', jobs: [first, ...jobs] };
}

// Runs in the page before its own code: remembers the websocket and the snapshot of the batch.
function watchSocket() {
  const Original = window.WebSocket;
  window.WebSocket = class extends Original {
    constructor(...args) {
      super(...args);
      window.live = this;
      this.addEventListener('message', ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.op === 'snapshot' && frame.batch) window.topic = frame;
      });
    }
  };
}

/** Lets runs change. The frames are made before, so that only the page's own work is measured. */
const change = (page, seconds) =>
  page.evaluate((duration) => {
    const states = ['waiting', 'ready', 'running', 'succeeded', 'failed', 'skipped'];
    const { id, epoch, batch } = window.topic;
    window.n ??= window.topic.n;
    const any = (list) => list[Math.floor(Math.random() * list.length)];
    const texts = Array.from({ length: duration * 20 }, () => {
      const runs = Array.from({ length: 50 }, () => ({
        ...any(batch.tasks),
        state: any(states),
        attempts: 1,
        startedAt: new Date().toISOString(),
      }));
      return JSON.stringify({ op: 'delta', id, epoch, n: ++window.n, runs });
    });
    const timer = setInterval(() => {
      const data = texts.shift();
      if (data === undefined) clearInterval(timer);
      else window.live.dispatchEvent(new MessageEvent('message', { data }));
    }, 50);
  }, seconds);

async function measure(context, batch, { open, changing, panned, cards }) {
  const page = await context.newPage();
  await page.addInitScript(watchSocket);
  await page.goto(`/batches/${batch}`);
  const bar = page.locator('[data-job="job_3"]');
  await bar.waitFor();
  await page.waitForFunction(() => window.topic !== undefined);
  // A second of changes, so that a job that is opened has cards and tiles.
  await change(page, 1);
  await sleep(1500);
  if (open) {
    await bar.click();
    await page.locator('[data-job="job_3"][aria-expanded="true"]').waitFor();
    await page.locator('[data-card]').first().waitFor();
  }
  if (cards) {
    await page.getByRole('button', { name: 'Cards', exact: true }).click();
    await page.locator('[data-card]').first().waitFor();
  }
  await requestFrames(page);
  await sleep(1000);
  await startTrace(browser, page);
  await page.mouse.move(700, 400);
  if (changing) await change(page, SECONDS);
  if (panned) await pan(page, SECONDS);
  else await sleep(SECONDS * 1000);
  const trace = await browser.stopTracing();
  await page.close();
  const sorted = frames(trace);
  return [0.5, 0.95, 0.99].map((q) => quantile(sorted, q).toFixed(1).padStart(9)).join('');
}

try {
  await server.ready();
  await server.apply(document());
  const batch = Number(await server.hivego('run', 'large'));
  browser = await launch();
  const small = await server.logIn(browser, { viewport: { width: 1280, height: 720 } });
  // A screen that is large enough for the strip below the graph.
  const large = await server.logIn(browser, { viewport: { width: 1920, height: 1080 } });
  if (!existsSync(server.log)) throw new Error('the server has no log');
  console.log(`batch of ${JOBS * WIDTH} tasks in ${JOBS} jobs: main thread, CPU ms per frame`);
  console.log(`${''.padEnd(44)}      p50      p95      p99   budget of p95: 8`);
  for (const [name, context, what] of [
    ['jobs, 1,000 changes a second', small, { changing: true }],
    ['job open, 1,000 changes a second', small, { open: true, changing: true }],
    ['job open, panned', small, { open: true, panned: true }],
    ['job open, panned, 1,000 changes a second', small, { open: true, panned: true, changing: true }],
    ['cards, panned, 1,000 changes a second', small, { cards: true, panned: true, changing: true }],
    ['job open, 1,000 changes a second, 1920×1080', large, { open: true, changing: true }],
  ])
    console.log(`${name.padEnd(44)}${await measure(context, batch, what)}`);
} finally {
  await cleanUp();
}
// Exits without waiting for the remaining timers.
process.exit();
