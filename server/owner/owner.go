package owner

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// Owner decides everything about the live batches of one server session. It is not safe for concurrent use.
type Owner struct {
	fleet   Fleet
	chooser Chooser
	session Session
	graphs  Graphs
	trace   bool // decisions are kept for TakeDecisions

	live       map[int64]*liveBatch
	attempts   knownAttempts
	bySchedule map[int64][]int64
	dirty      []*liveBatch // batches with changes for the next group, in the order of their first change
	queues     queues
	timers     timers
	attemptIDs idBlock
	runIDs     idBlock
	newKey     func() string // makes the key of an attempt
	traceOf    func(b *hive.Batch, a hive.AttemptRef) string
	commands   map[int64]bool  // commands that were handled and whose answers are not durable yet
	decided    []Decision      // since the shell last took them
	failed     []Failure       // since the shell last took them
	reloading  map[int64]int64 // dropped batch → schedule; no queued batch of it starts until it is read again
	queued     []int64         // see TakeQueued
	reading    map[int64]bool  // batches that are being read; true if the batch has left the memory since BeginRead
	programs   *expression.Cache

	groupRoutes map[string]hive.Route // by group
	limits      limits

	retryQueue []*changeSet // change sets of a failed commit; they are committed before new ones
	inflight   []*changeSet // change sets of the commit under way
	commits    int64        // commits of this session that are known to be stored
	split      bool         // retryQueue is committed one by one, to find the change set that cannot be stored
	flushAt    time.Time    // when the next commit is due; zero if there is nothing to store
	flushNow   bool         // the next commit is due at once
}

// maxPrograms is how many compiled expressions are kept.
const maxPrograms = 1000

// liveBatch is one batch in memory.
type liveBatch struct {
	id          int64
	machine     *state.Machine
	revision    int64 // its number
	params      map[string]any
	expressions expressions
	records     []runRecord // by run number
	storedBatch hive.BatchState
	changes     *changeSet
	published   hive.Batch // its row as observers know it, with its counts
	progress    map[int]float64
	queued      map[int]*item     // by run number: the ready runs that may be offered
	readySince  map[int]time.Time // by run number: since when a ready run waits, whether it is in a queue or not
	timers      map[int]*timer    // by run number, and the batch's own
}

// Config of an owner. All fields but TraceDecisions and TraceParent are required.
type Config struct {
	Fleet   Fleet
	Chooser Chooser // of the same fleet
	Graphs  Graphs
	Session Session
	// NewKey makes the random key of an attempt, see hive.AttemptRef.
	NewKey func() string
	// TraceDecisions keeps each decision for TakeDecisions. The shell sets it only if it takes them.
	TraceDecisions bool
	// TraceParent returns the trace context of an attempt for its task, by the W3C recommendation. It is made of its
	// arguments alone, so that an assignment that is built again is the same. Nil: tasks get none.
	TraceParent func(b *hive.Batch, a hive.AttemptRef) string
}

// New returns the owner for a session.
func New(cfg Config) *Owner {
	return &Owner{
		fleet: cfg.Fleet, chooser: cfg.Chooser, graphs: cfg.Graphs, session: cfg.Session,
		newKey: cfg.NewKey, trace: cfg.TraceDecisions, traceOf: cfg.TraceParent,
		live: map[int64]*liveBatch{}, attempts: newAttempts(), bySchedule: map[int64][]int64{},
		commands: map[int64]bool{}, reloading: map[int64]int64{}, queues: newQueues(), timers: newTimers(),
		programs: expression.NewCache(maxPrograms),
	}
}

// SetEpoch continues the session under a new epoch. No commit may be under way.
func (o *Owner) SetEpoch(epoch int64) { o.session.Epoch = epoch }

