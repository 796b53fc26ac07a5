package scenarios

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

var _ Driver = (*machineDriver)(nil)

// machineDriver plays scenarios on the pure machine, with a clock of its own.
type machineDriver struct {
	revisions []*graph.Graph
	m         *state.Machine
	now       time.Time
	next      int64
	scripts   map[string][]Behavior // by task, without those that were used
	behaviors map[int64]Behavior    // by attempt
	runs      map[int64]int         // by attempt: run number
	// numbers of runs in the order in which they became ready; some may not be ready any more
	queue  []int
	ending []int64 // attempts that will end at once, oldest first
	latest map[string]state.Ended
	shown  *tally
	states map[int64]hive.AttemptState // of each attempt, when it was last counted
	hooks  map[string][]string         // that were called, by what they follow
}

type whens struct{}

func (whens) When(task *hive.Task, e state.Env) (bool, error) {
	return expression.NewCache(0).Bool(task.When, environment(e))
}

func (whens) RetryWhen(task *hive.Task, e state.Env, f state.Failure) (bool, error) {
	env := environment(e)
	env["outcome"], env["shard"] = expression.OutcomeOf(f.Attempt, f.Failures), expression.ShardOf(f.Shard)
	return expression.NewCache(0).Bool(task.Retry.When, env)
}

func environment(e state.Env) map[string]any {
	zone, err := time.LoadLocation(e.Zone)
	if err != nil {
		zone = time.UTC
	}
	env := expression.Env(e.Params, e.Moment, zone, string(e.Kind), e.Round, e.Outputs, nil)
	expression.AddLists(env, e.Lists)
	return env
}

func newMemory() *machineDriver {
	return &machineDriver{
		now: time.Date(2026, 1, 2, 3, 20, 0, 0, time.UTC), behaviors: map[int64]Behavior{}, runs: map[int64]int{},
		scripts: map[string][]Behavior{}, latest: map[string]state.Ended{},
		shown: newTally(), states: map[int64]hive.AttemptState{},
		hooks: map[string][]string{},
	}
}

func (d *machineDriver) Publish(_ context.Context, def *hive.Definition) error {
	g, err := graph.Compile(def)
	d.revisions = append(d.revisions, g)
	return err
}

func (d *machineDriver) Create(ctx context.Context, s *Scenario) error {
	maps.Copy(d.scripts, s.Tasks)
	g := d.revisions[0]
	img := state.Snapshot{Graph: g, Batch: hive.Batch{
		ID: 1, ScheduleID: 1, Schedule: s.Definition.Name, RevisionID: 1, Revision: 1, Kind: hive.KindManual,
		Live:  true,
		State: hive.BatchQueued, Wish: hive.WishRun, Round: 1, Moment: d.now, Params: s.Params,
	}}
	for i := range g.Tasks {
		img.Runs = append(img.Runs, hive.Run{
			ID: int64(1 + i), BatchID: 1, Number: i, Job: g.Jobs[g.Tasks[i].Job].Key, Task: g.Tasks[i].Spec.Key,
			State: hive.RunWaiting, Round: 1,
		})
	}
	d.m = state.New(img, whens{})
	if s.Queued {
		return nil
	}
	return d.Start(ctx)
}

func (d *machineDriver) Start(context.Context) error { return d.apply(state.Start{}) }

// apply gives the machine an event, and lets the executors react until nothing changes any more.
func (d *machineDriver) apply(ev state.Event) error {
	if err := d.one(ev); err != nil {
		return err
	}
	for {
		for n, ok := d.pop(); ok; n, ok = d.pop() {
			if err := d.offer(n); err != nil {
				return err
			}
		}
		if len(d.ending) == 0 {
			return nil
		}
		id := d.ending[0]
		d.ending = d.ending[1:]
		if err := d.finish(id, d.behaviors[id]); err != nil {
			return err
		}
	}
}

// one gives the machine one event, and the resulting kills to the executors.
func (d *machineDriver) one(ev state.Event) error {
	before := d.m.Batch()
	step, err := d.m.Apply(d.now, ev)
	if err != nil {
		return err
	}
	d.count(&before, &step)
	if err := d.callHooks(step.Hooks); err != nil {
		return err
	}
	for _, n := range step.NewRuns {
		d.m.SetRunID(n, int64(1+n))
	}
	for _, n := range step.Runs {
		d.queue = append(d.queue, n, d.m.TaskRun(n))
	}
	if step.BatchChanged {
		for n := range d.m.Runs() {
			d.queue = append(d.queue, n)
		}
	}
	for _, k := range step.Kills {
		switch d.behaviors[k.Attempt].Kind {
		case Run:
			d.behaviors[k.Attempt] = Behavior{Kind: Killed}
			d.ending = append(d.ending, k.Attempt)
		case Stubborn:
			d.behaviors[k.Attempt] = Behavior{Kind: Succeed}
			d.ending = append(d.ending, k.Attempt)
		}
	}
	return nil
}

