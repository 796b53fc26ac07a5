package session

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// A batch that the database alone keeps out comes back with it; one that cannot be read is not asked for all the time.
func TestStuckPatience(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	shown := hive.Plain("it cannot be read")
	for err, want := range map[error]time.Duration{
		fmt.Errorf("it cannot be loaded: %w", hive.ErrConnection): retryRead,
		errors.New("its revision cannot be read any more"):        retryStuck,
		hive.Errorf(hive.CodeUnavailable, "the database is damaged").
			WithReason(hive.ErrorDamaged): retryStuck,
	} {
		k := New(Config{Limits: DefaultLimits()})
		k.markStuck(now, 1, shown, err)
		if got := k.stuck.next().Sub(now); got != want || k.stuck.why(1) != shown {
			t.Errorf("%v: tried again after %s, expected %s; shown as %v", err, got, want, k.stuck.why(1))
		}
		if ids := k.stuck.due(now.Add(want)); len(ids) != 1 {
			t.Errorf("%v: %v are due", err, ids)
		}
	}
}

// A batch in memory continues if a further read of it fails.
func TestFailedReadOfABatchInMemory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, err := range []error{hive.ErrConnection, nil} { // nil: the row is missing
		f.Adopt(1)
		f.turn(0)
		f.BatchesRead(f.now, request[ReadBatches](t, f), nil, err)
		f.turn(0)
		v, ok := f.View(1)
		assert.True(t, ok)
		assert.Empty(t, v.Stuck)
	}
	f.ends()
	f.commit(t)
	b, _ := f.Stored(1)
	assert.Equal(t, hive.BatchSucceeded, b.State)
}

// A batch whose definition cannot be read is stuck, with a reason.
func TestStuckByItsDefinition(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(2, 2, hive.BatchQueued, "", "a")
	f.Store.Batches[2].Revision.Document = "apiVersion: hivego/v99\n"
	f.Adopt(2)
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), []hive.BatchSnapshot{f.Snapshot(2)}, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	v, ok := f.View(2)
	assert.True(t, ok)
	require.NotNil(t, v.Stuck.Reason)
	assert.Equal(t, hive.SentenceStuckRevision, v.Stuck.Reason.Code)
	assert.Contains(t, v.Stuck.Text, v.Stuck.Reason.Params["words"])
}

// A batch whose machine fails again soon after it was loaded again is stuck, with a reason.
func TestStuckByADefect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.reloadBroken(f.now, 1)
	v, _ := f.View(1)
	assert.Empty(t, v.Stuck)
	f.reloadBroken(f.now.Add(time.Second), 1)
	v, _ = f.View(1)
	require.NotNil(t, v.Stuck.Reason)
	assert.Equal(t, hive.TextReason{Code: hive.SentenceStuckDefect, Params: map[string]string{"batch": "1"}},
		*v.Stuck.Reason)
}
