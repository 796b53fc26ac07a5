/*
 * HiveGo's executor contract.
 *
 * An executor is a daemon that runs attempts. The server calls it (services Executor and DurableExecutor); it may
 * call the server to register itself (service Registry). The wire is TBinaryProtocol over TFramedTransport, frames
 * of at most MAX_FRAME_BYTES; Registry is spoken over HTTP at /thrift/registry with TBinaryProtocol.
 *
 * Rules of growth: only optional fields are added, nothing is renumbered or removed, every enum starts at 0 =
 * UNKNOWN, which a reader treats as "something newer than me". Times are milliseconds since 1970 UTC, on the
 * executor's clock unless said otherwise; no clock of one machine is ever compared with another's.
 *
 * A frame that is longer than MAX_FRAME_BYTES, or of a negative size, ends its connection and nothing else. An
 * executor answers on as many connections at once as it has slots, a durable one on four more: one for polls, one for
 * control and two for logs.
 */
namespace go hivego
namespace py hivego
namespace js hivego
namespace java io.hivego.thrift
namespace kotlin io.hivego.thrift
namespace rb HiveGo
namespace php HiveGo
namespace perl HiveGo
namespace cpp hivego
namespace rs hivego
namespace netstd HiveGo.Thrift
namespace delphi HiveGo.Thrift
namespace lua hivego
namespace swift HiveGo

/*
 * The number of this contract. It grows when a server can no longer work safely with executors that do not know what
 * is new. A server refuses durable executors with a number lower than MIN_DURABLE_CONTRACT and says so. Executors
 * that only offer run may leave it out.
 *   1: the first.
 *   2: an attempt is identified by its id and its key.
 */
const i32 CONTRACT = 2
const i32 MIN_DURABLE_CONTRACT = 2       // the lowest number that a server accepts from a durable executor

/*
 * The limits of this contract. Lengths are bytes of UTF-8. A call beyond a limit is a BadCall.
 */
const i32 MAX_FRAME_BYTES = 16777216
const i32 MAX_ASSIGNMENTS = 500          // of one submit
const i32 MAX_SUBMIT_BYTES = 4194304     // of one submit
const i32 MAX_KILL_ORDERS = 500          // that a server sends in one kill
const i32 MAX_ATTACHED = 10000           // attempts that a server names in one attach; more go with the next
const i32 MAX_POLL_WAIT_MILLIS = 10000
const i32 MAX_EVENTS = 1000              // of one answer to a poll
const i32 MAX_READ_BYTES = 1048576       // of one readLog
const i32 MAX_KEY_LENGTH = 64            // of an attempt's key
const i32 MAX_SESSION_BYTES = 64         // of Caller.session
const i32 MAX_RUN_LOG_BYTES = 1048576    // of RunReply.log; the rest is cut off
const i32 MAX_ERROR_BYTES = 4096         // of Outcome.error
const i32 MAX_OUTPUT_BYTES = 65536       // of all names and values of Outcome.outputs

/* The limits of what an executor says of itself, by describe or registration. */
const i32 MAX_ID_BYTES = 128             // of executorId, bootId, secret and token
const i32 MIN_SECRET_BYTES = 32
const i32 MAX_NAME_BYTES = 63            // of names of executors, groups, labels and handlers; also of the version
const i32 MAX_LABELS = 64
const i32 MAX_LABEL_BYTES = 255          // of the value of a label
const i32 MAX_SLOTS = 10000
const i32 MAX_HANDLERS = 100
const i32 MAX_SCHEMA_BYTES = 65536       // of the schema of one handler
const i32 MAX_SCHEMAS_BYTES = 1048576    // of the schemas of all handlers together
const i32 MAX_REGISTRATION_BYTES = 262144 // of one request to the registry

/* ------------------------------------------------------------------ who calls */

