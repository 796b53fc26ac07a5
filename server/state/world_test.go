package state

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// world is one random batch: the machine, and all inputs of a real one.
type world struct {
	t    *rapid.T
	m    *Machine
	now  time.Time
	next int64
	ids  []int64 // all attempts ever made
	revs int64
	// queued are the runs that an owner has in its queue.
	queued map[int]bool
	called map[string]bool // ends that hooks follow
}

func randomTask(t *rapid.T, key string, earlier []string) hive.Task {
	k := task(key)
	if len(earlier) > 0 && rapid.IntRange(0, 3).Draw(t, "explicit") > 0 {
		k.Needs = rapid.SliceOfNDistinct(rapid.SampledFrom(earlier), 1, min(3, len(earlier)), rapid.ID[string]).Draw(t,
			"needs")
	}
	rules := []hive.Rule{"", "", "", hive.RuleAllDone, hive.RuleOneSuccess, hive.RuleOneFailed, hive.RuleAllFailed}
	k.Rule = rapid.SampledFrom(rules).Draw(t, "rule")
	k.AllowFailure = rapid.IntRange(0, 5).Draw(t, "allow") == 0
	k.Disabled = rapid.IntRange(0, 9).Draw(t, "disabled") == 0
	k.When = rapid.SampledFrom([]string{"", "", "", "", "", "true", "false", "error"}).Draw(t, "when")
	if rapid.Bool().Draw(t, "hooked") {
		k.OnFailure, k.OnSuccess, k.OnEnd = someHooks(), someHooks(), someHooks()
	}
	if rapid.IntRange(0, 2).Draw(t, "sharded") == 0 {
		k.Shard.Count = rapid.IntRange(1, 3).Draw(t, "shards")
	}
	k.Priority = rapid.IntRange(0, 10).Draw(t, "priority")
	k.Retry.Max = rapid.IntRange(0, 2).Draw(t, "retries")
	if k.Retry.Max > 0 {
		k.Retry.Delay = hive.Duration(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute}).Draw(t, "delay"))
		k.Retry.Backoff = rapid.SampledFrom([]float64{0, 1, 2}).Draw(t, "backoff")
		k.Retry.Jitter = rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(t, "jitter")
		k.Retry.On = rapid.SampledFrom([]string{"", "", "failure", "timeout, killed", "3"}).Draw(t, "on")
		k.Retry.When = rapid.SampledFrom([]string{"", "", "true", "once", "error"}).Draw(t, "retryWhen")
	}
	k.OnLost.Do = rapid.SampledFrom([]hive.OnLostDo{"", hive.OnLostRetry, hive.OnLostHold, hive.OnLostFail}).Draw(t,
		"onLost")
	return k
}

func randomDefinition(t *rapid.T) *hive.Definition {
	def := schedule()
	if rapid.Bool().Draw(t, "hooked") {
		def.OnFailure, def.OnSuccess, def.OnEnd = someHooks(), someHooks(), someHooks()
	}
	def.Flow = rapid.SampledFrom([]hive.Flow{"", hive.FlowNeeds, hive.FlowStrict}).Draw(t, "flow")
	def.Policy.Timeout = hive.Duration(rapid.SampledFrom([]time.Duration{0, 0, 3 * time.Minute}).Draw(t, "timeout"))
	var earlier []string
	for j := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		jb := job(fmt.Sprintf("j%d", j))
		if rapid.Bool().Draw(t, "hooked") {
			jb.OnFailure, jb.OnSuccess, jb.OnEnd = someHooks(), someHooks(), someHooks()
		}
		jb.Disabled = rapid.IntRange(0, 9).Draw(t, "off") == 0
		jb.Timeout = hive.Duration(rapid.SampledFrom([]time.Duration{0, 0, time.Minute}).Draw(t, "jobTimeout"))
		for i := range rapid.IntRange(0, 4).Draw(t, "tasks") {
			jb.Tasks = append(jb.Tasks, randomTask(t, fmt.Sprintf("t%d%d", j, i), earlier))
		}
		for i := range jb.Tasks {
			earlier = append(earlier, jb.Tasks[i].Key)
		}
		def.Jobs = append(def.Jobs, jb)
	}
	return def
}

