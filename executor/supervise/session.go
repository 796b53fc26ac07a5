package supervise

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const socketName = "socket"

// maxSocketPath is what fits into a socket address, with its final zero.
const maxSocketPath = 107

// socketPath gives a path to the socket that fits into a socket address. A long one goes through the open folder. The
// returned function is to be called after use.
func socketPath(dir string) (string, func(), error) {
	path := filepath.Join(dir, socketName)
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), socketName), func() { _ = d.Close() }, nil
}

func listen(dir string) (*net.UnixListener, error) {
	path, done, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // the path may be short-lived, and the next supervisor removes it
	return l, os.Chmod(path, 0o600)
}

func dial(dir string) (*net.UnixConn, error) {
	path, done, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	return net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
}

// session is one connection of an executor. Only the latest counts.
type session struct {
	conn *net.UnixConn
	mu   sync.Mutex
	out  [][]byte
	kick chan struct{}
	done chan struct{}
}

func newSession(conn *net.UnixConn) *session {
	x := &session{conn: conn, kick: make(chan struct{}, 1), done: make(chan struct{})}
	go x.write()
	return x
}

// send queues a message and never blocks.
func (x *session) send(m message) {
	frame, err := encode(m)
	if err != nil {
		_ = x.conn.Close()
		return
	}
	x.mu.Lock()
	x.out = append(x.out, frame)
	x.mu.Unlock()
	select {
	case x.kick <- struct{}{}:
	default:
	}
}

func (x *session) write() {
	for {
		select {
		case <-x.kick:
		case <-x.done:
			return
		}
		x.mu.Lock()
		out := net.Buffers(x.out)
		x.out = nil
		x.mu.Unlock()
		if _, err := out.WriteTo(x.conn); err != nil {
			_ = x.conn.Close()
			return
		}
	}
}

func (s *supervisor) accept(l *net.UnixListener) {
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			s.log.Warn("supervisor: accept", "error", err)
			pause(50 * time.Millisecond)
			continue
		}
		if !sameUser(conn) {
			s.log.Warn("supervisor: another user tried to connect")
			_ = conn.Close()
			continue
		}
		go s.serve(conn)
	}
}

// sameUser says that the other end runs as this user, or as root.
func sameUser(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	ok := false
	err = raw.Control(func(fd uintptr) {
		cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		ok = err == nil && (int(cred.Uid) == os.Getuid() || cred.Uid == 0)
	})
	return err == nil && ok
}

// serve takes the orders of one connection until it ends or a later one takes its place.
func (s *supervisor) serve(conn *net.UnixConn) {
	x := newSession(conn)
	defer close(x.done)
	defer func() { _ = conn.Close() }()
	for {
		m, err := receive(conn)
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				s.log.Warn("supervisor: connection ended", "error", err)
			}
			s.gone(x)
			return
		}
		if !s.order(x, m) {
			return
		}
	}
}

func (s *supervisor) gone(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == x {
		s.session, s.idle = nil, time.Now()
	}
}

// order does what one message says. Orders of a connection that has been replaced are not done: what a dead executor
// left in its socket must not start anything after its successor has asked what runs.
func (s *supervisor) order(x *session, m message) bool {
	s.mu.Lock()
	if s.leaving {
		s.mu.Unlock()
		return false
	}
	if m.Op == opHello {
		if s.session != nil && s.session != x {
			_ = s.session.conn.Close()
		}
		s.session = x
		x.send(message{Op: opWelcome, List: s.list()})
		s.mu.Unlock()
		return true
	}
	if s.session != x {
		s.mu.Unlock()
		return false
	}
	var begin, end *process
	switch m.Op {
	case opStart:
		begin = s.admit(m.Spec)
	case opKill:
		end = s.procs[m.Ref]
	case opLease:
		if m.Lease != nil {
			s.leases[m.Lease.Server] = *m.Lease
		}
	case opMove:
		if p := s.procs[m.Ref]; p != nil {
			p.spec.Server = m.Server
		}
	case opForget:
		if _, known := s.store.exits[m.Ref]; known {
			s.store.add(record{Kind: kindForget, ID: m.ID, Key: m.Key}, nil)
		}
	}
	s.mu.Unlock()
	if begin != nil {
		s.orders <- begin
	}
	if end != nil {
		end.kill(WhyKill, m.Grace, m.Words)
	}
	return true
}

// admit takes in a process, unless its attempt was started before. The caller holds the lock.
func (s *supervisor) admit(spec *Spec) *process {
	if spec == nil || s.procs[spec.Ref] != nil {
		return nil
	}
	if x, done := s.store.exits[spec.Ref]; done {
		s.session.send(message{Op: opExit, Exit: &x})
		return nil
	}
	p := &process{spec: *spec, token: newToken(), sup: s}
	s.procs[spec.Ref] = p
	return p
}
