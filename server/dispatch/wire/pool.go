// Package wire makes the calls of the executor contract by Thrift: it keeps the connections, and converts calls and
// answers of the fleet.
package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

const (
	connectTimeout  = 3 * time.Second
	socketTimeout   = time.Second // how often a waiting read checks its context
	callTimeout     = 15 * time.Second
	describeTimeout = 5 * time.Second // connecting included
	bufferSize      = 16 << 10
	// A connection that was idle for this long is closed before the next call: executors close theirs after some
	// minutes, and a firewall between may drop it silently.
	idleTimeout = 2 * time.Minute
)

// line is the purpose of a connection. Each carries one call at a time.
type line string

const (
	lineControl line = "control"
	linePoll    line = "poll"
	lineLog     line = "log"  // for copies of logs
	lineRead    line = "read" // for people who read logs, so that they do not wait for the copies
)

func lineOf(c fleet.SessionCall) line {
	if _, poll := c.(*fleet.PollCall); poll {
		return linePoll
	}
	return lineControl
}

// Client makes the calls of the executor contract. It keeps one connection for each executor and line.
type Client struct {
	tls    *tls.Config
	idle   time.Duration
	mu     sync.Mutex
	conns  map[connKey]*slot
	closed bool
}

type connKey struct {
	executor string
	line     line
}

// slot serialises the use of one connection.
type slot struct {
	turn chan struct{} // holds one token, which the user of the connection takes
	conn *conn
}

type conn struct {
	net       net.Conn
	transport thrift.TTransport
	client    *hivego.DurableExecutorClient
	address   string
	tls       bool
	used      time.Time // by the last call
}

// NewClient makes a client. cfg is for executors that use TLS; nil stands for the system's roots.
func NewClient(cfg *tls.Config) *Client {
	return &Client{tls: cfg, idle: idleTimeout, conns: map[connKey]*slot{}}
}

// use runs f with the connection of an executor's line. Any error except a declared one closes the connection, because
// bytes left in it could pass for the answer of the next call.
func (x *Client) use(ctx context.Context, e hive.Executor, l line, f func(*conn) error) error {
	s, err := x.slot(connKey{executor: e.ID, line: l})
	if err != nil {
		return err
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the %s connection: %w", l, ctx.Err())
	}
	if s.conn != nil && !s.conn.serves(e, x.idle) {
		s.drop()
	}
	if s.conn == nil {
		if s.conn, err = x.dial(ctx, e); err != nil {
			return err
		}
	}
	used := s.conn.net
	stop := context.AfterFunc(ctx, func() { _ = used.Close() }) // a call ends at once with ctx
	err = f(s.conn)
	s.conn.used = time.Now()
	if !stop() || err != nil && !isDeclared(err) {
		s.drop()
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("no answer in time: %w", ctx.Err())
	}
	return err
}

// serves reports whether the next call to an executor can use c: its address is right, it was used lately, and it is
// open as far as this side knows.
func (c *conn) serves(e hive.Executor, idle time.Duration) bool {
	return c.address == e.Address && c.tls == e.TLS && time.Since(c.used) < idle && c.transport.IsOpen()
}

func (x *Client) slot(k connKey) (*slot, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, context.Canceled
	}
	s := x.conns[k]
	if s == nil {
		s = &slot{turn: make(chan struct{}, 1)}
		s.turn <- struct{}{}
		x.conns[k] = s
	}
	return s, nil
}

func (s *slot) drop() {
	if s.conn != nil {
		_ = s.conn.transport.Close()
		s.conn = nil
	}
}

// dial connects within connectTimeout, including the TLS handshake.
func (x *Client) dial(ctx context.Context, e hive.Executor) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	c, err := x.connect(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", e.Address, err)
	}
	cfg := &thrift.TConfiguration{
		SocketTimeout: socketTimeout, MaxFrameSize: hivego.MAX_FRAME_BYTES, MaxMessageSize: hivego.MAX_FRAME_BYTES,
	}
	var sock thrift.TTransport
	if e.TLS {
		sock = thrift.NewTSSLSocketFromConnConf(c, cfg)
	} else {
		sock = thrift.NewTSocketFromConnConf(c, cfg)
	}
	framed := thrift.NewTFramedTransportConf(thrift.NewTBufferedTransport(sock, bufferSize), cfg)
	proto := thrift.NewTBinaryProtocolConf(framed, cfg)
	client := hivego.NewDurableExecutorClient(thrift.NewTStandardClient(proto, proto))
	return &conn{net: c, transport: framed, client: client, address: e.Address, tls: e.TLS}, nil
}

func (x *Client) connect(ctx context.Context, e hive.Executor) (net.Conn, error) {
	if e.TLS {
		return (&tls.Dialer{Config: x.tls}).DialContext(ctx, "tcp", e.Address)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", e.Address)
}

// Keep closes the idle connections to all executors except these, by id.
func (x *Client) Keep(known map[string]hive.Executor) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for k, s := range x.conns {
		if _, ok := known[k.executor]; ok {
			continue
		}
		select {
		case <-s.turn: // it is not returned: a waiting caller waits until its call ends
			s.drop()
			delete(x.conns, k)
		default:
		}
	}
}

// Close closes all connections. It waits for used ones: they end with the contexts of their calls.
func (x *Client) Close() {
	x.mu.Lock()
	x.closed = true
	slots := x.conns
	x.conns = map[connKey]*slot{}
	x.mu.Unlock()
	for _, s := range slots {
		<-s.turn
		s.drop()
	}
}