// apply passes an event to the machine and to one rebuilt from the store; both must do the same.
func (w *world) apply(ev Event) (Step, error) {
	t, before := w.t, snap(w.m)
	again := New(stored(w.m), whens{})
	plain := withoutHooks(w.m)
	step, err := w.m.Apply(w.now, ev)
	if err != nil {
		require.Equal(t, before, snap(w.m), "an event that does not fit changes nothing: %T", ev)
		require.NotEqual(t, hive.CodeInternal, codeOf(err), "%v", err)
	} else {
		checkStep(t, before, snap(w.m), &step)
		w.enqueue(&step)
	}
	if w.m.batch.State == hive.BatchRunning || err == nil {
		checkMachine(t, w.m)
	}
	if e, ok := ev.(ApplyPlan); err == nil && (!ok || e.Latest == nil) {
		_, err3 := plain.Apply(w.now, ev)
		require.True(t, errors.Is(err3, ErrUnknownAttempt) || err3 == nil && equalRows(w.m, plain),
			"hooks change nothing: %T %v", ev, err3)
	}
	step2, err2 := again.Apply(w.now, ev)
	if !errors.Is(err2, ErrUnknownAttempt) {
		require.Equal(t, err == nil, err2 == nil, "%T: %v / %v", ev, err, err2)
		a, b := lasting(w.m), lasting(again)
		require.Equal(t, a, b, "a machine rebuilt from the store does the same: %T", ev)
		require.Equal(t, step.Hooks, step2.Hooks, "a machine rebuilt from the store calls the same hooks: %T", ev)
	}
	w.checkHooks(before, &step)
	return step, err
}

// enqueue does what an owner does after a step: it puts the runs that the step names into its queue, and all runs when
// the batch has changed. Every run that may be offered must be in the queue then.
func (w *world) enqueue(step *Step) {
	for _, n := range step.Runs {
		w.queued[n], w.queued[w.m.TaskRun(n)] = true, true
	}
	for n := range w.m.runs {
		r := &w.m.runs[n]
		switch {
		case r.State != hive.RunReady || r.Attempt != 0 || w.m.batch.Wish != hive.WishRun || w.m.FormerRun(n):
			delete(w.queued, n)
		case step.BatchChanged:
			w.queued[n] = true
		}
	}
	for _, n := range offerable(w.m, w.now.AddDate(1, 0, 0)) {
		require.True(w.t, w.queued[n], "no step says that run %d is ready", n)
	}
	for n := range w.m.runs {
		require.True(w.t, w.queued[n] || !w.m.MaySplit(n), "no step says that run %d is to be split", n)
	}
}

func codeOf(err error) hive.Code {
	if e, ok := errors.AsType[*hive.Error](err); ok {
		return e.Code
	}
	return ""
}

// lasting omits values that the store does not have: when a run became ready, and attempts that have ended.
func lasting(m *Machine) snapshot {
	s := snap(m)
	for n := range s.Runs {
		if r := &s.Runs[n]; !r.State.Final() {
			r.ChangedAt = time.Time{}
		}
	}
	for id, a := range s.Attempts {
		if a.State == hive.AttemptEnded {
			delete(s.Attempts, id)
		}
	}
	return s
}

func (w *world) someAttempt() int64 {
	if len(w.ids) == 0 {
		return 0
	}
	// The latest ones are likelier to be open; old ones are late events.
	from := max(0, len(w.ids)-rapid.SampledFrom([]int{1, 3, 1000}).Draw(w.t, "age"))
	return rapid.SampledFrom(w.ids[from:]).Draw(w.t, "attempt")
}

func (w *world) offer() {
	w.split()
	offers := offerable(w.m, w.now)
	if len(offers) == 0 {
		return
	}
	n := rapid.SampledFrom(offers).Draw(w.t, "offer")
	w.next++
	ev := Offered{Run: n, Attempt: w.next, Executor: "x", ExecutorName: "X"}
	_, err := w.apply(ev)
	require.NoError(w.t, err)
	w.ids = append(w.ids, w.next)
	if rapid.IntRange(0, 3).Draw(w.t, "receipt") > 0 {
		_, err := w.apply(Started{Attempt: w.next})
		require.NoError(w.t, err)
	}
}

