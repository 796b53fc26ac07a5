package outbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// decide stores ticks.
func (w *world) decide(writes ...hive.TickWrite) {
	w.Helper()
	_, err := w.store.DecideTicks(w.Context(), w.me, w.schedule.ID, w.clock(),
		func(hive.TickView) ([]hive.TickWrite, error) { return writes, nil })
	require.NoError(w, err)
}

func TestNeedsPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [needs_person, recovered]\nchannels: [mail]\ngroup: 0s\n")
	img := w.batch(hive.KindManual, hive.BatchRunning)
	w.change(&img, nil, func(r *hive.Run) { r.State, r.Reason, r.Detail = hive.RunUnknown, hive.ReasonHeld, "silent" })
	assert.Equal(t, []string{"mail: warehouse: batch 1 needs a person"}, w.pass(0))
	assert.Empty(t, w.pass(minute))
	w.change(&img, nil, func(r *hive.Run) { r.State, r.Reason, r.Detail = hive.RunSucceeded, "", "" })
	assert.Equal(t, []string{"mail: warehouse has recovered: batch 1 needs no person any more"}, w.pass(minute))
}

// A batch is late at the deadline of a rule, and for other rules once it takes much longer than usual.
func TestLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("deadline", "on: [late, recovered]\nchannels: [mail]\ngroup: 0s\ndeadline: \"06:00\"\n")
	w.rule("usual", "on: [late]\nchannels: [chat]\ngroup: 0s\n")
	for range 3 { // the usual duration is ten minutes
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.pass(10 * minute)
		w.ends(&img, hive.BatchSucceeded)
	}
	img := w.batch(hive.KindManual, hive.BatchRunning) // at 03:50
	assert.Empty(t, w.pass(20*minute))
	assert.Equal(t, []string{"chat: warehouse: batch 4 is late"}, w.pass(minute))
	assert.Empty(t, w.pass(minute))
	assert.Equal(t, []string{"mail: warehouse: batch 4 is late"}, w.pass(2*time.Hour))
	assert.Empty(t, w.pass(minute))
	w.ends(&img, hive.BatchSucceeded)
	assert.Equal(t, []string{"mail: warehouse has recovered: batch 4 has ended"}, w.pass(minute))
}

// A moment that waits, and then its queued batch, are one problem.
func TestNotStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [not_started, recovered]\nchannels: [mail]\ngroup: 0s\nwait: 15m\n")
	moment := t0
	w.decide(hive.TickWrite{Tick: hive.Tick{
		Moment: moment, Decision: hive.DecisionWaiting, Rule: "after", DecidedAt: moment,
	}})
	assert.Empty(t, w.pass(14*minute))
	assert.Equal(t, []string{"mail: warehouse: the batch of 2026-03-06 03:20 UTC has not started"}, w.pass(minute))
	assert.Empty(t, w.pass(minute))
	waiting, err := w.store.WaitingTicks(t.Context(), []int64{w.schedule.ID})
	require.NoError(t, err)
	tick := waiting[w.schedule.ID][0]
	tick.Decision = hive.DecisionQueued
	w.decide(hive.TickWrite{Tick: tick, Batch: &hive.NewBatch{
		Batch: hive.Batch{
			ScheduleID: w.schedule.ID, Schedule: "warehouse", RevisionID: w.revision.ID, Revision: 1,
			Kind: hive.KindScheduled, State: hive.BatchQueued, Reason: hive.ReasonQueued, Wish: hive.WishRun, Round: 1,
			Live: true, Moment: moment, CreatedAt: w.clock(),
		},
		Runs: []hive.Run{{Job: "load", Task: "load", State: hive.RunWaiting, Round: 1, ChangedAt: moment}},
	}})
	assert.Empty(t, w.pass(time.Hour), "it is queued, which is known")
	start, err := w.store.StartOf(t.Context(), w.schedule.ID, moment)
	require.NoError(t, err)
	img, err := w.store.BatchSnapshot(t.Context(), start.Batch)
	require.NoError(t, err)
	w.change(&img, func(b *hive.Batch) { b.State = hive.BatchRunning }, nil)
	assert.Equal(t, []string{"mail: warehouse has recovered: the batch of 2026-03-06 03:20 UTC has started"},
		w.pass(minute))
}

// So many skipped moments in a row are one problem, until a batch starts again.
func TestSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [skipped, recovered]\nchannels: [mail]\ngroup: 0s\nskips: 2\n")
	tick := func(minutes int, decision hive.Decision, rule string) {
		w.decide(hive.TickWrite{Tick: hive.Tick{
			Moment: t0.Add(time.Duration(minutes) * minute), Decision: decision, Rule: rule,
		}})
	}
	tick(1, hive.DecisionSkipped, "overlap")
	tick(2, hive.DecisionSkipped, "paused")
	tick(3, hive.DecisionSkipped, "overlap")
	assert.Empty(t, w.pass(minute))
	tick(4, hive.DecisionSkipped, "overlap")
	assert.Equal(t, []string{"mail: warehouse: 2 moments in a row were skipped because a batch still ran"},
		w.pass(minute))
	tick(5, hive.DecisionSkipped, "overlap")
	assert.Empty(t, w.pass(minute))
	tick(6, hive.DecisionMissed, "catch_up")
	assert.Equal(t, []string{"mail: warehouse has recovered: its moments are not skipped any more"}, w.pass(minute))
	assert.Empty(t, w.pass(minute))
	tick(7, hive.DecisionSkipped, "overlap")
	tick(8, hive.DecisionSkipped, "overlap")
	assert.Len(t, w.pass(minute), 1, "another streak is another problem")
}

// What only one server can see is reported once, and again when it comes back.
func TestStatesOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("us", "on: [stuck, executor_lost, clock_jumped, recovered]\nchannels: [mail]\ngroup: 0s\n")
	w.batch(hive.KindManual, hive.BatchRunning)
	etl := hive.ExecutorView{Executor: hive.Executor{ID: "e1", Name: "etl-1"}, State: hive.ExecutorOnline}
	w.executors = []hive.ExecutorView{etl}
	assert.Empty(t, w.pass(minute))
	for round := range 2 {
		w.set(func() {
			w.summaries = map[int64]hive.BatchSummary{1: {Stuck: true}}
			w.executors[0].State = hive.ExecutorSilent
			w.alarms = []hive.TickAlarm{{Reason: hive.AlarmClockJumped, Words: "it jumped"}}
		})
		assert.Equal(t, []string{"mail: 3 alerts: warehouse: batch 1 is stuck and others"}, w.pass(minute), round)
		assert.Empty(t, w.pass(minute), round)
		w.set(func() {
			w.summaries = map[int64]hive.BatchSummary{1: {}}
			w.executors[0].State = hive.ExecutorOnline
			w.alarms = nil
		})
		assert.Equal(t, []string{
			"mail: 3 alerts: warehouse has recovered: batch 1 is not stuck any more and others",
		}, w.pass(minute), round)
		assert.Empty(t, w.pass(minute), round)
	}
	w.set(func() { w.executors[0].State = hive.ExecutorLost })
	w.pass(minute)
	w.set(func() { w.executors[0].State = hive.ExecutorOnline })
	w.watcher = w.newWatcher("server-2") // it reaches the executor, and server-1 is still there
	assert.Empty(t, w.pass(minute))
	require.NoError(t, w.store.EndSession(t.Context(), w.me.ID, w.me.Epoch))
	assert.Empty(t, w.pass(minute), "nobody can see it any more")
	open, err := w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	assert.Empty(t, open, fmt.Sprint(open))
}
