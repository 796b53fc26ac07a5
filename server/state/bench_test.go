package state

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// wide returns a batch of n tasks in two jobs, the second without written needs.
func wide(n int) *hive.Definition {
	first, second := job("first"), job("second")
	for i := range n / 2 {
		first.Tasks = append(first.Tasks, task(fmt.Sprintf("a%d", i)))
		second.Tasks = append(second.Tasks, task(fmt.Sprintf("b%d", i)))
	}
	return schedule(first, second)
}

// layered returns n tasks in jobs of ten, each with three needs in the job before.
func layered(n int) *hive.Definition {
	def := schedule()
	for j := range n / 10 {
		jb := job(fmt.Sprintf("j%d", j))
		for i := range 10 {
			var needs []string
			for k := range 3 {
				if j > 0 {
					needs = append(needs, fmt.Sprintf("t%d-%d", j-1, (i+k)%10))
				}
			}
			jb.Tasks = append(jb.Tasks, task(fmt.Sprintf("t%d-%d", j, i), needs...))
		}
		def.Jobs = append(def.Jobs, jb)
	}
	return def
}

// runAll runs a batch to its end, one attempt after another. Like an owner, it offers the runs that the steps report as
// ready.
func runAll(t require.TestingT, m *Machine, o hive.Outcome) {
	now, id := epoch(), int64(m.batch.Round)*1_000_000
	var queue []int
	apply := func(ev Event) {
		step, err := m.Apply(now, ev)
		require.NoError(t, err)
		queue = append(queue, step.Runs...)
	}
	apply(Start{})
	for !m.batch.State.Final() {
		require.NotEmpty(t, queue)
		n := queue[0]
		queue = queue[1:]
		if r := &m.runs[n]; r.State != hive.RunReady || r.Attempt != 0 || m.IsSplit(n) {
			continue
		}
		if m.Unsplit(n) {
			apply(Split{Run: n, Shards: make([]hive.Shard, m.spec(n).Shard.Count)})
			continue
		}
		id++
		apply(Offered{Run: n, Attempt: id, Executor: "x"})
		apply(Started{Attempt: id})
		apply(Ended{Attempt: id, Outcome: o})
		m.Forget(id)
	}
}

func BenchmarkRun(b *testing.B) {
	for name, def := range map[string]*hive.Definition{"wide": wide(10_000), "layered": layered(10_000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				runAll(b, newBatch(b, def), hive.OutcomeSuccess)
			}
		})
	}
}

// sharded returns n tasks in two jobs. Each task of the first job has two shards.
func sharded(n int) *hive.Definition {
	def := wide(n)
	for i := range def.Jobs[0].Tasks {
		def.Jobs[0].Tasks[i].Shard.Count = 2
	}
	return def
}

// BenchmarkPlan resumes tasks with 10,000 rows: the first job failed, and the rest was skipped for that.
func BenchmarkPlan(b *testing.B) {
	for name, def := range map[string]*hive.Definition{
		"wide": wide(10_000), "layered": layered(10_000), "sharded": sharded(5_000),
	} {
		m := newBatch(b, def)
		runAll(b, m, hive.OutcomeFailure)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				plan, err := m.Plan(hive.PlanRequest{Action: hive.PlanResume}, nil, hive.Revision{})
				require.NoError(b, err)
				require.Len(b, plan.Rows, 10_000)
			}
		})
	}
}
