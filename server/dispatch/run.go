package dispatch

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs"
)

// launchRun makes a run call. It belongs to the service and not to a session: its answer may take days.
func (s *Service) launchRun(from wire.Caller, c *fleet.RunCall) {
	ref := c.Assignment.Ref()
	s.mu.Lock()
	ctx, cancel := context.WithCancel(s.work)
	s.runs[ref] = cancel
	s.mu.Unlock()
	s.Go(func() {
		defer cancel()
		answer := s.run(ctx, from, c)
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

// run makes an executor do the work of an attempt, waits for it, and stores its log.
func (s *Service) run(ctx context.Context, from wire.Caller, c *fleet.RunCall) fleet.Answer {
	part, refusal, err := s.confidentialOf(ctx, &c.Executor, &c.Assignment)
	if err != nil {
		s.cfg.Log.Error("the secrets of an attempt cannot be read; it is offered again",
			"attempt", c.Assignment.Attempt, "error", err)
		return &fleet.RunFailure{Call: c, Kind: fleet.RunUnsent, Words: hive.Plain("the secrets cannot be read now")}
	}
	if refusal.Text != "" {
		return &fleet.RunFailure{Call: c, Kind: fleet.RunRefused, Words: refusal}
	}
	reply, failure := s.client.Run(ctx, from, c, part, func() {
		s.cfg.Post(func(now time.Time) { s.RunSent(now, c.Assignment.Ref()) })
	})
	if failure != nil {
		return failure
	}
	end := reply.End
	text := logs.OfRun(reply.Log, reply.Error, wire.MaxRunLog, time.Now())
	end.LogBytes, end.NoLog = int64(len(text)), len(text) == 0
	if err := s.logs.Keep(c.Assignment.Ref(), text); err != nil {
		s.cfg.Log.Error("the log of an attempt cannot be stored; it is lost", "attempt", end.Attempt, "error", err)
		end.LogBytes, end.NoLog = 0, true
	}
	return &fleet.RunAnswer{Call: c, End: end}
}
