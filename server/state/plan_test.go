package state

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

func (b *bench) plan(req hive.PlanRequest) hive.Plan {
	b.t.Helper()
	p, err := b.m.Plan(req, nil, hive.Revision{})
	require.NoError(b.t, err)
	return p
}

func (b *bench) apply(req hive.PlanRequest) Step {
	b.t.Helper()
	return b.do(ApplyPlan{Request: req, By: "ann"})
}

func (b *bench) refused(req hive.PlanRequest, code hive.Code, words string) {
	b.t.Helper()
	before := snap(b.m)
	_, err := b.m.Apply(b.now, ApplyPlan{Request: req})
	require.Equal(b.t, code, hive.CodeOf(err), "%v", err)
	require.ErrorContains(b.t, err, words)
	require.Equal(b.t, before, snap(b.m))
}

func diamond() *hive.Definition {
	cleanup := task("cleanup", "b")
	cleanup.Rule = hive.RuleAllDone
	return schedule(job("one", task("a")), job("two", task("b", "a"), task("c", "a")),
		job("three", task("d", "b", "c"), cleanup))
}

func TestResumeListsWhatItDoes(t *testing.T) {
	t.Parallel()
	b := start(t, diamond())
	b.succeed("a")
	b.fail("b")
	b.succeed("c", "cleanup")
	require.Equal(t, hive.BatchFailed, b.m.Batch().State)
	p := b.plan(hive.PlanRequest{Action: hive.PlanResume})
	require.Equal(t, []hive.PlanRow{
		{Number: 1, Task: "b", Job: "two", From: hive.RunFailed, To: hive.RunWaiting, Why: hive.WhyFailed},
		{
			Number: 3, Task: "d", Job: "three", From: hive.RunSkipped, To: hive.RunWaiting, Why: hive.WhySkipped,
			Cause: "b",
		},
	}, p.Rows)
	require.Equal(t, []hive.PlanKept{{Number: 4, Task: "cleanup", State: hive.RunSucceeded, RanOnFailed: "b"}}, p.Kept)
	require.Equal(t, 2, p.Round)

	before := b.run("b")
	b.now = b.now.Add(time.Hour)
	step := b.apply(hive.PlanRequest{Action: hive.PlanResume, RerunKept: []string{"cleanup"}})
	require.Len(t, step.History, 3)
	require.Equal(t, before, step.History[0])
	batch := b.m.Batch()
	require.Equal(t, hive.BatchRunning, batch.State)
	require.True(t, batch.Live)
	require.Equal(t, 2, batch.Round)
	require.Equal(t, b.now, batch.RoundAt)
	require.Equal(t, epoch(), batch.StartedAt)
	require.True(t, batch.FinishedAt.IsZero())
	r := b.run("b")
	require.Equal(t, hive.RunReady, r.State)
	require.Equal(t, 2, r.Round)
	require.Equal(t, 1, r.Attempts, "attempts of all rounds")
	require.Zero(t, r.Failures)
	require.True(t, r.StartedAt.IsZero())
	b.succeed("b")
	a, _ := b.m.Attempt(b.next - 1)
	require.Equal(t, []int{2, 2}, []int{a.Number, a.Round})
	b.succeed("d", "cleanup")
	require.Equal(t, hive.BatchSucceeded, b.m.Batch().State)
	b.refused(hive.PlanRequest{Action: hive.PlanResume}, hive.CodeConflict, "nothing to resume")
}

func TestHashCoversRowsAndTheirNeeds(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"), task("x")), job("two", task("b", "a"), task("y", "x"))))
	b.fail("a")
	req := hive.PlanRequest{Action: hive.PlanResume}
	req.Hash = b.plan(req).Hash
	b.succeed("x", "y")
	require.Equal(t, req.Hash, b.plan(hive.PlanRequest{Action: hive.PlanResume}).Hash,
		"what moves elsewhere does not matter")

	b = start(t, schedule(job("one", task("a"), task("x")), job("two", task("b", "a"), task("y", "x"))))
	b.fail("a")
	req = hive.PlanRequest{Action: hive.PlanResume}
	req.Hash = b.plan(req).Hash
	b.apply(hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}})
	b.fail("a")
	b.refused(req, hive.CodeConflict, "moved")
	req.Hash = b.plan(req).Hash
	b.apply(req)
}

