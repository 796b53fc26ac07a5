package dispatch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// errOvertime ends a run call whose task has had its time.
var errOvertime = errors.New("the task's timeout and its kill grace are over")

// launchRun makes a run call. It is of the service, not of a session: what it waits for may take days.
func (s *Service) launchRun(cl caller, c Call) {
	ref := c.Submit[0].Ref()
	s.mu.Lock()
	ctx, cancel := context.WithCancel(s.work)
	s.runs[ref] = cancel
	s.mu.Unlock()
	s.Go(func() {
		defer cancel()
		a := s.run(ctx, cl, &c)
		s.mu.Lock()
		delete(s.runs, ref)
		s.mu.Unlock()
		s.cfg.Post(func(now time.Time) { s.Answered(now, c, a) })
	})
}

// breakOff closes the connection of a run call.
func (s *Service) breakOff(attempt hive.AttemptRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.runs[attempt]; cancel != nil {
		cancel()
	}
}

// run has an executor do the work of an attempt, and waits for it.
func (s *Service) run(ctx context.Context, cl caller, c *Call) Answer {
	as := &c.Submit[0]
	if as.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, as.Timeout+as.KillGrace, errOvertime)
		defer cancel()
		ctx = limited
	}
	began := false
	x, done, err := s.pool.once(ctx, c.Executor, func() { began = true }, func() {
		s.cfg.Post(func(now time.Time) { s.Sent(now, as.Ref()) })
	})
	if err != nil {
		return Answer{Err: err, Unsent: true}
	}
	defer done()
	call := &hivego.RunCall{Caller: cl.wire(), Assignment: wireAssignment(as)}
	call.Assignment.LogLimitBytes = new(int64(maxRunLog))
	r, err := x.client.Run(ctx, call)
	if err == nil {
		return Answer{Events: []hive.AttemptEvent{s.endOf(as.Ref(), r)}}
	}
	a := exceptionOf(err)
	a.Err, a.Unsent, a.Expired = spoken("run", err), !began, errors.Is(context.Cause(ctx), errOvertime)
	return a
}

// exceptionOf reads what an executor answered to a run call instead of an outcome; nothing is set if it did not.
func exceptionOf(err error) Answer {
	if _, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		return Answer{Denied: true}
	}
	if bad, ok := errors.AsType[*hivego.BadCall](err); ok {
		return Answer{Bad: true, Words: cmp.Or(bad.GetMessage(), "the executor cannot read the call")}
	}
	ex, ok := errors.AsType[thrift.TApplicationException](err)
	if !ok {
		return Answer{}
	}
	switch ex.TypeId() {
	case thrift.UNKNOWN_METHOD:
		return Answer{Bad: true, Words: "the executor does not offer run"}
	case thrift.MISSING_RESULT:
		return Answer{Failed: true, Words: "the executor answered without an outcome"}
	case thrift.WRONG_METHOD_NAME, thrift.BAD_SEQUENCE_ID, thrift.INVALID_MESSAGE_TYPE_EXCEPTION:
		return Answer{} // an answer to something else: what became of the work is not known
	default:
		return Answer{Failed: true, Words: "the executor met an error that it did not expect: " + ex.Error()}
	}
}

// endOf is the end of an attempt by the answer of its run call, with its log in the store.
func (s *Service) endOf(attempt hive.AttemptRef, r *hivego.RunReply) hive.AttemptEvent {
	ev := hive.AttemptEvent{Attempt: attempt.ID, Key: attempt.Key, Kind: hive.EventEnded}
	outcome(&ev, r.GetOutcome())
	text := runLog(r.GetLog(), ev.Words, time.Now())
	ev.LogBytes, ev.NoLog = int64(len(text)), len(text) == 0
	if err := s.logs.keep(attempt, text); err != nil {
		s.cfg.Log.Error("the log of an attempt cannot be stored; it is lost", "attempt", attempt.ID, "error", err)
		ev.LogBytes, ev.NoLog = 0, true
	}
	return ev
}
