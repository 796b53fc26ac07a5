package dispatch

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// Attempts is the part of the store of attempts that the service needs.
type Attempts interface {
	// Attempt finds an attempt by its id, or returns an error with hive.CodeNotFound.
	Attempt(ctx context.Context, id int64) (hive.Attempt, error)
	// NoteAttempts makes a notice of attempts that an executor has and the store does not.
	NoteAttempts(ctx context.Context, found []hive.NoticedAttempt) error
	// Runs returns all runs of a batch.
	Runs(ctx context.Context, batch int64) ([]hive.Run, error)
}

// retryStoreAfter is the pause between two tries to look up an attempt.
const retryStoreAfter = time.Second

// storeTimeout limits one call to the store.
const storeTimeout = 15 * time.Second

// resolve looks up untracked attempts in the store and passes the results to the fleet. It retries until the store
// answers or the session ends; the next session finds the attempts again. The fleet leaves attempts that the store does
// not have alone until a notice of them is stored.
func (s *Service) resolve(ctx context.Context, untracked []fleet.UntrackedAttempt) {
	standings := make([]fleet.Standing, len(untracked))
	var unknown []hive.NoticedAttempt
	for i, u := range untracked {
		ok := s.untilDone(ctx, func() (err error) {
			standings[i], err = s.lookUp(ctx, u)
			if err != nil && !errors.Is(err, hive.ErrConnection) && ctx.Err() == nil {
				s.cfg.Log.Error("an attempt cannot be looked up; it is left until its executor reports it again",
					"executor", u.ExecutorName, "attempt", u.Attempt.Name(), "error", err)
				standings[i], err = fleet.StandingOpen, nil // the others must not wait for it
			}
			return err
		})
		if !ok {
			return
		}
		if standings[i] == fleet.StandingUnknown {
			unknown = append(unknown, hive.NoticedAttempt{
				Executor: u.ExecutorName, ID: u.Attempt.ID, Key: u.Attempt.Key, BatchID: u.BatchID,
				Schedule: u.Schedule, Task: u.Task, Running: u.Running,
			})
		}
	}
	if len(unknown) > 0 && !s.notice(ctx, unknown) {
		return
	}
	s.cfg.Post(func(time.Time) {
		for i, u := range untracked {
			s.Resolve(u, standings[i])
		}
	})
}

// notice makes a notice of attempts of one executor that the store does not have; false: the session has ended.
func (s *Service) notice(ctx context.Context, unknown []hive.NoticedAttempt) bool {
	first := unknown[0]
	s.cfg.Log.Warn("an executor has attempts that the database does not have: it went back to an earlier state; "+
		"those that run are ended, the others are forgotten once their logs are stored",
		"executor", first.Executor, "attempts", len(unknown),
		"first", strconv.FormatInt(first.ID, 10)+" "+first.Schedule+" "+first.Task)
	return s.untilDone(ctx, func() error {
		limited, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		return s.cfg.Attempts.NoteAttempts(limited, unknown)
	})
}

// untilDone repeats try until it succeeds; false: the session has ended.
func (s *Service) untilDone(ctx context.Context, try func() error) bool {
	for {
		err := try()
		if err == nil {
			return true
		}
		s.cfg.Log.Warn("what the database knows of an attempt cannot be read or noted; it will be tried again",
			"error", err)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(retryStoreAfter):
		}
	}
}

// lookUp returns the standing of an untracked attempt in the store.
func (s *Service) lookUp(ctx context.Context, u fleet.UntrackedAttempt) (fleet.Standing, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	a, err := s.cfg.Attempts.Attempt(ctx, u.Attempt.ID)
	switch {
	case hive.CodeOf(err) == hive.CodeNotFound:
		return fleet.StandingUnknown, nil
	case err != nil:
		return 0, err
	case a.Key != u.Attempt.Key: // its id was given to another attempt
		return fleet.StandingUnknown, nil
	case a.State != hive.AttemptEnded:
		return fleet.StandingOpen, nil
	case !u.Running:
		return fleet.StandingOver, nil
	}
	runs, err := s.cfg.Attempts.Runs(ctx, a.BatchID)
	for i := range runs {
		if r := &runs[i]; r.ID == a.RunID && r.State == hive.RunUnknown && r.Reason == hive.ReasonHeld {
			return fleet.StandingHeld, err
		}
	}
	return fleet.StandingOver, err
}
