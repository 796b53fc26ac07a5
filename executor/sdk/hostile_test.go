package sdk_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func dial(t testing.TB, e *sdk.Executor) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", e.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// works checks that a server still gets answers.
func works(t testing.TB, e *sdk.Executor) {
	t.Helper()
	s := connect(t, e, "s", 1)
	if _, err := s.c.Describe(s.ctx(), &hivego.DescribeCall{Caller: s.caller}); err != nil {
		t.Fatalf("the executor does not answer any more: %v", err)
	}
}

// closed checks that the executor closes a connection, perhaps after an answer.
func closed(t testing.TB, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, c); err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the connection stays open")
	}
}

func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestHostileFrames(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	message := func(name string, rest ...byte) []byte { // a strict call, sequence 1
		out := []byte{0x80, 0x01, 0x00, 0x01}
		out = binary.BigEndian.AppendUint32(out, uint32(len(name)))
		out = append(out, name...)
		return append(append(out, 0, 0, 0, 1), rest...)
	}
	cases := map[string][]byte{
		"a huge length":           {0xff, 0xff, 0xff, 0xff},
		"a length over the limit": {0x01, 0x00, 0x00, 0x01},
		"an empty frame":          {0, 0, 0, 0},
		"HTTP":                    []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		"garbage in a frame":      frame(bytes.Repeat([]byte{0xa5}, 64)),
		"not strict":              frame([]byte{0, 0, 0, 8, 'd', 'e', 's', 'c', 'r', 'i', 'b', 'e', 1, 0, 0, 0, 1}),
		"a name of 2 GB":          frame([]byte{0x80, 1, 0, 1, 0x7f, 0xff, 0xff, 0xff, 'x'}),
		"a list of 2 G elements":  frame(message("submit", 12, 0, 1, 15, 0, 2, 12, 0x7f, 0xff, 0xff, 0xff)),
		"a string of minus bytes": frame(message("submit", 12, 0, 1, 12, 0, 1, 11, 0, 1, 0xff, 0xff, 0xff, 0xff)),
		"structs without end":     frame(message("submit", bytes.Repeat([]byte{12, 0, 9}, 100_000)...)),
		"half a message":          frame(message("submit", 12, 0, 1)),
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, e)
			if _, err := c.Write(data); err != nil {
				t.Fatal(err)
			}
			closed(t, c)
			works(t, e)
		})
	}
	t.Run("an unknown method", func(t *testing.T) {
		t.Parallel()
		c := dial(t, e)
		if _, err := c.Write(frame(message("shutdown", 0))); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.ReadFull(c, make([]byte, 4)); err != nil {
			t.Fatalf("no answer: %v", err)
		}
		works(t, e)
	})
	t.Run("half a frame, then gone", func(t *testing.T) {
		t.Parallel()
		c := dial(t, e)
		if _, err := c.Write([]byte{0, 1, 0, 0, 1, 2, 3}); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		works(t, e)
	})
}

// A large length without the bytes costs no memory.
func TestLengthsCostNothing(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, err := dial(t, e).Write([]byte{0x00, 0xff, 0xff, 0xff, 1}); err != nil {
			t.Fatal(err)
		}
	}
	works(t, e)
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100<<20 {
		t.Fatalf("%d MB for lengths alone", grown>>20)
	}
}

// A flood of connections locks out no server, neither a connected one nor one that connects later.
func TestConnectionFlood(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	s := connect(t, e, "s", 1)
	s.attach()
	for range 600 {
		dial(t, e)
	}
	if got := s.submit(assignment(1, "ok"))[0].GetCode(); got != hivego.ReceiptCode_STARTED {
		t.Fatalf("receipt %v", got)
	}
	works(t, e)
}