/*
 * Every call from the server carries this. An executor refuses (AccessDenied) a wrong token or another cluster.
 *
 * `epoch` grows at every start of a server and at every takeover, cluster-wide. `session` is random and drawn
 * together with the epoch. An executor remembers per server the highest epoch seen with its session, and per attempt
 * the epoch, session and server that submitted or attached it last. It refuses a call with StaleEpoch (whole call)
 * or STALE (single attempt) if the caller's epoch is lower than the remembered one, or if it is equal and the
 * session is another: such a caller has been replaced, or its database went back to an earlier state and gave the
 * same epoch out twice.
 *
 * A server that is answered StaleEpoch takes an epoch above the one in the exception, begins a new session, and
 * attaches. So the exception names the highest epoch that the executor knows. An attach that names an attempt of a
 * later session is refused as a whole.
 *
 * A run-only executor may serve several clusters. A durable one belongs to the cluster of its registration, or of its
 * first call, also after a restart, and refuses every call of another.
 */
struct Caller {
  1: optional string token
  2: optional string clusterId
  3: optional string serverId
  4: optional i64 epoch
  5: optional string session        // at most MAX_SESSION_BYTES; left out is a session of its own, ""
}

exception AccessDenied { 1: optional string message }
exception StaleEpoch   { 1: optional string message  2: optional i64 epoch }
/* The call itself cannot be read: too many items, a missing field. Repeating it will not help. */
exception BadCall      { 1: optional string message }

/* ------------------------------------------------------------------ what it offers */

struct HandlerInfo {
  1: optional string name           // no two handlers of an executor have the same
  2: optional string title
  3: optional string description
  // JSON Schema of params. x-render of a field: shell | sql | plain | url | json; x-secrets: true with plain or json: it
  // may have secrets. x-connection: true with a field of params itself: it has the name of a connection.
  4: optional string paramsSchema
  5: optional bool survives         // its work outlives a killed executor
}

struct Load {
  1: optional i32 slots             // attempts it will run at once, 1 or more. Left out: 1
  2: optional i32 running           // attempts that take a slot now, whoever submitted them
  3: optional bool draining         // takes nothing new
  4: optional string words          // why, for people; left out if somebody told it to
  5: optional string reason         // this and the next: see Outcome
  6: optional map<string, string> params
}

/* executorId, bootId, name and nowMillis are always there, executorId and bootId also in attach and poll. */
struct DescribeCall { 1: optional Caller caller }
struct DescribeReply {
  1: optional string executorId     // kept in the executor's data folder; stays over restarts
  2: optional string bootId         // new at every start
  3: optional string name
  4: optional string group
  5: optional map<string, string> labels
  6: optional Load load
  7: optional list<HandlerInfo> handlers
  8: optional string version
  9: optional i64 nowMillis         // the executor's clock, to measure its offset
  10: optional bool durable         // also speaks DurableExecutor
  11: optional i32 contract         // CONTRACT of this file. Left out: 1
}

/* ------------------------------------------------------------------ the work */

/*
 * A secret of a task. Wherever `mark` stands in a text of paramsJson, the executor puts `text` in its place, after the
 * JSON was decoded; `value` is the secret itself, and `text` may be an encoding of it. A server sends a secret only to
 * a field that has `x-secrets: true` in the schema of its handler, and only over TLS or within one machine. An executor
 * writes no secret to a journal, and masks `value` in logs, errors and outputs.
 */
struct SecretText {
  1: optional string mark
  2: optional string text
  3: optional string value
}

/*
 * A connection of the server that a field of params names: one with `x-connection: true` in the schema of its handler. It
 * comes by the rules of a secret, and `password` is one: it is written to no journal, and masked in logs, errors and
 * outputs. An executor with a connection of its own of that name uses its own. `refusal` says why the executor may not
 * have it, with `reason` and `params` as in Outcome; then only `name` is set besides.
 */
struct Connection {
  1: optional string name
  2: optional string type           // postgres, mysql, sqlite; more may come
  3: optional string host
  4: optional i32 port
  5: optional string database
  6: optional string user
  7: optional string password
  8: optional map<string, string> options // by the type
  9: optional string refusal
  10: optional string reason
  11: optional map<string, string> params
}

