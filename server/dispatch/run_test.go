package dispatch

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// blocking is the row of a script that only offers run.
func (s *script) blocking() hive.Executor {
	e := s.row()
	e.Durable = false
	return e
}

// ready waits until an executor takes work.
func (s *shift) ready() {
	s.t.Helper()
	eventually(s.t, "the executor is there", func() bool {
		var wait hive.WaitReason
		s.do(func(time.Time) { _, _, wait = s.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"}) })
		return wait == hive.WaitNone
	})
}

// give hands an attempt over.
func (s *shift) give(id int64, timeout time.Duration) {
	s.do(func(time.Time) {
		s.Reserve("x", ref(id))
		s.Offer(hive.Assignment{
			Attempt: id, Executor: "x", Handler: "shell", Params: []byte(`{"a":1}`), Values: []byte("{}"), Timeout: timeout,
		})
	})
}

func success() *hivego.Outcome { return &hivego.Outcome{Kind: new(hivego.OutcomeKind_SUCCESS)} }

// An attempt is one call: what it answers is the end, and its log is in the store before the end is told.
func TestRunCall(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	x.run = func(c *hivego.RunCall) (*hivego.RunReply, error) {
		assert.Equal(t, `{"a":1}`, c.Assignment.GetParamsJson())
		assert.Equal(t, int64(5), c.Assignment.GetAttemptId())
		return &hivego.RunReply{Log: new("one\n\x1b[1mtwo\x1b[0m \x00\xff\r\n"), Outcome: &hivego.Outcome{
			Kind: new(hivego.OutcomeKind_FAILURE), Error: new("no luck"), ExitCode: new(int32(3)), Outputs: map[string]string{"n": "1"},
			FinishedAtMillis: new(time.Now().Add(-time.Hour).UnixMilli()),
		}}, nil
	}
	s := newShift(t, nil, x.blocking())
	s.ready()
	s.give(5, time.Minute)
	assert.Equal(t, int64(5), s.next(hive.EventStarted).Attempt)
	ev := s.next(hive.EventEnded)
	assert.Equal(t, hive.OutcomeFailure, ev.Outcome)
	assert.Equal(t, 3, *ev.ExitCode)
	assert.Equal(t, "no luck", ev.Words)
	assert.Equal(t, map[string]string{"n": "1"}, ev.Outputs)
	assert.WithinDuration(t, time.Now(), ev.FinishedAt, 5*time.Minute, "its clock is an hour slow")
	assert.False(t, ev.StartedAt.IsZero(), "it did not say when it began: when the call had left")
	raw, err := os.ReadFile(s.logs.path(ref(5), wholeLog))
	require.NoError(t, err)
	assert.Regexp(t, `^\S+Z out one\n\S+Z out \x1b\[1mtwo\x1b\[0m ��\n\S+Z sys no luck\n$`, string(raw))
	assert.Equal(t, int64(len(raw)), ev.LogBytes)
	e := x.blocking()
	part, err := s.ReadLog(t.Context(), &e, hive.Attempt{ID: 5, State: hive.AttemptEnded}, 0, 1<<20)
	require.NoError(t, err)
	assert.Equal(t, raw, part.Data)
	assert.True(t, part.Complete)
	s.do(func(now time.Time) {
		s.Ack(ref(5), ev.Seq)
		assert.Zero(t, s.Statuses(now)[0].Used)
		assert.Empty(t, s.TakeFinishedLogs(), "there is nothing to copy")
	})
}

// Whatever an executor answers instead of an outcome, or does instead of answering, has an end of its own.
func TestRunCallWithoutOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run     func(*script) (*hivego.RunReply, error)
		kind    hive.AttemptEventKind
		outcome hive.Outcome
		words   string
	}{
		"a call that it cannot read": {
			func(*script) (*hivego.RunReply, error) { return nil, &hivego.BadCall{Message: new("no such file")} },
			hive.EventRefused, "", "no such file",
		},
		"a token that it does not take": {
			func(*script) (*hivego.RunReply, error) { return nil, &hivego.AccessDenied{Message: new("go away")} },
			hive.EventReturned, "", "it refuses this server: the token is not its own, or it belongs to another cluster",
		},
		"an error of its own": {
			func(*script) (*hivego.RunReply, error) { return nil, errUnscripted },
			hive.EventEnded, hive.OutcomeFailure, "the executor met an error that it did not expect: " +
				"Internal error processing run: " + errUnscripted.Error(),
		},
		"nothing": {
			func(*script) (*hivego.RunReply, error) { return &hivego.RunReply{}, nil },
			hive.EventEnded, hive.OutcomeFailure, "the executor ended it in a way that this server does not know",
		},
		"it lost it": {
			func(*script) (*hivego.RunReply, error) {
				return &hivego.RunReply{Outcome: &hivego.Outcome{
					Kind:  new(hivego.OutcomeKind_LOST),
					Error: new("gone"),
				}}, nil
			}, hive.EventLost, "", "gone",
		},
		"it lost it without a word": {
			func(*script) (*hivego.RunReply, error) {
				return &hivego.RunReply{Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_LOST)}}, nil
			}, hive.EventLost, "", wordsNoReason,
		},
		"its end": {
			func(s *script) (*hivego.RunReply, error) { s.hangUp(); return nil, errUnscripted },
			hive.EventLost, "", "the connection to the executor broke before it answered; whether the work was done, " +
				"it cannot say any more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScript(t, "x")
			x.run = func(*hivego.RunCall) (*hivego.RunReply, error) { return c.run(x) }
			s := newShift(t, nil, x.blocking())
			s.ready()
			s.give(5, 0)
			ev := s.next(c.kind)
			assert.Equal(t, c.outcome, ev.Outcome)
			assert.Equal(t, c.words, ev.Words)
			assert.Equal(t, c.kind == hive.EventLost, ev.RunOnly)
		})
	}
}

