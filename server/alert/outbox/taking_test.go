package outbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/hive"
)

const escalating = "on: [failed, recovered]\nchannels: [mail]\ngroup: 0s\nescalate: {after: 15m, to: [chat]}\n"

// both runs a test on a world with either database.
func both(t *testing.T, f func(w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		f(newWorldOn(t, open()))
	})
}

// take notes that a person is on the problems of a batch; an empty name, that nobody is any more.
func (w *world) take(batch int64, by string) {
	w.Helper()
	require.NoError(w, w.watcher.Ensure(w.Context(), batch))
	_, err := w.store.TakeAlerts(w.Context(), hive.TakeAlerts{Batch: batch, By: by, Now: w.clock()})
	require.NoError(w, err)
}

// restart replaces watcher and deliverer by those of another server.
func (w *world) restart(server string) {
	w.watcher, w.deliverer = w.newWatcher(server), w.newDeliverer(server)
}

// Nobody takes a failure: it goes to the further channel once, whichever server is there then, and so does its end.
func TestEscalation(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		w.rule("night", escalating)
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		assert.Equal(w, []string{"mail: warehouse: batch 1 failed"}, w.pass(0))
		assert.Empty(w, w.pass(14*minute))
		w.restart("server-2") // all that the first one knew is gone
		assert.Equal(w, []string{"chat: Nobody is on it: warehouse: batch 1 failed"}, w.pass(minute))
		w.restart("server-3")
		assert.Empty(w, w.pass(time.Hour))
		second := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&second, hive.BatchSucceeded)
		assert.ElementsMatch(w, []string{
			"mail: warehouse has recovered: batch 2 succeeded", "chat: warehouse has recovered: batch 2 succeeded",
		}, w.pass(minute))
	})
}

// A person takes the failure in time, and nothing goes further. Given back, it does, also if the time has passed.
func TestTaking(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		w.rule("night", escalating)
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		w.pass(0)
		w.pass(14 * minute)
		w.take(1, "ada")
		w.restart("server-2")
		assert.Empty(w, w.pass(time.Hour))
		w.take(1, "")
		assert.Equal(w, []string{"chat: Nobody is on it: warehouse: batch 1 failed"}, w.pass(0))
		w.take(1, "ada")
		assert.Empty(w, w.pass(time.Hour))
	})
}

// A problem that ends before its escalation is not escalated, and the further channel does not hear of its end.
func TestOverBeforeEscalation(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		w.rule("night", escalating)
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		w.pass(0)
		second := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&second, hive.BatchSucceeded)
		assert.Equal(w, []string{"mail: warehouse has recovered: batch 2 succeeded"}, w.pass(14*minute))
		assert.Empty(w, w.pass(time.Hour))
	})
}

// The escalation does not wait for the first message: that may be what does not work.
func TestEscalationOfWhatIsNotDelivered(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		w.rule("night", escalating)
		w.refuse["mail"] = &channel.Error{Detail: "503", Retry: true}
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		assert.Empty(w, w.pass(0))
		assert.Equal(w, []string{"chat: Nobody is on it: warehouse: batch 1 failed"}, w.pass(15*minute))
	})
}

// A person takes a batch that no rule has. A rule that has it still reports it, although it was taken before.
func TestTakingWithoutARule(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		assert.Empty(w, w.pass(0))
		w.take(1, "ada")
		w.take(1, "bob")
		open, err := w.store.AlertEvents(w.Context(), hive.AlertFilter{Open: true, Batch: 1})
		require.NoError(w, err)
		require.Len(w, open, 1)
		assert.Equal(w, []any{"bob", hive.AlertFailed, "failed:1:1", "load"},
			[]any{open[0].TakenBy, open[0].Kind, open[0].Key, open[0].Task})
		require.NoError(w, w.watcher.Ensure(w.Context(), 1))

		w.rule("night", escalating)
		second := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&second, hive.BatchFailed)
		w.take(2, "ada") // before the watcher has seen it
		assert.Equal(w, []string{"mail: warehouse: batch 2 failed"}, w.pass(0))
		assert.Empty(w, w.pass(time.Hour))
		assert.Error(w, w.watcher.Ensure(w.Context(), 3), "there is no such batch")
	})
}