func TestRerunOfARunningTaskKeepsItsAttempt(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(id int64) Event{
		"killed":    func(id int64) Event { return Ended{Attempt: id, Outcome: hive.OutcomeKilled} },
		"succeeded": func(id int64) Event { return Ended{Attempt: id, Outcome: hive.OutcomeSuccess} },
		"lost":      func(id int64) Event { return Lost{Attempt: id} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, diamond())
			id := b.begin("a")
			p := b.plan(hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}, Downstream: true})
			require.Equal(t, []hive.PlanRow{
				{
					Number: 0, Task: "a", Job: "one", From: hive.RunRunning, To: hive.RunWaiting, Kill: true,
					Why: hive.WhyAsked,
				},
			}, p.Rows, "what waits already is not listed")
			step := b.apply(hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}})
			require.Len(t, step.Kills, 1)
			require.Empty(t, step.History)
			require.Equal(t, hive.RunRunning, b.run("a").State)
			require.Empty(t, offerable(b.m, b.now), "nothing runs twice")
			b.m = New(stored(b.m), whens{})
			b.do(end(id))
			r := b.run("a")
			require.Equal(t, hive.RunReady, r.State)
			require.Equal(t, []int{2, 1, 0, 0}, []int{r.Round, r.Attempts, r.Failures, r.Losses})
			require.Nil(t, r.Outputs)
		})
	}
}

func TestCancelOvertakesARerun(t *testing.T) {
	t.Parallel()
	b := start(t, diamond())
	id := b.begin("a")
	b.apply(hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}})
	require.Empty(t, b.do(Wish{Wish: hive.WishCancel}).Kills, "it is being killed already")
	b.do(Ended{Attempt: id, Outcome: hive.OutcomeKilled})
	require.Equal(t, hive.BatchCanceled, b.m.Batch().State)
	require.Equal(t, hive.RunCanceled, b.run("a").State)
}

func TestResumeRestartsRunsBeingCanceled(t *testing.T) {
	t.Parallel()
	b := start(t, diamond())
	id := b.begin("a")
	b.do(Wish{Wish: hive.WishCancel})
	b.refused(hive.PlanRequest{Action: hive.PlanMarkSuccess, Tasks: []string{"b"}}, hive.CodeConflict, "being canceled")
	p := b.plan(hive.PlanRequest{Action: hive.PlanResume})
	require.Len(t, p.Rows, 5)
	require.True(t, p.Rows[0].Kill)
	require.Empty(t, b.apply(hive.PlanRequest{Action: hive.PlanResume}).Kills)
	require.Equal(t, hive.WishRun, b.m.Batch().Wish)
	b.do(Ended{Attempt: id, Outcome: hive.OutcomeKilled})
	require.Equal(t, hive.RunReady, b.run("a").State)
	b.succeed("a", "b", "c", "d", "cleanup")
	require.Equal(t, hive.BatchSucceeded, b.m.Batch().State)
}

func TestInvalidPlanRequests(t *testing.T) {
	t.Parallel()
	b := start(t, diamond())
	b.succeed("a")
	b.begin("b")
	for _, c := range []struct {
		req   hive.PlanRequest
		code  hive.Code
		words string
	}{
		{hive.PlanRequest{Action: "undo"}, hive.CodeInvalid, "no action"},
		{hive.PlanRequest{Action: hive.PlanRerun}, hive.CodeInvalid, "needs the keys"},
		{hive.PlanRequest{Action: hive.PlanResume, Tasks: []string{"nobody"}}, hive.CodeInvalid, "nobody"},
		{hive.PlanRequest{Action: hive.PlanResume, Downstream: true}, hive.CodeInvalid, "downstream"},
		{hive.PlanRequest{Action: hive.PlanResume, RevisionID: 9}, hive.CodeInvalid, "not at hand"},
		{hive.PlanRequest{Action: hive.PlanCancel, RevisionID: 9}, hive.CodeInvalid, "does not take a revision"},
		{hive.PlanRequest{Action: hive.PlanResume, Tasks: []string{"a"}}, hive.CodeConflict, "rerun it instead"},
		{
			hive.PlanRequest{Action: hive.PlanMarkSkip, Tasks: []string{"b"}},
			hive.CodeConflict,
			"cancel the whole batch",
		},
		{hive.PlanRequest{Action: hive.PlanCancel, Tasks: []string{"a"}}, hive.CodeConflict, "has ended"},
		{hive.PlanRequest{Action: hive.PlanClose}, hive.CodeInvalid, "note"},
		{hive.PlanRequest{Action: hive.PlanClose, Tasks: []string{"a"}}, hive.CodeInvalid, "as a whole"},
		{hive.PlanRequest{Action: hive.PlanClose, Note: "x"}, hive.CodeConflict, "running"},
		{
			hive.PlanRequest{Action: hive.PlanMarkSuccess, Tasks: []string{"a"}},
			hive.CodeConflict,
			"nothing to mark_success",
		},
		{
			hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}, RerunKept: []string{"c"}},
			hive.CodeConflict,
			"did not run on",
		},
		{
			hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"b"}, RerunKept: []string{"a"}},
			hive.CodeConflict,
			"did not run on",
		},
	} {
		b.refused(c.req, c.code, c.words)
	}
}

