package outbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// begins makes a queued batch start.
func (w *world) begins(img *hive.BatchSnapshot) {
	w.Helper()
	now := w.clock()
	w.change(img, func(b *hive.Batch) { b.State, b.StartedAt, b.RoundAt = hive.BatchRunning, now, now }, nil)
}

// A rule that asks for transitions gets each one once, also of a batch that starts and ends in one commit, and of each
// round. Without such a rule, commits store none.
func TestTransitions(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		first := w.batch(hive.KindManual, hive.BatchQueued)
		w.begins(&first)
		facts, err := w.store.AlertFacts(w.Context(), 10)
		require.NoError(w, err)
		assert.Empty(w, facts)

		w.rule("all", "on: [started, succeeded, failed, canceled]\nchannels: [mail]\ngroup: 0s\n")
		require.NoError(w, w.watcher.Subscribe(w.Context()))
		assert.True(w, w.watcher.Follows())
		w.ends(&first, hive.BatchFailed)
		assert.Equal(w, []string{"mail: warehouse: batch 1 failed"}, w.pass(0))
		w.change(&first, func(b *hive.Batch) {
			b.State, b.Live, b.Round, b.RoundAt = hive.BatchRunning, true, 2, w.clock()
		}, func(r *hive.Run) { r.State, r.Round = hive.RunWaiting, 2 })
		assert.Equal(w, []string{"mail: warehouse: batch 1 has started"}, w.pass(minute))
		w.change(&first, func(b *hive.Batch) { b.Wish = hive.WishPause }, nil) // it stays as it is
		assert.Empty(w, w.pass(minute))
		w.ends(&first, hive.BatchSucceeded)
		assert.Equal(w, []string{"mail: warehouse: batch 1 succeeded"}, w.pass(minute))

		second := w.batch(hive.KindManual, hive.BatchQueued)
		now := w.clock()
		w.change(&second, func(b *hive.Batch) {
			b.State, b.Live, b.StartedAt, b.RoundAt, b.FinishedAt = hive.BatchSucceeded, false, now, now, now
		}, nil)
		assert.Equal(w, []string{"mail: 2 alerts: warehouse: batch 2 has started and others"}, w.pass(minute))
		third := w.batch(hive.KindManual, hive.BatchQueued)
		w.change(&third, func(b *hive.Batch) {
			b.State, b.Live, b.FinishedAt = hive.BatchCanceled, false, now
			b.StartedAt, b.RoundAt = time.Time{}, time.Time{}
		}, nil)
		assert.Equal(w, []string{"mail: warehouse: batch 3 was canceled"}, w.pass(minute), "it never started")
		require.NoError(w, w.store.DeleteAlertDocument(w.Context(), hive.KindAlert, "all", t0))
		w.pass(minute)
		assert.False(w, w.watcher.Follows())
	})
}
