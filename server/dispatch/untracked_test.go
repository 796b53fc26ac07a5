package dispatch

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// runStore is a store of attempts and their runs.
type runStore struct {
	lookup

	runs []hive.Run
	err  error
}

func (s runStore) Runs(context.Context, int64) ([]hive.Run, error) { return s.runs, s.err }

func untracked(attempt hive.AttemptRef, running bool) fleet.UntrackedAttempt {
	return fleet.UntrackedAttempt{OtherAttempt: fleet.OtherAttempt{Attempt: attempt, Running: running}}
}

// The row of an untracked attempt determines its standing: whether it is open, and whether a person must decide about
// it.
func TestStandingOfUntrackedAttempts(t *testing.T) {
	t.Parallel()
	ended := hive.Attempt{BatchID: 3, RunID: 9, State: hive.AttemptEnded}
	held := hive.Run{ID: 9, State: hive.RunUnknown, Reason: hive.ReasonHeld}
	for name, c := range map[string]struct {
		attempt hive.Attempt
		run     hive.Run
		running bool
		want    fleet.Standing
	}{
		"open":               {hive.Attempt{State: hive.AttemptRunning}, held, true, fleet.StandingOpen},
		"held":               {ended, held, true, fleet.StandingHeld},
		"held, but it ended": {ended, held, false, fleet.StandingOver},
		"tried anew":         {ended, hive.Run{ID: 9, State: hive.RunRunning}, true, fleet.StandingOver},
		"silent, not held":   {ended, hive.Run{ID: 9, State: hive.RunUnknown}, true, fleet.StandingOver},
		"another is held": {
			ended,
			hive.Run{ID: 8, State: hive.RunUnknown, Reason: hive.ReasonHeld},
			true,
			fleet.StandingOver,
		},
	} {
		s := New(Config{
			Attempts: runStore{lookup: lookup{1: c.attempt}, runs: []hive.Run{c.run}},
			Log:      slog.New(slog.DiscardHandler), LogDir: t.TempDir(),
		})
		is, err := s.lookUp(t.Context(), untracked(ref(1), c.running))
		require.NoError(t, err, name)
		assert.Equal(t, c.want, is, name)
		is, err = s.lookUp(t.Context(), untracked(ref(2), c.running))
		require.NoError(t, err, name)
		assert.Equal(t, fleet.StandingUnknown, is, name)
		is, err = s.lookUp(t.Context(), untracked(hive.AttemptRef{ID: 1, Key: "another"}, c.running))
		require.NoError(t, err, name)
		assert.Equal(t, fleet.StandingUnknown, is, name)
	}
	s := New(Config{
		Attempts: runStore{lookup: lookup{1: ended}, err: assert.AnError}, Log: slog.New(slog.DiscardHandler),
		LogDir: t.TempDir(),
	})
	_, err := s.lookUp(t.Context(), untracked(ref(1), true))
	require.ErrorIs(t, err, assert.AnError)
}

// An untracked attempt that the store cannot find delays no other.
func TestUntrackedAttemptThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	posted := make(chan func(now time.Time), 1)
	s := New(Config{
		Attempts: runStore{lookup: lookup{1: {BatchID: 3, State: hive.AttemptEnded}}, err: assert.AnError},
		Log:      slog.New(slog.DiscardHandler), LogDir: t.TempDir(), Post: func(f func(now time.Time)) { posted <- f },
	})
	now := time.Now()
	s.Register(now, hive.Executor{ID: "x", Name: "x", Durable: true})
	attach, ok := s.Calls(now)[0].(*fleet.AttachCall)
	require.True(t, ok)
	s.Answered(now, &fleet.AttachAnswer{Call: attach, Others: []fleet.OtherAttempt{
		{Attempt: ref(1), Running: true}, {Attempt: ref(2), Running: true},
	}})
	s.resolve(t.Context(), s.TakeUntracked())
	(<-posted)(now)
	kill, ok := s.Calls(now)[0].(*fleet.KillCall)
	require.True(t, ok)
	require.Len(t, kill.Orders, 1, "one is left alone, because nobody knows")
	assert.Equal(t, ref(2), kill.Orders[0].Ref(), "the store does not have it: it is ended")
}
