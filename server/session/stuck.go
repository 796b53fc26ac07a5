package session

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Delays before a stuck batch is loaded again.
const (
	retryStuck = 30 * time.Second
	retryRead  = time.Second // if the database could not be reached
)

// stuck holds the batches that are kept out of memory, and those whose machine has failed lately.
type stuck map[int64]*stuckBatch

type stuckBatch struct {
	why   hive.Sentence
	retry time.Time
	shown bool // the batch is stuck; otherwise the entry only records that its machine has failed
}

// has reports whether a batch is stuck.
func (s stuck) has(batch int64) bool { return s[batch] != nil && s[batch].shown }

// why returns why a batch is stuck, or an empty sentence if it is not.
func (s stuck) why(batch int64) hive.Sentence {
	if s.has(batch) {
		return s[batch].why
	}
	return hive.Sentence{}
}

// ids returns the ids of the stuck batches, ascending.
func (s stuck) ids() []int64 {
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(s)) {
		if s[id].shown {
			ids = append(ids, id)
		}
	}
	return ids
}

// due returns the batches to load again now, and schedules the try after this one. It deletes expired entries of
// batches that are not stuck.
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
	slices.Sort(ids)
	return ids
}

// next returns when due next has something to do; zero means never.
func (s stuck) next() time.Time {
	var at time.Time
	for _, t := range s {
		at = earliest(at, t.retry)
	}
	return at
}

// markStuck marks a batch as stuck because of an error. It is loaded again after a delay. why is the error for people.
func (k *Keeper) markStuck(now time.Time, id int64, why hive.Sentence, err error) {
	delay := retryStuck
	if errors.Is(err, hive.ErrConnection) {
		delay = retryRead
	}
	k.stuck[id] = &stuckBatch{why: why, retry: now.Add(delay), shown: true}
	k.emit(Stuck{Batch: id, Err: err})
	k.emit(Reread{Batches: []int64{id}})
	k.emit(Released{Batch: id})
}

// unstick marks a batch as no longer stuck, because it was read. It keeps the record of a failed machine.
func (k *Keeper) unstick(id int64) {
	if t := k.stuck[id]; t != nil && t.shown {
		delete(k.stuck, id)
		k.emit(Reread{Batches: []int64{id}})
	}
}

// errBroken is the error of a batch whose machine has failed twice within retryStuck.
var errBroken = errors.New("an event did not fit its state twice in a short time; see the log lines before this one")

// report logs the owner's decisions and failures, and loads batches again whose machines have failed.
func (k *Keeper) report(now time.Time) {
	for _, d := range k.owner.TakeDecisions() {
		k.note(LevelDebug, "decided", "batch", d.Batch, "task", d.Task, "event", d.Move.Event, "from", d.Move.From,
			"to", d.Move.To)
	}
	for _, f := range k.owner.TakeFailures() {
		k.emit(Unfit{Batch: f.Batch, Err: f.Err, Broken: f.Reload})
		if f.Reload {
			k.reloadBroken(now, f.Batch)
		}
	}
}

// reloadBroken loads a batch again at once after its machine has failed. If it fails again within retryStuck, the batch
// becomes stuck.
func (k *Keeper) reloadBroken(now time.Time, id int64) {
	if k.stuck[id] != nil {
		why := hive.NewSentence(hive.SentenceStuckDefect,
			"an event did not fit its state, which is a defect of HiveGo; the server tries again by itself, and its "+
				"log has the details to report, under batch ‹batch›", "batch", id)
		k.markStuck(now, id, why, errBroken)
		return
	}
	k.stuck[id] = &stuckBatch{retry: now.Add(retryStuck)}
	k.emit(Reread{Batches: []int64{id}})
	k.emit(Released{Batch: id})
	k.load(id)
}
