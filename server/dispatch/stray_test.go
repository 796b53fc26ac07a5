package dispatch

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// shelf is a store of attempts and their runs.
type shelf struct {
	lookup

	runs []hive.Run
	err  error
}

func (s shelf) Runs(context.Context, int64) ([]hive.Run, error) { return s.runs, s.err }

// What becomes of a stray is asked of the store: whether it is open, and whether a person is to decide about it.
func TestStandingOfStrays(t *testing.T) {
	t.Parallel()
	ended := hive.Attempt{BatchID: 3, RunID: 9, State: hive.AttemptEnded}
	held := hive.Run{ID: 9, State: hive.RunUnknown, Reason: hive.ReasonHeld}
	for name, c := range map[string]struct {
		attempt hive.Attempt
		run     hive.Run
		running bool
		want    Standing
	}{
		"open":               {hive.Attempt{State: hive.AttemptRunning}, held, true, StandingOpen},
		"held":               {ended, held, true, StandingHeld},
		"held, but it ended": {ended, held, false, StandingOver},
		"tried anew":         {ended, hive.Run{ID: 9, State: hive.RunRunning}, true, StandingOver},
		"silent, not held":   {ended, hive.Run{ID: 9, State: hive.RunUnknown}, true, StandingOver},
		"another is held": {
			ended,
			hive.Run{ID: 8, State: hive.RunUnknown, Reason: hive.ReasonHeld},
			true,
			StandingOver,
		},
	} {
		s := New(Config{
			Attempts: shelf{lookup: lookup{1: c.attempt}, runs: []hive.Run{c.run}}, Log: quiet(),
			LogDir: t.TempDir(),
		})
		is, err := s.lookUp(t.Context(), Stray{Attempt: ref(1), Running: c.running})
		require.NoError(t, err, name)
		assert.Equal(t, c.want, is, name)
		is, err = s.lookUp(t.Context(), Stray{Attempt: ref(2), Running: c.running})
		require.NoError(t, err, name)
		assert.Equal(t, StandingUnknown, is, name)
		is, err = s.lookUp(t.Context(), Stray{Attempt: hive.AttemptRef{ID: 1, Key: "another"}, Running: c.running})
		require.NoError(t, err, name)
		assert.Equal(t, StandingUnknown, is, name)
	}
	s := New(Config{Attempts: shelf{lookup: lookup{1: ended}, err: assert.AnError}, Log: quiet(), LogDir: t.TempDir()})
	_, err := s.lookUp(t.Context(), Stray{Attempt: ref(1), Running: true})
	require.ErrorIs(t, err, assert.AnError)
}

// A stray that the store cannot tell of keeps nobody from the others.
func TestStrayThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	posted := make(chan func(now time.Time), 1)
	s := New(Config{
		Attempts: shelf{lookup: lookup{1: {BatchID: 3, State: hive.AttemptEnded}}, err: assert.AnError},
		Log:      quiet(), LogDir: t.TempDir(), Post: func(f func(now time.Time)) { posted <- f },
	})
	s.Know(time.Now(), hive.Executor{ID: "x", Name: "x", Durable: true})
	for _, id := range []int64{1, 2} {
		s.stray(s.peers["x"], Stray{Attempt: ref(id), Running: true})
	}
	s.settle(t.Context(), s.Strays())
	(<-posted)(time.Now())
	assert.NotContains(t, s.peers["x"].held, ref(1), "left, as nobody knows")
	assert.Contains(t, s.peers["x"].held, ref(2), "not known to the store: it is ended")
}
