package state

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

func someHooks() []hive.Hook { return []hive.Hook{{Handler: "shell"}} }

// withHooks gives hooks to the schedule, and to all its jobs and tasks.
func withHooks(def *hive.Definition) *hive.Definition {
	def.OnFailure, def.OnSuccess, def.OnEnd = someHooks(), someHooks(), someHooks()
	for j := range def.Jobs {
		job := &def.Jobs[j]
		job.OnFailure, job.OnSuccess, job.OnEnd = someHooks(), someHooks(), someHooks()
		for t := range job.Tasks {
			task := &job.Tasks[t]
			task.OnFailure, task.OnSuccess, task.OnEnd = someHooks(), someHooks(), someHooks()
		}
	}
	return def
}

// withoutHooks returns a copy of a machine whose definition has no hooks.
func withoutHooks(m *Machine) *Machine {
	snapshot := stored(m)
	bare := *snapshot.Graph
	bare.Hooked = false
	snapshot.Graph = &bare
	return New(snapshot, whens{})
}

func equalRows(a, b *Machine) bool { return reflect.DeepEqual(lasting(a), lasting(b)) }

// checkHooks checks the hooks of a step: each end is called once a round, and that of the batch whenever it has ended.
func (w *world) checkHooks(before snapshot, step *Step) {
	ofBatch := false
	for _, c := range step.Hooks {
		key := c.Event.BatchKey()
		require.False(w.t, w.called[key], "%s is called twice", key)
		w.called[key] = true
		require.Equal(w.t, w.now.UTC(), c.At)
		require.Equal(w.t, w.m.batch.RevisionID, c.RevisionID)
		ofBatch = ofBatch || c.Event.Scope == hive.HookOfBatch
	}
	again := before.Batch.State.Final() && before.Batch.Round == w.m.batch.Round // it had ended before
	ended := !again && w.m.batch.State.Final() && !w.m.batch.StartedAt.IsZero()
	if len(w.m.graph.Def.Hooks().After(w.m.batch.State)) > 0 && (ended || ofBatch) {
		require.Equal(w.t, ended, ofBatch, "the hooks of the batch follow its end")
	}
}

// calls lists the hooks of a step as "scope key round state task: error".
func calls(s Step) []string {
	out := []string{}
	for _, c := range s.Hooks {
		e := c.Event
		out = append(out, fmt.Sprintf("%s %s %d %s %s: %s", e.Scope, e.Key, e.Round, e.State, e.Task, e.Error))
	}
	return out
}

func TestHooksOfATaskThatFails(t *testing.T) {
	t.Parallel()
	def := withHooks(schedule(job("j", task("a"), task("b")), job("k", task("c", "a"))))
	def.Jobs[0].Tasks[0].Retry.Max = 1
	b := start(t, def)
	require.Empty(t, b.end("a", hive.OutcomeFailure).Hooks, "it is tried again")
	id := b.begin("a")
	step := b.do(Ended{Attempt: id, Outcome: hive.OutcomeFailure, Error: hive.Plain("no disk")})
	require.Equal(t, []string{"task a 1 failed a: no disk"}, calls(step), "c is skipped, and has no hooks")
	require.Equal(t, []string{"task b 1 succeeded b: ", "job j 1 failed a: no disk", "batch  1 failed a: no disk"},
		calls(b.end("b", hive.OutcomeSuccess)), "no task of k has run")
}

func TestHooksOnceARound(t *testing.T) {
	t.Parallel()
	b := start(t, withHooks(schedule(job("j", task("a")))))
	b.fail("a")
	step := b.apply(hive.PlanRequest{Action: hive.PlanResume})
	require.Empty(t, step.Hooks)
	require.Equal(t, []string{"task a 2 succeeded a: ", "job j 2 succeeded : ", "batch  2 succeeded : "},
		calls(b.end("a", hive.OutcomeSuccess)))
}

func TestHooksOfAMark(t *testing.T) {
	t.Parallel()
	b := start(t, withHooks(schedule(job("j", task("a")))))
	b.fail("a")
	step := b.apply(hive.PlanRequest{Action: hive.PlanMarkSuccess, Tasks: []string{"a"}})
	require.Equal(t, []string{"batch  2 succeeded : "}, calls(step), "the task had ended before")
}

func TestHooksOfACanceledBatch(t *testing.T) {
	t.Parallel()
	def := withHooks(schedule(job("j", task("a"), task("b")), job("k", task("c"))))
	b := start(t, def)
	id := b.begin("a")
	require.Empty(t, b.do(Wish{Wish: hive.WishCancel}).Hooks, "b and c have not begun")
	require.Equal(t, []string{"task a 1 canceled a: ", "job j 1 canceled : ", "batch  1 canceled : "},
		calls(b.do(Ended{Attempt: id, Outcome: hive.OutcomeKilled})))

	m := newBatch(t, def)
	step, err := m.Apply(epoch(), Wish{Wish: hive.WishCancel})
	require.NoError(t, err)
	require.Equal(t, hive.BatchCanceled, m.Batch().State)
	require.Empty(t, step.Hooks, "a batch that was canceled in the queue has not begun")
}

func TestHooksOfATimeout(t *testing.T) {
	t.Parallel()
	def := withHooks(schedule(job("j", task("a"), task("b"))))
	def.Policy.Timeout = hive.Duration(time.Minute)
	b := start(t, def)
	id := b.begin("a")
	b.now = b.now.Add(time.Minute)
	b.do(Due{})
	require.Equal(t, []string{"task a 1 failed a: ", "job j 1 failed a: ", "batch  1 failed a: "},
		calls(b.do(Ended{Attempt: id, Outcome: hive.OutcomeKilled})))
}

func TestHooksOfAFailureThatIsAllowed(t *testing.T) {
	t.Parallel()
	def := withHooks(schedule(job("j", task("a"))))
	def.Jobs[0].Tasks[0].AllowFailure = true
	b := start(t, def)
	require.Equal(t, []string{"task a 1 failed a: ", "job j 1 succeeded : ", "batch  1 succeeded : "},
		calls(b.end("a", hive.OutcomeFailure)))
}

func TestHooksOfTheRevisionInForce(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("j", task("a"))))
	b.fail("a")
	g, err := graph.Compile(withHooks(schedule(job("j", task("a")))))
	require.NoError(t, err)
	b.do(ApplyPlan{
		Request: hive.PlanRequest{Action: hive.PlanResume, RevisionID: 77}, Latest: g,
		Revision: hive.Revision{ID: 77, Number: 2}, RunIDs: 10,
	})
	step := b.end("a", hive.OutcomeSuccess)
	require.Len(t, step.Hooks, 3)
	require.Equal(t, int64(77), step.Hooks[0].RevisionID)
}

func TestHooksInTheirOrder(t *testing.T) {
	t.Parallel()
	hooks := hive.Hooks{
		OnFailure: []hive.Hook{{Handler: "x"}, {Handler: "y"}}, OnSuccess: someHooks(),
		OnEnd: []hive.Hook{{Handler: "z"}},
	}
	var names []string
	for _, h := range hooks.After(hive.BatchFailed) {
		names = append(names, h.Name+" "+h.Hook.Handler)
	}
	require.Equal(t, []string{"onFailure-1 x", "onFailure-2 y", "onEnd-1 z"}, names)
	require.Len(t, hooks.After(hive.BatchSucceeded), 2)
	require.Len(t, hooks.After(hive.BatchCanceled), 1)
	require.Empty(t, hooks.After(hive.BatchRunning))
}
