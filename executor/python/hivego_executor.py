"""A helper for executors, on top of the code that Thrift's compiler generates from hivego.thrift.

    @handler("greet")
    def greet(params, task): ...    # returns the outputs; raise Failure("why") to fail the task

    serve(name="python")            # runs until SIGTERM, then waits for running tasks; a second signal ends it at once

`task` has the fields of the contract's Assignment, and task.log("text") writes to the task's log.

Each connection has its own thread: the server keeps several connections open, and one for each running task.
"""
import argparse, hmac, json, logging, os, signal, socket, ssl, sys, threading, time, traceback, uuid

from hivego import Executor
from hivego.constants import MAX_FRAME_BYTES, MAX_RUN_LOG_BYTES
from hivego.ttypes import AccessDenied, BadCall, DescribeReply, HandlerInfo, Load, Outcome, OutcomeKind, RunReply
from thrift.protocol.TBinaryProtocol import TBinaryProtocolFactory
from thrift.server.TServer import TThreadedServer
from thrift.transport.TSocket import TServerSocket
from thrift.transport.TTransport import TFramedTransportFactory

MAX_SILENCE = 60_000  # ms without data on a connection, between calls or within one; it does not limit the work
log = logging.getLogger("executor")
handlers = {}  # by name: (HandlerInfo, function, names of required params)


class Failure(Exception):
    """Fails a task. Its text is the task's error. With retry=False the server does not retry the task."""
    retry = True  # also of a subclass that does not call __init__ of this class

    def __init__(self, *words, retry=True):
        super().__init__(*words)
        self.retry = retry


class Task:
    """The second argument of a handler: the fields of the Assignment, and a log."""

    def __init__(self, assignment):
        self.assignment, self.text = assignment, ""

    def __getattr__(self, name):
        return getattr(self.assignment, name)

    @property
    def traceparent(self):
        """The trace context of the attempt, by the W3C recommendation; empty if the server gave none."""
        return (self.env or {}).get("TRACEPARENT", "")

    def log(self, *words):
        self.text = (self.text + " ".join(map(str, words)) + "\n")[:MAX_RUN_LOG_BYTES]


def handler(name, title="", description="", schema=None):
    """Offers a function (params, task) as a handler. `schema` is the JSON Schema of its params; the editor shows it as a form."""
    def offer(work):
        info = HandlerInfo(name=name, title=title, description=description, survives=False,
                           paramsSchema=json.dumps(schema or {"type": "object"}))
        handlers[name] = info, work, (schema or {}).get("required", [])
        return work
    return offer


def serve(name):
    """Answers servers until SIGTERM or Ctrl-C; --help lists its settings."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    args = settings(name)
    me = Service(args)
    processor = Executor.Processor(me)
    processor._processMap["run"] = me.counted  # a task counts as running until its reply is sent
    listener = Listener(*address(args.listen), tls=certificate(args))
    server = TThreadedServer(processor, listener, TFramedTransportFactory(MAX_FRAME_BYTES), TBinaryProtocolFactory(), daemon=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        try:
            log.info("%s listens on %s, with %s", args.name, args.listen, ", ".join(handlers))
            if not me.token:
                log.warning("without a token: any program on this machine may run its tasks")
            server.serve()
        except KeyboardInterrupt:
            me.stopping = True
            listener.close()
            log.info("stopping; %d running", me.running)
        with me.changed:
            me.changed.wait_for(lambda: me.running == 0)
    except KeyboardInterrupt:  # the second signal
        sys.exit(f"stopped; {me.running} tasks are lost")


class Service:
    """The contract's two calls."""

    def __init__(self, args):
        self.args, self.boot, self.token = args, str(uuid.uuid4()), token(args)
        self.running, self.stopping, self.changed = 0, False, threading.Condition()

    def describe(self, call):
        self.check(call.caller)
        load = Load(slots=self.args.slots, running=self.running, draining=self.stopping)
        return DescribeReply(
            executorId=f"{self.args.name}@{self.args.listen}", bootId=self.boot, name=self.args.name, group=self.args.group,
            load=load, handlers=[info for info, _, _ in handlers.values()], nowMillis=millis(), durable=False)

    def run(self, call):
        self.check(call.caller)
        if call.assignment is None:
            raise BadCall("no assignment")
        task, started = Task(call.assignment), millis()
        done = self.outcome(task)
        done.startedAtMillis, done.finishedAtMillis = started, millis()
        return RunReply(done, task.text)

    def check(self, caller):
        given = (caller and caller.token) or ""
        if caller is None or not hmac.compare_digest(given.encode(), self.token.encode()):
            raise AccessDenied("wrong token")

    def outcome(self, task):
        try:
            if self.stopping:
                raise Failure("not started: the executor is stopping")
            return Outcome(kind=OutcomeKind.SUCCESS, outputs=work(task))
        except Failure as e:
            return Outcome(kind=OutcomeKind.FAILURE, error=str(e), noRetry=None if e.retry else True)
        except Exception as e:
            log.exception("attempt %s of %s", task.attemptId, task.handler)
            task.log(traceback.format_exc())
            return Outcome(kind=OutcomeKind.FAILURE, error=f"{type(e).__name__}: {e}")

    def counted(self, *call):
        with self.changed:
            self.running += 1
        try:
            Executor.Processor.process_run(*call)
        finally:
            with self.changed:
                self.running -= 1
                self.changed.notify_all()


