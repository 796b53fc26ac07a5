// The same executor without a helper: only Thrift's library, and the code that Thrift's compiler generates.
'use strict';
const { createHash, randomUUID, timingSafeEqual } = require('node:crypto');
const thrift = require('thrift');
const Executor = require('./gen/Executor');
const {
  AccessDenied,
  DescribeReply,
  HandlerInfo,
  Load,
  MAX_FRAME_BYTES,
  Outcome,
  OutcomeKind,
  RunReply,
} = require('./gen/hivego_types');

const [host, port] = (process.env.LISTEN ?? '127.0.0.1:9999').split(':');
const sha = (text) =>
  createHash('sha256')
    .update(text ?? '')
    .digest();
const token = sha(process.env.HIVEGO_EXECUTOR_TOKEN);
const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string', 'x-render': 'plain' } } };
const boot = randomUUID();
let running = 0;

function check(caller) {
  if (!caller || !timingSafeEqual(sha(caller.token), token)) throw new AccessDenied({ message: 'wrong token' });
}

async function outcome(a) {
  if (a?.handler !== 'greet')
    return new Outcome({ kind: OutcomeKind.FAILURE, error: 'this executor has no such handler' });
  const params = JSON.parse(a.paramsJson || '{}');
  if (!params?.name) return new Outcome({ kind: OutcomeKind.FAILURE, error: 'params: name is missing' });
  return new Outcome({ kind: OutcomeKind.SUCCESS, outputs: { greeting: `Hello ${params.name}` } });
}

const answer = (f) => (call, reply) => f(call).then((result) => reply(null, result), reply);
const calls = {
  describe: answer(async (call) => {
    check(call.caller);
    return new DescribeReply({
      executorId: `bare@${host}:${port}`,
      bootId: boot,
      name: 'bare',
      load: new Load({ slots: 4, running }),
      handlers: [new HandlerInfo({ name: 'greet', title: 'Greet', paramsSchema: JSON.stringify(schema) })],
      nowMillis: Date.now(),
    });
  }),
  run: answer(async (call) => {
    check(call.caller);
    const startedAtMillis = Date.now();
    running++;
    const failed = (e) => new Outcome({ kind: OutcomeKind.FAILURE, error: String(e) }); // any exception
    const done = await outcome(call.assignment).catch(failed);
    running--;
    return new RunReply({ outcome: Object.assign(done, { startedAtMillis, finishedAtMillis: Date.now() }) });
  }),
};

thrift
  .createServer(Executor, calls, {
    transport: thrift.TFramedTransport,
    protocol: thrift.TBinaryProtocol,
    maxLength: MAX_FRAME_BYTES,
  })
  .on('connection', (socket) => socket.once('finish', () => socket.destroy())) // a refused client must not send more
  .on('error', (err) => console.error(err.message)) // without a listener, the error of a connection would end the process
  .listen(Number(port), host);
