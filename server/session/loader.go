package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// loader reads what the owner needs: batches, commands and their revisions. It does one step after another, so that a
// batch's commands are never handled before the batch is there. A session begins with an empty one.
type loader struct {
	jobs    []step // in the order they came
	current []step // what is left of the job that has begun, the next step last
	waiting bool   // for the answer of a request
	pauseAt time.Time

	queued     []int64 // batches that are to be loaded after all others
	outdated   []int64 // batches whose snapshot was outdated when it came to be loaded
	sweepEvery time.Duration
	sweepAt    time.Time
	readFailed bool // commands could not be read at the last try, and that was noted
}

// step is a part of the loader's work. It makes a request, adds steps, or is done at once.
type step interface {
	run(k *Keeper, now time.Time)
}

// stepsInTurn bounds the steps of one turn, as many commands may wait.
const stepsInTurn = 64

// enqueue adds a job after all others.
func (l *loader) enqueue(job step) { l.jobs = append(l.jobs, job) }

// next adds steps before all others, in their order.
func (l *loader) next(steps ...step) {
	for _, s := range slices.Backward(steps) {
		l.current = append(l.current, s)
	}
}

// take removes the next step; nil if there is none.
func (l *loader) take() (s step) {
	if n := len(l.current); n > 0 {
		s, l.current = l.current[n-1], l.current[:n-1]
	} else if len(l.jobs) > 0 {
		s, l.jobs = l.jobs[0], l.jobs[1:]
	}
	return s
}

// sweep adds a look for the commands of all batches, unless one is to come anyway.
func (l *loader) sweep() {
	if !slices.Contains(l.jobs, step(readCommands{})) {
		l.enqueue(readCommands{})
	}
}

// wakeup is when the loader next has something to do without an answer.
func (l *loader) wakeup(now time.Time) time.Time {
	switch {
	case l.waiting:
		return l.sweepAt
	case len(l.current)+len(l.jobs) == 0:
		return l.sweepAt
	case now.Before(l.pauseAt):
		return earliest(l.pauseAt, l.sweepAt)
	default:
		return now
	}
}

// readNext goes on with the loader's work until that waits for an answer.
func (k *Keeper) readNext(now time.Time) {
	l := &k.loader
	if !now.Before(l.sweepAt) {
		l.sweepAt = now.Add(l.sweepEvery)
		l.sweep()
	}
	for range stepsInTurn {
		if l.waiting || now.Before(l.pauseAt) {
			return
		}
		s := l.take()
		if s == nil {
			return
		}
		s.run(k, now)
	}
}

// ask makes a request of the loader, which waits for its answer.
func (k *Keeper) ask(r Request) {
	k.loader.waiting = true
	k.request(r)
}

// answered reports whether the answer of a request is of use, and lets the loader go on.
func (k *Keeper) answered(o origin) bool {
	if k.isOutdated(o) {
		return false
	}
	k.loader.waiting = false
	return true
}

// load brings batches into memory. Each session begins by loading all batches of this server, so there is nothing to do
// while none has begun.
func (k *Keeper) load(ids ...int64) {
	if k.over {
		for _, id := range ids {
			k.tell(Released{Batch: id})
		}
		return
	}
	for some := range slices.Chunk(ids, k.cfg.Limits.ReadTogether) {
		k.loader.enqueue(readBatches{ids: some})
	}
}

// listOwned loads all batches that this server owns now, and looks for their commands. The executors come first: what
// they have of a batch is not lost because they registered with another server. Queued batches come last: they wait for
// others of their schedule, so those must be there.
type listOwned struct{}

func (listOwned) run(k *Keeper, now time.Time) { k.ask(ListOwned{k.origin(now, readWithin)}) }

// OwnedListed takes the answer of ListOwned.
func (k *Keeper) OwnedListed(now time.Time, r ListOwned, executors []hive.Executor, ids []int64, err error) {
	if !k.answered(r.origin) {
		return
	}
	if err != nil {
		k.note(LevelError, "live batches cannot be listed", "error", err)
		k.loader.pauseAt = now.Add(retryRequest)
		k.loader.enqueue(listOwned{})
		return
	}
	k.cfg.Driver.Learn(now, executors, r.at)
	var steps []step
	for some := range slices.Chunk(ids, k.cfg.Limits.ReadTogether) {
		steps = append(steps, readBatches{ids: some, later: true})
	}
	k.loader.next(append(steps, readQueued{}, readCommands{})...)
}

// readQueued loads the batches that were kept for later.
type readQueued struct{}

