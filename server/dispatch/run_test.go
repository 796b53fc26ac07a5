package dispatch

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// ready waits until the executor accepts work.
func (s *loop) ready() {
	s.t.Helper()
	eventually(s.t, "the executor is there", func() bool {
		var wait hive.WaitReason
		s.do(func(time.Time) { wait = s.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"}).Wait })
		return wait == hive.WaitNone
	})
}

// offerAttempt offers an attempt.
func (s *loop) offerAttempt(id int64, timeout time.Duration) {
	s.do(func(time.Time) {
		s.Reserve("x", ref(id))
		s.Offer(hive.Assignment{
			Attempt: id, Executor: "x", Handler: "shell", Params: []byte(`{"a":1}`), Values: []byte("{}"),
			Timeout: timeout,
		})
	})
}

func success() *hivego.Outcome { return &hivego.Outcome{Kind: new(hivego.OutcomeKind_SUCCESS)} }

// An attempt is one call: the answer is its end. Its log is in the store before the end is reported.
func TestRunCall(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	x.OnRun = func(c *hivego.RunCall) (*hivego.RunReply, error) {
		assert.Equal(t, `{"a":1}`, c.Assignment.GetParamsJson())
		assert.Equal(t, int64(5), c.Assignment.GetAttemptId())
		return &hivego.RunReply{Log: new("one\n\x1b[1mtwo\x1b[0m \x00\xff\r\n"), Outcome: &hivego.Outcome{
			Kind: new(hivego.OutcomeKind_FAILURE), Error: new("no luck"), ExitCode: new(int32(3)),
			Outputs:          map[string]string{"n": "1"},
			FinishedAtMillis: new(time.Now().Add(-time.Hour).UnixMilli()),
		}}, nil
	}
	s := newLoop(t, nil, x.RunOnlyRow())
	s.ready()
	s.offerAttempt(5, time.Minute)
	assert.Equal(t, int64(5), s.next(hive.EventStarted).Attempt)
	ev := s.next(hive.EventEnded)
	assert.Equal(t, hive.OutcomeFailure, ev.Outcome)
	assert.Equal(t, 3, *ev.ExitCode)
	assert.Equal(t, "no luck", ev.Words.Text)
	assert.Equal(t, map[string]string{"n": "1"}, ev.Outputs)
	assert.WithinDuration(t, time.Now(), ev.FinishedAt, 5*time.Minute, "its clock is an hour slow")
	assert.False(t, ev.StartedAt.IsZero(), "it did not say when it began: when the call had left")
	raw, err := os.ReadFile(logFile(s, 5))
	require.NoError(t, err)
	assert.Regexp(t, `^\S+Z out one\n\S+Z out \x1b\[1mtwo\x1b\[0m ��\n\S+Z sys no luck\n$`, string(raw))
	assert.Equal(t, int64(len(raw)), ev.LogBytes)
	e := x.RunOnlyRow()
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

// Each answer without an outcome, and a broken connection, has an end of its own.
func TestRunCallWithoutOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run     func(*wiretest.Executor) (*hivego.RunReply, error)
		kind    hive.AttemptEventKind
		outcome hive.Outcome
		words   string
	}{
		"a call that it cannot read": {
			func(*wiretest.Executor) (*hivego.RunReply, error) {
				return nil, &hivego.BadCall{Message: new("no such file")}
			},
			hive.EventRefused, "", "no such file",
		},
		"a token that it does not take": {
			func(*wiretest.Executor) (*hivego.RunReply, error) {
				return nil, &hivego.AccessDenied{Message: new("go away")}
			},
			hive.EventReturned, "",
			"it refuses this server: the token is not its own, or it belongs to another cluster",
		},
		"an error of its own": {
			func(*wiretest.Executor) (*hivego.RunReply, error) { return nil, wiretest.ErrUnexpected },
			hive.EventEnded, hive.OutcomeFailure, "the executor met an error that it did not expect: " +
				"Internal error processing run: " + wiretest.ErrUnexpected.Error(),
		},
		"nothing": {
			func(*wiretest.Executor) (*hivego.RunReply, error) { return &hivego.RunReply{}, nil },
			hive.EventEnded, hive.OutcomeFailure, "the executor ended it in a way that this server does not know",
		},
		"it lost it": {
			func(*wiretest.Executor) (*hivego.RunReply, error) {
				return &hivego.RunReply{Outcome: &hivego.Outcome{
					Kind:  new(hivego.OutcomeKind_LOST),
					Error: new("gone"),
				}}, nil
			}, hive.EventLost, "", "gone",
		},
		"it lost it without a word": {
			func(*wiretest.Executor) (*hivego.RunReply, error) {
				return &hivego.RunReply{Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_LOST)}}, nil
			}, hive.EventLost, "", "the executor told it as lost, without saying why",
		},
		"its end": {
			func(s *wiretest.Executor) (*hivego.RunReply, error) { s.HangUp(); return nil, wiretest.ErrUnexpected },
			hive.EventLost, "", "the connection to the executor broke before it answered; whether the work was done, " +
				"it cannot say any more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := wiretest.New(t, "x")
			x.OnRun = func(*hivego.RunCall) (*hivego.RunReply, error) { return c.run(x) }
			s := newLoop(t, nil, x.RunOnlyRow())
			s.ready()
			s.offerAttempt(5, 0)
			ev := s.next(c.kind)
			assert.Equal(t, c.outcome, ev.Outcome)
			assert.Equal(t, c.words, ev.Words.Text)
			assert.Equal(t, c.kind == hive.EventLost, ev.RunOnly)
		})
	}
}

