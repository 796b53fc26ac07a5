package dispatch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// errOvertime ends a run call whose task has had its time.
var errOvertime = errors.New("the task's timeout and its kill grace are over")

// launchRun makes a run call. It belongs to the service and not to a session: its answer may take days.
func (s *Service) launchRun(cl caller, c *fleet.RunCall) {
	ref := c.Assignment.Ref()
	s.mu.Lock()
	ctx, cancel := context.WithCancel(s.work)
	s.runs[ref] = cancel
	s.mu.Unlock()
	s.Go(func() {
		defer cancel()
		answer := s.run(ctx, cl, c)
		s.mu.Lock()
		delete(s.runs, ref)
		s.mu.Unlock()
		s.cfg.Post(func(now time.Time) { s.Answered(now, answer) })
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
func (s *Service) run(ctx context.Context, cl caller, c *fleet.RunCall) fleet.Answer {
	as := &c.Assignment
	if as.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, as.Timeout+as.KillGrace, errOvertime)
		defer cancel()
		ctx = limited
	}
	began := false
	x, done, err := s.pool.once(ctx, c.Executor, func() { began = true }, func() {
		s.cfg.Post(func(now time.Time) { s.RunSent(now, as.Ref()) })
	})
	if err != nil {
		return runFailure(c, fleet.RunUnsent, err)
	}
	defer done()
	call := &hivego.RunCall{Caller: cl.wire(), Assignment: wireAssignment(as)}
	call.Assignment.LogLimitBytes = new(int64(hivego.MAX_RUN_LOG_BYTES))
	r, err := x.client.Run(ctx, call)
	if err == nil {
		return &fleet.RunAnswer{Call: c, End: s.endOf(as.Ref(), r)}
	}
	if !began {
		return runFailure(c, fleet.RunUnsent, callError("run", err))
	}
	kind, words := exceptionOf(err)
	if kind == fleet.RunBroken && errors.Is(context.Cause(ctx), errOvertime) {
		kind = fleet.RunTimedOut
	}
	return &fleet.RunFailure{Call: c, Kind: kind, Words: words}
}

// runFailure says in plain words why a run call was not made.
func runFailure(c *fleet.RunCall, kind fleet.RunFailureKind, err error) *fleet.RunFailure {
	words, _ := troubleOf(err)
	return &fleet.RunFailure{Call: c, Kind: kind, Words: words}
}

// exceptionOf reads what an executor answered to a run call instead of an outcome; RunBroken if it did not answer.
func exceptionOf(err error) (kind fleet.RunFailureKind, words string) {
	if _, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		words, _ = troubleOf(err)
		return fleet.RunDenied, words
	}
	if bad, ok := errors.AsType[*hivego.BadCall](err); ok {
		return fleet.RunRefused, cmp.Or(bad.GetMessage(), "the executor cannot read the call")
	}
	ex, ok := errors.AsType[thrift.TApplicationException](err)
	if !ok {
		return fleet.RunBroken, ""
	}
	switch ex.TypeId() {
	case thrift.UNKNOWN_METHOD:
		return fleet.RunRefused, "the executor does not offer run"
	case thrift.MISSING_RESULT:
		return fleet.RunFailed, "the executor answered without an outcome"
	case thrift.WRONG_METHOD_NAME, thrift.BAD_SEQUENCE_ID, thrift.INVALID_MESSAGE_TYPE_EXCEPTION:
		return fleet.RunBroken, "" // an answer to another call: what became of the work is not known
	default:
		return fleet.RunFailed, "the executor met an error that it did not expect: " + ex.Error()
	}
}

// endOf returns the end of an attempt by the answer of its run call. It stores the log.
func (s *Service) endOf(attempt hive.AttemptRef, r *hivego.RunReply) hive.AttemptEvent {
	ev := hive.AttemptEvent{Attempt: attempt.ID, Key: attempt.Key, Kind: hive.EventEnded}
	readOutcome(&ev, r.GetOutcome())
	text := runLog(r.GetLog(), ev.Words, time.Now())
	ev.LogBytes, ev.NoLog = int64(len(text)), len(text) == 0
	if err := s.logs.keep(attempt, text); err != nil {
		s.cfg.Log.Error("the log of an attempt cannot be stored; it is lost", "attempt", attempt.ID, "error", err)
		ev.LogBytes, ev.NoLog = 0, true
	}
	return ev
}
