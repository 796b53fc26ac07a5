// Package state is the machine of one batch: the one place that decides every transition of its task runs, and every
// repair plan. It is pure: the time comes in with each event, what happened comes in as events, and what changed
// goes out as a Step. It holds no clock, does no I/O and starts no goroutine; a Machine belongs to one goroutine.
//
// The rules are told in docs/states.md (generated from the table in Next) and, by example, in e2e/scenarios.
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

// ErrUnknownAttempt says that an event speaks of an attempt that the machine does not know: it ended so long ago
// that it was forgotten, or it never was one of this batch. The event may be acknowledged.
var ErrUnknownAttempt = errors.New("the batch knows no such attempt")

// Conditions evaluates what tasks say under `when`. An error fails the run (when_error).
type Conditions interface {
	When(task *hive.Task, e Env) (bool, error)
}

// Env is what a condition may read. Nothing in it may be changed or kept.
type Env struct {
	Params  map[string]any // the batch's over the definition's
	Moment  time.Time      // logical time
	Zone    string         // of the schedule; empty is UTC
	Kind    hive.BatchKind
	Round   int
	Outputs map[string]map[string]string // by task key; only of tasks that succeeded and have some
}

// Snapshot is a batch as it is stored.
type Snapshot struct {
	Graph    *graph.Graph // of the batch's revision
	Batch    hive.Batch
	Runs     []hive.Run
	Attempts []hive.Attempt // that have not ended
}

// Machine is one batch in memory.
type Machine struct {
	graph      *graph.Graph
	batch      hive.Batch
	runs       []hive.Run // by number
	attempts   map[int64]*attempt
	conditions Conditions

	// Derived from the above, by rebuild.
	taskOf    []int // by run number: index in the graph, or -1 for a task that the revision has no more
	runOf     []int // by task: run number, or -1
	jobs      map[string]int
	params    map[string]any
	outputs   map[string]map[string]string
	tally     tally
	undecided []int // tasks that a stored image left undecided; the next event decides them

	stamps []uint64 // by run: serial of the last step that changed it
	serial uint64
}

// attempt is an attempt with the number of its run.
type attempt struct {
	hive.Attempt
	run   int
	stamp uint64 // serial of the last step that changed it
}

// New rebuilds a machine from stored rows. Ready is derived: a stored waiting run whose rule is met is ready. What
// should have been stored and was not (a skip, say) is decided by the next event; NextTimer then asks for one.
func New(img Snapshot, c Conditions) *Machine {
	m := &Machine{
		graph: img.Graph, batch: img.Batch, runs: slices.Clone(img.Runs), conditions: c,
		attempts: make(map[int64]*attempt, len(img.Attempts)),
	}
	m.batch.JobClocks = maps.Clone(m.batch.JobClocks)
	slices.SortFunc(m.runs, func(a, b hive.Run) int { return a.Number - b.Number })
	byID := make(map[int64]int, len(m.runs))
	for n := range m.runs {
		byID[m.runs[n].ID] = n
	}
	for _, a := range img.Attempts {
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

// derive brings every run that was not offered to what its needs say, silently where the store keeps it derived.
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

// Apply takes one event in at the moment now (kept to the millisecond, as the store does). What happened before is
// answered by an empty Step. An error means that the event does not fit and that nothing was changed: a *hive.Error
// for what people asked, ErrUnknownAttempt, or a plain one. A CodeInternal error is a defect: build the machine anew.
func (m *Machine) Apply(now time.Time, ev Event) (Step, error) {
	m.serial++
	p := &transition{m: m, now: now.UTC().Truncate(time.Millisecond)}
	if err := ev.apply(p); err != nil {
		return Step{}, err
	}
	p.propagate()
	p.endJobs()
	p.endBatch()
	if p.fault != nil {
		return Step{}, p.fault
	}
	return p.step, nil
}

// Batch is the batch's row. Its maps must not be changed.
func (m *Machine) Batch() hive.Batch { return m.batch }

// Run is the row of the run with this number. Its map must not be changed.
func (m *Machine) Run(number int) hive.Run { return m.runs[number] }

// Runs are all rows by number: the machine's own, to be read before the next event, not changed.
func (m *Machine) Runs() []hive.Run { return m.runs }

// Attempt is the row of an attempt that is in hand, or that has ended and was not forgotten.
func (m *Machine) Attempt(id int64) (hive.Attempt, bool) {
	a, ok := m.attempts[id]
	if !ok {
		return hive.Attempt{}, false
	}
	return a.Attempt, true
}

// RunOf is the number of the run that an attempt belongs to, for every attempt that Attempt knows.
func (m *Machine) RunOf(attempt int64) (number int, ok bool) {
	a, ok := m.attempts[attempt]
	if !ok {
		return 0, false
	}
	return a.run, true
}

// Graph is the graph of the batch's revision.
func (m *Machine) Graph() *graph.Graph { return m.graph }

// Env is what expressions of the batch may read now.
func (m *Machine) Env() Env { return m.env(m.batch.Round) }

func (m *Machine) env(round int) Env {
	return Env{
		Params: m.params, Moment: m.batch.Moment, Zone: m.graph.Def.Timezone, Kind: m.batch.Kind, Round: round,
		Outputs: m.outputs,
	}
}

// SetRunID gives a run that a plan added its id. It is called before the run is offered.
func (m *Machine) SetRunID(number int, id int64) { m.runs[number].ID = id }

// Forget drops an ended attempt. Its events are ErrUnknownAttempt from then on.
func (m *Machine) Forget(id int64) {
	if a, ok := m.attempts[id]; ok && a.State == hive.AttemptEnded {
		delete(m.attempts, id)
	}
}

// hand is the attempt in hand of a run, or nil.
func (m *Machine) openAttempt(n int) *attempt {
	if id := m.runs[n].Attempt; id != 0 {
		return m.attempts[id]
	}
	return nil
}

// spec is the definition of a run's task: that of the batch's revision, or an empty one for a task it has no more.
func (m *Machine) spec(n int) *hive.Task {
	if t := m.taskOf[n]; t >= 0 {
		return m.graph.Tasks[t].Spec
	}
	return &hive.Task{Key: m.runs[n].Task}
}

// resetting says that a plan asked for a run anew while this attempt of an earlier round had not ended: whatever
// its end, the run then waits again. It is told by the rounds, so that it outlives a restart.
func (m *Machine) willReset(a *attempt) bool { return a.Round < m.runs[a.run].Round }

// doomed says that an attempt is being killed and that its run will be final by it.
func (m *Machine) willEndRun(a *attempt) bool {
	return a != nil && !a.KillingAt.IsZero() && !m.willReset(a)
}

// find is the attempt that an event speaks of; done says that it has ended, so that the event is a late one.
func (m *Machine) find(id int64) (a *attempt, done bool, err error) {
	a, ok := m.attempts[id]
	if !ok {
		return nil, false, fmt.Errorf("attempt %d: %w", id, ErrUnknownAttempt)
	}
	return a, a.State == hive.AttemptEnded, nil
}
