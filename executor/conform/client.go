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
	socketTimeout = time.Second // how often a waiting call looks at its context
	dialTimeout   = 10 * time.Second
)

// Target is the executor that is called.
type Target struct {
	Address string      // host:port
	Token   string      // the secret by which it knows its server; empty: it asks for none
	Cluster string      // whom the calls come from; default DefaultCluster
	TLS     *tls.Config // nil: in the clear
}

// DefaultCluster is the cluster that the calls of this package name.
const DefaultCluster = "hivego-conformance"

// link is one connection to an executor. One call at a time.
type link struct {
	*hivego.DurableExecutorClient

	net       net.Conn
	transport thrift.TTransport
	proto     thrift.TProtocol
}

// caller is a server as an executor sees it: a new one, with its first epoch.
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

// dial opens a bare connection.
func (t Target) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var c net.Conn
	var err error
	if t.TLS != nil {
		c, err = (&tls.Dialer{Config: t.TLS}).DialContext(ctx, "tcp", t.Address)
	} else {
		c, err = new(net.Dialer).DialContext(ctx, "tcp", t.Address)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", t.Address, err)
	}
	return c, nil
}

// open connects. The connection ends with ctx, and with close.
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

func (l *link) close() { _ = l.transport.Close() }

// Describe asks an executor what it is and what it offers.
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

// remedy says what to look at when an executor does not answer describe as it should.
func (t Target) remedy(ctx context.Context, err error) string {
	_, beyond := errors.AsType[thrift.TApplicationException](err)
	switch {
	case isA[*hivego.AccessDenied](err):
		return "give its token (--token-file) and its cluster (--cluster), if it has them"
	case isA[*hivego.StaleEpoch](err), isA[*hivego.BadCall](err), beyond:
		return "its own log may say why"
	case ctx.Err() != nil:
		return "look whether it is an executor that listens there, and whether it answers while it works" + t.plain()
	default:
		return "an executor speaks Thrift: TBinaryProtocol over TFramedTransport" + t.plain()
	}
}

// plain reminds of TLS, which a call in the clear knows nothing of.
func (t Target) plain() string {
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

// isA says that err is an exception of the contract.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// loadOf is the load that an executor tells, an empty one if it tells none.
func loadOf(d *hivego.DescribeReply) *hivego.Load {
	if l := d.GetLoad(); l != nil {
		return l
	}
	return &hivego.Load{}
}

// outcomeOf is the outcome in an answer, an empty one if it has none.
func outcomeOf(r interface{ GetOutcome() *hivego.Outcome }) *hivego.Outcome {
	if o := r.GetOutcome(); o != nil {
		return o
	}
	return &hivego.Outcome{}
}