/*
 * What identifies an attempt is its `attemptId` together with its `key`. Ids come from a counter of the server's
 * database: when that database is restored from a backup, the counter repeats ids that executors have seen before.
 * The key is random, made by the server with the offer, and never repeats. So the same id with another key is another
 * attempt, everywhere: in submit, attach, events, acks, releases, kill, readLog, tombstones, journals, and names of
 * files and folders. A key has at most MAX_KEY_LENGTH characters of [A-Za-z0-9_-]; one that was left out is the key "".
 */
struct Assignment {
  1: optional i64 attemptId         // with key, the idempotency key
  2: optional string handler
  3: optional string paramsJson     // by the handler's schema, already rendered
  // What the task's environment gets beside a clean one. TRACEPARENT is the trace context of the attempt, by the W3C
  // recommendation: an executor hands it to its work, and to the requests that this makes as the header traceparent.
  // HIVEGO_ATTEMPT is the attempt's id and key, as ID-KEY: no other attempt has it.
  4: optional map<string, string> env
  5: optional string valuesJson     // typed parameters of the batch, for bind values
  6: optional i64 runId
  7: optional i64 batchId
  8: optional string schedule       // empty for adhoc batches
  9: optional string job
  10: optional string task
  11: optional i32 number           // 1 for the first attempt of this task run
  12: optional i32 round
  13: optional i64 timeoutMillis    // from the receipt; 0 is none
  14: optional i64 killGraceMillis  // between asking and forcing
  15: optional i64 momentMillis     // logical time of the batch
  16: optional string workspace     // name of the folder that tasks of one schedule share
  17: optional i32 shard            // of a sharded task: which part this is, from 0; of how many is `shards`
  18: optional i32 shards           // 0 or left out: the task is not sharded
  19: optional i64 logLimitBytes    // beyond it the log is cut, and says so; 0 is the executor's own limit
  20: optional string key           // of the attempt, see above
  21: optional list<SecretText> secrets // of the marks in paramsJson
  22: optional list<Connection> connections // that params name, and that the server knows
}

/*
 * `reason` says for programs what a text for people says (Outcome.error, Receipt.words, Load.words), and `params` has
 * the values in that text by name. HiveGo's own executor sends them, so that the server's pages can show the text in
 * other languages. Others leave them out; people then read the text as it is. A reason has at most MAX_NAME_BYTES,
 * params have at most MAX_ERROR_BYTES in all: a server takes what is longer for left out.
 */
/*
 * A SUCCESS has startedAtMillis and finishedAtMillis. A FAILURE has an error or an exit code.
 *
 * `noRetry` with FAILURE or TIMEOUT asks the server not to retry the task, although its definition allows more retries:
 * the work would fail again. The run then fails at once. A server that does not know it retries.
 */
enum OutcomeKind { UNKNOWN = 0, SUCCESS = 1, FAILURE = 2, TIMEOUT = 3, KILLED = 4, LOST = 5 }

struct Outcome {
  1: optional OutcomeKind kind
  2: optional i32 exitCode          // where there was a process
  3: optional string error          // words for a person
  4: optional map<string, string> outputs
  5: optional i64 startedAtMillis
  6: optional i64 finishedAtMillis
  7: optional i64 logBytes          // of a durable executor: size of the whole log. It may be left out
  8: optional string reason         // of `error`, see above
  9: optional map<string, string> params
  10: optional bool noRetry         // see above
}

/*
 * run: does the work and answers when it is done. The smallest executor there is. The server makes each call on a
 * connection of its own and keeps that open for as long as the work takes; if it breaks before the answer, the
 * attempt is lost, and unless its task says otherwise a person decides what follows. Not idempotent: the server
 * never repeats it by itself. Nothing tells such an executor to stop: a server that does not wait any longer (a
 * cancel, or timeoutMillis + killGraceMillis are over) closes the connection. An executor that can should end the
 * work then, and keep timeoutMillis by itself.
 *
 * At most as many calls are under way as describe says in load.slots, 1 if it says nothing; beside them the server
 * describes every few seconds, each time on a new connection. An executor that answers one call at a time may leave
 * that waiting while it works. BadCall: this will never run here, nothing was begun; the run fails at once. An unknown
 * handler and params against the schema are that, or a FAILURE. attemptId, handler and paramsJson are always there, and
 * every other field of an assignment may be left out. An
 * exception that is not declared (TApplicationException) ends the attempt as a failure.
 *
 * `log` is what the work has printed, as lines of UTF-8; at most MAX_RUN_LOG_BYTES are kept, from its beginning. Where
 * it is left out, the outcome's error is all that the log says. An outcome has an error of at most MAX_ERROR_BYTES, and
 * outputs of at most MAX_OUTPUT_BYTES in all.
 */
