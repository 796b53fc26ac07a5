package api

import (
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// visitors hands out what the test gives it, as if it came from the network.
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

// visitor is a connection from an address; gone is closed when it is.
type visitor struct {
	net.Conn

	ip   string
	gone chan struct{}
	once sync.Once
}

func (v *visitor) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(v.ip), Port: 1} }

func (v *visitor) Close() error { v.once.Do(func() { close(v.gone) }); return nil }

func from(ip string) *visitor { return &visitor{ip: ip, gone: make(chan struct{})} }

func TestDoor(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	v := &visitors{queue: make(chan any, 100)}
	d := newDoor(v, 8, slog.New(slog.NewTextHandler(&log, nil)))
	enter := func(want *visitor) net.Conn {
		t.Helper()
		c, err := d.Accept()
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
	// Its place is free again once one of them leaves, however often that one is closed.
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	v.queue <- from("192.0.2.1")
	enter(a1)
	// This machine may take all that is left.
	for range 5 {
		x := from("127.0.0.1")
		v.queue <- x
		enter(x)
	}
	late := from("127.0.0.1")
	v.queue <- late
	// No file is left: it goes on. Any other error ends it.
	v.queue <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
	v.queue <- io.ErrUnexpectedEOF
	if _, err := d.Accept(); err != io.ErrUnexpectedEOF { //nolint:errorlint // handed on as it is
		t.Errorf("ended with %v", err)
	}
	<-late.gone
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("a flood wrote %d lines: %s", n, log.String())
	}
}
