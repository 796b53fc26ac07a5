// npm run bench:screen, after `make build`. Measures the time from the commit of a change of a task run to the frame in
// which its card shows the change, with a real server, a real batch and a real page in Chromium. Server and page use
// the same clock. The server logs a change when it is durable (`--log-level debug`): this is the time of the commit.
// The time of the card is the first animation frame after its state has changed in the document.
//
// Settings, with defaults: BATCHES (5) batches of JOBS (8) jobs with WIDTH (5) tasks, each of SECONDS (0.3) seconds, on
// an executor with SLOTS (4) slots.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { launch, quantile } from './chromium.mjs';
import { cleanUpAtSignals, sleep, startServer, until } from './server.mjs';

const setting = (name, fallback) => Number(process.env[name] ?? fallback);
const [BATCHES, JOBS, WIDTH, SECONDS, SLOTS] = [
  setting('BATCHES', 5),
  setting('JOBS', 8),
  setting('WIDTH', 5),
  setting('SECONDS', 0.3),
  setting('SLOTS', 4),
];

const server = startServer('--slots', String(SLOTS), '--log-level', 'debug');
const { data, log, hivego } = server;
const startFile = join(data, 'start-');

/**
 * The document of a schedule with a chain of jobs. Its first task waits for a file, which is written when the page is
 * open.
 */
function document() {
  const task = (j, i) => {
    const command =
      j === 0
        ? `until [ -e "${startFile}$HIVEGO_BATCH" ] || [ ! -d "${data}" ]; do sleep 0.05; done`
        : `sleep ${SECONDS}`;
    return { key: `t${j}-${i}`, handler: 'shell', params: { command } };
  };
  const jobs = Array.from({ length: JOBS + 1 }, (_, j) => ({
    key: `j${j}`,
    tasks: Array.from({ length: j === 0 ? 1 : WIDTH }, (_, i) => task(j, i)),
  }));
  return { apiVersion: 'hivego/v1', kind: 'Schedule', name: 'screen', jobs };
}

// Runs in the page: notes the first frame in which a card has a state.
function watch() {
  window.shownAt = {};
  const changed = [];
  const note = () => {
    const now = performance.timeOrigin + performance.now();
    for (const change of changed.splice(0)) window.shownAt[change] ??= now;
  };
  new MutationObserver((records) => {
    const before = changed.length;
    for (const { target } of records)
      if (target.dataset.task) changed.push(`${target.dataset.task} ${target.dataset.state}`);
    if (before === 0 && changed.length > 0) requestAnimationFrame(note);
  }).observe(document.body, { attributes: true, attributeFilter: ['data-state'], subtree: true });
}

let browser;

/** Stops the browser and the server, and removes the files. */
async function cleanUp() {
  await Promise.race([browser?.close(), sleep(10_000)]);
  await server.stop();
}
cleanUpAtSignals(cleanUp);

/** When the server logged each change of a batch as durable, in milliseconds, by task and state. */
function commits(batch) {
  const out = new Map();
  for (const line of readFileSync(log, 'utf8')
    .split('\n')
    .filter((l) => l.includes('"task run"'))) {
    const { msg, batch: loggedBatch, task, state, time } = JSON.parse(line);
    // A Date has no fractions of milliseconds, so they are added.
    if (msg === 'task run' && loggedBatch === batch && !out.has(`${task} ${state}`))
      out.set(`${task} ${state}`, Date.parse(time) + Number(`0.${/\.\d{3}(\d*)/.exec(time)?.[1] || '0'}`));
  }
  return out;
}

try {
  await server.ready();
  await server.apply(document());

  browser = await launch();
  const context = await server.logIn(browser, { viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();

  const delays = [];
  let hidden = 0;
  let superseded = 0;
  for (let n = 0; n < BATCHES; n++) {
    const id = Number(await hivego('run', 'screen'));
    await page.goto(`/batches/${id}`);
    await page.locator('[data-task="t0-0"][data-state="running"]').waitFor();
    await page.evaluate(watch);
    const cards = new Set(
      await page.evaluate(() => [...document.querySelectorAll('[data-task]')].map((card) => card.dataset.task)),
    );
    writeFileSync(`${startFile}${id}`, '');
    await until(`batch ${id} has ended`, async () =>
      (await hivego('batch', String(id))).startsWith(`batch ${id} of screen, revision 1: succeeded`),
    );
    const changes = [...commits(id)];
    await page.locator(`[data-task="t0-0"][data-state="succeeded"]`).waitFor();
    await until('the page shows the end', () =>
      page.evaluate(
        (states) => states.every((s) => window.shownAt[s] !== undefined),
        changes
          .filter(([change]) => change.endsWith(' succeeded') && cards.has(change.split(' ')[0]))
          .map(([change]) => change),
      ),
    );
    const shownAt = await page.evaluate(() => window.shownAt);
    for (const [change, commit] of changes) {
      if (change === 't0-0 running' || change === 't0-0 ready') continue; // before the page was open
      if (!cards.has(change.split(' ')[0])) hidden++;
      else if (shownAt[change] === undefined) superseded++;
      else delays.push(shownAt[change] - commit);
    }
  }
  delays.sort((a, b) => a - b);
  console.log(
    `commit → screen, ms: from the moment a change of a task run is durable to the frame in which its card shows it`,
  );
  console.log(
    `machine   ${cpus()[0]?.model}, ${cpus().length} cores, Linux ${release()}, load ${loadavg()[0].toFixed(1)}; ` +
      `Chromium ${browser.version()}, 1280 × 720, no GPU`,
  );
  console.log(
    `settings  ${BATCHES} batches of ${JOBS} × ${WIDTH} shell tasks of ${SECONDS} s on ${SLOTS} slots; SQLite; ` +
      `server, executor and page share the machine`,
  );
  console.log(
    `changes   ${delays.length} shown; ${superseded} superseded by another change in the same frame; ` +
      `${hidden} of cards outside the window`,
  );
  console.log(
    [0.5, 0.95, 0.99].map((q) => `p${100 * q} ${quantile(delays, q).toFixed(1)}   `).join('') +
      `max ${(delays.at(-1) ?? 0).toFixed(1)}   budget 200`,
  );
} finally {
  await cleanUp();
}
// Exits without waiting for the remaining timers.
process.exit();