// pop removes the run that an owner would offer next: the highest priority first, then the oldest.
func (d *machineDriver) pop() (run int, ok bool) {
	best := -1
	d.queue = slices.DeleteFunc(d.queue, func(n int) bool {
		r := d.m.Run(n)
		return r.State != hive.RunReady || r.Attempt != 0 || d.m.IsSplit(n) || d.m.FormerRun(n)
	})
	for at, n := range d.queue {
		if d.m.Batch().Wish == hive.WishRun && !d.m.Run(n).NotBefore.After(d.now) &&
			(best < 0 || d.priority(n) > d.priority(d.queue[best])) {
			best = at
		}
	}
	if best < 0 {
		return 0, false
	}
	run = d.queue[best]
	d.queue = slices.Delete(d.queue, best, best+1)
	return run, true
}

func (d *machineDriver) priority(run int) int {
	t, _ := d.m.Graph().Lookup(d.m.Run(run).Task)
	return d.m.Graph().Tasks[t].Spec.EffectivePriority(d.m.Graph().Def.Policy.Priority)
}

// nextOffer returns the earliest moment after now at which the delay of a ready run ends; zero if there is none.
func (d *machineDriver) nextOffer() time.Time {
	var at time.Time
	for _, r := range d.m.Runs() {
		if r.State == hive.RunReady && r.Attempt == 0 && r.NotBefore.After(d.now) &&
			(at.IsZero() || r.NotBefore.Before(at)) {
			at = r.NotBefore
		}
	}
	return at
}

// count counts the transitions of a step.
func (d *machineDriver) count(before *hive.Batch, step *state.Step) {
	for _, m := range step.Moves {
		d.shown.add(transition(m.Event, m.From))
	}
	for _, id := range step.Attempts {
		if a, ok := d.m.Attempt(id); ok && a.State != d.states[id] {
			d.shown.add(attempted(d.states[id], &a))
			d.states[id] = a.State
		}
	}
	after := d.m.Batch()
	if before.State != after.State {
		d.shown.add(batched(before.State, after.State))
	}
	if before.Wish != after.Wish {
		d.shown.add(wished(before.Wish, after.Wish))
	}
}

func (d *machineDriver) offer(n int) error {
	if d.m.Unsplit(n) {
		return d.split(n)
	}
	d.next++
	run := d.m.Run(n)
	id, task := d.next, runName(&run)
	behavior := Behavior{Kind: Succeed}
	if left := d.scripts[task]; len(left) > 0 {
		behavior, d.scripts[task] = left[0], left[1:]
	}
	d.behaviors[id], d.runs[id] = behavior, n
	if err := d.one(state.Offered{Run: n, Attempt: id, Executor: "executor", ExecutorName: "executor"}); err != nil {
		return err
	}
	switch behavior.Kind {
	case Silent:
		return nil
	case Busy, Refuse:
	default:
		if err := d.one(state.Started{Attempt: id, At: d.now}); err != nil {
			return err
		}
	}
	if behavior.Instant() {
		d.ending = append(d.ending, id)
	}
	return nil
}

// split fixes the shards of a task as an owner does.
func (d *machineDriver) split(n int) error {
	at, _ := d.m.Graph().Lookup(d.m.Run(n).Task)
	how := d.m.Graph().Tasks[at].Spec.Shard
	var shards []hive.Shard
	switch {
	case how.Broadcast:
		for _, x := range everyone() {
			shards = append(shards, hive.Shard{Executor: x.ID, ExecutorName: x.Name})
		}
	case how.Over != "":
		items, err := expression.NewCache(0).Elements(how.Over, environment(d.m.Env()))
		if err != nil {
			return d.one(state.SplitFailed{Run: n, Words: hive.SentenceOf(err)})
		}
		for _, item := range items {
			shards = append(shards, hive.Shard{Item: item})
		}
	default:
		shards = make([]hive.Shard, how.Count)
	}
	return d.one(state.Split{Run: n, Shards: shards})
}

