package state

import (
	"reflect"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Plan computes what an action would change, and changes nothing. latest is the graph of rev, the revision with which
// the batch would continue; nil means the batch's own revision. A plan without rows means that there is nothing to do;
// applying it is a conflict. Errors are *hive.Error: CodeInvalid for a request that no batch accepts, CodeConflict for
// one that does not fit the present state of the batch.
func (m *Machine) Plan(req hive.PlanRequest, latest *graph.Graph, rev hive.Revision) (hive.Plan, error) {
	d, err := m.preparePlan(req, latest, rev)
	if err != nil {
		return hive.Plan{}, err
	}
	return d.plan, nil
}

// preparedPlan is a plan together with the transitions that carry it out.
type preparedPlan struct {
	plan          hive.Plan
	changes       []change // in the order of plan.Rows
	graph         *graph.Graph
	rev           hive.Revision
	otherRevision bool // graph is not the batch's own
	opens         bool // the plan opens a round
	wholeBatch    bool // cancels the whole batch
}

// change is a row of a plan and its transition.
type change struct {
	row   hive.PlanRow
	task  int // in the plan's graph; -1 for a removed one
	d     decision
	again bool // the task is split again
}

// planner computes a plan. It visits each task once, in document order, so the needs of a task come before the task.
type planner struct {
	m             *Machine
	g             *graph.Graph
	req           hive.PlanRequest
	otherRevision bool
	runOf         []int // by task of g: run number, or -1 for a new task

	asked, downstream, rerunKept []bool        // by task: named in Tasks; downstream of such a task; named in RerunKept
	askedShards                  map[int][]int // by task: numbers of the shards that Tasks names

	changes []change
	kept    []hive.PlanKept
	refused []refused

	// The state after the plan, by task.
	effects []hive.Effect
	roots   []string
	changed []bool // the plan has a row for the task
	reset   []bool // the plan runs the task again
	before  prefix
}

// prefix sums up all jobs before the current one. Tasks without written needs read it.
type prefix struct {
	counts       counts
	changed      bool
	reset        int // first task that is reset; -1 if none
	firstSuccess int // first task with effect success after the plan; -1 if none
	firstFailure int
	last         int // last task; -1 if none
}

// preparePlan computes a plan and the transitions that carry it out.
func (m *Machine) preparePlan(req hive.PlanRequest, latest *graph.Graph, rev hive.Revision) (*preparedPlan, error) {
	if rev.ID == m.batch.RevisionID {
		latest = nil
	}
	if err := m.check(&req, latest); err != nil {
		return nil, err
	}
	d := &preparedPlan{graph: m.graph, rev: hive.Revision{ID: m.batch.RevisionID, Number: m.batch.Revision}}
	if latest != nil {
		d.graph, d.rev, d.otherRevision = latest, rev, true
	}
	pl := newPlanner(m, d.graph, req, d.otherRevision)
	if err := pl.resolve(); err != nil {
		return nil, err
	}
	if req.Action != hive.PlanClose {
		pl.walk()
		pl.removed()
	}
	if err := pl.refusal(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(pl.changes, func(a, b change) int { return sortKey(a.row.Number) - sortKey(b.row.Number) })
	d.changes = pl.changes
	d.wholeBatch = req.Action == hive.PlanCancel && len(req.Tasks) == 0
	d.plan = hive.Plan{
		BatchID: m.batch.ID, Action: req.Action, Round: m.batch.Round, RevisionID: d.rev.ID, Revision: d.rev.Number,
		Rows: make([]hive.PlanRow, 0, len(d.changes)), Kept: pl.kept,
	}
	for i := range d.changes {
		d.plan.Rows = append(d.plan.Rows, d.changes[i].row)
	}
	if d.opens = opens(req.Action, &m.batch, d.plan.Rows); d.opens {
		d.plan.Round++
	}
	d.plan.Hash = pl.hash(&d.plan)
	return d, nil
}

// sortKey returns a key that sorts new tasks behind all runs.
func sortKey(number int) int {
	if number < 0 {
		return int(^uint(0) >> 2)
	}
	return number
}

// check refuses requests that no batch accepts, or that no batch in this state accepts.
func (m *Machine) check(req *hive.PlanRequest, latest *graph.Graph) error {
	named := len(req.Tasks) > 0
	switch req.Action {
	case hive.PlanResume:
	case hive.PlanRerun, hive.PlanMarkSuccess, hive.PlanMarkSkip:
		if !named {
			return hive.Errorf(hive.CodeInvalid, "%s needs the keys of the tasks that it is for", req.Action).
				WithReason(hive.ErrorPlanTasks, "action", req.Action)
		}
	case hive.PlanCancel, hive.PlanClose:
		if latest != nil || req.RevisionID != 0 && req.RevisionID != m.batch.RevisionID {
			return hive.Errorf(hive.CodeInvalid, "%s does not take a revision; resume or rerun does", req.Action).
				WithReason(hive.ErrorPlanRevision, "action", req.Action)
		}
	default:
		return hive.Errorf(hive.CodeInvalid,
			"%q is no action; there are resume, rerun, mark_success, mark_skip, cancel and close", req.Action).
			WithReason(hive.ErrorPlanAction, "action", req.Action)
	}
	if req.Downstream && req.Action != hive.PlanRerun {
		return hive.Errorf(hive.CodeInvalid, "downstream goes with rerun only").
			WithReason(hive.ErrorPlanDown)
	}
	if latest == nil && req.RevisionID != 0 && req.RevisionID != m.batch.RevisionID {
		return hive.Errorf(hive.CodeInvalid, "revision %d of the request is not at hand", req.RevisionID)
	}
	if req.Action != hive.PlanClose {
		return nil
	}
	switch {
	case named:
		return hive.Errorf(hive.CodeInvalid, "a batch is closed as a whole; leave the tasks out").
			WithReason(hive.ErrorCloseTasks)
	case strings.TrimSpace(req.Note) == "":
		return hive.Errorf(hive.CodeInvalid, "closing a batch needs a note that says why it is left as it is").
			WithReason(hive.ErrorCloseNote)
	case m.batch.State != hive.BatchFailed && m.batch.State != hive.BatchCanceled:
		return hive.Errorf(hive.CodeConflict, "only a failed or canceled batch can be closed; this one is %s",
			m.batch.State).
			WithReason(hive.ErrorCloseState, "state", m.batch.State)
	}
	return nil
}

// opens reports whether a plan opens the next round, because it runs a task again or changes a final run.
func opens(action hive.PlanAction, b *hive.Batch, rows []hive.PlanRow) bool {
	if action == hive.PlanCancel || action == hive.PlanClose || len(rows) == 0 {
		return false
	}
	return b.State.Final() || slices.ContainsFunc(rows, func(r hive.PlanRow) bool {
		return r.To == hive.RunWaiting || r.From.Final()
	})
}

func newPlanner(m *Machine, g *graph.Graph, req hive.PlanRequest, moved bool) *planner {
	n := len(g.Tasks)
	pl := &planner{
		m: m, g: g, req: req, otherRevision: moved, runOf: m.runOf,
		asked: make([]bool, n), downstream: make([]bool, n), rerunKept: make([]bool, n),
		effects: make([]hive.Effect, n), roots: make([]string, n), changed: make([]bool, n), reset: make([]bool, n),
		before: prefix{changed: moved, reset: -1, firstSuccess: -1, firstFailure: -1, last: -1},
		kept:   []hive.PlanKept{}, askedShards: map[int][]int{},
	}
	if moved {
		pl.runOf = make([]int, n)
		for t := range pl.runOf {
			pl.runOf[t] = -1
		}
		for r := range m.runs {
			if t, ok := g.Lookup(m.runs[r].Task); ok && m.runs[r].Shard == 0 {
				pl.runOf[t] = r
			}
		}
	}
	return pl
}

// resolve finds the tasks and shards that the request names. Only a whole task is kept, so RerunKept names no shards.
func (pl *planner) resolve() error {
	var faults []string
	var asked []int
	for _, key := range pl.req.Tasks {
		t, ok := pl.g.Lookup(key)
		if ok {
			pl.asked[t] = true
		} else if t, ok = pl.resolveShard(key); !ok {
			faults = append(faults, key)
			continue
		}
		asked = append(asked, t)
	}
	for _, key := range pl.req.RerunKept {
		if t, ok := pl.g.Lookup(key); ok {
			pl.rerunKept[t] = true
		} else {
			faults = append(faults, key)
		}
	}
	if len(faults) > 0 {
		return hive.Errorf(hive.CodeInvalid, "the revision has no task %s; check the keys", strings.Join(faults, ", ")).
			WithReason(hive.ErrorPlanKeys, "tasks", strings.Join(faults, ", "))
	}
	if pl.req.Downstream {
		for _, t := range pl.g.Downstream(asked...) {
			pl.downstream[t] = true
		}
	}
	return nil
}

// refusal returns one error that lists everything the batch does not allow.
func (pl *planner) refusal() error {
	if len(pl.refused) == 0 {
		return nil
	}
	var words []string
	for _, r := range pl.refused {
		words = append(words, r.words)
	}
	e := hive.Errorf(hive.CodeConflict, "%s", strings.Join(words, "; "))
	if len(pl.refused) > 1 {
		return e.WithReason(hive.ErrorPlan, "tasks", strings.Join(pl.refusing(), ", "))
	}
	r := pl.refused[0]
	if r.run == nil {
		return e.WithReason(r.why)
	}
	return e.WithReason(r.why, "task", r.run.Task, "state", r.run.State, "cause", r.run.Cause)
}

// refusing returns the tasks that do not allow the plan, each once.
func (pl *planner) refusing() []string {
	var tasks []string
	for _, r := range pl.refused {
		if r.run != nil && !slices.Contains(tasks, r.run.Task) {
			tasks = append(tasks, r.run.Task)
		}
	}
	return tasks
}

// refused is one thing that the batch does not allow. run is nil if it concerns the whole batch.
type refused struct {
	why   hive.ErrorReason
	run   *hive.Run
	words string
}

func (pl *planner) refuse(why hive.ErrorReason, r *hive.Run, words ...string) {
	if r != nil {
		words = append([]string{r.Task}, words...)
	}
	pl.refused = append(pl.refused, refused{why: why, run: r, words: strings.Join(words, " ")})
}

// withStandards returns a task with the standard values of the fields that it leaves out. A document keeps a standard
// value where the job has another default, and leaves it out elsewhere.
func withStandards(g *graph.Graph, t int) hive.Task {
	task := *g.Tasks[t].Spec
	task.Group, task.KillGrace = task.EffectiveGroup(), task.EffectiveKillGrace()
	most := task.OnLost.MaxLost()
	task.OnLost.Max = &most
	if g.Def.Policy.Priority == 0 {
		task.Priority = task.EffectivePriority(0)
	}
	return task
}

// differs reports whether a task does something else in another revision. Its name, its description and its hooks do
// not count.
func differs(a, b *graph.Graph, ta, tb int) bool {
	x, y := withStandards(a, ta), withStandards(b, tb)
	x.Title, x.Description, y.Title, y.Description = "", "", "", ""
	x.OnFailure, x.OnSuccess, x.OnEnd = nil, nil, nil
	y.OnFailure, y.OnSuccess, y.OnEnd = nil, nil, nil
	return a.Jobs[a.Tasks[ta].Job].Key != b.Jobs[b.Tasks[tb].Job].Key || !reflect.DeepEqual(x, y)
}
