package sdk

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/executor/internal/groupwait"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Limits of the Thrift service. Its wire format is TBinary over TFramed. The service reads frames itself, so that each
// limit is checked before anything is parsed.
const (
	maxFrame        = hivego.MAX_FRAME_BYTES
	maxContainer    = 100_000
	maxConnections  = 256
	untrustedBytes  = 32 << 20         // held by all connections that have not shown the secret yet
	untrustedTime   = 10 * time.Second // until a connection must have shown it
	idleTime        = 5 * time.Minute  // between calls
	frameTime       = 30 * time.Second // for one frame, once it has begun, and for one answer
	frameHeaderSize = 4
)

// frameServer accepts connections and answers calls, one at a time on each connection.
type frameServer struct {
	listener  net.Listener
	processor *hivego.DurableExecutorProcessor
	conf      *thrift.TConfiguration
	log       *slog.Logger
	untrusted atomic.Int64 // bytes held for connections that are not trusted yet

	mu     sync.Mutex
	conns  []*conn // oldest first
	closed bool
	wg     sync.WaitGroup
}

// conn is one connection. The context of its calls contains it.
type conn struct {
	net.Conn
	cancel  context.CancelFunc
	trusted atomic.Bool
	frame   atomic.Int64 // bytes of the present call
}

type connKey struct{}

func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// trust records that a call on the connection has had the secret.
func trust(ctx context.Context) {
	if c := connOf(ctx); c != nil {
		c.trusted.Store(true)
	}
}

func frameSize(ctx context.Context) int64 {
	if c := connOf(ctx); c != nil {
		return c.frame.Load()
	}
	return 0
}

func remote(ctx context.Context) string {
	if c := connOf(ctx); c != nil {
		return c.RemoteAddr().String()
	}
	return ""
}

// init turns off a check in Thrift's generated code, which tests every 5 ms, for each running call, whether the caller
// is still connected. Long polls are always running, and a frameServer notices broken connections by itself. Thrift has
// one setting for the whole process, which must not change while calls run: a program may answer calls of other
// services before its executor starts.
//
//nolint:gochecknoinits // later is too late
func init() { thrift.ServerConnectivityCheckInterval = 0 }

// newFrameServer makes a server for the connections of l, with TLS if conf is not nil.
func newFrameServer(
	l net.Listener, conf *tls.Config, p *hivego.DurableExecutorProcessor, log *slog.Logger,
) *frameServer {
	if conf != nil {
		l = tls.NewListener(l, conf)
	}
	return &frameServer{listener: l, processor: p, log: log, conf: &thrift.TConfiguration{
		MaxMessageSize: maxFrame, MaxFrameSize: maxFrame, MaxContainerSize: maxContainer,
		TBinaryStrictRead: new(true), TBinaryStrictWrite: new(true),
	}}
}

// serve accepts connections until close.
func (s *frameServer) serve() {
	for {
		raw, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files: others may close some
			s.log.Warn("executor: accept", "error", err)
			<-time.After(50 * time.Millisecond)
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		c := &conn{Conn: raw, cancel: cancel}
		if !s.add(c) {
			cancel()
			_ = raw.Close()
			continue
		}
		go func() {
			defer s.wg.Done()
			defer s.remove(c)
			s.answer(context.WithValue(ctx, connKey{}, c), c)
		}()
	}
}

// add registers a connection. At the limit it closes the oldest untrusted connection, so that a flood does not lock out
// servers.
func (s *frameServer) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if len(s.conns) >= maxConnections {
		victim := -1
		for i, old := range s.conns {
			if !old.trusted.Load() {
				victim = i
				break
			}
		}
		if victim < 0 {
			return false
		}
		_ = s.conns[victim].Close()
		s.conns = append(s.conns[:victim], s.conns[victim+1:]...)
	}
	s.conns = append(s.conns, c)
	s.wg.Add(1)
	return true
}

func (s *frameServer) remove(c *conn) {
	c.cancel()
	_ = c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, x := range s.conns {
		if x == c {
			s.conns = append(s.conns[:i], s.conns[i+1:]...)
			return
		}
	}
}