func (w *world) event() {
	id := w.someAttempt()
	outcomes := []hive.Outcome{
		hive.OutcomeSuccess, hive.OutcomeSuccess, hive.OutcomeFailure, hive.OutcomeFailure, hive.OutcomeTimeout,
		hive.OutcomeKilled,
	}
	var ev Event
	switch rapid.IntRange(0, 9).Draw(w.t, "kind") {
	case 0:
		ev = Started{Attempt: id, At: w.now.Add(-time.Second)}
	case 1:
		ev = Returned{Attempt: id, Note: hive.Plain("busy")}
	case 2:
		ev = Noted{Attempt: id, Note: hive.Plain("out of reach")}
	case 3:
		ev = Refused{Attempt: id, Words: hive.Plain("no such handler")}
	case 4:
		ev = Silent{Attempt: id}
	case 5:
		ev = Back{Attempt: id}
	case 6:
		ev = Lost{Attempt: id, Words: hive.Plain("gone"), RunOnly: rapid.Bool().Draw(w.t, "runOnly")}
	default:
		ev = Ended{
			Attempt: id, Outcome: rapid.SampledFrom(outcomes).Draw(w.t, "outcome"), Error: hive.Plain("words"),
			Outputs: map[string]string{"n": "1"}, FinishedAt: w.now,
		}
	}
	_, err := w.apply(ev)
	if err != nil {
		return
	}
	after := snap(w.m)
	step, err := w.apply(ev) // a repetition changes nothing
	if err == nil {
		require.Empty(w.t, step.Runs, "%T twice", ev)
		require.Equal(w.t, after, snap(w.m))
	}
}

func (w *world) tick() {
	w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Second, 30 * time.Second, time.Minute}).Draw(w.t, "time"))
	if at := w.m.NextTimer(); !at.IsZero() && !w.now.Before(at) {
		step, err := w.apply(Due{})
		require.NoError(w.t, err)
		require.True(w.t, step.BatchChanged, "a timer that rings does something")
	} else {
		step, err := w.apply(Due{})
		require.NoError(w.t, err)
		require.Equal(w.t, Step{}, step, "a timer that does not ring does nothing")
	}
}

func (w *world) wish() {
	wish := rapid.SampledFrom([]hive.Wish{hive.WishRun, hive.WishRun, hive.WishPause, hive.WishCancel}).Draw(w.t,
		"wish")
	_, _ = w.apply(Wish{Wish: wish})
}

// revised returns a later revision with removed, added and changed tasks.
func (w *world) revised() (*graph.Graph, hive.Revision) {
	w.revs++
	def := randomDefinition(w.t)
	g, err := graph.Compile(def)
	require.NoError(w.t, err)
	return g, hive.Revision{ID: 1 + w.revs, Number: 1 + w.revs}
}

func (w *world) plan() {
	actions := []hive.PlanAction{
		hive.PlanResume, hive.PlanResume, hive.PlanRerun, hive.PlanMarkSuccess, hive.PlanMarkSkip, hive.PlanCancel,
		hive.PlanClose,
	}
	req := hive.PlanRequest{Action: rapid.SampledFrom(actions).Draw(w.t, "action"), Note: "because"}
	var g *graph.Graph
	var rev hive.Revision
	if (req.Action == hive.PlanResume || req.Action == hive.PlanRerun) &&
		rapid.IntRange(0, 4).Draw(w.t, "latest") == 0 {
		g, rev = w.revised()
	}
	if n := len(w.m.runs); n > 0 && (req.Action == hive.PlanRerun || rapid.Bool().Draw(w.t, "named")) {
		for range rapid.IntRange(1, 2).Draw(w.t, "tasks") {
			r := w.m.runs[rapid.IntRange(0, n-1).Draw(w.t, "task")]
			if name := r.Task; r.Shard == 0 || r.Part == nil || rapid.Bool().Draw(w.t, "whole") {
				req.Tasks = append(req.Tasks, name)
			} else {
				req.Tasks = append(req.Tasks, hive.ShardName(name, r.Shard-1))
			}
		}
	}
	req.Downstream = req.Action == hive.PlanRerun && rapid.Bool().Draw(w.t, "downstream")
	w.applyPlan(req, g, rev)
}

