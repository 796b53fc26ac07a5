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
	session Session
	graphs  Graphs
	trace   bool // decisions are kept for the shell

	live       map[int64]*liveBatch
	attempts   map[hive.AttemptRef]int64 // attempt → batch, until its end is durable
	bySchedule map[int64][]int64
	dirty      []*liveBatch // with something pending, in the order it came
	queues     queues
	timers     timers
	attemptIDs idBlock
	runIDs     idBlock
	newKey     func() string   // of an attempt
	commands   map[int64]bool  // handled, not durable yet
	decided    []Decision      // since the shell last took them
	failed     []Failure       // since the shell last took them
	reloading  map[int64]int64 // dropped batch → schedule: it holds its place until it was read again
	reading    map[int64]bool  // batches that are being read; true: it left the memory since
	programs   *expression.Cache

	retryQueue []*changeSet // of a commit that failed: they go first, alone or together
	inflight   []*changeSet
	commits    int64 // of this session that are known to be stored
	split      bool  // parked parts go one by one
	flushAt    time.Time
	flushNow   bool
}

// maxPrograms is how many compiled expressions are kept.
const maxPrograms = 1000

// live is one batch in memory.
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
	armedFor    time.Time // earliest entry in timers
}

// Config of an owner. All fields but TraceDecisions are required.
type Config struct {
	Fleet   Fleet
	Graphs  Graphs
	Session Session
	// NewKey makes the random key of an attempt, see hive.AttemptRef.
	NewKey func() string
	// TraceDecisions keeps each decision for TakeDecisions. The shell sets it only if it takes them.
	TraceDecisions bool
}

// New makes the owner of a session.
func New(cfg Config) *Owner {
	return &Owner{
		fleet: cfg.Fleet, graphs: cfg.Graphs, session: cfg.Session, newKey: cfg.NewKey, trace: cfg.TraceDecisions,
		live: map[int64]*liveBatch{}, attempts: map[hive.AttemptRef]int64{}, bySchedule: map[int64][]int64{},
		commands: map[int64]bool{}, reloading: map[int64]int64{}, queues: newQueues(), programs: expression.NewCache(maxPrograms),
	}
}

// SetEpoch goes on under a new epoch of the same session: it took over the batches of others. No group may be under way.
func (o *Owner) SetEpoch(epoch int64) { o.session.Epoch = epoch }

// Load takes a stored batch into memory: a new one, one to recover, or a final one that a command concerns. Loading
// a batch that is live already does nothing.
func (o *Owner) Load(now time.Time, img hive.BatchSnapshot) error {
	if _, ok := o.live[img.Batch.ID]; ok {
		return nil
	}
	g, err := o.graphs.Compile(&img.Revision)
	if err != nil {
		o.reloading[img.Batch.ID] = img.Batch.ScheduleID
		return err
	}
	delete(o.reloading, img.Batch.ID)
	l := &liveBatch{
		id: img.Batch.ID, revision: img.Revision.Number, progress: map[int]float64{}, storedBatch: img.Batch.State,
	}
	l.expressions = newExpressions(o.programs, g.Def)
	l.params = expression.Values(g.Def, img.Batch.Params)
	l.machine = state.New(state.Snapshot{Graph: g, Batch: img.Batch, Runs: img.Runs, Attempts: img.Attempts}, l.expressions)
	l.loadRecords(&img)
	o.live[l.id] = l
	if s := img.Batch.ScheduleID; s != 0 {
		ids := o.bySchedule[s]
		if at, found := slices.BinarySearch(ids, l.id); !found {
			o.bySchedule[s] = slices.Insert(ids, at, l.id)
		}
	}
	o.adopt(now, l, img.Attempts)
	if img.Batch.State == hive.BatchQueued {
		o.startNext(now, img.Batch.ScheduleID, l)
	}
	o.enqueueAll(now, l)
	o.armTimer(l)
	if len(img.Commands) == 0 {
		o.unload(now, l) // an ended batch that nobody wants anything of
	}
	return nil
}