// close stops accepting, waits a moment for calls in flight, and closes all connections.
func (s *frameServer) close() {
	s.mu.Lock()
	s.closed = true
	conns := append([]*conn(nil), s.conns...)
	s.mu.Unlock()
	_ = s.listener.Close()
	for _, c := range conns {
		_ = c.SetReadDeadline(time.Now())
	}
	if !groupwait.For(&s.wg, 2*time.Second) {
		for _, c := range conns {
			c.cancel()
			_ = c.Close()
		}
		s.wg.Wait()
	}
}

// answer reads frames and answers them one after another. A second goroutine reads one frame ahead, and so notices at
// once when the client disconnects during a call.
func (s *frameServer) answer(ctx context.Context, c *conn) {
	frames := make(chan []byte)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(frames)
		began := time.Now()
		for {
			frame, err := s.read(c, began)
			if err != nil {
				if !errors.Is(err, errQuiet) {
					c.cancel()
				}
				return
			}
			select {
			case frames <- frame:
			case <-ctx.Done():
				return
			}
		}
	})
	for frame := range frames {
		c.frame.Store(int64(len(frame)))
		out, keep := s.process(ctx, frame)
		if out == nil || !s.write(c, out) || !keep {
			break
		}
	}
	c.cancel()
	_ = c.Close()
	reader.Wait()
}

// errQuiet ends a connection between two calls without affecting a call that is being answered: the server is closing.
var errQuiet = errors.New("no more calls")

// read reads one frame. It allocates memory only as bytes arrive, so a large length alone costs no memory.
func (s *frameServer) read(c *conn, began time.Time) ([]byte, error) {
	wait := idleTime
	if !c.trusted.Load() {
		wait = untrustedTime - time.Since(began)
	}
	if s.isClosed() || c.SetReadDeadline(time.Now().Add(wait)) != nil {
		return nil, errQuiet
	}
	var head [frameHeaderSize]byte
	if n, err := io.ReadFull(c, head[:]); err != nil {
		if n == 0 && s.isClosed() {
			return nil, errQuiet
		}
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size == 0 || size > maxFrame {
		return nil, errors.New("a frame of a wrong size")
	}
	if err := c.SetReadDeadline(time.Now().Add(frameTime)); err != nil {
		return nil, err
	}
	return s.body(c, int(size))
}

func (s *frameServer) body(c *conn, size int) ([]byte, error) {
	const step = 64 << 10
	var held int64
	defer func() { s.untrusted.Add(-held) }()
	frame := make([]byte, 0, min(size, step))
	for len(frame) < size {
		n := min(size-len(frame), max(step, len(frame)))
		if !c.trusted.Load() {
			held += int64(n)
			if s.untrusted.Add(int64(n)) > untrustedBytes {
				return nil, errors.New("too much from connections that have not shown the secret")
			}
		}
		at := len(frame)
		frame = append(frame, make([]byte, n)...)
		if _, err := io.ReadFull(c, frame[at:]); err != nil {
			return nil, err
		}
	}
	return frame, nil
}

func (s *frameServer) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// process answers one call. It returns keep = false if the connection must be closed because the call violates the
// contract.
func (s *frameServer) process(ctx context.Context, frame []byte) (out []byte, keep bool) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("executor: a call panicked", "panic", p, "from", remote(ctx))
			out, keep = nil, false
		}
	}()
	in := thrift.NewTMemoryBufferLen(0)
	if _, err := in.Write(frame); err != nil {
		return nil, false
	}
	reply := thrift.NewTMemoryBufferLen(512)
	iprot := thrift.NewTBinaryProtocolConf(in, s.conf)
	oprot := thrift.NewTBinaryProtocolConf(reply, s.conf)
	ok, err := s.processor.Process(ctx, iprot, oprot)
	if !ok && reply.Len() == 0 || ctx.Err() != nil {
		s.log.Debug("executor: a call could not be answered", "error", err, "from", remote(ctx))
		return nil, false
	}
	return reply.Bytes(), ok
}

// write writes one frame.
func (s *frameServer) write(c *conn, payload []byte) bool {
	frame := make([]byte, frameHeaderSize, frameHeaderSize+len(payload))
	binary.BigEndian.PutUint32(frame, uint32(len(payload)))
	frame = append(frame, payload...)
	if c.SetWriteDeadline(time.Now().Add(frameTime)) != nil {
		return false
	}
	_, err := c.Write(frame)
	return err == nil
}