def work(task):
    if task.handler not in handlers:
        raise Failure(f"this executor has no handler {task.handler!r}")
    _, function, required = handlers[task.handler]
    try:
        params = json.loads(task.paramsJson or "{}")
    except ValueError as e:
        raise Failure(f"params are not JSON: {e}") from e
    if not isinstance(params, dict):
        raise Failure("params are not a JSON object")
    for name in required:
        if name not in params:
            raise Failure(f"params: {name} is missing")
    outputs = function(params, task) or {}
    return {k: v if isinstance(v, str) else json.dumps(v) for k, v in outputs.items()}


class Listener(TServerSocket):
    """A server socket. With TLS, each handshake runs in its connection's thread, so that a silent client blocks no other."""

    def __init__(self, host, port, tls):
        super().__init__(host, port)
        self.tls = tls

    def accept(self):
        client = super().accept()
        client.setTimeout(MAX_SILENCE)
        client.handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls:
            client.setHandle(self.tls.wrap_socket(client.handle, server_side=True, do_handshake_on_connect=False))
        return client


def settings(name):
    p = argparse.ArgumentParser(description="An executor of HiveGo.")
    p.add_argument("--listen", default="127.0.0.1:9999", metavar="HOST:PORT", help="where it is called (%(default)s)")
    p.add_argument("--name", default=name, help="its name (%(default)s)")
    p.add_argument("--group", default="default", help="the group it belongs to (%(default)s)")
    p.add_argument("--slots", type=int, default=4, help="tasks at once (%(default)s)")
    p.add_argument("--token-file", help="file with the secret by which it knows its server (or HIVEGO_EXECUTOR_TOKEN)")
    p.add_argument("--tls-cert", help="PEM file of its certificate")
    p.add_argument("--tls-key", help="PEM file of its key")
    args = p.parse_args()
    if address(args.listen)[0] not in ("127.0.0.1", "::1", "localhost") and not (args.tls_cert and token(args)):
        sys.exit(f"--listen {args.listen}: an executor runs what it is told; beyond this machine give "
                 "--tls-cert, --tls-key and --token-file")
    return args


def address(listen):
    host, _, port = listen.rpartition(":")
    return host.strip("[]"), int(port)


def certificate(args):
    if not args.tls_cert:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(args.tls_cert, args.tls_key)
    return context


def token(args):
    if args.token_file:
        with open(args.token_file, encoding="utf-8") as f:
            return f.read().strip()
    return os.environ.get("HIVEGO_EXECUTOR_TOKEN", "")


def millis():
    return int(time.time() * 1000)