// Several tasks that do not allow a plan also have a machine-readable form.
func TestRefusalsOfSeveralTasks(t *testing.T) {
	t.Parallel()
	b := start(t, diamond())
	b.succeed("a")
	b.begin("b")
	b.begin("c")
	for names, tasks := range map[string][]string{"b, c": {"b", "c"}, "": {"b"}} {
		_, err := b.m.Plan(hive.PlanRequest{Action: hive.PlanMarkSkip, Tasks: tasks}, nil, hive.Revision{})
		e, ok := errors.AsType[*hive.Error](err)
		require.True(t, ok, err)
		require.Equal(t, names, e.Params["tasks"])
		require.Equal(t, len(tasks) > 1, e.Reason == hive.ErrorPlan)
	}
}

func TestLatestRevision(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"), task("gone"), task("kept")),
		job("two", task("b", "a"), task("bye", "a"))))
	b.succeed("gone", "kept")
	b.fail("a")
	def := schedule(job("one", task("a"), task("kept")), job("two", task("b", "a"), task("new", "kept")),
		job("three", task("last")))
	def.Jobs[0].Tasks[1].Params = map[string]any{"command": "other"}
	def.Jobs[0].Tasks[0].Title = "only words"
	g, err := graph.Compile(def)
	require.NoError(t, err)
	rev := hive.Revision{ID: 12, Number: 4}
	req := hive.PlanRequest{Action: hive.PlanResume, RevisionID: 12}
	p, err := b.m.Plan(req, g, rev)
	require.NoError(t, err)
	require.Equal(t, []int64{12, 4}, []int64{p.RevisionID, p.Revision})
	require.Equal(t, []hive.PlanRow{
		{Number: 0, Task: "a", Job: "one", From: hive.RunFailed, To: hive.RunWaiting, Why: hive.WhyFailed},
		{
			Number: 3, Task: "b", Job: "two", From: hive.RunSkipped, To: hive.RunWaiting, Why: hive.WhySkipped,
			Cause: "a",
		},
		{Number: 4, Task: "bye", Job: "two", From: hive.RunSkipped, To: hive.RunIgnored, Why: hive.WhyRemoved},
		{Number: -1, Task: "new", Job: "two", To: hive.RunWaiting, Why: hive.WhyNew},
		{Number: -1, Task: "last", Job: "three", To: hive.RunWaiting, Why: hive.WhyNew},
	}, p.Rows)
	require.Equal(t, []hive.PlanKept{{Number: 2, Task: "kept", State: hive.RunSucceeded, Changed: true}}, p.Kept)
	req.Hash = p.Hash
	before := snap(b.m)
	_, err = b.m.Apply(b.now, ApplyPlan{Request: req, Latest: g, Revision: rev, RunIDs: 1})
	require.Equal(t, hive.CodeUnavailable, hive.CodeOf(err), "two runs need two ids")
	require.ErrorContains(t, err, "2 new tasks")
	require.Equal(t, before, snap(b.m))
	step := b.do(ApplyPlan{Request: req, Latest: g, Revision: rev, RunIDs: 2})
	require.Equal(t, &p, step.Plan)
	require.Equal(t, []int{5, 6}, step.NewRuns)
	for i, n := range step.NewRuns {
		b.m.SetRunID(n, int64(500+i))
	}
	require.EqualValues(t, 501, b.m.Run(6).ID)
	require.EqualValues(t, 12, b.m.Batch().RevisionID)
	b.succeed("a", "b", "new", "last")
	require.Equal(t, hive.BatchSucceeded, b.m.Batch().State)
}

// A plan that opens no round, on a revision without a job whose timeout runs, stops that timeout.
func TestLatestRevisionWithoutAJobThatHasBegun(t *testing.T) {
	t.Parallel()
	gone := job("gone", task("a"), task("b"))
	gone.Timeout = hive.Duration(10 * time.Minute)
	b := start(t, schedule(gone, job("two", task("c", "a"))))
	b.succeed("a")
	require.Contains(t, b.m.Batch().JobClocks, "gone")
	g, err := graph.Compile(schedule(job("two", task("c"))))
	require.NoError(t, err)
	b.do(ApplyPlan{
		Request: hive.PlanRequest{Action: hive.PlanResume, RevisionID: 2}, Latest: g,
		Revision: hive.Revision{ID: 2, Number: 2},
	})
	require.Equal(t, 1, b.m.Batch().Round)
	b.want(map[string]string{"a": "succeeded", "b": "ignored(removed)", "c": "ready"})
	require.Empty(t, b.m.Batch().JobClocks)
}