// hangUp closes every connection, as a process that dies does.
func (s *script) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// What was never sent did not begin: it is given back, and the executor gets nothing before it answers again.
func TestRunCallNotSent(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	x.run = func(*hivego.RunCall) (*hivego.RunReply, error) { return &hivego.RunReply{Outcome: success()}, nil }
	s := newShift(t, nil, x.blocking())
	s.ready()
	address := x.ln.Addr().String()
	x.close()
	s.give(5, 0)
	assert.Equal(t, "x was not reached: nothing listens at its address", s.next(hive.EventReturned).Words)
	s.do(func(now time.Time) {
		s.Ack(ref(5), 0)
		st := s.Statuses(now)[0]
		assert.Equal(t, hive.ExecutorSilent, st.State)
		assert.Equal(t, "nothing listens at its address", st.Trouble)
	})
	x.listen(t, address)
	s.ready()
	s.give(6, 0)
	assert.Equal(t, hive.OutcomeSuccess, s.next(hive.EventEnded).Outcome)
}

// A task's time, and a kill, end with the connection, which the executor notices; each says what is not known.
func TestRunCallBrokenOff(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	over, began := make(chan struct{}), make(chan struct{}, 2)
	x.run = func(*hivego.RunCall) (*hivego.RunReply, error) {
		began <- struct{}{}
		<-over
		return nil, errUnscripted
	}
	t.Cleanup(func() { close(over) }) // before the script's own end
	s := newShift(t, nil, x.blocking())
	s.ready()
	s.give(5, 50*time.Millisecond)
	ev := s.next(hive.EventEnded)
	assert.Equal(t, hive.OutcomeTimeout, ev.Outcome)
	assert.Contains(t, ev.Words, "no answer came within its time")
	s.do(func(time.Time) { s.Ack(ref(5), 0) })
	<-began
	s.give(6, 0)
	<-began
	s.next(hive.EventStarted)
	s.do(func(time.Time) {
		s.Kill("x", hive.KillOrder{Attempt: 6, Grace: time.Minute, Reason: hive.ReasonPerson})
	})
	ev = s.next(hive.EventLost)
	assert.Contains(t, ev.Words, "the connection was closed to end it")
	assert.True(t, ev.RunOnly)
}

// A session that ends while a call is under way does not break it: the next one, which names the attempt, gets the
// answer. What another process had called is lost.
func TestRunCallOutlivesSession(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	began, answer := make(chan struct{}), make(chan struct{})
	x.run = func(*hivego.RunCall) (*hivego.RunReply, error) {
		began <- struct{}{}
		<-answer
		return &hivego.RunReply{Outcome: success()}, nil
	}
	s := newShift(t, nil, x.blocking())
	adopt := func(id int64) {
		s.do(func(now time.Time) {
			s.Adopt(now, "x", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: id, Executor: "x"}, Started: true})
		})
	}
	s.ready()
	s.give(5, 0)
	<-began
	s.do(func(time.Time) { s.Reset(); s.SetEpoch(2, "session 2") })
	adopt(5)
	adopt(4)
	ev := s.next(hive.EventLost)
	assert.Equal(t, int64(4), ev.Attempt)
	assert.Contains(t, ev.Words, "the server that had called the executor was stopped or lost")
	assert.True(t, ev.RunOnly)
	answer <- struct{}{}
	ev = s.next(hive.EventEnded)
	assert.Equal(t, int64(5), ev.Attempt)
	adopt(5)
	assert.Equal(t, int64(5), s.next(hive.EventEnded).Attempt, "its end was not durable: it is told again")

	s.do(func(time.Time) { s.Ack(ref(5), 0); s.Ack(ref(4), 0) })
	s.give(6, 0)
	<-began
	s.do(func(time.Time) { s.Reset(); s.SetEpoch(3, "session 3") })
	answer <- struct{}{}
	eventually(t, "the answer came while nobody had the attempt", func() bool {
		var used int
		s.do(func(now time.Time) { used = s.Statuses(now)[0].Used })
		return used == 0
	})
	adopt(6)
	assert.Equal(t, hive.OutcomeSuccess, s.next(hive.EventEnded).Outcome)
}