// adopt names the attempts of a loaded batch to the fleet: their executors are asked what became of them. Attempts
// known from before that have ended in the store (by a commit of which no answer came) are acknowledged.
func (o *Owner) adopt(now time.Time, l *liveBatch, attempts []hive.Attempt) {
	open := make(map[hive.AttemptRef]bool, len(attempts))
	for i := range attempts {
		open[attempts[i].Ref()] = true
	}
	var ended []hive.AttemptRef
	for ref, batch := range o.attempts {
		if batch == l.id && !open[ref] {
			ended = append(ended, ref)
		}
	}
	slices.SortFunc(ended, hive.AttemptRef.Compare)
	for _, ref := range ended {
		delete(o.attempts, ref)
		o.fleet.Ack(ref, 0)
	}
	for i := range attempts {
		a := &attempts[i]
		o.attempts[a.Ref()] = l.id
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

// BeginRead says that the images of some batches are about to be read, all at once. What was read before has been given.
func (o *Owner) BeginRead(batches ...int64) {
	o.reading = make(map[int64]bool, len(batches))
	for _, id := range batches {
		o.reading[id] = false
	}
}

// ReadStillValid says whether an image that was read last is still good. It is not if the batch was in memory meanwhile and
// has left it: what it stored then may be missing in the image.
func (o *Owner) ReadStillValid(batch int64) bool { return !o.reading[batch] }

// left notes that a batch is not in memory any more.
func (o *Owner) noteEvicted(batch int64) {
	if _, ok := o.reading[batch]; ok {
		o.reading[batch] = true
	}
}

// Has says whether a batch is in memory.
func (o *Owner) Has(batch int64) bool { return o.live[batch] != nil }

// Size is the number of batches in memory.
func (o *Owner) Size() int { return len(o.live) }

// Disown says that a batch which was to be loaded again belongs to somebody else now.
func (o *Owner) Disown(now time.Time, batch int64) {
	if s, ok := o.reloading[batch]; ok {
		delete(o.reloading, batch)
		o.startNext(now, s, nil)
	}
}

// drop forgets a batch whose stored rows are not what memory holds. Its attempts keep their owner's entry: what
// the executors say of them is not acknowledged until the batch was loaded again.
func (o *Owner) drop(l *liveBatch) {
	delete(o.live, l.id)
	o.noteEvicted(l.id)
	o.unlist(l)
	o.reloading[l.id] = l.machine.Batch().ScheduleID
	o.dirty = slices.DeleteFunc(o.dirty, func(d *liveBatch) bool { return d == l })
	if l.changes != nil {
		o.revert(l.changes)
	}
}

// unpark forgets the parts of a batch that wait to be tried again.
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

// forgetPart takes back what a part would have done.
func (o *Owner) revert(p *changeSet) {
	for i := range p.offers {
		if ref := p.offers[i].Ref(); o.fleet.Drop(ref) {
			delete(o.attempts, ref)
		}
	}
	for i := range p.commands {
		delete(o.commands, p.commands[i].ID)
	}
}

// apply is the only way to a machine: one event in, its consequences collected for the next commit.
func (o *Owner) apply(now time.Time, l *liveBatch, ev state.Event, urgent bool) (state.Step, error) {
	step, err := l.machine.Apply(now, ev)
	if err != nil {
		return state.Step{}, err
	}
	o.traceMoves(l, step.Moves)
	o.collect(now, l, &step, urgent)
	return step, nil
}

// applyExpected applies an event that fits the batch, unless the program has a defect: that is a Failure.
func (o *Owner) applyExpected(now time.Time, l *liveBatch, ev state.Event, urgent bool) (ok bool) {
	_, err := o.apply(now, l, ev, urgent)
	if err != nil {
		o.noteFailure(l, err)
	}
	return err == nil
}

// collect notes what a step changed.
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
	}
	if step.BatchChanged && l.machine.Batch().Wish == hive.WishRun {
		o.enqueueAll(now, l)
	}
	o.requestFlush(now, urgent)
	o.armTimer(l)
}

// hurry says that the next group should leave now, or within lazyDelay.
func (o *Owner) requestFlush(now time.Time, urgent bool) {
	if urgent {
		o.flushNow = true
	} else if o.flushAt.IsZero() {
		o.flushAt = now.Add(flushDelay)
	}
}

// pending is the part that collects l's changes for the next group.
func (o *Owner) changesOf(l *liveBatch) *changeSet {
	if l.changes == nil {
		l.changes = newChangeSet(l)
		o.dirty = append(o.dirty, l)
	}
	return l.changes
}

// startNext starts a queued batch, or the oldest one of its schedule that waits for others to end.
func (o *Owner) startNext(now time.Time, schedule int64, only *liveBatch) {
	if only != nil && only.machine.Batch().Reason != hive.ReasonQueued {
		o.start(now, only)
		return
	}
	if o.isOccupied(schedule) {
		return
	}
	for _, id := range o.bySchedule[schedule] {
		l := o.live[id]
		b := l.machine.Batch()
		switch {
		case b.State != hive.BatchQueued || b.Wish == hive.WishPause:
			continue
		case o.hasExpired(now, l):
			o.applyExpected(now, l, state.Wish{Wish: hive.WishCancel, Reason: hive.ReasonExpired}, true)
		default:
			o.start(now, l)
			return
		}
	}
}

// occupied: a batch of the schedule runs, or may run, as it was dropped and is still to be read again.
func (o *Owner) isOccupied(schedule int64) bool {
	for _, s := range o.reloading {
		if s == schedule {
			return true
		}
	}
	return slices.ContainsFunc(o.bySchedule[schedule], func(id int64) bool {
		return o.live[id].machine.Batch().State == hive.BatchRunning
	})
}

func (o *Owner) hasExpired(now time.Time, l *liveBatch) bool {
	b, expire := l.machine.Batch(), l.machine.Graph().Def.Policy.Expire.Std()
	return expire > 0 && b.Kind == hive.KindScheduled && now.Sub(b.Moment) > expire
}

func (o *Owner) start(now time.Time, l *liveBatch) {
	o.applyExpected(now, l, state.Start{}, true)
}

// AddIDs gives the owner a block of ids. What is left of the former block is given up.
func (o *Owner) AddIDs(kind string, first int64, n int) {
	b := idBlock{first: first, end: first + int64(n)}
	if kind == RunIDs {
		o.runIDs = b
	} else {
		o.attemptIDs = b
	}
}

// LowIDs names the kind of ids of which fewer than low are left; empty: there are enough.
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
