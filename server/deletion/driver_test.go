package deletion

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// store has one deletion of some attempts.
type store struct {
	attempts []hive.AttemptRef
	gone     bool
	err      error
}

func (s *store) ActiveDeletions(context.Context) ([]int64, error) {
	if s.gone {
		return nil, nil
	}
	return []int64{1}, nil
}

func (s *store) DeletionAttempts(context.Context, int64, int) ([]hive.AttemptRef, error) {
	return s.attempts[:min(2, len(s.attempts))], nil
}

func (s *store) DeleteChunk(_ context.Context, _ hive.Server, _ int64, ids []int64, _ int, _ time.Time) (bool, error) {
	if s.err != nil {
		return false, s.err
	}
	s.attempts = slices.DeleteFunc(s.attempts, func(a hive.AttemptRef) bool { return slices.Contains(ids, a.ID) })
	s.gone = len(s.attempts) == 0
	return s.gone, nil
}

// TestDriver deletes logs before their rows, goes on after failures, and reports the end once.
func TestDriver(t *testing.T) {
	t.Parallel()
	s := &store{attempts: []hive.AttemptRef{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}, {ID: 5}}, err: hive.ErrConnection}
	var logs []int64
	ends := 0
	failing := false
	d := New(Config{
		Store: s, Server: func() hive.Server { return hive.Server{ID: "a"} }, Now: time.Now,
		Done: func() { ends++ }, Log: slog.New(slog.DiscardHandler),
		RemoveLogs: func(_ context.Context, list []hive.AttemptRef) error {
			if failing {
				return errors.New("the disk is broken")
			}
			for _, a := range list {
				logs = append(logs, a.ID)
			}
			return nil
		},
	})
	d.RunOnce(t.Context())
	if !slices.Equal(logs, []int64{1, 2}) || len(s.attempts) != 5 {
		t.Errorf("the database is away: logs %v of %v", logs, s.attempts)
	}
	s.err, failing = nil, true
	d.RunOnce(t.Context())
	if len(s.attempts) != 5 {
		t.Errorf("rows are deleted although their logs are there: %v", s.attempts)
	}
	failing = false
	for d.RunOnce(t.Context()) {
		continue
	}
	if !s.gone || ends != 1 || !slices.Equal(logs, []int64{1, 2, 1, 2, 3, 4, 5}) {
		t.Errorf("gone %v, %d ends, logs %v", s.gone, ends, logs)
	}
}
