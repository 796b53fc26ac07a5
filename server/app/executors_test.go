package app

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/dispatch"
	"github.com/rprp/hivego/server/hive"
)

// offered stores an attempt that another server has offered to an executor, and returns a function that stores its end.
func offered(t *testing.T, s *db.Store, executor string) (end func()) {
	t.Helper()
	ctx, now := t.Context(), time.Now().UTC().Truncate(time.Millisecond)
	other := hive.Server{ID: "other", StartedAt: now}
	epoch, err := s.StartSession(ctx, other, time.Minute)
	require.NoError(t, err)
	other.Epoch = epoch
	schedule, revision, _, err := s.SaveSchedule(ctx, hive.SaveSchedule{
		Name: "chain", Document: "d", Hash: "h", By: "ada", Now: now,
	})
	require.NoError(t, err)
	b, err := s.CreateBatch(ctx, other, hive.NewBatch{
		Batch: hive.Batch{
			ScheduleID: schedule.ID, Schedule: schedule.Name, RevisionID: revision.ID, Revision: revision.Number,
			Kind: hive.KindManual, State: hive.BatchRunning, Wish: hive.WishRun, Round: 1, Live: true,
			Moment: now, CreatedAt: now, CreatedBy: "ada", StartedAt: now, RoundAt: now,
		},
		Runs: []hive.Run{{Job: "j", Task: "a", State: hive.RunWaiting, Round: 1, ChangedAt: now}},
	})
	require.NoError(t, err)
	snapshot, err := s.BatchSnapshot(ctx, b.ID)
	require.NoError(t, err)
	id, err := s.NextIDs(ctx, db.CounterAttempt, 1)
	require.NoError(t, err)
	commit := func(change hive.RunChange, w hive.BatchWrite) {
		t.Helper()
		w.BatchID, w.Runs = b.ID, []hive.RunChange{change}
		require.NoError(t, s.Commit(ctx, hive.Group{
			Server: other.ID, Epoch: epoch, Batches: []hive.BatchWrite{w},
		}))
	}
	waiting := snapshot.Runs[0]
	ready := waiting
	ready.State, ready.Attempt = hive.RunReady, id
	a := hive.Attempt{
		ID: id, Key: "k", BatchID: b.ID, RunID: ready.ID, Number: 1, Round: 1, Executor: executor,
		ExecutorName: executor, State: hive.AttemptOffered, OfferedAt: now,
	}
	commit(hive.RunChange{From: waiting.State, To: ready}, hive.BatchWrite{Offers: []hive.Attempt{a}})
	return func() {
		t.Helper()
		done := ready
		done.State, done.Attempt, done.Attempts, done.FinishedAt = hive.RunSucceeded, 0, 1, now
		a.State, a.Outcome, a.StartedAt, a.FinishedAt = hive.AttemptEnded, hive.OutcomeSuccess, now, now
		commit(hive.RunChange{From: ready.State, To: done}, hive.BatchWrite{Attempts: []hive.AttemptChange{{To: a}}})
	}
}

// An executor that holds attempts of another server is neither deleted nor replaced by one at the same address.
func TestDeleteSparesAttemptsOfOtherServers(t *testing.T) {
	t.Parallel()
	s, err := db.Open(t.Context(), db.Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	x := &executors{
		store: s, fleet: dispatch.New(dispatch.Config{LogDir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}),
		loop: func(_ context.Context, f func(now time.Time)) error {
			f(time.Now())
			return nil
		},
	}
	e := hive.Executor{ID: "e1", Name: "e1", Slots: 1, Address: "127.0.0.1:1", Origin: hive.OriginAddress}
	require.NoError(t, s.SaveExecutor(t.Context(), e))
	x.fleet.Register(time.Now(), e)
	end := offered(t, s, e.ID)
	fresh := e
	fresh.ID = "e2"
	_, replaced := x.makeRoom(t.Context(), &fresh)
	for what, err := range map[string]error{"delete": x.Delete(t.Context(), "e1"), "replace": replaced} {
		assert.Equal(t, hive.CodeConflict, hive.CodeOf(err), "%s: %v", what, err)
	}
	_, err = s.Executor(t.Context(), e.ID)
	require.NoError(t, err)
	assert.Len(t, x.fleet.Statuses(time.Now()), 1, "this server goes on to know it")
	end()
	require.NoError(t, x.Delete(t.Context(), "e1"))
	_, err = s.Executor(t.Context(), e.ID)
	assert.Equal(t, hive.CodeNotFound, hive.CodeOf(err))
	assert.Empty(t, x.fleet.Statuses(time.Now()))
}
