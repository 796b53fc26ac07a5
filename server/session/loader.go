package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// loader reads batches, commands and revisions for the owner. It does one step after another, so that a command is
// never handled before its batch is in memory. Each session has a new loader.
type loader struct {
	jobs    []step    // in the order of enqueue
	current []step    // remaining steps of the job that has begun, the next one last
	waiting bool      // a request is under way
	pauseAt time.Time // no step runs before this time

	queued     []int64 // queued batches, which are loaded after all others
	outdated   []int64 // batches whose snapshot was outdated before it could be loaded
	sweepEvery time.Duration
	sweepAt    time.Time
	readFailed bool // commands could not be read at the last try, and that was noted
}

// step is one step of a job of the loader. run makes a request, adds steps, or does the work at once.
type step interface {
	run(k *Keeper, now time.Time)
}

// stepsInTurn bounds the steps of one turn, because many commands may be waiting.
const stepsInTurn = 64

// enqueue adds a job after all others.
func (l *loader) enqueue(job step) { l.jobs = append(l.jobs, job) }

// next adds steps before all others, in their order.
func (l *loader) next(steps ...step) {
	for _, s := range slices.Backward(steps) {
		l.current = append(l.current, s)
	}
}

// pop removes the next step; nil if there is none.
func (l *loader) pop() (s step) {
	if n := len(l.current); n > 0 {
		s, l.current = l.current[n-1], l.current[:n-1]
	} else if len(l.jobs) > 0 {
		s, l.jobs = l.jobs[0], l.jobs[1:]
	}
	return s
}

// sweep adds a job that reads the commands of all batches, unless one is waiting already.
func (l *loader) sweep() {
	if !slices.Contains(l.jobs, step(readCommands{})) {
		l.enqueue(readCommands{})
	}
}

// wakeup returns when the loader next has something to do without an answer.
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

// readNext runs the loader's steps until one waits for an answer.
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
		s := l.pop()
		if s == nil {
			return
		}
		s.run(k, now)
	}
}

// ask makes a request of the loader. No further step runs before its answer.
func (k *Keeper) ask(r Request) {
	k.loader.waiting = true
	k.request(r)
}

// answered lets the loader continue after an answer. It returns false if the answer belongs to an earlier session.
func (k *Keeper) answered(o origin) bool {
	if k.isOutdated(o) {
		return false
	}
	k.loader.waiting = false
	return true
}

// load has batches loaded into memory. Between two sessions it loads nothing, because each session begins by loading
// all batches of this server.
func (k *Keeper) load(ids ...int64) {
	if k.over {
		for _, id := range ids {
			k.emit(Released{Batch: id})
		}
		return
	}
	for chunk := range slices.Chunk(ids, k.cfg.Limits.ReadTogether) {
		k.loader.enqueue(readBatches{ids: chunk})
	}
}

// listOwned loads all batches that this server owns now, and then their commands. The executors are read first, because
// the attempts of an executor that the fleet does not know would count as lost. Queued batches are loaded last, because
// they wait for other batches of their schedule.
type listOwned struct{}

func (listOwned) run(k *Keeper, now time.Time) { k.ask(ListOwned{k.origin(now, readWithin)}) }

// OwnedListed handles the answer of ListOwned.
func (k *Keeper) OwnedListed(now time.Time, r ListOwned, executors []hive.Executor, ids []int64, err error) {
	if !k.answered(r.origin) {
		return
	}
	if err != nil {
		k.note(LevelError, "live batches cannot be listed", "error", err)
		k.loader.pauseAt = now.Add(retryRequest)
		k.loader.next(listOwned{}) // before the jobs that wait, whose batches may have attempts on unknown executors
		return
	}
	k.cfg.Driver.Learn(now, executors, r.at)
	var steps []step
	for chunk := range slices.Chunk(ids, k.cfg.Limits.ReadTogether) {
		steps = append(steps, readBatches{ids: chunk, later: true})
	}
	k.loader.next(append(steps, readQueued{}, readCommands{})...)
}

// readQueued loads the queued batches that readBatches has postponed.
type readQueued struct{}

func (readQueued) run(k *Keeper, _ time.Time) {
	var steps []step
	for chunk := range slices.Chunk(k.loader.queued, k.cfg.Limits.ReadTogether) {
		steps = append(steps, readBatches{ids: chunk})
	}
	k.loader.queued = nil
	k.loader.next(steps...)
}

// readBatches loads batches that are read together. If later is set, it postpones batches in state queued.
type readBatches struct {
	ids   []int64
	later bool
}

func (s readBatches) run(k *Keeper, now time.Time) {
	k.owner.BeginRead(s.ids...)
	k.ask(ReadBatches{IDs: s.ids, later: s.later, origin: k.origin(now, readWithin)})
}