struct RunCall  { 1: optional Caller caller  2: optional Assignment assignment }
struct RunReply { 1: optional Outcome outcome  2: optional string log }

/* ------------------------------------------------------------------ durable executors */

/*
 * What a durable executor has answered stays true when it is killed (SIGKILL) and started again: receipts, ends with
 * their outputs and logs, tombstones, the highest epoch of each server, the cluster and the numbers of answers. Only a
 * release may be lost, because the server repeats it: the attempt is then there as before, ENDED, and does not start
 * again. Its executorId is the same, and its bootId another. Asked to stop (SIGTERM), it ends, or says `draining` in
 * its load and starts nothing until it ends.
 */

enum ReceiptCode {
  UNKNOWN = 0,
  STARTED = 1,    // it is ours: journalled, and running or about to. The same for a repeated submit
  BUSY = 2,       // no free slot; offer it elsewhere, under another id
  DRAINING = 3,   // takes nothing new. As BUSY
  REFUSED = 4,    // will never run here: unknown handler, params against the schema. The run fails at once
  STALE = 5,      // a later server owns this attempt
  FORGOTTEN = 6   // this id has a tombstone: it was asked for while unknown, and may never start here
}
struct Receipt {
  1: optional i64 attemptId
  2: optional ReceiptCode code
  3: optional string words          // always with REFUSED: why
  4: optional string key
  5: optional string reason         // of `words`, see Outcome
  6: optional map<string, string> params
}

/*
 * submit: hands over at most MAX_ASSIGNMENTS, in at most MAX_SUBMIT_BYTES. Idempotent by attemptId and key: an
 * attempt that is known already, in whatever state, answers STARTED and is not started again. STARTED is durable
 * before it is answered. No answer means nothing is known: the server offers the same ids again to this same
 * executor, or attaches. An id that was answered BUSY or DRAINING becomes a tombstone: a copy of the call that
 * arrives once there is room must not start what was given to somebody else by then. Without a live lease (see poll)
 * nothing is started: BUSY. `lastAnswer` guards against a frame that arrives after the server has given its attempts
 * away: it is too old then, whatever later polls renewed.
 */
struct SubmitCall  {
  1: optional Caller caller
  2: optional list<Assignment> assignments
  3: optional i64 lastAnswer        // as in poll: shows that the call is not older than the lease. Unset or 0: not checked
}
struct SubmitReply { 1: optional list<Receipt> receipts  2: optional Load load }

enum EventKind { UNKNOWN = 0, STARTED = 1, PROGRESS = 2, ENDED = 3 }
struct Event {
  1: optional i64 attemptId
  2: optional i64 seq               // 1, 2, … within the attempt
  3: optional EventKind kind
  4: optional i64 atMillis
  5: optional Outcome outcome       // with ENDED
  // 0 to 1, with PROGRESS. Only the latest is kept, with a seq of its own; it is repeated until it is acked, and need not
  // outlive a restart. It may fall. Report it at most once a second. ENDED has the highest seq of its attempt.
  6: optional double progress
  7: optional string key
}
struct Ack { 1: optional i64 attemptId  2: optional i64 seq  3: optional string key }

