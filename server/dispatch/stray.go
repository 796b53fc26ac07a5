package dispatch

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Stray is an attempt that an executor has for this server's id and that nobody here knows: it ended long ago and only
// its release was lost, or the database has forgotten it; or another server took it over while this one was away, and
// has not reached the executor yet. Only the store can tell.
type Stray struct {
	Executor string // id
	Name     string // of the executor
	Attempt  hive.AttemptRef
	Running  bool
	BatchID  int64 // this and the next: as the executor says, if it does
	Schedule string
	Task     string
	seq      int64 // of its end, if that was told
}

// stray notes that a stray is to be looked up. It is not noted again before it was settled.
func (f *Fleet) stray(p *peer, s Stray) {
	if p.noted[s.Attempt] { // only its ack, or its release, has not arrived yet
		if s.seq > 0 {
			p.acks = append(p.acks, ack{attempt: s.Attempt, seq: s.seq})
		}
		return
	}
	if p.strays[s.Attempt] {
		return
	}
	p.strays[s.Attempt] = true
	s.Executor, s.Name = p.exec.ID, p.exec.Name
	f.strays = append(f.strays, s)
}

// Strays hands out those found since the last call. Each is to be given to Settle.
func (f *Fleet) Strays() []Stray {
	out := f.strays
	f.strays = nil
	return out
}

// Standing is how the store knows a stray.
type Standing int

// A stray that is over or unknown is killed, or released.
const (
	StandingOver    Standing = iota
	StandingOpen             // it has not ended: it is left to whoever owns it, until its executor speaks of it again
	StandingHeld             // over, but a person is to decide what becomes of its task, and perhaps of its work
	StandingUnknown          // the store does not have it: the database went back to a state before it
)

// Settle deals with a stray.
func (f *Fleet) Settle(s Stray, is Standing) {
	p := f.peers[s.Executor]
	if p == nil || !p.strays[s.Attempt] {
		return // it found its owner meanwhile, and may have ended since; or the session did
	}
	delete(p.strays, s.Attempt)
	switch {
	case is == StandingOpen || f.of[s.Attempt] != nil:
	case s.Running:
		reason := hive.ReasonLost
		if is == StandingHeld {
			reason = hive.ReasonHeld
		}
		f.log.Warn("an executor runs an attempt that nobody waits for; it is killed", "executor", p.exec.Name,
			"attempt", s.Attempt.ID)
		p.hold(&held{
			ref: s.Attempt, phase: running, orphan: true,
			kill: &hive.KillOrder{Attempt: s.Attempt.ID, Key: s.Attempt.Key, Grace: f.set.KillGrace, Reason: reason},
		})
		f.of[s.Attempt] = p
	default:
		if s.seq > 0 {
			p.acks = append(p.acks, ack{attempt: s.Attempt, seq: s.seq})
		}
		p.log = append(p.log, s.Attempt)
		if is == StandingUnknown {
			p.noted[s.Attempt] = true
		}
	}
}

// Attempts is what the fleet's shell needs of the store.
type Attempts interface {
	// Attempt finds an attempt by its id; hive.CodeNotFound if there is none.
	Attempt(ctx context.Context, id int64) (hive.Attempt, error)
	// NoteAttempts tells people of attempts that an executor has and that the store does not.
	NoteAttempts(ctx context.Context, found []hive.NoticedAttempt) error
	// Runs are all runs of a batch.
	Runs(ctx context.Context, batch int64) ([]hive.Run, error)
}

// settle looks strays up and settles them. It tries until the store answers, or the session ends: then they are found
// anew. Nothing is done about those that the store does not have before people can read of them.
func (s *Service) settle(ctx context.Context, strays []Stray) {
	standings := make([]Standing, len(strays))
	var unknown []hive.NoticedAttempt
	for i, x := range strays {
		ok := s.insist(ctx, func() (err error) {
			if standings[i], err = s.lookUp(ctx, x); err != nil && !errors.Is(err, hive.ErrConnection) &&
				ctx.Err() == nil {
				s.cfg.Log.Error("an attempt cannot be looked up; it is left until its executor speaks of it again",
					"executor", x.Name, "attempt", x.Attempt.Name(), "error", err)
				standings[i], err = StandingOpen, nil // the others are not to wait for it
			}
			return err
		})
		if !ok {
			return
		}
		if standings[i] == StandingUnknown {
			unknown = append(unknown, hive.NoticedAttempt{
				Executor: x.Name, ID: x.Attempt.ID, Key: x.Attempt.Key, BatchID: x.BatchID, Schedule: x.Schedule, Task: x.Task,
				Running: x.Running,
			})
		}
	}
	if len(unknown) > 0 {
		s.cfg.Log.Warn("an executor has attempts that the database does not have: it went back to an earlier state; those that run are "+
			"ended, the others are forgotten once their logs are stored", "executor", unknown[0].Executor, "attempts", len(unknown),
			"first", strconv.FormatInt(unknown[0].ID, 10)+" "+unknown[0].Schedule+" "+unknown[0].Task)
		noted := s.insist(ctx, func() error {
			limited, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return s.cfg.Attempts.NoteAttempts(limited, unknown)
		})
		if !noted {
			return
		}
	}
	s.cfg.Post(func(time.Time) {
		for i, x := range strays {
			s.Settle(x, standings[i])
		}
	})
}

// insist tries until it succeeds; false: the session has ended.
func (s *Service) insist(ctx context.Context, try func() error) bool {
	for {
		err := try()
		if err == nil {
			return true
		}
		s.cfg.Log.Warn("what the database knows of an attempt cannot be read or noted; it will be tried again", "error",
			err)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lookAgain):
		}
	}
}

func (s *Service) lookUp(ctx context.Context, x Stray) (Standing, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	a, err := s.cfg.Attempts.Attempt(ctx, x.Attempt.ID)
	switch {
	case hive.CodeOf(err) == hive.CodeNotFound:
		return StandingUnknown, nil
	case err != nil:
		return 0, err
	case a.Key != x.Attempt.Key: // its id was given out again
		return StandingUnknown, nil
	case a.State != hive.AttemptEnded:
		return StandingOpen, nil
	case !x.Running:
		return StandingOver, nil
	}
	runs, err := s.cfg.Attempts.Runs(ctx, a.BatchID)
	for i := range runs {
		if r := &runs[i]; r.ID == a.RunID && r.State == hive.RunUnknown && r.Reason == hive.ReasonHeld {
			return StandingHeld, err
		}
	}
	return StandingOver, err
}

// lookAgain is the pause between two tries to look an attempt up.
const lookAgain = time.Second
