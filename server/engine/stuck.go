package engine

import (
	"errors"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Patience with batches that cannot be stored or read.
const (
	retryStuck = 30 * time.Second
	retryRead  = time.Second // when the database alone is to blame: it may be back at once
)

// stuck are the batches that are kept out of the engine, each with one next try.
type stuck map[int64]*stuckBatch

type stuckBatch struct {
	why   string
	retry time.Time
	shown bool // else it is only remembered that its machine failed
}

func newStuck() stuck { return stuck{} }

func (s stuck) why(batch int64) string {
	if t := s[batch]; t != nil && t.shown {
		return t.why
	}
	return ""
}

// ids are those of the batches that are shown as stuck.
func (s stuck) ids() []int64 {
	var ids []int64
	for id, t := range s {
		if t.shown {
			ids = append(ids, id)
		}
	}
	return ids
}

// due names the batches to try again now, and when to do so next.
func (s stuck) due(now time.Time) []int64 {
	var ids []int64
	for id, t := range s {
		switch {
		case now.Before(t.retry):
		case t.shown:
			t.retry = now.Add(retryStuck)
			ids = append(ids, id)
		default:
			delete(s, id)
		}
	}
	return ids
}

// next is when the next try is due; zero: never.
func (s stuck) next() time.Time {
	var at time.Time
	for _, t := range s {
		if at.IsZero() || t.retry.Before(at) {
			at = t.retry
		}
	}
	return at
}

// markStuck keeps a batch out of the engine that cannot be stored or read, and tries again later.
func (e *Engine) markStuck(now time.Time, id int64, why error) {
	e.cfg.Log.Error("a batch is stuck", "batch", id, "error", why)
	patience := retryStuck
	if errors.Is(why, hive.ErrConnection) {
		patience = retryRead
	}
	e.stuck[id] = &stuckBatch{why: why.Error(), retry: now.Add(patience), shown: true}
	e.notifier.reread(id)
	e.waiters.release(id)
}

// loaded: a batch was read, so it is not stuck. That its machine failed just now is not forgotten.
func (e *Engine) unstick(id int64) {
	if t := e.stuck[id]; t != nil && t.shown {
		delete(e.stuck, id)
		e.notifier.reread(id)
	}
}

// errBroken is why a batch is stuck whose machine fails again and again.
var errBroken = errors.New("its state does not fit what happens to it; the log says more")

// report logs what the owner decided and what did not fit, and loads batches again if their machines have failed.
func (e *Engine) report(now time.Time) {
	for _, d := range e.owner.TakeDecisions() {
		e.cfg.Log.Debug("decided", "batch", d.Batch, "task", d.Task, "event", d.Move.Event, "from", d.Move.From,
			"to", d.Move.To)
	}
	for _, f := range e.owner.TakeFailures() {
		e.cfg.Log.Error("an event did not fit the batch", "batch", f.Batch, "error", f.Err)
		if f.Reload {
			e.reloadBroken(now, f.Batch)
		}
	}
}

// broke loads a batch again whose machine has failed; at once, but not again and again.
func (e *Engine) reloadBroken(now time.Time, id int64) {
	if e.stuck[id] != nil {
		e.markStuck(now, id, errBroken)
		return
	}
	e.stuck[id] = &stuckBatch{retry: now.Add(retryStuck)}
	e.notifier.reread(id)
	e.waiters.release(id)
	e.loader.load(id)
}
