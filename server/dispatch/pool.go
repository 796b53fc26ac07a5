package dispatch

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

// Limits of the wire. SocketTimeout is how often a waiting read looks at its context, not how long a call may take.
const (
	connectTimeout = 3 * time.Second
	socketTimeout  = time.Second
	callTimeout    = 15 * time.Second
	maxFrame       = hivego.MAX_FRAME_BYTES
	bufferSize     = 16 << 10
	// A connection that was not used for so long is not trusted any more: executors close theirs after some minutes,
	// and what stands between may forget it without a word.
	idleTimeout = 2 * time.Minute
)

// line is what a connection is for: one call at a time on each.
type line string

const (
	lineControl line = "control"
	linePoll    line = "poll"
	lineLog     line = "log"  // copies
	lineRead    line = "read" // readers do not wait for the copies
)

func lineOf(c fleet.SessionCall) line {
	if _, poll := c.(*fleet.PollCall); poll {
		return linePoll
	}
	return lineControl
}

// pool keeps one connection per executor and line.
type pool struct {
	tls   *tls.Config
	idle  time.Duration
	mu    sync.Mutex
	conns map[poolKey]*slot
	done  bool
}

type poolKey struct {
	executor string
	line     line
}

// slot serialises the use of one connection.
type slot struct {
	turn chan struct{} // of one token
	conn *conn
}

type conn struct {
	net       net.Conn
	transport thrift.TTransport
	client    *hivego.DurableExecutorClient
	address   string
	tls       bool
	used      time.Time // for the last time
}

func newPool(cfg *tls.Config) *pool {
	return &pool{tls: cfg, idle: idleTimeout, conns: map[poolKey]*slot{}}
}

// use runs f with the connection of an executor's line. Any error but a declared one closes the connection: what
// is left in it could be taken for the answer of the next call.
func (p *pool) use(ctx context.Context, e hive.Executor, l line, f func(*conn) error) error {
	s, err := p.slot(poolKey{executor: e.ID, line: l})
	if err != nil {
		return err
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the %s connection: %w", l, ctx.Err())
	}
	if s.conn != nil && !s.conn.serves(e, p.idle) {
		s.drop()
	}
	if s.conn == nil {
		if s.conn, err = p.dial(ctx, e); err != nil {
			return err
		}
	}
	used := s.conn.net
	stop := context.AfterFunc(ctx, func() { _ = used.Close() }) // a call ends with ctx, not with the next look at it
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

// serves says whether the next call to an executor can go over c: it leads there, was used lately, and the other side
// has not closed it, as far as this one has heard.
func (c *conn) serves(e hive.Executor, idle time.Duration) bool {
	return c.address == e.Address && c.tls == e.TLS && time.Since(c.used) < idle && c.transport.IsOpen()
}

func (p *pool) slot(k poolKey) (*slot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return nil, context.Canceled
	}
	s := p.conns[k]
	if s == nil {
		s = &slot{turn: make(chan struct{}, 1)}
		s.turn <- struct{}{}
		p.conns[k] = s
	}
	return s, nil
}

func (s *slot) drop() {
	if s.conn != nil {
		_ = s.conn.transport.Close()
		s.conn = nil
	}
}

// dial connects, and with TLS knows the other side, within connectTimeout.
func (p *pool) dial(ctx context.Context, e hive.Executor) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	c, err := p.connect(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", e.Address, err)
	}
	cfg := &thrift.TConfiguration{SocketTimeout: socketTimeout, MaxFrameSize: maxFrame, MaxMessageSize: maxFrame}
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

func (p *pool) connect(ctx context.Context, e hive.Executor) (net.Conn, error) {
	if e.TLS {
		return (&tls.Dialer{Config: p.tls}).DialContext(ctx, "tcp", e.Address)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", e.Address)
}

// keep closes the idle connections to executors that are not known any more.
func (p *pool) keep(known map[string]hive.Executor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, s := range p.conns {
		if _, ok := known[k.executor]; ok {
			continue
		}
		select {
		case <-s.turn: // it is not given back: whoever waits for it does so until his call ends
			s.drop()
			delete(p.conns, k)
		default:
		}
	}
}

// close ends all connections that nobody uses now; those in use end with their calls' contexts.
func (p *pool) close() {
	p.mu.Lock()
	p.done = true
	slots := p.conns
	p.conns = map[poolKey]*slot{}
	p.mu.Unlock()
	for _, s := range slots {
		<-s.turn
		s.drop()
	}
}
