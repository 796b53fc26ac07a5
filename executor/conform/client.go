package conform

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

const (
	maxFrame      = hivego.MAX_FRAME_BYTES
	bufferSize    = 64 << 10
	socketTimeout = time.Second // how often a waiting call checks its context
	dialTimeout   = 10 * time.Second
)

// Target is the executor to be called.
type Target struct {
	Address string      // host:port
	Token   string      // the executor's token; empty: it has none
	Cluster string      // the cluster id of the calls; default DefaultCluster
	TLS     *tls.Config // nil: no TLS
}

// DefaultCluster is the default cluster id of the calls of this package.
const DefaultCluster = "hivego-conformance"

// link is one connection to an executor. It is not safe for concurrent use.
type link struct {
	*hivego.DurableExecutorClient

	net       net.Conn
	transport thrift.TTransport
	proto     thrift.TProtocol
}

// caller makes the caller of a new server with its first epoch.
func (t Target) caller() *hivego.Caller {
	return &hivego.Caller{
		Token: &t.Token, ClusterId: &t.Cluster, ServerId: new("conformance-" + random()), Epoch: new(int64(1)),
		Session: new(random()),
	}
}

func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// dialPlain opens a connection without Thrift and TLS.
func (t Target) dialPlain(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", t.Address)
}

// dial opens a connection without Thrift.
func (t Target) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var c net.Conn
	var err error
	if t.TLS != nil {
		c, err = (&tls.Dialer{Config: t.TLS}).DialContext(ctx, "tcp", t.Address)
	} else {
		c, err = t.dialPlain(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", t.Address, err)
	}
	return c, nil
}

// open connects. The connection is closed when ctx ends, or by close.
func (t Target) open(ctx context.Context) (*link, error) {
	c, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	cfg := &thrift.TConfiguration{SocketTimeout: socketTimeout, MaxFrameSize: maxFrame, MaxMessageSize: maxFrame}
	var sock thrift.TTransport
	if t.TLS != nil {
		sock = thrift.NewTSSLSocketFromConnConf(c, cfg)
	} else {
		sock = thrift.NewTSocketFromConnConf(c, cfg)
	}
	framed := thrift.NewTFramedTransportConf(thrift.NewTBufferedTransport(sock, bufferSize), cfg)
	proto := thrift.NewTBinaryProtocolConf(framed, cfg)
	context.AfterFunc(ctx, func() { _ = c.Close() })
	return &link{
		DurableExecutorClient: hivego.NewDurableExecutorClient(thrift.NewTStandardClient(proto, proto)),
		net:                   c, transport: framed, proto: proto,
	}, nil
}

// OutputBytes returns the size of all names and values of an outcome's outputs, which MAX_OUTPUT_BYTES limits.
func OutputBytes(o *hivego.Outcome) int {
	n := 0
	for name, value := range o.GetOutputs() {
		n += len(name) + len(value)
	}
	return n
}

func (l *link) close() { _ = l.transport.Close() }

// Describe calls describe.
func Describe(ctx context.Context, t Target) (*hivego.DescribeReply, error) {
	t = t.complete()
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	l, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	d, err := l.Describe(ctx, &hivego.DescribeCall{Caller: t.caller()})
	if err != nil {
		return nil, fmt.Errorf("%s: describe: %w; %s", t.Address, reported(ctx, err), t.remedy(ctx, err))
	}
	return d, nil
}

// remedy tells the user what to check if describe fails.
func (t Target) remedy(ctx context.Context, err error) string {
	_, notInContract := errors.AsType[thrift.TApplicationException](err)
	switch {
	case isA[*hivego.AccessDenied](err):
		return "give its token (--token-file) and its cluster (--cluster), if it has them"
	case isA[*hivego.StaleEpoch](err), isA[*hivego.BadCall](err), notInContract:
		return "its own log may say why"
	case ctx.Err() != nil:
		return "look whether it is an executor that listens there, and whether it answers while it works" + t.tlsHint()
	default:
		return "an executor speaks Thrift: TBinaryProtocol over TFramedTransport" + t.tlsHint()
	}
}

// tlsHint reminds the user of --tls if the call was made without TLS.
func (t Target) tlsHint() string {
	if t.TLS != nil {
		return ""
	}
	return "; if it speaks TLS: --tls"
}

func (t Target) complete() Target {
	if t.Cluster == "" {
		t.Cluster = DefaultCluster
	}
	return t
}

// reported turns the error of a call into a message for the author of the executor.
func reported(ctx context.Context, err error) error {
	if denied, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		return fmt.Errorf("AccessDenied: %s", denied.GetMessage())
	}
	if stale, ok := errors.AsType[*hivego.StaleEpoch](err); ok {
		return fmt.Errorf("StaleEpoch: %s", stale.GetMessage())
	}
	if bad, ok := errors.AsType[*hivego.BadCall](err); ok {
		return fmt.Errorf("BadCall: %s", bad.GetMessage())
	}
	if x, ok := errors.AsType[thrift.TApplicationException](err); ok {
		return fmt.Errorf("an error that the contract does not have: %s", x.Error())
	}
	if ctx.Err() != nil {
		return errors.New("no answer in time")
	}
	return fmt.Errorf("the connection broke: %w", err)
}

// isA reports whether err is an exception of type E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// loadOf returns the load of a reply, or an empty one if it has none.
func loadOf(d *hivego.DescribeReply) *hivego.Load {
	if l := d.GetLoad(); l != nil {
		return l
	}
	return &hivego.Load{}
}

// outcomeOf returns the outcome of a reply, or an empty one if it has none.
func outcomeOf(r interface{ GetOutcome() *hivego.Outcome }) *hivego.Outcome {
	if o := r.GetOutcome(); o != nil {
		return o
	}
	return &hivego.Outcome{}
}
