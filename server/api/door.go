package api

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
	shareOfOne     = 4 // one address from elsewhere gets a fourth of them
	fullPause      = 50 * time.Millisecond
	fullWords      = 10 * time.Second // between two lines in the log
)

// Door makes a listener that a flood of connections cannot break: beyond its limit new ones are closed at once, and
// when the system has no more files to give it goes on as soon as it has some. Half of the process's files are left to
// the database, logs and executors.
func Door(l net.Listener, log *slog.Logger) net.Listener {
	limit := maxConnections
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Cur/2 < uint64(limit) {
		limit = int(files.Cur / 2)
	}
	return newDoor(l, limit, log)
}

func newDoor(l net.Listener, limit int, log *slog.Logger) *door {
	return &door{Listener: l, limit: limit, log: log, from: map[string]int{}}
}

type door struct {
	net.Listener

	limit int
	log   *slog.Logger

	mu   sync.Mutex
	open int
	from map[string]int // open connections by address
	said time.Time      // of the last line in the log
}

// Accept waits for the next connection that may come in.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		switch {
		case err == nil:
			if in, ok := d.admit(c); ok {
				return in, nil
			}
			_ = c.Close()
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOBUFS),
			errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.ECONNABORTED):
			d.warn("a connection could not be accepted", "error", err)
			<-time.After(fullPause)
		default:
			return nil, err
		}
	}
}

// admit counts a connection in. Addresses of this machine have no limit of their own: a proxy may be there.
func (d *door) admit(c net.Conn) (net.Conn, bool) {
	address := ""
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		address = a.IP.String()
	}
	d.mu.Lock()
	full := d.open >= d.limit || address != "" && d.from[address] >= max(d.limit/shareOfOne, 1)
	if !full {
		d.open++
		d.from[address]++
	}
	d.mu.Unlock()
	if full {
		d.warn("too many connections; new ones are closed", "limit", d.limit, "from", address)
		return nil, false
	}
	return &guest{Conn: c, leave: sync.OnceFunc(func() { d.left(address) })}, true
}

func (d *door) left(address string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	if d.from[address]--; d.from[address] == 0 {
		delete(d.from, address)
	}
}

// warn writes a line, but not one for every connection of a flood.
func (d *door) warn(words string, args ...any) {
	d.mu.Lock()
	now := time.Now()
	quiet := now.Sub(d.said) < fullWords
	if !quiet {
		d.said = now
	}
	d.mu.Unlock()
	if !quiet {
		d.log.Warn(words, args...)
	}
}

// guest is a connection that was counted in.
type guest struct {
	net.Conn

	leave func()
}

// Close counts it out.
func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}
