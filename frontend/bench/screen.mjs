// npm run bench:screen, after `make build`. Measures the time from the commit of a change of a task run to the frame in
// which its card shows the change, with a real server, a real batch and a real page in Chromium. Server and page use
// the same clock. The server logs a change when it is durable (`--log-level debug`): this is the time of the commit.
// The time of the card is the first animation frame after its state has changed in the document.
//
// Settings, with defaults: BATCHES (5) batches of JOBS (8) jobs with WIDTH (5) tasks, each of SECONDS (0.3) seconds, on
// an executor with SLOTS (4) slots.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launch, quantile } from './chromium.mjs';

const setting = (name, fallback) => Number(process.env[name] ?? fallback);
const [BATCHES, JOBS, WIDTH, SECONDS, SLOTS] = [
  setting('BATCHES', 5),
  setting('JOBS', 8),
  setting('WIDTH', 5),
  setting('SECONDS', 0.3),
  setting('SLOTS', 4),
];
const BINARY = fileURLToPath(new URL('../../bin/hivego', import.meta.url));
const PASSWORD = 'a hive of honey';
const TIMEOUT = 120_000;
const run = promisify(execFile);
const execute = (file, args, options) => run(file, args, { timeout: TIMEOUT, ...options });
const sleep = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

/** Calls f repeatedly until it returns a true value. */
async function until(description, f) {
  for (const end = Date.now() + TIMEOUT; Date.now() < end; await sleep(50)) {
    const result = await f();
    if (result) return result;
  }
  throw new Error(`timed out: ${description}`);
}

const data = mkdtempSync(join(tmpdir(), 'hivego-bench-'));
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

const port = 3000 + (process.pid % 1000) + 10_000;
const url = `http://127.0.0.1:${port}`;
const log = join(data, 'log');
const server = spawn(
  'sh',
  [
    '-c',
    'exec "$0" "$@" 2>"$LOG"',
    BINARY,
    'serve',
    '--data',
    data,
    '--listen',
    `127.0.0.1:${port}`,
    '--slots',
    String(SLOTS),
    '--log-level',
    'debug',
    '--log-format',
    'json',
  ],
  { env: { ...process.env, LOG: log }, stdio: 'ignore' },
);
const exited = new Promise((done) => {
  server.once('exit', done).once('error', done);
});
let browser;

/** Stops the browser and the server, and removes the files. */
async function cleanUp() {
  await Promise.race([browser?.close(), sleep(10_000)]);
  server.kill('SIGTERM');
  await Promise.race([exited, sleep(30_000)]);
  server.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    void cleanUp().finally(() => process.exit(1));
  });

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
  await until('the server is ready', async () => {
    if (server.exitCode !== null || server.pid === undefined) throw new Error(readFileSync(log, 'utf8'));
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT) }).catch(() => undefined))?.ok;
  });
  const add = execute(BINARY, ['user', 'add', 'admin', '--admin', '--password-stdin', '--data', data]);
  add.child.stdin.end(`${PASSWORD}\n`);
  await add;
  const token = (await execute(BINARY, ['token', 'create', '--user', 'admin', '--data', data])).stdout.trim();
  const env = { ...process.env, HIVEGO_SERVER: url, HIVEGO_TOKEN: token };
  const hivego = async (...args) => (await execute(BINARY, args, { env })).stdout.trim();
  writeFileSync(join(data, 'screen.yaml'), JSON.stringify(document()));
  await hivego('apply', '-f', join(data, 'screen.yaml'));

  browser = await launch();
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 720 }, locale: 'en-US' });
  context.setDefaultTimeout(TIMEOUT);
  const login = await context.request.post('/api/v1/session', {
    data: { name: 'admin', password: PASSWORD },
    headers: { Origin: url },
  });
  if (!login.ok()) throw new Error(`log in: ${login.status()}`);
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
