// A helper for executors, on top of the code that Thrift's compiler generates from hivego.thrift.
//
//   handler('greet', { schema }, async (params, task) => outputs)   // throw new Failure('why') to fail the task
//   serve({ name: 'node' })                 // runs until SIGTERM, then waits for running tasks; a second signal ends it
//
// task has the fields of the contract's Assignment, task.traceparent is its trace context, and task.log('text') writes
// to the task's log.
'use strict';
const { createHash, randomUUID, timingSafeEqual } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { parseArgs } = require('node:util');
const thrift = require('thrift');
const Executor = require('./gen/Executor');
const {
  AccessDenied,
  BadCall,
  DescribeReply,
  HandlerInfo,
  Load,
  MAX_FRAME_BYTES,
  MAX_RUN_LOG_BYTES,
  Outcome,
  OutcomeKind,
  RunReply,
} = require('./gen/hivego_types');

const MAX_CONNECTIONS = 256;
const handlers = new Map(); // by name: { info, work, required }
const log = (...words) => console.log(new Date().toISOString(), ...words);

/** Fails a task. Its message is the task's error. With {retry: false} the server does not retry the task. */
class Failure extends Error {
  constructor(message, { retry = true } = {}) {
    super(message);
    this.retry = retry;
  }
}

/** Offers a function (params, task) as a handler. schema is the JSON Schema of its params; the editor shows it as a form. */
function handler(name, { title = '', description = '', schema = { type: 'object' } }, work) {
  const info = new HandlerInfo({ name, title, description, survives: false, paramsSchema: JSON.stringify(schema) });
  handlers.set(name, { info, work, required: schema.required ?? [] });
}

/** Answers servers until SIGTERM or Ctrl-C. Its settings are flags; node FILE --help lists them. */
function serve({ name }) {
  const set = settings(name);
  const [host, port] = address(set.listen);
  const boot = randomUUID();
  const secret = digest(set.token);
  const sockets = new Set();
  let running = 0;
  let stopping = false;

  const check = (caller) => {
    if (!caller || !timingSafeEqual(digest(caller.token), secret)) throw new AccessDenied({ message: 'wrong token' });
  };
  const calls = {
    describe: answer(async (call) => {
      check(call.caller);
      return new DescribeReply({
        executorId: `${set.name}@${set.listen}`,
        bootId: boot,
        name: set.name,
        group: set.group,
        load: new Load({ slots: set.slots, running, draining: stopping }),
        handlers: [...handlers.values()].map((h) => h.info),
        nowMillis: Date.now(),
        durable: false,
      });
    }),
    run: answer(async (call) => {
      check(call.caller);
      if (!call.assignment) throw new BadCall({ message: 'no assignment' });
      running++;
      const startedAtMillis = Date.now();
      let text = '';
      const task = Object.assign(call.assignment, {
        traceparent: call.assignment.env?.TRACEPARENT ?? '',
        log: (...words) => (text = `${text}${words.join(' ')}\n`.slice(0, MAX_RUN_LOG_BYTES)),
      });
      const done = await outcome(task, stopping);
      setImmediate(finished); // after the reply is written
      return new RunReply({
        outcome: new Outcome({ ...done, startedAtMillis, finishedAtMillis: Date.now() }),
        log: text,
      });
    }),
  };
  const end = () => stopping && running === 0 && sockets.forEach((socket) => socket.end());
  const finished = () => {
    running--;
    end();
  };
  const stop = () => {
    if (stopping) fail(`stopped; ${running} tasks are lost`);
    stopping = true;
    log(`stopping; ${running} running`);
    server.close();
    end();
  };
  const server = thrift.createServer(Executor, calls, {
    transport: thrift.TFramedTransport,
    protocol: thrift.TBinaryProtocol,
    maxLength: MAX_FRAME_BYTES,
    tls: set.tls,
  });
  server.on(set.tls ? 'secureConnection' : 'connection', (socket) => {
    sockets.add(socket.setNoDelay());
    socket.once('finish', () => socket.destroy()); // a refused client must not send more
    socket.once('close', () => sockets.delete(socket));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('error', (err) => (server.listening || stopping ? log(err.message) : fail(err.message)));
  server.listen(port, host, () => {
    log(`${set.name} listens on ${set.listen}, with ${[...handlers.keys()].join(', ')}`);
    if (!set.token) log('without a token: any program on this machine may run its tasks');
  });
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

/** Converts an async function to a function with a callback, as Thrift expects. */
function answer(f) {
  return (call, reply) => f(call).then((result) => reply(null, result), reply);
}

async function outcome(task, stopping) {
  try {
    if (stopping) throw new Failure('not started: the executor is stopping');
    const outputs = (await work(task)) ?? {};
    for (const [k, v] of Object.entries(outputs)) outputs[k] = typeof v === 'string' ? v : JSON.stringify(v);
    return { kind: OutcomeKind.SUCCESS, outputs };
  } catch (err) {
    if (err instanceof Failure) {
      return { kind: OutcomeKind.FAILURE, error: err.message, noRetry: err.retry ? undefined : true };
    }
    log(`attempt ${task.attemptId} of ${task.handler}:`, err);
    task.log(err?.stack ?? err);
    return { kind: OutcomeKind.FAILURE, error: String(err) };
  }
}

function work(task) {
  const h = handlers.get(task.handler);
  if (!h) throw new Failure(`this executor has no handler ${JSON.stringify(task.handler)}`);
  const params = JSON.parse(task.paramsJson || '{}');
  if (params === null || typeof params !== 'object' || Array.isArray(params))
    throw new Failure('params are not a JSON object');
  const missing = h.required.find((name) => !(name in params));
  if (missing) throw new Failure(`params: ${missing} is missing`);
  return h.work(params, task);
}

const options = {
  listen: { type: 'string', default: '127.0.0.1:9999' }, // HOST:PORT where it is called
  name: { type: 'string' },
  group: { type: 'string', default: 'default' },
  slots: { type: 'string', default: '4' }, // tasks at once
  'token-file': { type: 'string' }, // file with the secret by which it knows its server (or HIVEGO_EXECUTOR_TOKEN)
  'tls-cert': { type: 'string' }, // PEM files
  'tls-key': { type: 'string' },
  help: { type: 'boolean' },
};

function settings(name) {
  const { values: v } = parseArgs({ options });
  if (v.help) fail(`usage: --${Object.keys(options).join(' --')}`);
  const token = v['token-file']
    ? readFileSync(v['token-file'], 'utf8').trim()
    : (process.env.HIVEGO_EXECUTOR_TOKEN ?? '');
  const tls = v['tls-cert'] && {
    cert: readFileSync(v['tls-cert']),
    key: readFileSync(v['tls-key']),
    minVersion: 'TLSv1.2',
    secureOptions: 0, // otherwise Thrift would choose the TLS versions
  };
  if (!['127.0.0.1', '::1', 'localhost'].includes(address(v.listen)[0]) && !(tls && token)) {
    fail(
      `--listen ${v.listen}: an executor runs what it is told; beyond this machine give --tls-cert, --tls-key and --token-file`,
    );
  }
  return { ...v, name: v.name ?? name, slots: Number(v.slots), token, tls };
}

function address(listen) {
  const at = listen.lastIndexOf(':');
  return [listen.slice(0, at).replace(/[[\]]/g, ''), Number(listen.slice(at + 1))];
}

const digest = (text) =>
  createHash('sha256')
    .update(text ?? '')
    .digest();

function fail(words) {
  console.error(words);
  process.exit(1);
}

module.exports = { Failure, handler, serve };