/*
 * poll: a long poll of at most MAX_POLL_WAIT_MILLIS for what has happened to the attempts of this server, and of no
 * other. Without an event it waits for waitMillis. If a server polls several times at once, only the newest poll waits,
 * and the older ones are answered. A poll
 * without lastAnswer, or with 0, is answered at once, whatever waitMillis says: the server submits nothing before it has
 * the number of an answer. STARTED
 * and ENDED are repeated in every answer until they are acked; ENDED is acked after the server has committed it. The
 * order within an attempt is by seq; between attempts there is none. STARTED may be left out: a receipt says as
 * much. ENDED comes when nothing of the work goes on and its log is complete. `release` says that the server needs
 * neither log nor folder of an ended attempt any more; until then they stay. The release of an attempt that runs, or
 * that belongs to a later session, changes nothing.
 *
 * Leases: every reply has a number (`answer`), and the next call names the last one received (`lastAnswer`). The
 * executor may run this server's attempts until the moment it SENT that answer + orphanTimeoutMillis, on its
 * monotonic clock; then it kills them. Numbers only grow, over restarts too. An executor keeps when it sent each number
 * for orphanTimeoutMillis (of several numbers close together one is enough): a submit on another connection may name an
 * older one than the last poll did. A number that it never sent, or sent longer ago, proves nothing: a poll with it
 * extends no lease, a submit with it starts nothing. The server gives nothing away before the moment it RECEIVED it +
 * orphanTimeout + kill grace + 10 %. orphanTimeoutMillis = 0: never killed for silence. A lease is that of one
 * session: a server id with one epoch. What a later session of the same server has not named in an attach keeps the
 * former session's lease until that passes: it may be another server's by now.
 */
struct PollCall {
  1: optional Caller caller
  2: optional i64 waitMillis        // ≤ MAX_POLL_WAIT_MILLIS
  3: optional list<Ack> acks
  4: optional list<i64> releases
  5: optional i64 lastAnswer        // 0: none yet
  6: optional i64 orphanTimeoutMillis
  7: optional i32 maxEvents         // ≤ MAX_EVENTS
  8: optional list<string> releaseKeys // of `releases`, in that order; another number is a BadCall. Left out: all ""
}
struct PollReply {
  1: optional list<Event> events
  2: optional Load load
  3: optional i64 answer
  4: optional i64 nowMillis         // as in describe. It may be left out
  5: optional string executorId
  6: optional string bootId         // another than at attach: attach again
}

enum AttemptState { UNKNOWN = 0, FORGOTTEN = 1, RUNNING = 2, ENDED = 3, LOST = 4 }
struct AttemptReport {
  1: optional i64 attemptId
  2: optional AttemptState state    // FORGOTTEN: never seen or released; now has a tombstone for 24 h
  3: optional i64 startedAtMillis
  4: optional Outcome outcome       // with ENDED and LOST; its outputs come by poll
  5: optional string key
  6: optional string handler        // this and the next: with `others`, as the assignment said; for people to read
  7: optional i64 batchId
  8: optional string schedule
  9: optional string task
}

/*
 * attach: takes attempts over and asks what became of them. Raises the epoch of each named attempt to the caller's
 * and makes the caller their server. An id that the executor does not know becomes a tombstone: a submit of it that
 * is still on its way answers FORGOTTEN. Idempotent. LOST: it was accepted, and died with the executor's former
 * boot, or its lease has passed (ENDED with an outcome LOST says the latter as well). `others` are attempts of this cluster that this server, or an earlier epoch of it, had submitted and did not
 * name: attempts that its database may have forgotten; the server kills and releases them. attach opens a lease,
 * counted from the call, until the first answer of a poll is confirmed. Until then, what was taken over gains no
 * time by it: the call may have been long on its way. An ENDED is told again to a new owner. A server attaches
 * before anything else after its own start, after a takeover, and when the boot id has changed.
 */
struct AttachCall  {
  1: optional Caller caller
  2: optional list<i64> attemptIds
  3: optional i64 orphanTimeoutMillis // as in poll, for the lease that attach opens. Unset: three minutes
  4: optional list<string> keys     // of `attemptIds`, in that order; another number is a BadCall. Left out: all ""
}
struct AttachReply {
  1: optional list<AttemptReport> attempts
  2: optional list<AttemptReport> others
  3: optional Load load
  4: optional string executorId
  5: optional string bootId
}