func (w *world) applyPlan(req hive.PlanRequest, g *graph.Graph, rev hive.Revision) {
	t, before := w.t, snap(w.m)
	plan, err := w.m.Plan(req, g, rev)
	require.Equal(t, before, snap(w.m), "a plan leaves no trace")
	if err == nil && len(plan.Kept) > 0 && rapid.Bool().Draw(t, "kept") {
		for _, k := range plan.Kept {
			if k.RanOnFailed != "" {
				req.RerunKept = append(req.RerunKept, k.Task)
			}
		}
		plan, err = w.m.Plan(req, g, rev)
		require.NoError(t, err)
	}
	wrong := req
	wrong.Hash = "another"
	_, errWrong := w.apply(ApplyPlan{Request: wrong, Latest: g, Revision: rev, By: "ann", RunIDs: 1000})
	if req.Action != hive.PlanClose && err == nil {
		require.Equal(t, hive.CodeConflict, codeOf(errWrong))
	}
	req.Hash = plan.Hash
	before = snap(w.m)
	step, err2 := w.apply(ApplyPlan{Request: req, Latest: g, Revision: rev, By: "ann", RunIDs: 1000})
	if err != nil || len(plan.Rows) == 0 && req.Action != hive.PlanClose {
		require.Error(t, err2)
		return
	}
	require.NoError(t, err2)
	require.Equal(t, &plan, step.Plan, "what is applied is what was shown")
	require.Equal(t, plan.Round, w.m.batch.Round)
	require.Equal(t, plan.RevisionID, w.m.batch.RevisionID)
	w.checkRows(plan, before, &step)
}

// runToEnd runs the batch to its end: no wish but run, every attempt ends, persons decide about held runs.
func (w *world) runToEnd(o hive.Outcome) {
	for range 500 {
		if w.m.batch.State.Final() {
			return
		}
		if w.m.batch.Wish == hive.WishPause {
			_, err := w.apply(Wish{Wish: hive.WishRun})
			require.NoError(w.t, err)
		}
		w.now = w.now.Add(5 * time.Minute)
		if o == hive.OutcomeFailure {
			_, err := w.apply(Due{})
			require.NoError(w.t, err)
		} else {
			w.now = w.now.Add(-5*time.Minute + time.Millisecond)
		}
		for _, id := range slices.Clone(w.ids) {
			if a, ok := w.m.Attempt(id); ok && a.State != hive.AttemptEnded {
				_, err := w.apply(Ended{Attempt: id, Outcome: o})
				require.NoError(w.t, err)
			}
		}
		if w.m.batch.State == hive.BatchRunning {
			w.split()
		}
		for n := range w.m.runs {
			if r := w.m.runs[n]; r.State == hive.RunUnknown && r.Attempt == 0 {
				w.applyPlan(hive.PlanRequest{Action: hive.PlanMarkSkip, Tasks: []string{r.Task}}, nil, hive.Revision{})
			}
		}
		if w.m.batch.State != hive.BatchRunning {
			continue
		}
		if at := nextOffer(w.m, w.now); o == hive.OutcomeSuccess && len(offerable(w.m, w.now)) == 0 && !at.IsZero() {
			w.now = at
		}
		for _, n := range offerable(w.m, w.now) {
			w.next++
			w.ids = append(w.ids, w.next)
			_, err := w.apply(Offered{Run: n, Attempt: w.next, Executor: "x"})
			require.NoError(w.t, err)
		}
	}
	require.True(w.t, w.m.batch.State.Final(), "every batch ends")
}

func newWorld(t *rapid.T) *world {
	return &world{
		t: t, m: newBatch(t, randomDefinition(t)), now: epoch(), queued: map[int]bool{}, called: map[string]bool{},
	}
}
