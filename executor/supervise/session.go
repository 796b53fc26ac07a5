package supervise

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/internal/mailbox"
)

const socketName = "socket"

// maxSocketPath is the longest path that fits into a socket address, in bytes.
const maxSocketPath = 107

// socketPath returns a path to the socket that fits into a socket address. If the real path is too long, it goes
// through /proc/self/fd and the opened folder. The caller calls the returned function after use.
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
	l.SetUnlinkOnClose(false) // the path may not be valid any more then; the next supervisor removes the socket
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

// session is one connection of an executor. The supervisor obeys only the latest one.
type session struct {
	conn   *net.UnixConn
	frames *mailbox.Box[[]byte]
	done   chan struct{}
}

func newSession(conn *net.UnixConn) *session {
	x := &session{conn: conn, frames: mailbox.New[[]byte](), done: make(chan struct{})}
	go x.write()
	return x
}

// send queues a message. It never blocks.
func (x *session) send(m message) {
	frame, err := encode(m)
	if err != nil {
		_ = x.conn.Close()
		return
	}
	x.frames.Put(frame)
}

// write writes the queued messages until the session is done.
func (x *session) write() {
	for {
		select {
		case <-x.frames.Wake():
		case <-x.done:
			return
		}
		frames := net.Buffers(x.frames.TakeAll())
		if _, err := frames.WriteTo(x.conn); err != nil {
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
			s.log.Warn("supervisor: cannot accept a connection", "error", err)
			pause(50 * time.Millisecond)
			continue
		}
		if !sameUser(conn) {
			s.log.Warn("supervisor: refused a connection of another user")
			_ = conn.Close()
			continue
		}
		go s.serve(conn)
	}
}

// sameUser reports whether the peer runs as this user or as root.
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

// serve executes the orders of one connection until it ends or a later connection replaces it.
func (s *supervisor) serve(conn *net.UnixConn) {
	x := newSession(conn)
	defer close(x.done)
	defer func() { _ = conn.Close() }()
	for {
		m, err := receive(conn)
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				s.log.Warn("supervisor: connection broken", "error", err)
			}
			s.disconnected(x)
			return
		}
		if !s.execute(x, m) {
			return
		}
	}
}

func (s *supervisor) disconnected(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == x {
		s.session, s.idle = nil, time.Now()
	}
}

// execute executes one order. It returns false, without doing anything, if another connection has replaced this one:
// orders that a dead executor left in its socket must not start a process after its successor has read the list.
func (s *supervisor) execute(x *session, m message) bool {
	s.mu.Lock()
	if s.stopping {
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
	var start, kill *process
	switch m.Op {
	case opStart:
		start = s.admit(m.Spec)
	case opKill:
		kill = s.procs[m.Ref]
	case opLease:
		if m.Lease != nil {
			s.leases[m.Lease.Name] = *m.Lease
		}
	case opMove:
		if p := s.procs[m.Ref]; p != nil {
			p.spec.Lease = m.Under
		}
	case opForget:
		if _, found := s.store.exits[m.Ref]; found {
			s.store.add(record{Kind: kindForget, ID: m.ID, Key: m.Key}, nil)
		}
	}
	s.mu.Unlock()
	if start != nil {
		s.starts <- start
	}
	if kill != nil {
		kill.kill(WhyKill, m.Grace, m.Reason)
	}
	return true
}

// admit registers a process to be started. It returns nil if its attempt was started before; if that has ended, it
// sends the exit again. The caller holds the lock.
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
