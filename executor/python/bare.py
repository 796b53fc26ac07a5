"""The same executor without a helper: only Thrift's library, and the code that Thrift's compiler generates."""
import hmac, json, os, threading, time, uuid

from hivego import Executor
from hivego.constants import MAX_FRAME_BYTES
from hivego.ttypes import AccessDenied, DescribeReply, HandlerInfo, Load, Outcome, OutcomeKind, RunReply
from thrift.protocol.TBinaryProtocol import TBinaryProtocolFactory
from thrift.server.TServer import TThreadedServer
from thrift.transport.TSocket import TServerSocket
from thrift.transport.TTransport import TFramedTransportFactory

HOST, _, PORT = os.environ.get("LISTEN", "127.0.0.1:9999").rpartition(":")
TOKEN = os.environ.get("HIVEGO_EXECUTOR_TOKEN", "")
SCHEMA = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "x-render": "plain"}}}


def now():
    return int(time.time() * 1000)


def check(caller):
    given = caller.token or "" if caller else ""
    if not hmac.compare_digest(given.encode(), TOKEN.encode()):
        raise AccessDenied("wrong token")


def outcome(a):
    if a is None or a.handler != "greet":
        return Outcome(kind=OutcomeKind.FAILURE, error="this executor has no such handler")
    params = json.loads(a.paramsJson or "{}")
    if not isinstance(params, dict) or not params.get("name"):
        return Outcome(kind=OutcomeKind.FAILURE, error="params: name is missing")
    return Outcome(kind=OutcomeKind.SUCCESS, outputs={"greeting": "Hello " + params["name"]})


class Bare:
    boot = str(uuid.uuid4())
    lock = threading.Lock()
    running = 0

    def describe(self, call):
        check(call.caller)
        return DescribeReply(
            executorId=f"bare@{HOST}:{PORT}", bootId=self.boot, name="bare", load=Load(slots=4, running=self.running),
            handlers=[HandlerInfo(name="greet", title="Greet", paramsSchema=json.dumps(SCHEMA))], nowMillis=now())

    def run(self, call):
        check(call.caller)
        started = now()
        with self.lock:
            self.running += 1
        try:
            done = outcome(call.assignment)
        except Exception as e:  # any exception is a failure of the task
            done = Outcome(kind=OutcomeKind.FAILURE, error=f"{type(e).__name__}: {e}")
        with self.lock:
            self.running -= 1
        done.startedAtMillis, done.finishedAtMillis = started, now()
        return RunReply(done)


TThreadedServer(Executor.Processor(Bare()), TServerSocket(HOST, int(PORT)), TFramedTransportFactory(MAX_FRAME_BYTES),
                TBinaryProtocolFactory(), daemon=True).serve()
