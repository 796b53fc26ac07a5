package app

import (
	"context"
	"log/slog"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
)

// transitions logs a line for each durable transition. Transitions that people search for have a higher level.
type transitions struct {
	log  *slog.Logger
	last map[int64]batchWords // by batch, for batches of this session that have not ended
}

// batchWords is the last logged state of a batch.
type batchWords struct {
	state hive.BatchState
	wish  hive.Wish
}

func newTransitions(log *slog.Logger) *transitions {
	return &transitions{log: log, last: map[int64]batchWords{}}
}

// observers combines several observers.
type observers []engine.Observer

// Observe passes changes to each observer.
func (all observers) Observe(deltas []hive.Delta) {
	for _, o := range all {
		o.Observe(deltas)
	}
}

// Reread passes batches to each observer.
func (all observers) Reread(batches []int64) {
	for _, o := range all {
		o.Reread(batches)
	}
}

// Session passes the epoch to each observer.
func (all observers) Session(epoch int64) {
	for _, o := range all {
		o.Session(epoch)
	}
}

// Reread does nothing: the log shows changes, not states.
func (t *transitions) Reread([]int64) {}

// Session forgets all batches, because another server may have them now. Those that this server still has are logged
// once more.
func (t *transitions) Session(int64) { clear(t.last) }

// Observe logs changes in the order in which they became durable.
func (t *transitions) Observe(deltas []hive.Delta) {
	for i := range deltas {
		d := &deltas[i]
		if d.Run < 0 {
			t.batch(d)
			continue
		}
		level := slog.LevelDebug
		switch d.State {
		case hive.RunFailed, hive.RunUnknown, hive.RunCanceled:
			level = slog.LevelWarn
		case hive.RunSkipped:
			level = slog.LevelInfo
		}
		words := []any{"batch", d.Batch, "task", d.Task, "state", d.State}
		if d.Reason != "" {
			words = append(words, "reason", d.Reason)
		}
		if d.Attempt != 0 {
			words = append(words, "attempt", d.Attempt, "executor", d.Executor)
		}
		t.log.Log(context.Background(), level, "task run", words...)
	}
}

// batch logs a batch's state or wish if it has changed. Its other fields change with nearly every task. The engine logs
// the end of a batch.
func (t *transitions) batch(d *hive.Delta) {
	now := batchWords{d.BState, d.Wish}
	switch {
	case d.BState.Final():
		delete(t.last, d.Batch)
	case t.last[d.Batch] != now:
		t.last[d.Batch] = now
		t.log.Info("batch", "batch", d.Batch, "state", d.BState, "wish", d.Wish)
	}
}

// upstreamEnds tells the ticker of the ends of batches, for which other schedules may wait.
type upstreamEnds struct{ app *App }

// Observe reports the batches that have ended.
func (e upstreamEnds) Observe(deltas []hive.Delta) {
	for i := range deltas {
		d := &deltas[i]
		if d.Run < 0 && d.BState.Final() && d.BatchRow != nil && d.BatchRow.ScheduleID != 0 {
			e.app.ticker.Ended(d.BatchRow.ScheduleID)
		}
	}
}

// Reread does nothing: the ticker finds by itself what it has missed.
func (e upstreamEnds) Reread([]int64) {}

// Session does nothing: the ticker reads its schedules again in each session.
func (e upstreamEnds) Session(int64) {}
