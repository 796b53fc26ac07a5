package session

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// When batches are tried again that cannot be stored or read.
const (
	retryStuck = 30 * time.Second
	retryRead  = time.Second // when the database alone is to blame: it may be back at once
)

// stuck are the batches that are kept out of memory, each with its next try.
type stuck map[int64]*stuckBatch

type stuckBatch struct {
	why   string
	retry time.Time
	shown bool // else the entry only remembers that the batch's machine failed
}

// why is the reason that is shown for a batch; empty: it is not stuck.
func (s stuck) why(batch int64) string {
	if t := s[batch]; t != nil && t.shown {
		return t.why
	}
	return ""
}

// ids are those of the batches that are shown as stuck, ascending.
func (s stuck) ids() []int64 {
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(s)) {
		if s[id].shown {
			ids = append(ids, id)
		}
	}
	return ids
}

// due names the batches to try again now, and sets their next try after that.
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

// next is when the next try is due; zero: never.
func (s stuck) next() time.Time {
	var at time.Time
	for _, t := range s {
		at = earliest(at, t.retry)
	}
	return at
}

// markStuck keeps a batch out of memory that cannot be stored or read, and tries again later.
func (k *Keeper) markStuck(now time.Time, id int64, why error) {
	patience := retryStuck
	if errors.Is(why, hive.ErrConnection) {
		patience = retryRead
	}
	k.stuck[id] = &stuckBatch{why: why.Error(), retry: now.Add(patience), shown: true}
	k.tell(Stuck{Batch: id, Err: why})
	k.tell(Reread{Batches: []int64{id}})
	k.tell(Released{Batch: id})
}

// unstick notes that a batch was read, so it is not stuck. It does not forget that the batch's machine failed just now.
func (k *Keeper) unstick(id int64) {
	if t := k.stuck[id]; t != nil && t.shown {
		delete(k.stuck, id)
		k.tell(Reread{Batches: []int64{id}})
	}
}

// errBroken is why a batch is stuck whose machine fails again and again.
var errBroken = errors.New("its state does not fit what happens to it; the log says more")

// report notes what the owner decided and what did not fit, and has batches loaded again if their machines have failed.
func (k *Keeper) report(now time.Time) {
	for _, d := range k.owner.TakeDecisions() {
		k.note(LevelDebug, "decided", "batch", d.Batch, "task", d.Task, "event", d.Move.Event, "from", d.Move.From,
			"to", d.Move.To)
	}
	for _, f := range k.owner.TakeFailures() {
		k.tell(Unfit{Batch: f.Batch, Err: f.Err, Broken: f.Reload})
		if f.Reload {
			k.reloadBroken(now, f.Batch)
		}
	}
}

// reloadBroken loads a batch again whose machine has failed; at once, but not again and again.
func (k *Keeper) reloadBroken(now time.Time, id int64) {
	if k.stuck[id] != nil {
		k.markStuck(now, id, errBroken)
		return
	}
	k.stuck[id] = &stuckBatch{retry: now.Add(retryStuck)}
	k.tell(Reread{Batches: []int64{id}})
	k.tell(Released{Batch: id})
	k.load(id)
}