func TestLatestRevisionIsRefusedWhileARemovedTaskRuns(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"), task("gone"))))
	b.fail("a")
	b.begin("gone")
	g, err := graph.Compile(schedule(job("one", task("a"))))
	require.NoError(t, err)
	_, err = b.m.Plan(hive.PlanRequest{Action: hive.PlanResume, RevisionID: 2}, g, hive.Revision{ID: 2, Number: 2})
	require.Equal(t, hive.CodeConflict, hive.CodeOf(err))
	require.ErrorContains(t, err, "gone")
}

func TestCloseAndReopen(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"))))
	b.fail("a")
	finished := b.m.Batch().FinishedAt
	step := b.apply(hive.PlanRequest{Action: hive.PlanClose, Note: "known, not needed today"})
	require.Equal(t, hive.PlanClose, step.Plan.Action)
	require.Equal(t, Step{BatchChanged: true, Plan: step.Plan}, step)
	require.Equal(t, "known, not needed today", b.m.Batch().ClosedNote)
	require.Equal(t, hive.BatchFailed, b.m.Batch().State)
	require.Equal(t, finished, b.m.Batch().FinishedAt)
	b.apply(hive.PlanRequest{Action: hive.PlanMarkSuccess, Tasks: []string{"a"}, Note: "done by hand"})
	require.Empty(t, b.m.Batch().ClosedNote)
	require.Equal(t, hive.BatchSucceeded, b.m.Batch().State)
	require.Equal(t, 2, b.m.Batch().Round)
	require.Equal(t, "ann: done by hand", b.run("a").Detail)
}

// A repair that names a round is refused once the batch is in another one.
func TestPlanOfARound(t *testing.T) {
	t.Parallel()
	b := start(t, diamond())
	b.succeed("a")
	b.fail("b")
	b.succeed("c", "cleanup")
	req := hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}, Round: 2}
	b.refused(req, hive.CodeConflict, "is in round 1")
	req.Round = 1
	b.apply(req)
	require.Equal(t, 2, b.m.Batch().Round)
	b.refused(req, hive.CodeConflict, "is in round 2")
}

// A batch that waits for another one of its schedule still waits after a repair on the latest revision.
func TestRepairOfAQueuedBatchKeepsItWaiting(t *testing.T) {
	t.Parallel()
	g, err := graph.Compile(schedule(job("one", task("a"))))
	require.NoError(t, err)
	image := freshImage(g)
	image.Batch.Reason = hive.ReasonQueued
	m := New(image, whens{})
	latest, err := graph.Compile(schedule(job("one", task("a"), task("new"))))
	require.NoError(t, err)
	_, err = m.Apply(epoch(), ApplyPlan{
		Request: hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}, Downstream: true, RevisionID: 2},
		Latest:  latest, Revision: hive.Revision{ID: 2, Number: 2}, RunIDs: 1,
	})
	require.NoError(t, err)
	b := m.Batch()
	require.Equal(t, 2, b.Round)
	require.Equal(t, hive.BatchQueued, b.State)
	require.Equal(t, hive.ReasonQueued, b.Reason)
}

// A standard value that a document keeps is the same as none.
func TestStandardValuesDoNotDiffer(t *testing.T) {
	t.Parallel()
	compile := func(defaults hive.Defaults, change func(x *hive.Task)) *graph.Graph {
		def := schedule(job("one", task("a")))
		def.Jobs[0].Defaults = defaults
		change(&def.Jobs[0].Tasks[0])
		g, err := graph.Compile(def)
		require.NoError(t, err)
		return g
	}
	two, four := 2, 4
	plain := compile(hive.Defaults{}, func(*hive.Task) {})
	defaults := hive.Defaults{Group: "etl", KillGrace: 30e9, Priority: 7, OnLost: hive.OnLost{Max: &four}}
	opted := compile(defaults, func(x *hive.Task) {
		x.Group, x.KillGrace, x.Priority = hive.DefaultGroup, hive.DefaultKillGrace, hive.DefaultPriority
		x.OnLost.Max = &two
	})
	require.False(t, differs(plain, opted, 0, 0))
	require.True(t, differs(plain, compile(defaults, func(*hive.Task) {}), 0, 0))
}
