package fault

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// line stands between a server and its PostgreSQL. A test cuts it, closes it, or delays the bytes.
type line struct {
	listener net.Listener
	network  string
	target   string

	mu     sync.Mutex
	shut   bool
	open   chan struct{} // closed while bytes may pass
	conns  map[net.Conn]bool
	passed sync.WaitGroup
}

// newLine returns a line to a database, and the URL by which it is used.
func newLine(t *testing.T, database string) (l *line, through string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	l = &line{network: "tcp", target: u.Host, open: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(l.open)
	if dir := u.Query().Get("host"); strings.HasPrefix(dir, "/") {
		l.network, l.target = "unix", filepath.Join(dir, ".s.PGSQL.5432")
	} else if u.Port() == "" {
		l.target = net.JoinHostPort(u.Hostname(), "5432")
	}
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Del("host")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = l.listener.Addr().String(), q.Encode()
	go l.serve()
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.Hold(false)
		l.Cut()
		l.passed.Wait()
	})
	return l, u.String()
}

// Cut ends all connections. New ones are taken.
func (l *line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close()
	}
}

// Shut ends all connections and refuses new ones, or accepts them again.
func (l *line) Shut(on bool) {
	l.mu.Lock()
	l.shut = on
	l.mu.Unlock()
	if on {
		l.Cut()
	}
}

// Hold keeps everything that is sent from now on, or lets it pass again.
func (l *line) Hold(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
		if on {
			l.open = make(chan struct{})
		}
	default:
		if !on {
			close(l.open)
		}
	}
}

func (l *line) serve() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return
		}
		d, err := net.Dial(l.network, l.target)
		if err != nil || !l.keep(c, d) {
			_ = c.Close()
			if err == nil {
				_ = d.Close()
			}
			continue
		}
		l.passed.Go(func() { l.pass(c, d) })
		l.passed.Go(func() { l.pass(d, c) })
	}
}

func (l *line) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if !l.shut {
			l.conns[c] = true
		}
	}
	return !l.shut
}

// pass copies the bytes of one side to the other.
func (l *line) pass(from, to net.Conn) {
	defer l.forget(from, to)
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		l.mu.Lock()
		open := l.open
		l.mu.Unlock()
		<-open
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (l *line) forget(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(l.conns, c)
	}
}