func (readQueued) run(k *Keeper, _ time.Time) {
	var steps []step
	for some := range slices.Chunk(k.loader.queued, k.cfg.Limits.ReadTogether) {
		steps = append(steps, readBatches{ids: some})
	}
	k.loader.queued = nil
	k.loader.next(steps...)
}

// readBatches loads batches that are read together. With later it keeps those that are queued for later.
type readBatches struct {
	ids   []int64
	later bool
}

func (s readBatches) run(k *Keeper, now time.Time) {
	k.owner.BeginRead(s.ids...)
	k.ask(ReadBatches{IDs: s.ids, later: s.later, origin: k.origin(now, readWithin)})
}

// BatchesRead takes the answer of ReadBatches.
func (k *Keeper) BatchesRead(now time.Time, r ReadBatches, snapshots []hive.BatchSnapshot, err error) {
	switch {
	case !k.answered(r.origin):
	case err == nil && len(snapshots) == len(r.IDs):
		k.loadRead(r, snapshots)
	case len(r.IDs) > 1: // one of them, perhaps: find out which
		steps := make([]step, 0, len(r.IDs))
		for _, id := range r.IDs {
			steps = append(steps, readBatches{ids: []int64{id}, later: r.later})
		}
		k.loader.next(steps...)
	default:
		id := r.IDs[0]
		if err == nil { // the database went back: the batch holds up no other one
			err = fmt.Errorf("there is no batch %d", id)
			k.owner.Disown(now, id)
		}
		k.markStuck(now, id, fmt.Errorf("it cannot be loaded: %w", err))
	}
}

// loadRead loads batches that were read, a few at a time, as the loop stands still meanwhile.
func (k *Keeper) loadRead(r ReadBatches, snapshots []hive.BatchSnapshot) {
	var steps []step
	var some []hive.BatchSnapshot
	runs := 0
	for i := range snapshots {
		if r.later && snapshots[i].Batch.State == hive.BatchQueued {
			k.loader.queued = append(k.loader.queued, snapshots[i].Batch.ID)
			continue
		}
		if len(some) > 0 && runs+len(snapshots[i].Runs) > k.cfg.Limits.LoadTogether {
			steps = append(steps, loadBatches{snapshots: some, epoch: r.epoch})
			some, runs = nil, 0
		}
		some = append(some, snapshots[i])
		runs += len(snapshots[i].Runs)
	}
	if len(some) > 0 {
		steps = append(steps, loadBatches{snapshots: some, epoch: r.epoch})
	}
	k.loader.next(append(steps, readAgain{})...)
}

// readAgain reads the batches whose snapshots were outdated, before anything else: queued batches must find them.
type readAgain struct{}

func (readAgain) run(k *Keeper, _ time.Time) {
	var steps []step
	for some := range slices.Chunk(k.loader.outdated, k.cfg.Limits.ReadTogether) {
		steps = append(steps, readBatches{ids: some})
	}
	k.loader.outdated = nil
	k.loader.next(steps...)
}

// loadBatches has the graphs of batches made, and then gives the batches to the owner. They were read under an epoch.
type loadBatches struct {
	snapshots []hive.BatchSnapshot
	epoch     int64
}

func (s loadBatches) run(k *Keeper, now time.Time) {
	o := k.origin(now, readWithin)
	o.epoch = s.epoch
	k.ask(CompileGraphs{Snapshots: s.snapshots, origin: o})
}

// GraphsCompiled takes the answer of CompileGraphs.
func (k *Keeper) GraphsCompiled(now time.Time, r CompileGraphs) {
	if !k.answered(r.origin) {
		return
	}
	for i := range r.Snapshots {
		k.loadOne(now, r.Snapshots[i], r.epoch)
	}
}

// loadOne gives a batch to the owner, if what was read under an epoch still holds.
func (k *Keeper) loadOne(now time.Time, b hive.BatchSnapshot, epoch int64) {
	id := b.Batch.ID
	switch {
	case k.epoch != epoch, // somebody else may have owned it meanwhile
		!k.owner.ReadStillValid(id):
		k.loader.outdated = append(k.loader.outdated, id)
	case b.Batch.Owner != k.cfg.Server: // somebody else decides it, also when it has ended
		k.unstick(id)
		k.owner.Disown(now, id)
		k.tell(Released{Batch: id})
	default:
		k.unstick(id)
		had := k.owner.Has(id)
		if err := k.owner.Load(now, b); err != nil {
			k.markStuck(now, id, err)
		} else if !had {
			k.tell(Loaded{Deltas: k.owner.LoadedDeltas(id)})
		}
	}
}
