package session

import (
	"maps"
	"slices"
	"time"
)

// Limits of the questions about queued batches.
const (
	recheckQueued = time.Second // until the store is asked again about a batch that waits
	checkTogether = 500         // batches in one question
)

// overlap holds the queued batches that start once the store knows no batch that they wait for. The memory alone does
// not tell: a batch of the schedule may run on another server, or may be one that could not be read.
type overlap struct {
	askAt  map[int64]time.Time // by batch
	asking bool                // a question is under way
	failed bool                // the last question failed, and that was noted
}

// wakeup returns when checkQueued next has something to do; zero means never, or while it waits for an answer.
func (w *overlap) wakeup() (at time.Time) {
	if w.asking {
		return at
	}
	for _, t := range w.askAt {
		at = earliest(at, t)
	}
	return at
}

// due returns the batches to ask about now.
func (w *overlap) due(now time.Time) []int64 {
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(w.askAt)) {
		if !now.Before(w.askAt[id]) && len(ids) < checkTogether {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkQueued asks the store which queued batches wait for another batch.
func (k *Keeper) checkQueued(now time.Time) {
	w := &k.overlap
	for _, id := range k.owner.TakeQueued() {
		w.askAt[id] = now
	}
	if w.asking {
		return
	}
	maps.DeleteFunc(w.askAt, func(id int64, _ time.Time) bool { return !k.owner.IsQueued(id) })
	if ids := w.due(now); len(ids) > 0 {
		w.asking = true
		k.request(CheckQueued{Batches: ids, origin: k.origin(now, readWithin)})
	}
}

// QueuedChecked handles the answer of CheckQueued: the batches that still wait. It starts the others.
func (k *Keeper) QueuedChecked(now time.Time, r CheckQueued, waiting []int64, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	w := &k.overlap
	w.asking = false
	if err != nil && !w.failed {
		k.note(LevelError, "batches that run cannot be listed; queued batches wait", "error", err)
	}
	w.failed = err != nil
	for _, id := range r.Batches {
		if err != nil || slices.Contains(waiting, id) {
			w.askAt[id] = now.Add(recheckQueued)
			continue
		}
		delete(w.askAt, id)
		k.owner.StartQueued(now, id)
	}
}