enum KillCode { UNKNOWN = 0, KILLING = 1, ENDED = 2, FORGOTTEN = 3, STALE = 4 }
struct KillOrder {
  1: optional i64 attemptId
  2: optional i64 graceMillis
  3: optional string reason
  4: optional string key
}
struct KillStatus { 1: optional i64 attemptId  2: optional KillCode code  3: optional string key }

/*
 * kill: asks the process group to end (SIGTERM), forces it after the grace (SIGKILL). Answers at once; the end comes
 * as an ENDED event, with whatever outcome was first, once nothing of the work goes on: until then the attempt is RUNNING
 * and takes its slot, also where work cannot be forced to end. Idempotent. An unknown id becomes a tombstone (FORGOTTEN).
 */
struct KillCall  { 1: optional Caller caller  2: optional list<KillOrder> orders }
struct KillReply { 1: optional list<KillStatus> statuses }

/*
 * readLog: bytes [offset, offset + limit) of an attempt's log, while it grows and until it is released. limit is at
 * most MAX_READ_BYTES. A negative offset is a BadCall; beyond the end there are no bytes. The log only gets longer.
 * Each of its lines has the time in UTC with milliseconds, the stream (out, err or sys) and the text, spaces between:
 * 2026-11-21T03:22:58.131Z out TEXT
 */
struct LogCall  {
  1: optional Caller caller
  2: optional i64 attemptId
  3: optional i64 offset
  4: optional i32 limit
  5: optional string key
}
struct LogReply {
  1: optional binary data
  2: optional i64 size              // of the log now
  3: optional bool complete         // it will not grow any more
  4: optional bool found            // false: the attempt is unknown, or released
}

service Executor {
  DescribeReply describe(1: DescribeCall c) throws (1: AccessDenied denied)
  RunReply run(1: RunCall c) throws (1: AccessDenied denied, 2: BadCall bad)
}

service DurableExecutor extends Executor {
  SubmitReply submit(1: SubmitCall c) throws (1: AccessDenied denied, 2: StaleEpoch stale, 3: BadCall bad)
  PollReply poll(1: PollCall c) throws (1: AccessDenied denied, 2: StaleEpoch stale, 3: BadCall bad)
  AttachReply attach(1: AttachCall c) throws (1: AccessDenied denied, 2: StaleEpoch stale, 3: BadCall bad)
  KillReply kill(1: KillCall c) throws (1: AccessDenied denied, 2: StaleEpoch stale, 3: BadCall bad)
  LogReply readLog(1: LogCall c) throws (1: AccessDenied denied, 2: BadCall bad)
}

/* ------------------------------------------------------------------ registration */

/*
 * registerExecutor: the executor makes itself known, at its start and every 30 s. `token` is an executor token of
 * the group; it lets the executor join that group and nothing else. `secret` is chosen by the executor (32 random
 * bytes, base64), kept in its data folder; the server proves itself with it as Caller.token in every call.
 * Idempotent by executorId.
 */
struct RegisterCall {
  1: optional string token
  2: optional string executorId
  3: optional string bootId
  4: optional string name
  5: optional string group
  6: optional map<string, string> labels
  7: optional string address        // host:port where the server reaches it
  8: optional bool tls
  9: optional string secret
  10: optional i32 slots
  11: optional list<HandlerInfo> handlers
  12: optional string version
  13: optional bool durable
  14: optional i32 contract         // CONTRACT of this file. Left out: 1
}
struct RegisterReply { 1: optional string clusterId  2: optional i64 againMillis }
/*
 * deregisterExecutor: it stops for good (or until its next start); what it runs is treated as when it fell silent. With
 * `bootId` only that life of it stops: a call that is late says nothing about the next one. Without, the latest does.
 */
struct DeregisterCall {
  1: optional string token
  2: optional string executorId
  3: optional string secret
  4: optional string bootId
}
struct DeregisterReply { 1: optional bool known }

service Registry {
  RegisterReply registerExecutor(1: RegisterCall c) throws (1: AccessDenied denied, 2: BadCall bad)
  DeregisterReply deregisterExecutor(1: DeregisterCall c) throws (1: AccessDenied denied)
}