// finish lets an attempt end as its behavior says.
func (d *machineDriver) finish(id int64, behavior Behavior) error {
	end := state.Ended{Attempt: id, Outcome: hive.OutcomeSuccess, Outputs: behavior.Outputs, FinishedAt: d.now}
	switch behavior.Kind {
	case Busy:
		return d.one(state.Returned{Attempt: id, Note: hive.Plain("busy")})
	case Refuse:
		return d.one(state.Refused{Attempt: id, Words: hive.Plain("no such handler")})
	case Vanish:
		return d.one(state.Lost{Attempt: id, Words: hive.Plain("the executor does not know it any more")})
	case Fail:
		end.Outcome, end.ExitCode = hive.OutcomeFailure, behavior.ExitCode()
	case Hopeless:
		end.Outcome, end.ExitCode, end.NoRetry = hive.OutcomeFailure, behavior.ExitCode(), true
	case Timeout:
		end.Outcome = hive.OutcomeTimeout
	case Killed:
		end.Outcome = hive.OutcomeKilled
	}
	run := d.m.Run(d.runs[id])
	d.latest[runName(&run)] = end
	return d.one(end)
}

// TestScenariosInMemory plays every scenario on the pure machine, and checks that together they show every transition.
func TestScenariosInMemory(t *testing.T) {
	t.Parallel()
	all, err := Load("data")
	if err != nil {
		t.Fatal(err)
	}
	shown := newTally()
	for i := range all {
		s := &all[i]
		if s.Limited() { // limits are none of the machine's business
			continue
		}
		d := newMemory()
		d.shown = shown
		if err := Play(t.Context(), s, d); err != nil {
			t.Errorf("%v", err)
			continue
		}
		complete(t, s, d)
	}
	shown.check(t, "in memory", slices.Concat(table(), others()))
	shown.only(t, "in memory", slices.Concat(table(), others()))
	coverage(t, all)
}

// complete checks that a scenario says how it ends: the state of every task, and of the batch.
func complete(t *testing.T, s *Scenario, d *machineDriver) {
	t.Helper()
	if s.Title == "" || s.About == "" || len(s.Steps) == 0 || s.Steps[len(s.Steps)-1].Expect == nil {
		t.Errorf("%s: a scenario has a title, a sentence, and ends with what is expected", s.Name)
		return
	}
	last := s.Steps[len(s.Steps)-1].Expect
	for _, r := range d.m.Runs() {
		if r.Shard != 0 && r.Part == nil {
			continue
		}
		if name := runName(&r); last.Tasks[name] == "" {
			t.Errorf("%s: the last expectation does not mention %s", s.Name, name)
		}
	}
	if last.Batch == "" {
		t.Errorf("%s: the last expectation does not mention the batch", s.Name)
	}
}

// coverage checks that scenarios use every rule, action, wish, behavior and signal.
func coverage(t *testing.T, all []Scenario) {
	t.Helper()
	seen := map[any]bool{}
	for i := range all {
		s := &all[i]
		for j := range s.Definition.Jobs {
			for k := range s.Definition.Jobs[j].Tasks {
				seen[s.Definition.Jobs[j].Tasks[k].EffectiveRule()] = true
				seen[s.Definition.Jobs[j].Tasks[k].OnLost.Do] = true
			}
		}
		seen[s.Definition.Flow] = true
		for _, behaviors := range s.Tasks {
			for _, d := range behaviors {
				seen[d.Kind] = true
			}
		}
		for k := range s.Steps {
			seen[s.Steps[k].Signal], seen[s.Steps[k].Wish] = true, true
			if r := s.Steps[k].Repair; r != nil {
				seen[r.Request.Action] = true
			}
		}
	}
	for _, want := range []any{
		hive.RuleAllSuccess, hive.RuleAllDone, hive.RuleOneSuccess, hive.RuleOneFailed, hive.RuleAllFailed,
		hive.FlowStrict, hive.OnLostRetry, hive.OnLostHold, hive.OnLostFail,
		hive.PlanResume, hive.PlanRerun, hive.PlanMarkSuccess, hive.PlanMarkSkip, hive.PlanCancel, hive.PlanClose,
		hive.WishRun, hive.WishPause, hive.WishCancel,
		Succeed, Fail, Hopeless, Timeout, Killed, Refuse, Busy, Vanish, Run, Stubborn, Unresponsive, Silent,
		Receipt, Return, Silence, Back, Lost, Repeat,
	} {
		if !seen[want] {
			t.Errorf("no scenario shows %T %q", want, want)
		}
	}
}
