package dispatch

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// keepAlive notices a machine that is gone within half a minute, however long a call takes.
func keepAlive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}
}

// flushed is a transport that says when a call begins to leave, and when all of it has left.
type flushed struct {
	thrift.TTransport
	leaves, left func()
}

// Flush sends what was written.
func (f flushed) Flush(ctx context.Context) error {
	f.leaves()
	err := f.TTransport.Flush(ctx)
	if err == nil {
		f.left()
	}
	return err
}

// once connects for one call. There is no limit in time but ctx, which closes the connection: an answer may take days,
// and its bytes may come with pauses.
func (p *pool) once(ctx context.Context, e hive.Executor, leaves, left func()) (x *conn, done func(), err error) {
	c, err := p.dialOnce(ctx, e)
	if err != nil {
		return nil, nil, &dialError{err}
	}
	cfg := &thrift.TConfiguration{MaxFrameSize: maxFrame, MaxMessageSize: maxFrame}
	sock := thrift.NewTSocketFromConnConf(c, cfg)
	framed := flushed{thrift.NewTFramedTransportConf(thrift.NewTBufferedTransport(sock, bufferSize), cfg), leaves, left}
	proto := thrift.NewTBinaryProtocolConf(framed, cfg)
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	client := hivego.NewDurableExecutorClient(thrift.NewTStandardClient(proto, proto))
	return &conn{net: c, transport: framed, client: client}, func() { stop(); _ = c.Close() }, nil
}

// dialError says that no connection came about: nothing was sent.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }

func (e *dialError) Unwrap() error { return e.err }

func (p *pool) dialOnce(ctx context.Context, e hive.Executor) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	c, err := (&net.Dialer{KeepAliveConfig: keepAlive()}).DialContext(ctx, "tcp", e.Address)
	if err != nil || !e.TLS {
		return c, err
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if p.tls != nil {
		cfg = p.tls.Clone()
	}
	cfg.ServerName, _, _ = net.SplitHostPort(e.Address)
	secure := tls.Client(c, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, &handshakeError{err}
	}
	return secure, nil
}

// handshakeError says that somebody is there, and no TLS came about.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string { return "TLS handshake: " + e.err.Error() }

func (e *handshakeError) Unwrap() error { return e.err }

// describe asks an executor what it is, on a connection of its own: the smallest servers hold a thread, or all they
// have, for each that is open.
func (p *pool) describe(ctx context.Context, e hive.Executor, cl caller) (*fleet.Description, error) {
	x, done, err := p.once(ctx, e, func() {}, func() {})
	if err != nil {
		return nil, err
	}
	defer done()
	return x.describe(ctx, cl)
}
