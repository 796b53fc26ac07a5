// Package state is the state machine of one batch. It alone decides every transition of the batch's task runs, and
// every repair plan. It is pure: events and the time go in, and a Step with the changes comes out. It has no clock,
// does no I/O and starts no goroutine. A Machine belongs to one goroutine.
//
// docs/states.md, which is generated from the table in Next, explains the rules. e2e/scenarios has examples.
package state

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Limits of stored text, in bytes, and of an attempt's lines.
const (
	maxDetail = 1 << 10
	maxError  = 4 << 10
	maxNote   = 512
	maxNotes  = 20
)

// ErrUnknownAttempt reports an event for an attempt that the machine does not know: it ended long ago and was
// forgotten, or it never belonged to this batch. The caller may acknowledge the event.
var ErrUnknownAttempt = errors.New("the batch knows no such attempt")

// Conditions evaluates the conditions of tasks.
type Conditions interface {
	// When evaluates `when`. An error fails the run with the reason when_error.
	When(task *hive.Task, e Env) (bool, error)
	// RetryWhen evaluates `retry.when` after a failure. An error fails the run as the failure did.
	RetryWhen(task *hive.Task, e Env, f Failure) (bool, error)
}

// Failure is the end of an attempt that did not succeed. A condition must neither change nor retain it.
type Failure struct {
	Attempt  *hive.Attempt
	Failures int         // of the run in its round, with this one
	Shard    *hive.Shard // nil if the run is no shard
}

// Env holds the values that a condition may read. A condition must neither change nor retain them.
type Env struct {
	Params  map[string]any // the definition's, overridden by the batch's
	Moment  time.Time      // logical time
	Zone    string         // of the schedule; empty is UTC
	Kind    hive.BatchKind
	Round   int
	Outputs map[string]map[string]string // by task key; only of tasks that succeeded and have some
	// Lists has the outputs of sharded tasks that succeeded: by task key and name, a list with the value of each shard.
	Lists map[string]map[string]any
}

// Snapshot holds the stored rows of a batch.
type Snapshot struct {
	Graph    *graph.Graph // of the batch's revision
	Batch    hive.Batch
	Runs     []hive.Run
	Attempts []hive.Attempt // its attempts that have not ended
}

// Machine is one batch in memory.
type Machine struct {
	graph      *graph.Graph
	batch      hive.Batch
	runs       []hive.Run // by number
	attempts   map[int64]*attempt
	conditions Conditions

	// rebuild derives the fields below from the ones above.
	taskOf    []int // by run number: index in the graph, or -1 if the revision no longer has the task
	runOf     []int // by task: run number, or -1
	jobs      map[string]int
	params    map[string]any
	outputs   map[string]map[string]string
	lists     map[string]map[string]any // outputs of sharded tasks, see Env
	parents   []int                     // by run number: the number of its task's run for a shard, else -1
	shards    map[int][]int             // by number of a task's run: the runs of its shards, by index
	tally     tally
	undecided []int // numbers of runs whose decision the stored rows lack, or -1; the next event decides them

	stamps []uint64 // by run: serial of the last step that changed it
	serial uint64
}

// attempt is an attempt with the number of its run.
type attempt struct {
	hive.Attempt
	run   int
	stamp uint64 // serial of the last step that changed it
}

// New rebuilds a machine from stored rows. The state ready is derived: a run that is stored as waiting is ready if its
// rule is met. If a decision is missing in the rows (for instance a skip), the next event makes it; NextTimer then
// returns a moment for that event.
func New(snap Snapshot, c Conditions) *Machine {
	m := &Machine{
		graph: snap.Graph, batch: snap.Batch, runs: slices.Clone(snap.Runs), conditions: c,
		attempts: make(map[int64]*attempt, len(snap.Attempts)),
	}
	m.batch.JobClocks = maps.Clone(m.batch.JobClocks)
	slices.SortFunc(m.runs, func(a, b hive.Run) int { return a.Number - b.Number })
	byID := make(map[int64]int, len(m.runs))
	for n := range m.runs {
		byID[m.runs[n].ID] = n
	}
	for _, a := range snap.Attempts {
		if n, ok := byID[a.RunID]; ok && a.State != hive.AttemptEnded {
			m.attempts[a.ID] = &attempt{Attempt: a, run: n}
		}
	}
	m.rebuild()
	if m.batch.State == hive.BatchRunning {
		m.derive()
	}
	return m
}