// Load takes a stored batch into memory: a new one, one to recover, or an ended one for which there is a command. It
// does nothing for a batch that is in memory already.
func (o *Owner) Load(now time.Time, snap hive.BatchSnapshot) error {
	if _, ok := o.live[snap.Batch.ID]; ok {
		return nil
	}
	g, err := o.graphs.Compile(&snap.Revision)
	if err != nil {
		o.reloading[snap.Batch.ID] = snap.Batch.ScheduleID
		return err
	}
	delete(o.reloading, snap.Batch.ID)
	l := &liveBatch{
		id: snap.Batch.ID, revision: snap.Revision.Number, progress: map[int]float64{}, storedBatch: snap.Batch.State,
		queued: map[int]*item{}, timers: map[int]*timer{}, readySince: map[int]time.Time{},
	}
	l.expressions = newExpressions(o.programs, g.Def, &snap)
	l.params = expression.Values(g.Def, snap.Batch.Params)
	l.machine = state.New(state.Snapshot{Graph: g, Batch: snap.Batch, Runs: snap.Runs, Attempts: snap.Attempts},
		l.expressions)
	l.loadRecords(&snap)
	o.live[l.id] = l
	if s := snap.Batch.ScheduleID; s != 0 {
		ids := o.bySchedule[s]
		if at, found := slices.BinarySearch(ids, l.id); !found {
			o.bySchedule[s] = slices.Insert(ids, at, l.id)
		}
	}
	o.adopt(now, l, snap.Attempts)
	if snap.Batch.State == hive.BatchQueued {
		o.startNext(now, snap.Batch.ScheduleID, l)
	}
	o.enqueueLoaded(now, l)
	o.armTimer(l)
	if len(snap.Commands) == 0 {
		o.unload(now, l) // an ended batch without a command
	}
	return nil
}

// adopt passes the attempts of a loaded batch to the fleet, which asks the executors for their states. It acknowledges
// attempts that it knows from before and whose end is stored. Their end was in a commit whose result got lost.
func (o *Owner) adopt(now time.Time, l *liveBatch, attempts []hive.Attempt) {
	open := make(map[hive.AttemptRef]bool, len(attempts))
	for i := range attempts {
		open[attempts[i].Ref()] = true
	}
	for _, ref := range o.attempts.of(l.id) {
		if !open[ref] {
			o.attempts.remove(ref)
			o.fleet.Ack(ref, 0)
		}
	}
	for i := range attempts {
		a := &attempts[i]
		o.attempts.add(a.Ref(), l.id)
		h := hive.HeldAttempt{
			Started: a.State == hive.AttemptRunning, Killing: !a.KillingAt.IsZero(), KillReason: a.KillReason,
		}
		if n, ok := l.machine.RunOf(a.ID); ok {
			h.Unknown = l.machine.Run(n).State == hive.RunUnknown
			h.Assignment, _ = o.assignment(l, n, a)
		}
		h.Assignment.Attempt, h.Assignment.Key = a.ID, a.Key
		o.fleet.Adopt(now, a.Executor, h)
	}
}

// BeginRead announces that the snapshots of some batches are about to be read. The caller has loaded or dropped all
// snapshots that it read before.
func (o *Owner) BeginRead(batches ...int64) {
	o.reading = make(map[int64]bool, len(batches))
	for _, id := range batches {
		o.reading[id] = false
	}
}

// ReadStillValid reports whether the last snapshot of a batch may be loaded. It may not if the batch has left the
// memory since BeginRead, because the snapshot may then lack the batch's last commits.
func (o *Owner) ReadStillValid(batch int64) bool { return !o.reading[batch] }

// remove removes a batch from memory.
func (o *Owner) remove(l *liveBatch) {
	delete(o.live, l.id)
	if _, ok := o.reading[l.id]; ok {
		o.reading[l.id] = true
	}
	o.unlist(l)
	o.timers.stopAll(l)
	l.leaveQueues()
}

// Has reports whether a batch is in memory.
func (o *Owner) Has(batch int64) bool { return o.live[batch] != nil }

// Disown cancels the reload of a batch that now belongs to another server, or was deleted.
func (o *Owner) Disown(now time.Time, batch int64) {
	if s, ok := o.reloading[batch]; ok {
		delete(o.reloading, batch)
		o.startNext(now, s, nil)
	}
}

// drop forgets a batch whose stored rows differ from memory. Its attempts stay known, so that no report about them is
// acknowledged before the batch is loaded again.
func (o *Owner) drop(l *liveBatch) {
	o.remove(l)
	o.reloading[l.id] = l.machine.Batch().ScheduleID
	o.dirty = slices.DeleteFunc(o.dirty, func(d *liveBatch) bool { return d == l })
	if l.changes != nil {
		o.revert(l.changes)
	}
}