// An attempt that was never sent did not begin: it is returned, and the executor gets nothing before it answers again.
func TestRunCallNotSent(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	x.OnRun = func(*hivego.RunCall) (*hivego.RunReply, error) { return &hivego.RunReply{Outcome: success()}, nil }
	s := newLoop(t, nil, x.RunOnlyRow())
	s.ready()
	address := x.Address()
	x.Close()
	s.offerAttempt(5, 0)
	assert.Equal(t, "x was not reached: nothing listens at its address", s.next(hive.EventReturned).Words.Text)
	s.do(func(now time.Time) {
		s.Ack(ref(5), 0)
		st := s.Statuses(now)[0]
		assert.Equal(t, hive.ExecutorSilent, st.State)
		assert.Equal(t, "nothing listens at its address", st.Trouble.Text)
	})
	x.Listen(t, address)
	s.ready()
	s.offerAttempt(6, 0)
	assert.Equal(t, hive.OutcomeSuccess, s.next(hive.EventEnded).Outcome)
}

// At the timeout of a task, and for a kill, the connection is closed. The error of the end names what is unknown.
func TestRunCallBrokenOff(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	over, began := make(chan struct{}), make(chan struct{}, 2)
	x.OnRun = func(*hivego.RunCall) (*hivego.RunReply, error) {
		began <- struct{}{}
		<-over
		return nil, wiretest.ErrUnexpected
	}
	t.Cleanup(func() { close(over) }) // before the script's own end
	s := newLoop(t, nil, x.RunOnlyRow())
	s.ready()
	s.offerAttempt(5, 2*time.Second) // long enough for the call to leave on a busy machine
	ev := s.next(hive.EventEnded)
	assert.Equal(t, hive.OutcomeTimeout, ev.Outcome)
	assert.Contains(t, ev.Words.Text, "no answer came within its time")
	s.do(func(time.Time) { s.Ack(ref(5), 0) })
	<-began
	s.offerAttempt(6, 0)
	<-began
	s.next(hive.EventStarted)
	s.do(func(time.Time) {
		s.Kill("x", hive.KillOrder{Attempt: 6, Grace: time.Minute, Reason: hive.ReasonPerson})
	})
	ev = s.next(hive.EventLost)
	assert.Contains(t, ev.Words.Text, "the connection was closed to end it")
	assert.True(t, ev.RunOnly)
}

// A call survives the end of its session: the next session, if it names the attempt, gets the answer. An attempt that
// another process had called is lost.
func TestRunCallOutlivesSession(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	began, answer := make(chan struct{}), make(chan struct{})
	x.OnRun = func(*hivego.RunCall) (*hivego.RunReply, error) {
		began <- struct{}{}
		<-answer
		return &hivego.RunReply{Outcome: success()}, nil
	}
	s := newLoop(t, nil, x.RunOnlyRow())
	adopt := func(id int64) {
		s.do(func(now time.Time) {
			s.Adopt(now, "x", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: id, Executor: "x"}, Started: true})
		})
	}
	s.ready()
	s.offerAttempt(5, 0)
	<-began
	s.do(func(time.Time) { s.Reset(); s.SetEpoch(2, "session 2") })
	adopt(5)
	adopt(4)
	ev := s.next(hive.EventLost)
	assert.Equal(t, int64(4), ev.Attempt)
	assert.Contains(t, ev.Words.Text, "the server that had called the executor was stopped or lost")
	assert.True(t, ev.RunOnly)
	answer <- struct{}{}
	ev = s.next(hive.EventEnded)
	assert.Equal(t, int64(5), ev.Attempt)
	adopt(5)
	assert.Equal(t, int64(5), s.next(hive.EventEnded).Attempt, "its end was not durable: it is told again")

	s.do(func(time.Time) { s.Ack(ref(5), 0); s.Ack(ref(4), 0) })
	s.offerAttempt(6, 0)
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

// Over TLS the server checks the executor's certificate by its authorities, and makes the same call.
func TestRunCallOverTLS(t *testing.T) {
	t.Parallel()
	pki := httptest.NewUnstartedServer(http.NotFoundHandler()) // it has a certificate for 127.0.0.1
	pki.StartTLS()
	t.Cleanup(pki.Close)
	x := wiretest.New(t, "x")
	x.StopListening(t)
	x.TLS = &tls.Config{Certificates: pki.TLS.Certificates, MinVersion: tls.VersionTLS12}
	x.Listen(t, "127.0.0.1:0")
	x.OnRun = func(*hivego.RunCall) (*hivego.RunReply, error) { return &hivego.RunReply{Outcome: success()}, nil }
	s := newLoop(t, nil)
	roots := x509.NewCertPool()
	roots.AddCert(pki.Certificate())
	s.do(func(now time.Time) {
		s.client = wire.NewClient(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12})
		e := x.RunOnlyRow()
		e.TLS = true
		s.Register(now, e)
	})
	s.ready()
	s.offerAttempt(5, time.Minute)
	assert.Equal(t, hive.OutcomeSuccess, s.next(hive.EventEnded).Outcome)
}