// derive sets the state of every run that was not offered from its needs. It reports no change, because a derived ready
// is never stored.
func (m *Machine) derive() {
	for n := range m.runs {
		r := &m.runs[n]
		if r.State != hive.RunWaiting && r.State != hive.RunReady || r.Attempt != 0 {
			continue
		}
		d := m.decide(n)
		switch d.event {
		case "":
		case RunMet, RunUnmet:
			r.State, _ = Next(r.State, d.event)
		default:
			m.undecided = append(m.undecided, n)
		}
	}
	if m.tally.open == 0 {
		m.undecided = append(m.undecided, -1) // nothing to decide but the end of the batch
	}
}

// Apply applies one event at the moment now, which is cut to milliseconds as in the store. A repeated event returns an
// empty Step. An error means that the event does not fit and that nothing was changed: a *hive.Error for a request of a
// person, ErrUnknownAttempt, or a plain error. An error with CodeInternal is a defect: build the machine anew.
func (m *Machine) Apply(now time.Time, ev Event) (Step, error) {
	m.serial++
	p := &transition{m: m, now: now.UTC().Truncate(time.Millisecond)}
	if err := ev.apply(p); err != nil {
		return Step{}, err
	}
	p.propagate()
	p.endJobs()
	p.endBatch()
	p.callHooks()
	if p.fault != nil {
		return Step{}, p.fault
	}
	return p.step, nil
}

// Batch returns the batch's row. The caller must not change its maps.
func (m *Machine) Batch() hive.Batch { return m.batch }

// Run returns the row of the run with this number. The caller must not change its map.
func (m *Machine) Run(number int) hive.Run { return m.runs[number] }

// Runs returns the rows of all runs by number. They are the machine's own: read them before the next event and do not
// change them.
func (m *Machine) Runs() []hive.Run { return m.runs }

// Attempt returns the row of an attempt that is open, or that has ended and was not forgotten.
func (m *Machine) Attempt(id int64) (hive.Attempt, bool) {
	a, ok := m.attempts[id]
	if !ok {
		return hive.Attempt{}, false
	}
	return a.Attempt, true
}

// EachOpen calls f for each attempt that has not ended, in no order, with the task that it runs.
func (m *Machine) EachOpen(f func(a *hive.Attempt, t *hive.Task)) {
	for _, a := range m.attempts {
		if a.State != hive.AttemptEnded {
			f(&a.Attempt, m.spec(a.run))
		}
	}
}

// RunOf returns the number of the run that an attempt belongs to, for every attempt that Attempt knows.
func (m *Machine) RunOf(attempt int64) (number int, ok bool) {
	a, ok := m.attempts[attempt]
	if !ok {
		return 0, false
	}
	return a.run, true
}

// Graph returns the graph of the batch's revision.
func (m *Machine) Graph() *graph.Graph { return m.graph }

// Env returns the values that expressions of the batch may read now.
func (m *Machine) Env() Env { return m.env(m.batch.Round) }

func (m *Machine) env(round int) Env {
	return Env{
		Params: m.params, Moment: m.batch.Moment, Zone: m.graph.Def.Timezone, Kind: m.batch.Kind, Round: round,
		Outputs: m.outputs, Lists: m.lists,
	}
}

// SetRunID sets the id of a run that a plan added. Call it before the run is offered.
func (m *Machine) SetRunID(number int, id int64) { m.runs[number].ID = id }

// Forget drops an ended attempt. Its events are ErrUnknownAttempt from then on.
func (m *Machine) Forget(id int64) {
	if a, ok := m.attempts[id]; ok && a.State == hive.AttemptEnded {
		delete(m.attempts, id)
	}
}

// openAttempt returns the open attempt of a run, or nil.
func (m *Machine) openAttempt(n int) *attempt {
	if id := m.runs[n].Attempt; id != 0 {
		return m.attempts[id]
	}
	return nil
}

// spec returns the definition of a run's task in the batch's revision, or an empty one if the revision has no such
// task.
func (m *Machine) spec(n int) *hive.Task {
	if t := m.taskOf[n]; t >= 0 {
		return m.graph.Tasks[t].Spec
	}
	return &hive.Task{Key: m.runs[n].Task}
}

// willReset reports whether a plan has reset a run while this attempt of an earlier round was still open. The run waits
// again after the attempt has ended in any way. The answer follows from the stored rounds, so it survives a restart.
func (m *Machine) willReset(a *attempt) bool { return a.Round < m.runs[a.run].Round }

// willEndRun reports whether an attempt is being killed and its end makes its run final.
func (m *Machine) willEndRun(a *attempt) bool {
	return a != nil && !a.KillingAt.IsZero() && !m.willReset(a)
}

// find returns the attempt that an event names. done reports that the attempt has ended, so the event is late.
func (m *Machine) find(id int64) (a *attempt, done bool, err error) {
	a, ok := m.attempts[id]
	if !ok {
		return nil, false, fmt.Errorf("attempt %d: %w", id, ErrUnknownAttempt)
	}
	return a, a.State == hive.AttemptEnded, nil
}
