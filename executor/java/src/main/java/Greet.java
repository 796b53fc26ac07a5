import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hivego.thrift.*;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.layered.TFramedTransport;

/** An executor with one handler, with Thrift's library alone. */
public final class Greet implements io.hivego.thrift.Executor.Iface {
  static final String SCHEMA = """
      {"type": "object", "required": ["name"], "additionalProperties": false,
       "properties": {"name": {"type": "string", "title": "Name", "minLength": 1, "x-render": "plain"}}}""";
  static final String LISTEN = System.getenv().getOrDefault("LISTEN", "127.0.0.1:9999");
  static final byte[] TOKEN = System.getenv().getOrDefault("HIVEGO_EXECUTOR_TOKEN", "").getBytes(StandardCharsets.UTF_8);
  static final int SLOTS = 4;

  private final String boot = UUID.randomUUID().toString();
  private final AtomicInteger running = new AtomicInteger();
  private final ObjectMapper json = new ObjectMapper();

  static void check(Caller caller) throws AccessDenied {
    String given = caller == null || caller.getToken() == null ? "" : caller.getToken();
    if (caller == null || !MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), TOKEN)) {
      throw new AccessDenied().setMessage("wrong token");
    }
  }

  @Override
  public DescribeReply describe(DescribeCall call) throws AccessDenied {
    check(call.getCaller());
    return new DescribeReply().setExecutorId("greet@" + LISTEN).setBootId(boot).setName("java")
        .setLoad(new Load().setSlots(SLOTS).setRunning(running.get())).setNowMillis(System.currentTimeMillis())
        .setHandlers(List.of(new HandlerInfo().setName("greet").setTitle("Greet").setParamsSchema(SCHEMA)));
  }

  @Override
  public RunReply run(RunCall call) throws AccessDenied, BadCall {
    check(call.getCaller());
    if (call.getAssignment() == null) {
      throw new BadCall().setMessage("a call of run without an assignment");
    }
    long started = System.currentTimeMillis();
    running.incrementAndGet();
    Outcome done;
    try {
      done = greet(call.getAssignment());
    } catch (Exception e) { // any exception is a failure of the task
      done = new Outcome().setKind(OutcomeKind.FAILURE).setError(e.toString());
    } finally {
      running.decrementAndGet();
    }
    return new RunReply().setOutcome(done.setStartedAtMillis(started).setFinishedAtMillis(System.currentTimeMillis()));
  }

  private Outcome greet(Assignment a) throws Exception {
    if (!"greet".equals(a.getHandler())) {
      return new Outcome().setKind(OutcomeKind.FAILURE).setError("this executor has no handler " + a.getHandler());
    }
    JsonNode params = json.readTree(a.getParamsJson() == null ? "{}" : a.getParamsJson());
    String name = params.path("name").asText("");
    if (name.isEmpty() || name.equals("nobody")) {
      return new Outcome().setKind(OutcomeKind.FAILURE).setError("there is nobody to greet");
    }
    return new Outcome().setKind(OutcomeKind.SUCCESS).setOutputs(Map.of("greeting", "Hello " + name));
  }

  public static void main(String[] args) throws Exception {
    int colon = LISTEN.lastIndexOf(':');
    var address = new InetSocketAddress(
        InetAddress.getByName(LISTEN.substring(0, colon)), Integer.parseInt(LISTEN.substring(colon + 1)));
    var server = new TThreadPoolServer(new TThreadPoolServer.Args(new TServerSocket(address))
        .processor(new io.hivego.thrift.Executor.Processor<>(new Greet()))
        .transportFactory(new TFramedTransport.Factory(hivegoConstants.MAX_FRAME_BYTES))
        .protocolFactory(new TBinaryProtocol.Factory(true, true)));
    server.serve();
  }
}