func TestAccess(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	good := connect(t, e, "s", 5)
	good.attach()
	cases := map[string]func(*hivego.Caller){
		"wrong token":     func(c *hivego.Caller) { c.Token = new("guess") },
		"no token":        func(c *hivego.Caller) { c.Token = nil },
		"empty token":     func(c *hivego.Caller) { c.Token = new("") },
		"another cluster": func(c *hivego.Caller) { c.ClusterId = new("d") },
		"no cluster":      func(c *hivego.Caller) { c.ClusterId = nil },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := connect(t, e, "s", 5)
			spoil(s.caller)
			_, err1 := s.c.Submit(s.ctx(),
				&hivego.SubmitCall{Caller: s.caller, Assignments: []*hivego.Assignment{assignment(9, "ok")}})
			_, err2 := s.c.Poll(s.ctx(), &hivego.PollCall{Caller: s.caller})
			_, err3 := s.c.Attach(s.ctx(), &hivego.AttachCall{Caller: s.caller})
			_, err4 := s.c.Kill(s.ctx(), &hivego.KillCall{Caller: s.caller})
			_, err5 := s.c.ReadLog(s.ctx(), &hivego.LogCall{Caller: s.caller})
			_, err6 := s.c.Run(s.ctx(), &hivego.RunCall{Caller: s.caller, Assignment: assignment(9, "ok")})
			_, err7 := s.c.Describe(s.ctx(), &hivego.DescribeCall{Caller: s.caller})
			for i, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
				if _, ok := errors.AsType[*hivego.AccessDenied](err); !ok {
					t.Errorf("call %d: %v", i+1, err)
				}
			}
		})
	}
	t.Run("no caller", func(t *testing.T) {
		t.Parallel()
		s := connect(t, e, "s", 5)
		var denied *hivego.AccessDenied
		if _, err := s.c.Describe(s.ctx(), &hivego.DescribeCall{}); !errors.As(err, &denied) {
			t.Fatal(err)
		}
	})
	t.Run("a replaced server", func(t *testing.T) {
		t.Parallel()
		s := connect(t, e, "s", 4)
		var stale *hivego.StaleEpoch
		if _, err := s.c.Poll(s.ctx(), &hivego.PollCall{Caller: s.caller}); !errors.As(err, &stale) ||
			stale.GetEpoch() != 5 {
			t.Fatal(err)
		}
	})
	t.Run("too many assignments", func(t *testing.T) {
		t.Parallel()
		s := connect(t, e, "s", 5)
		list := make([]*hivego.Assignment, ledger.MaxAssignments+1)
		for i := range list {
			list[i] = assignment(int64(i+1), "ok")
		}
		var bad *hivego.BadCall
		if _, err := s.c.Submit(s.ctx(), &hivego.SubmitCall{Caller: s.caller, Assignments: list}); !errors.As(err,
			&bad) {
			t.Fatal(err)
		}
	})
}

// A newer poll of the same server replaces a waiting one.
func TestOnePollWaits(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	a, b := connect(t, e, "s", 1), connect(t, e, "s", 1)
	a.attach()
	a.poll()
	done := make(chan error, 1)
	go func() {
		_, err := a.c.Poll(a.ctx(),
			&hivego.PollCall{Caller: a.caller, WaitMillis: new(int64(10_000)), LastAnswer: &a.last})
		done <- err
	}()
	b.last = a.last
	for end := time.Now().Add(8 * time.Second); ; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
		if time.Now().After(end) {
			t.Fatal("two polls wait")
		}
		if _, err := b.c.Poll(b.ctx(),
			&hivego.PollCall{Caller: b.caller, WaitMillis: new(int64(10)), LastAnswer: &b.last}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	e := start(t, sdk.Config{
		Listen: "0.0.0.0:0", Token: "t", TLS: &tls.Config{
			Certificates: []tls.Certificate{{
				Certificate: [][]byte{der},
				PrivateKey:  key,
			}}, MinVersion: tls.VersionTLS12,
		},
	})
	_, port, _ := net.SplitHostPort(e.Addr())
	cert, _ := x509.ParseCertificate(der)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	conf := &thrift.TConfiguration{
		ConnectTimeout: patience, SocketTimeout: patience, TLSConfig: &tls.Config{
			RootCAs:    pool,
			MinVersion: tls.VersionTLS12,
		},
	}
	transport := thrift.NewTFramedTransportConf(thrift.NewTSSLSocketConf("127.0.0.1:"+port, conf), conf)
	if err := transport.Open(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = transport.Close() }()
	p := thrift.NewTBinaryProtocolConf(transport, conf)
	c := hivego.NewDurableExecutorClient(thrift.NewTStandardClient(p, p))
	r, err := c.Describe(t.Context(),
		&hivego.DescribeCall{Caller: &hivego.Caller{Token: new(e.Secret()), ClusterId: new("c")}})
	if err != nil || r.GetExecutorId() != e.ID() {
		t.Fatalf("%v %v", r, err)
	}
	plain, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plain.Write(frame(bytes.Repeat([]byte{1}, 100))); err != nil {
		t.Fatal(err)
	}
	closed(t, plain)
}
