package state

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// whens is a tiny language of conditions for tests: "true", "false", "error", and "out:TASK" (it has outputs).
type whens struct{}

func (whens) When(task *hive.Task, e Env) (bool, error) {
	switch {
	case task.When == "true":
		return true, nil
	case task.When == "false":
		return false, nil
	case len(task.When) > 4 && task.When[:4] == "out:":
		return e.Outputs[task.When[4:]] != nil, nil
	default:
		return false, errors.New("no such name")
	}
}

// RetryWhen knows "true", "false", "error", "shard" (the run is a shard) and "once" (it was the first failure).
func (whens) RetryWhen(task *hive.Task, _ Env, f Failure) (bool, error) {
	switch task.Retry.When {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "shard":
		return f.Shard != nil && f.Shard.Index == 1, nil
	case "once":
		return f.Failures == 1 && f.Attempt.State == hive.AttemptEnded, nil
	default:
		return false, errors.New("no such name")
	}
}

func epoch() time.Time { return time.Date(2026, 1, 2, 3, 20, 0, 0, time.UTC) }

func schedule(jobs ...hive.Job) *hive.Definition {
	return &hive.Definition{APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "test", Jobs: jobs}
}

func job(key string, tasks ...hive.Task) hive.Job { return hive.Job{Key: key, Tasks: tasks} }

func task(key string, needs ...string) hive.Task {
	return hive.Task{Key: key, Handler: "shell", Params: map[string]any{"command": "true"}, Needs: needs}
}

// newBatch returns a queued batch of a definition.
func newBatch(t require.TestingT, def *hive.Definition) *Machine {
	g, err := graph.Compile(def)
	require.NoError(t, err)
	return New(freshImage(g), whens{})
}

func freshImage(g *graph.Graph) Snapshot {
	img := Snapshot{Graph: g, Batch: hive.Batch{
		ID: 7, ScheduleID: 1, Schedule: "test", RevisionID: 1, Revision: 1, Kind: hive.KindManual, Live: true,
		State: hive.BatchQueued, Wish: hive.WishRun, Round: 1, Moment: epoch(),
	}}
	for i := range g.Tasks {
		img.Runs = append(img.Runs, hive.Run{
			ID: int64(100 + i), BatchID: 7, Number: i, Job: g.Jobs[g.Tasks[i].Job].Key, Task: g.Tasks[i].Spec.Key,
			State: hive.RunWaiting, Round: 1, ChangedAt: epoch(),
		})
	}
	return img
}

// stored returns the rows that the owner's writer would have stored: ready without an offer or a delay is derived.
func stored(m *Machine) Snapshot {
	img := Snapshot{Graph: m.graph, Batch: m.batch, Runs: slices.Clone(m.runs)}
	img.Batch.JobClocks = maps.Clone(m.batch.JobClocks)
	for n := range img.Runs {
		r := &img.Runs[n]
		if r.State == hive.RunReady && r.Attempt == 0 && r.NotBefore.IsZero() && r.Reason == "" && !m.IsSplit(n) {
			r.State = hive.RunWaiting
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.attempts)) {
		if a := m.attempts[id]; a.State != hive.AttemptEnded {
			img.Attempts = append(img.Attempts, a.Attempt)
		}
	}
	return img
}

// offerable returns the numbers of the runs that an owner may offer now.
func offerable(m *Machine, now time.Time) []int {
	if m.batch.State != hive.BatchRunning || m.batch.Wish != hive.WishRun {
		return nil
	}
	var out []int
	for n := range m.runs {
		r := &m.runs[n]
		if r.State == hive.RunReady && r.Attempt == 0 && !r.NotBefore.After(now) && !m.IsSplit(n) && !m.Unsplit(n) &&
			!m.FormerRun(n) {
			out = append(out, n)
		}
	}
	return out
}

// nextOffer returns the earliest moment after now at which the delay of a ready run is over; zero: none.
func nextOffer(m *Machine, now time.Time) time.Time {
	var at time.Time
	for n := range m.runs {
		if r := &m.runs[n]; r.State == hive.RunReady && r.Attempt == 0 && r.NotBefore.After(now) &&
			(at.IsZero() || r.NotBefore.Before(at)) {
			at = r.NotBefore
		}
	}
	return at
}

// bench drives a machine by task keys.
type bench struct {
	t    *testing.T
	m    *Machine
	now  time.Time
	next int64
}

func start(t *testing.T, def *hive.Definition) *bench {
	t.Helper()
	b := &bench{t: t, m: newBatch(t, def), now: epoch(), next: 1}
	b.do(Start{})
	return b
}

func (b *bench) do(ev Event) Step {
	b.t.Helper()
	s, err := b.m.Apply(b.now, ev)
	require.NoError(b.t, err)
	return s
}

func (b *bench) run(key string) hive.Run {
	b.t.Helper()
	for _, r := range b.m.Runs() {
		if r.Task == key {
			return r
		}
	}
	require.Fail(b.t, "no run of "+key)
	return hive.Run{}
}

func (b *bench) offer(key string) int64 {
	b.t.Helper()
	id := b.next
	b.next++
	b.do(Offered{Run: b.run(key).Number, Attempt: id, Executor: "x", ExecutorName: "X"})
	return id
}

func (b *bench) begin(key string) int64 {
	b.t.Helper()
	id := b.offer(key)
	b.do(Started{Attempt: id})
	return id
}

func (b *bench) end(key string, o hive.Outcome) Step {
	b.t.Helper()
	id := b.run(key).Attempt
	if id == 0 {
		id = b.begin(key)
	}
	return b.do(Ended{Attempt: id, Outcome: o})
}

func (b *bench) succeed(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.end(k, hive.OutcomeSuccess)
	}
}

func (b *bench) fail(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.end(k, hive.OutcomeFailure)
	}
}

// states returns all runs as key → "state" or "state(reason)" or "state(reason: cause)".
func (b *bench) states() map[string]string {
	out := map[string]string{}
	for _, r := range b.m.Runs() {
		s := string(r.State)
		switch {
		case r.Cause != "":
			s += "(" + string(r.Reason) + ": " + r.Cause + ")"
		case r.Reason != "":
			s += "(" + string(r.Reason) + ")"
		}
		out[r.Task] = s
	}
	return out
}

func (b *bench) want(want map[string]string) {
	b.t.Helper()
	require.Equal(b.t, want, b.states())
}
