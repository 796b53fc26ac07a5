package edge

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"
)

// Connections that are open at the same time.
const (
	maxConnections = 4096
	shareOfAddress = 4 // another machine gets at most a fourth of all connections
	acceptPause    = 50 * time.Millisecond
	warnEvery      = 10 * time.Second // between two lines in the log
)

// LimitConnections returns a listener that a flood of connections cannot exhaust. It closes new connections at once
// while the limit is reached, and goes on as soon as it can when the system has no more files. Half of the process's
// files are left to the database, the logs and the executors.
//
// golang.org/x/net/netutil.LimitListener would not do: it makes new connections wait instead of closing them, and it
// has no limit for each address.
func LimitConnections(l net.Listener, log *slog.Logger) net.Listener {
	limit := maxConnections
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Cur/2 < uint64(limit) {
		limit = int(files.Cur / 2)
	}
	return newLimitedListener(l, limit, log)
}

func newLimitedListener(l net.Listener, limit int, log *slog.Logger) *limitedListener {
	return &limitedListener{Listener: l, limit: limit, log: log, from: map[string]int{}}
}

type limitedListener struct {
	net.Listener

	limit int
	log   *slog.Logger

	mu     sync.Mutex
	open   int
	from   map[string]int // open connections by address
	warned time.Time      // when the last line was logged
}

// Accept waits for the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		switch {
		case err == nil:
			if counted, ok := l.admit(c); ok {
				return counted, nil
			}
			_ = c.Close()
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOBUFS),
			errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.ECONNABORTED):
			l.warn("a connection could not be accepted", "error", err)
			<-time.After(acceptPause)
		default:
			return nil, err
		}
	}
}

// admit counts a connection. A loopback address has no limit of its own, because a proxy may use it.
func (l *limitedListener) admit(c net.Conn) (net.Conn, bool) {
	address := ""
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		address = a.IP.String()
	}
	l.mu.Lock()
	full := l.open >= l.limit || address != "" && l.from[address] >= max(l.limit/shareOfAddress, 1)
	if !full {
		l.open++
		l.from[address]++
	}
	l.mu.Unlock()
	if full {
		l.warn("too many connections; new ones are closed", "limit", l.limit, "from", address)
		return nil, false
	}
	return &countedConn{Conn: c, release: sync.OnceFunc(func() { l.release(address) })}, true
}

func (l *limitedListener) release(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.from[address]--; l.from[address] == 0 {
		delete(l.from, address)
	}
}

// warn logs a line, but not one for every connection of a flood.
func (l *limitedListener) warn(words string, args ...any) {
	l.mu.Lock()
	now := time.Now()
	quiet := now.Sub(l.warned) < warnEvery
	if !quiet {
		l.warned = now
	}
	l.mu.Unlock()
	if !quiet {
		l.log.Warn(words, args...)
	}
}

// countedConn is a connection that counts towards the limits until it is closed.
type countedConn struct {
	net.Conn

	release func()
}

// Close closes the connection and releases its place.
func (c *countedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
