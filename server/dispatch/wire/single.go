package wire

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

// keepAlive returns settings that detect a dead machine within half a minute, however long a call takes.
func keepAlive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}
}

// flushed is a transport that calls leaves when it begins to send a call, and left when the call was sent completely.
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

// single connects for one call. It calls leaves when it begins to send the call, and left when the call was sent
// completely. Only ctx, which closes the connection, limits the time: an answer may take days, and its bytes may come
// with pauses.
func (x *Client) single(ctx context.Context, e hive.Executor, leaves, left func()) (_ *conn, done func(), err error) {
	c, err := x.dialOnce(ctx, e)
	if err != nil {
		return nil, nil, &dialError{err}
	}
	cfg := &thrift.TConfiguration{MaxFrameSize: hivego.MAX_FRAME_BYTES, MaxMessageSize: hivego.MAX_FRAME_BYTES}
	sock := thrift.NewTSocketFromConnConf(c, cfg)
	framed := flushed{thrift.NewTFramedTransportConf(thrift.NewTBufferedTransport(sock, bufferSize), cfg), leaves, left}
	proto := thrift.NewTBinaryProtocolConf(framed, cfg)
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	client := hivego.NewDurableExecutorClient(thrift.NewTStandardClient(proto, proto))
	return &conn{net: c, transport: framed, client: client}, func() { stop(); _ = c.Close() }, nil
}

// dialError reports that there is no connection, so that nothing was sent.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }

func (e *dialError) Unwrap() error { return e.err }

func (x *Client) dialOnce(ctx context.Context, e hive.Executor) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	c, err := (&net.Dialer{KeepAliveConfig: keepAlive()}).DialContext(ctx, "tcp", e.Address)
	if err != nil || !e.TLS {
		return c, err
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if x.tls != nil {
		cfg = x.tls.Clone()
	}
	cfg.ServerName, _, _ = net.SplitHostPort(e.Address)
	secure := tls.Client(c, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, &handshakeError{err}
	}
	return secure, nil
}

// handshakeError reports that there is a connection, and that TLS failed on it.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string { return "TLS handshake: " + e.err.Error() }

func (e *handshakeError) Unwrap() error { return e.err }

// describe asks an executor for its description, on a connection of its own: a small server may need a thread for each
// open connection, or may have only one thread.
func (x *Client) describe(ctx context.Context, e hive.Executor, from Caller) (*fleet.Description, error) {
	c, done, err := x.single(ctx, e, func() {}, func() {})
	if err != nil {
		return nil, err
	}
	defer done()
	return c.describe(ctx, from)
}
