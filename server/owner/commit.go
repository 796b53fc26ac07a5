package owner

import (
	"errors"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// changeSet holds the changes of one batch in one group: the rows to write, and the effects that wait for the commit.
type changeSet struct {
	batch        *liveBatch
	runs         []int // numbers, in first-change order
	seenRuns     map[int]bool
	attempts     []int64
	seenAttempts map[int64]bool
	newAttempts  map[int64]bool // attempts made in this change set
	history      []hive.Run     // rows as they were before a plan opened the next round
	batchChanged bool
	alone        bool // the batch was queued and starts, see hive.BatchChange
	commands     []hive.CommandDone
	hooks        []hive.HookCall
	limits       map[hive.LimitKey]bool // that its offers count for; nil for none

	write  *hive.BatchWrite // fixed by freeze
	offers []hive.Assignment
	kills  []kill
	acks   []ack
	deltas []hive.Delta
	final  bool // the batch ends with this change set
}

type kill struct {
	executor string
	order    hive.KillOrder
}

type ack struct {
	attempt hive.AttemptRef
	seq     int64
}

func newChangeSet(l *liveBatch) *changeSet {
	return &changeSet{batch: l, seenRuns: map[int]bool{}, seenAttempts: map[int64]bool{}, newAttempts: map[int64]bool{}}
}

func (p *changeSet) add(s *state.Step) {
	for _, n := range s.Runs {
		if !p.seenRuns[n] {
			p.seenRuns[n] = true
			p.runs = append(p.runs, n)
		}
	}
	for _, id := range s.Attempts {
		if !p.seenAttempts[id] {
			p.seenAttempts[id] = true
			p.attempts = append(p.attempts, id)
		}
	}
	p.history = append(p.history, s.History...)
	p.hooks = append(p.hooks, s.Hooks...)
	p.batchChanged = p.batchChanged || s.BatchChanged
}

// Effects lists what the shell publishes and does after a commit. Effects on the fleet have been applied already.
type Effects struct {
	Answers     []hive.CommandDone
	Deltas      []hive.Delta
	Final       []hive.Batch // batches that ended, or ended again
	Reload      []int64      // batches to load again
	Stuck       map[int64]error
	Hooks       bool // ends that hooks follow were stored
	SessionLost bool // the session is over: everything was dropped
	Retry       bool // the database is out of reach: commit the same group again, later
}

// NextCommit returns the next group to commit; nil if there is nothing to store yet, or a commit is under way.
func (o *Owner) NextCommit(now time.Time) *hive.Group {
	if o.inflight != nil {
		return nil
	}
	switch {
	case len(o.retryQueue) > 0 && o.split:
		o.inflight, o.retryQueue = o.retryQueue[:1:1], o.retryQueue[1:]
	case len(o.retryQueue) > 0:
		o.inflight, o.retryQueue = o.retryQueue, nil
	default:
		o.split = false
		if !o.flushNow && (o.flushAt.IsZero() || now.Before(o.flushAt)) {
			return nil
		}
		o.freeze()
	}
	if len(o.inflight) == 0 {
		o.inflight = nil
		return nil
	}
	g := &hive.Group{Server: o.session.Server, Epoch: o.session.Epoch, Number: o.commits + 1}
	for _, p := range o.inflight {
		g.Batches = append(g.Batches, *p.write)
	}
	g.Limits = o.guards(o.inflight)
	return g
}

// Commits returns how many commits of this session are known to be stored.
func (o *Owner) Commits() int64 { return o.commits }

// freeze makes one group from all change sets.
func (o *Owner) freeze() {
	o.flushNow, o.flushAt = false, time.Time{}
	for _, l := range o.dirty {
		if p := l.changes; p != nil {
			p.freeze()
			l.changes = nil
			o.inflight = append(o.inflight, p)
		}
	}
	o.dirty = nil
}

// freeze compares memory with what is stored and fixes the rows to write.
func (p *changeSet) freeze() {
	l := p.batch
	w := &hive.BatchWrite{BatchID: l.id, History: p.history, Commands: p.commands, Hooks: p.hooks}
	for _, n := range p.runs {
		r, row := l.machine.Run(n), &l.records[n]
		switch {
		case row.stored == "":
			w.NewRuns = append(w.NewRuns, r)
		case isDerived(&r, row):
			continue
		default:
			w.Runs = append(w.Runs, hive.RunChange{From: row.stored, To: r})
		}
		row.stored, row.storedRound, row.storedPart = r.State, r.Round, r.Part
	}
	p.collectDeltas()
	for _, id := range p.attempts {
		a, ok := l.machine.Attempt(id)
		switch {
		case !ok:
		case p.newAttempts[id]:
			w.Offers = append(w.Offers, a)
		default:
			w.Attempts = append(w.Attempts, hive.AttemptChange{To: a})
		}
	}
	if p.batchChanged {
		b := l.machine.Batch()
		b.Counts = nil
		if b.State.Final() {
			b.Counts = hive.CountRuns(l.machine.Runs())
		}
		w.Batch = &hive.BatchChange{From: l.storedBatch, To: b, Alone: p.alone}
		l.storedBatch = b.State
		p.final = b.State.Final()
		p.deltas = append(p.deltas, hive.Delta{
			Batch: l.id, Run: -1, BState: b.State, Wish: b.Wish, Reason: b.Reason, At: b.FinishedAt,
		})
	}
	p.write = w
}

// isDerived reports whether a run's state is not stored now: a run that became ready for the first time in its round is
// stored as waiting until it is offered. A run that a plan has set back is stored: it has lost its reason and its
// counts, and its old row would bring them back. The run of a task whose shards are fixed is always stored: what it
// needs is not decided again.
func isDerived(r *hive.Run, row *runRecord) bool {
	if r.Shard == 0 && r.Part != nil || row.storedPart != r.Part {
		return false
	}
	return row.stored == hive.RunWaiting && r.State == hive.RunReady && r.Round == row.storedRound && r.Attempt == 0 &&
		r.NotBefore.IsZero()
}

// CommitDone receives the result of the group that NextCommit returned: nil, or the error of the commit.
func (o *Owner) CommitDone(now time.Time, err error) Effects {
	parts := o.inflight
	o.inflight = nil
	var e Effects
	switch {
	case err == nil:
		o.commits++
		o.releaseEffects(now, parts, &e)
		return e
	case errors.Is(err, hive.ErrSessionLost):
		o.DropAll()
		e.SessionLost = true
		return e
	}
	o.retryQueue = append(parts, o.retryQueue...)
	before := len(o.retryQueue)
	if guard, ok := errors.AsType[*hive.GuardError](err); ok {
		if guard.Limited {
			o.limits.outdated = true
			o.limits.refusals++
		}
		for _, id := range guard.Batches {
			o.evict(id, &e)
		}
	}
	switch {
	case errors.Is(err, hive.ErrConnection):
		e.Retry = true
	case len(o.retryQueue) < before: // the remaining change sets are committed again
	case len(parts) > 1:
		o.split = true // commit one by one, to find the change set that cannot be stored
	default:
		l := parts[0].batch
		e.Stuck = map[int64]error{l.id: err}
		o.evict(l.id, nil)
	}
	return e
}

// evict drops a batch with all changes of it that are not durable. If it was in memory and e is not nil, e tells the
// shell to load it again.
func (o *Owner) evict(id int64, e *Effects) {
	l := o.live[id]
	if l != nil {
		o.drop(l)
	}
	o.dropRetries(id)
	if l != nil && e != nil {
		e.Reload = append(e.Reload, id)
	}
}

// releaseEffects releases the effects of committed change sets.
func (o *Owner) releaseEffects(now time.Time, parts []*changeSet, e *Effects) {
	for _, p := range parts {
		l := p.batch
		for i := range p.offers {
			o.fleet.Offer(p.offers[i])
		}
		for _, k := range p.kills {
			o.fleet.Kill(k.executor, k.order)
		}
		for _, a := range p.acks {
			o.fleet.Ack(a.attempt, a.seq)
		}
		o.forgetEnded(l, p)
		for i := range p.commands {
			delete(o.commands, p.commands[i].ID)
		}
		e.Answers = append(e.Answers, p.commands...)
		e.Deltas = append(e.Deltas, l.publish(p)...)
		e.Hooks = e.Hooks || len(p.hooks) > 0
		if p.final { // take the stored row: in memory the batch may run again already
			e.Final = append(e.Final, p.write.Batch.To)
		}
	}
	for _, p := range parts {
		o.unload(now, p.batch)
	}
}

// forgetEnded forgets attempts whose end is durable, unless they have changed again since.
func (o *Owner) forgetEnded(l *liveBatch, p *changeSet) {
	for i := range p.write.Attempts {
		if a := &p.write.Attempts[i].To; a.State == hive.AttemptEnded {
			o.attempts.remove(a.Ref())
			if l.changes == nil || !l.changes.seenAttempts[a.ID] {
				l.machine.Forget(a.ID)
			}
		}
	}
}

// unload removes a batch from memory if it has ended and all its changes are stored. Then it starts the next batch of
// the schedule.
func (o *Owner) unload(now time.Time, l *liveBatch) {
	if o.live[l.id] != l || l.changes != nil || !l.machine.Batch().State.Final() || o.isCommitting(l) {
		return
	}
	o.remove(l)
	if s := l.machine.Batch().ScheduleID; s != 0 {
		o.startNext(now, s, nil)
	}
}

// isCommitting reports whether changes of a batch are being committed, or wait to be committed again.
func (o *Owner) isCommitting(l *liveBatch) bool {
	mine := func(p *changeSet) bool { return p.batch == l }
	return slices.ContainsFunc(o.inflight, mine) || slices.ContainsFunc(o.retryQueue, mine)
}

// DropAll forgets everything: the session is over, and another server may own the batches now.
func (o *Owner) DropAll() {
	o.live, o.attempts, o.bySchedule = map[int64]*liveBatch{}, newAttempts(), map[int64][]int64{}
	o.commands, o.queues, o.timers = map[int64]bool{}, newQueues(), newTimers()
	o.dirty, o.retryQueue, o.inflight = nil, nil, nil
	o.split, o.flushNow, o.flushAt = false, false, time.Time{}
	o.reloading, o.queued, o.decided, o.failed = map[int64]int64{}, nil, nil, nil
}