// Over TLS the executor's certificate is checked by the server's authorities, and the call goes as without.
func TestRunCallOverTLS(t *testing.T) {
	t.Parallel()
	pki := httptest.NewUnstartedServer(http.NotFoundHandler()) // it has a certificate for 127.0.0.1
	pki.StartTLS()
	t.Cleanup(pki.Close)
	x := newScript(t, "x")
	require.NoError(t, x.ln.Close())
	x.secure = &tls.Config{Certificates: pki.TLS.Certificates, MinVersion: tls.VersionTLS12}
	x.listen(t, "127.0.0.1:0")
	x.run = func(*hivego.RunCall) (*hivego.RunReply, error) { return &hivego.RunReply{Outcome: success()}, nil }
	s := newShift(t, nil)
	roots := x509.NewCertPool()
	roots.AddCert(pki.Certificate())
	s.do(func(now time.Time) {
		s.pool.tls = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		e := x.blocking()
		e.TLS = true
		s.Register(now, e)
	})
	s.ready()
	s.give(5, time.Minute)
	assert.Equal(t, hive.OutcomeSuccess, s.next(hive.EventEnded).Outcome)
}

// newUnframed is an executor whose transport has no frames.
func newUnframed(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	cfg := &thrift.TConfiguration{TBinaryStrictRead: new(true)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p := thrift.NewTBinaryProtocolConf(thrift.NewTBufferedTransport(thrift.NewTSocketFromConnConf(c, cfg),
				bufferSize), cfg)
			_, _ = hivego.NewExecutorProcessor(&script{id: "x"}).Process(t.Context(), p, p)
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// Errors of connections are told in plain words, and what is at an address that is to be added, precisely.
func TestDescribeRefusals(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	s := newShift(t, nil)
	garbage, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	t.Cleanup(func() { _ = garbage.Close() })
	go func() {
		for {
			c, err := garbage.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 400 this is private\r\n\r\n"))
			_ = c.Close()
		}
	}()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	tlsAddress := secure.Listener.Addr().String()
	_, tlsPort, err := net.SplitHostPort(tlsAddress)
	require.NoError(t, err)
	unframed := newUnframed(t)
	for name, c := range map[string]struct {
		exec hive.Executor
		want hive.ErrorReason
	}{
		"TLS, unasked":  {hive.Executor{Address: tlsAddress}, hive.ErrorExecutorTLS},
		"no authority":  {hive.Executor{Address: tlsAddress, TLS: true}, hive.ErrorExecutorCertificate},
		"another host":  {hive.Executor{Address: "localhost:" + tlsPort, TLS: true}, hive.ErrorExecutorCertHost},
		"no frames":     {hive.Executor{Address: unframed}, hive.ErrorExecutorNotFramed},
		"nobody":        {hive.Executor{Address: closed.Addr().String()}, hive.ErrorExecutorUnreachable},
		"another token": {hive.Executor{Address: x.ln.Addr().String(), Secret: "wrong"}, hive.ErrorExecutorToken},
		"no TLS": {
			hive.Executor{Address: x.ln.Addr().String(), Secret: "secret of x", TLS: true},
			hive.ErrorExecutorNoTLS,
		},
		"no Thrift": {hive.Executor{Address: garbage.Addr().String()}, hive.ErrorExecutorNotThrift},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Describe(t.Context(), c.exec)
			var refused *hive.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.want, refused.Reason)
			assert.NotContains(t, err.Error(), "private", "nothing of what is said there comes back")
			assert.NotContains(t, err.Error(), "wrong")
		})
	}
	_, err = s.Describe(t.Context(), hive.Executor{Address: "localhost:" + tlsPort, TLS: true})
	require.ErrorContains(t, err, "its names are example.com, *.example.com, 127.0.0.1: add the address by one of them")
	d, err := s.Describe(t.Context(), x.blocking())
	require.NoError(t, err)
	assert.Equal(t, "x", d.ID)
	assert.Equal(t, 1, d.Slots)
}