// dropRetries forgets the change sets of a batch that wait to be committed again.
func (o *Owner) dropRetries(batch int64) {
	for _, p := range o.retryQueue {
		if p.batch.id == batch {
			o.revert(p)
		}
	}
	o.retryQueue = slices.DeleteFunc(o.retryQueue, func(p *changeSet) bool { return p.batch.id == batch })
}

func (o *Owner) unlist(l *liveBatch) {
	s := l.machine.Batch().ScheduleID
	if s == 0 {
		return
	}
	o.bySchedule[s] = slices.DeleteFunc(o.bySchedule[s], func(id int64) bool { return id == l.id })
	if len(o.bySchedule[s]) == 0 {
		delete(o.bySchedule, s)
	}
}

// revert undoes the effects of a change set that was not stored.
func (o *Owner) revert(p *changeSet) {
	for i := range p.offers {
		if ref := p.offers[i].Ref(); o.fleet.Drop(ref) {
			o.attempts.remove(ref)
		}
	}
	for i := range p.commands {
		delete(o.commands, p.commands[i].ID)
	}
}

// apply applies one event to a batch's machine, and collects the consequences for the next commit. Nothing else changes
// the states in a machine.
func (o *Owner) apply(now time.Time, l *liveBatch, ev state.Event, urgent bool) (state.Step, error) {
	step, err := l.machine.Apply(now, ev)
	if err != nil {
		return state.Step{}, err
	}
	o.traceMoves(l, step.Moves)
	o.collect(now, l, &step, urgent)
	return step, nil
}

// applyExpected applies an event that must fit the batch. If it does not fit, the program has a defect, and the owner
// notes a Failure.
func (o *Owner) applyExpected(now time.Time, l *liveBatch, ev state.Event, urgent bool) (ok bool) {
	_, err := o.apply(now, l, ev, urgent)
	if err != nil {
		o.noteFailure(l, err)
	}
	return err == nil
}

// collect adds the changes of a step to the next commit.
func (o *Owner) collect(now time.Time, l *liveBatch, step *state.Step, urgent bool) {
	if len(step.Runs) == 0 && !step.BatchChanged && len(step.Attempts) == 0 {
		return
	}
	p := o.changesOf(l)
	p.add(step)
	for _, n := range step.NewRuns {
		l.machine.SetRunID(n, o.runIDs.next())
		l.records = append(l.records, runRecord{})
	}
	for _, k := range step.Kills {
		p.kills = append(p.kills, kill{executor: k.Executor, order: hive.KillOrder{
			Attempt: k.Attempt, Key: k.Key, Grace: k.Grace, Reason: k.Reason,
		}})
	}
	for _, n := range step.Runs {
		o.enqueue(now, l, n)
		if task := l.machine.TaskRun(n); task != n && !l.machine.IsSplit(task) {
			o.enqueue(now, l, task) // it may have waited for this former shard
		}
	}
	if step.BatchChanged {
		o.enqueueAll(now, l)
	}
	o.requestFlush(now, urgent)
	o.armTimer(l)
}

// requestFlush makes the next commit due now, or within flushDelay.
func (o *Owner) requestFlush(now time.Time, urgent bool) {
	if urgent {
		o.flushNow = true
	} else if o.flushAt.IsZero() {
		o.flushAt = now.Add(flushDelay)
	}
}

// changesOf returns the change set of a batch for the next group.
func (o *Owner) changesOf(l *liveBatch) *changeSet {
	if l.changes == nil {
		l.changes = newChangeSet(l)
		o.dirty = append(o.dirty, l)
	}
	return l.changes
}

// AddIDs gives the owner a block of n ids. It discards the rest of the former block.
func (o *Owner) AddIDs(kind string, first int64, n int) {
	b := idBlock{first: first, end: first + int64(n)}
	if kind == RunIDs {
		o.runIDs = b
	} else {
		o.attemptIDs = b
	}
}

// LowIDs returns a kind with fewer than low ids left, or an empty text if there are enough ids of each kind.
func (o *Owner) LowIDs(low int64) string {
	switch {
	case o.attemptIDs.remaining() < low:
		return AttemptIDs
	case o.runIDs.remaining() < low:
		return RunIDs
	default:
		return ""
	}
}