// BatchesRead handles the answer of ReadBatches. If the read failed or a batch is missing, it reads each batch alone,
// so that only the one at fault becomes stuck.
func (k *Keeper) BatchesRead(now time.Time, r ReadBatches, snapshots []hive.BatchSnapshot, err error) {
	switch {
	case !k.answered(r.origin):
	case err == nil && len(snapshots) == len(r.IDs):
		k.loadRead(r, snapshots)
	case len(r.IDs) > 1:
		steps := make([]step, 0, len(r.IDs))
		for _, id := range r.IDs {
			steps = append(steps, readBatches{ids: []int64{id}, later: r.later})
		}
		k.loader.next(steps...)
	default:
		id := r.IDs[0]
		if k.owner.Has(id) {
			return // there is nothing to load: if its rows are broken, its next commit fails
		}
		if err == nil { // the database was set back; the missing batch must not block its schedule
			k.owner.Disown(now, id)
			why := hive.NewSentence(hive.SentenceStuckGone,
				"the database does not have it any more: it was deleted, or a backup was restored")
			k.markStuck(now, id, why, fmt.Errorf("there is no batch %d", id))
			return
		}
		why := hive.Quote(hive.SentenceStuckUnread, "it cannot be read from the database: ‹words›; "+
			"the server tries again by itself", hive.Plain(err.Error()))
		k.markStuck(now, id, why, fmt.Errorf("it cannot be read: %w", err))
	}
}

// loadRead loads batches that were read, a few in each step, because the loop is blocked while a step loads.
func (k *Keeper) loadRead(r ReadBatches, snapshots []hive.BatchSnapshot) {
	var steps []step
	var part []hive.BatchSnapshot
	runs := 0
	for i := range snapshots {
		if r.later && snapshots[i].Batch.State == hive.BatchQueued {
			k.loader.queued = append(k.loader.queued, snapshots[i].Batch.ID)
			continue
		}
		if len(part) > 0 && runs+len(snapshots[i].Runs) > k.cfg.Limits.LoadTogether {
			steps = append(steps, loadBatches{snapshots: part, epoch: r.epoch})
			part, runs = nil, 0
		}
		part = append(part, snapshots[i])
		runs += len(snapshots[i].Runs)
	}
	if len(part) > 0 {
		steps = append(steps, loadBatches{snapshots: part, epoch: r.epoch})
	}
	k.loader.next(append(steps, readAgain{})...)
}

// readAgain reads the batches whose snapshots were outdated. It runs before all other steps, so that these batches are
// in memory before queued ones are loaded.
type readAgain struct{}

func (readAgain) run(k *Keeper, _ time.Time) {
	var steps []step
	for chunk := range slices.Chunk(k.loader.outdated, k.cfg.Limits.ReadTogether) {
		steps = append(steps, readBatches{ids: chunk})
	}
	k.loader.outdated = nil
	k.loader.next(steps...)
}

// loadBatches requests the graphs of batches, and then loads the batches into the owner. epoch is the epoch under which
// the batches were read.
type loadBatches struct {
	snapshots []hive.BatchSnapshot
	epoch     int64
}

func (s loadBatches) run(k *Keeper, now time.Time) {
	o := k.origin(now, readWithin)
	o.epoch = s.epoch
	k.ask(CompileGraphs{Snapshots: s.snapshots, origin: o})
}

// GraphsCompiled handles the answer of CompileGraphs.
func (k *Keeper) GraphsCompiled(now time.Time, r CompileGraphs) {
	if !k.answered(r.origin) {
		return
	}
	for i := range r.Snapshots {
		k.loadOne(now, r.Snapshots[i], r.epoch)
	}
}

// loadOne loads a batch into the owner, unless its snapshot is outdated. epoch is the epoch under which it was read.
func (k *Keeper) loadOne(now time.Time, b hive.BatchSnapshot, epoch int64) {
	id := b.Batch.ID
	switch {
	case k.epoch != epoch, // another server may have owned it meanwhile
		!k.owner.ReadStillValid(id):
		k.loader.outdated = append(k.loader.outdated, id)
	case b.Batch.Owner != k.cfg.Server: // another server owns it, even if it has ended
		k.unstick(id)
		k.owner.Disown(now, id)
		k.emit(Released{Batch: id})
	default:
		k.unstick(id)
		had := k.owner.Has(id)
		if err := k.owner.Load(now, b); err != nil {
			why := hive.Quote(hive.SentenceStuckRevision, "its definition cannot be read: ‹words›; "+
				"if a newer version of HiveGo has stored it, upgrade this server", hive.Plain(err.Error()))
			k.markStuck(now, id, why, fmt.Errorf("its definition cannot be read: %w", err))
		} else if !had {
			k.emit(Loaded{Deltas: k.owner.LoadedDeltas(id)})
		}
	}
}
