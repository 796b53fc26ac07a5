package edge

import (
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// visitors is a listener that returns the connections and errors which the test puts into its queue.
type visitors struct {
	net.Listener

	queue chan any // a net.Conn or an error
}

func (v *visitors) Accept() (net.Conn, error) {
	switch x := (<-v.queue).(type) {
	case net.Conn:
		return x, nil
	case error:
		return nil, x
	default:
		return nil, net.ErrClosed
	}
}

// visitor is a connection from an address. Close closes the channel gone.
type visitor struct {
	net.Conn

	ip   string
	gone chan struct{}
	once sync.Once
}

func (v *visitor) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(v.ip), Port: 1} }

func (v *visitor) Close() error { v.once.Do(func() { close(v.gone) }); return nil }

func from(ip string) *visitor { return &visitor{ip: ip, gone: make(chan struct{})} }

func TestLimitConnections(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	v := &visitors{queue: make(chan any, 100)}
	l := newLimitedListener(v, 8, slog.New(slog.NewTextHandler(&log, nil)))
	enter := func(want *visitor) net.Conn {
		t.Helper()
		c, err := l.Accept()
		if err != nil || c.RemoteAddr().String() != want.RemoteAddr().String() {
			t.Fatalf("%v %v, want %s", c, err, want.ip)
		}
		return c
	}
	// Another machine gets two of the eight; the third is closed, and others still come in.
	a1, a2, a3, b := from("192.0.2.1"), from("192.0.2.1"), from("192.0.2.1"), from("192.0.2.2")
	for _, x := range []*visitor{a1, a2, a3, b} {
		v.queue <- x
	}
	first := enter(a1)
	enter(a2)
	enter(b)
	<-a3.gone
	// Closing one of them frees one place, even if it is closed twice.
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	v.queue <- from("192.0.2.1")
	enter(a1)
	// This machine may take all remaining places.
	for range 5 {
		x := from("127.0.0.1")
		v.queue <- x
		enter(x)
	}
	late := from("127.0.0.1")
	v.queue <- late
	// The listener goes on after an error about missing files. Any other error ends it.
	v.queue <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
	v.queue <- io.ErrUnexpectedEOF
	if _, err := l.Accept(); err != io.ErrUnexpectedEOF { //nolint:errorlint // handed on as it is
		t.Errorf("ended with %v", err)
	}
	<-late.gone
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("a flood wrote %d lines: %s", n, log.String())
	}
}
