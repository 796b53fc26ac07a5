package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// drawDefinition makes a valid definition. Its tasks have random rules, needs and options.
func drawDefinition(t *rapid.T, maxJobs, maxTasks int) *hive.Definition {
	def := &hive.Definition{APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "x"}
	rules := []hive.Rule{
		"", "", "", hive.RuleAllSuccess, hive.RuleAllDone, hive.RuleOneSuccess, hive.RuleOneFailed, hive.RuleAllFailed,
	}
	rare := rapid.Custom(func(t *rapid.T) bool { return rapid.IntRange(0, 6).Draw(t, "dice") == 6 })
	var earlier []string
	for j := range rapid.IntRange(1, maxJobs).Draw(t, "jobs") {
		job := hive.Job{Key: fmt.Sprintf("j%d", j), Disabled: rare.Draw(t, "off")}
		for range rapid.IntRange(0, maxTasks).Draw(t, "tasks") {
			task := hive.Task{
				Key: fmt.Sprintf("t%d_%d", j, len(job.Tasks)), Handler: "shell",
				Rule:         rapid.SampledFrom(rules).Draw(t, "rule"),
				AllowFailure: rare.Draw(t, "allowFailure"),
				Disabled:     rare.Draw(t, "disabled"),
			}
			if rare.Draw(t, "when") {
				task.When = "params.x"
			}
			if len(earlier) > 0 {
				task.Needs = rapid.SliceOfNDistinct(rapid.SampledFrom(earlier), 0, min(5, len(earlier)),
					rapid.ID).Draw(t, "needs")
			}
			job.Tasks = append(job.Tasks, task)
		}
		for _, task := range job.Tasks {
			earlier = append(earlier, task.Key)
		}
		def.Jobs = append(def.Jobs, job)
	}
	return def
}

func compile(t interface{ Fatalf(string, ...any) }, def *hive.Definition) *graph.Graph {
	g, err := graph.Compile(def)
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	return g
}

// effects computes the effect of every task at the end of a batch. fails and holds have, for each task, whether its
// work fails and whether its condition is true.
func effects(g *graph.Graph, fails, holds []bool) []hive.Effect {
	out := make([]hive.Effect, len(g.Tasks))
	for i := range g.Tasks {
		t := &g.Tasks[i]
		needs := t.Needs
		if t.Implicit {
			needs = nil
			for n := range g.Jobs[t.Job].First {
				needs = append(needs, n)
			}
		}
		count := map[hive.Effect]int{}
		for _, n := range needs {
			count[out[n]]++
		}
		out[i] = effect(t, count, len(needs), fails[i], holds[i])
	}
	return out
}

func effect(t *graph.Task, count map[hive.Effect]int, needs int, fails, holds bool) hive.Effect {
	failures, successes, nones := count[hive.EffectFailure], count[hive.EffectSuccess], count[hive.EffectNone]
	if t.Implicit {
		needs -= nones
		nones = 0
	}
	var starts bool
	switch t.Spec.EffectiveRule() {
	case hive.RuleAllSuccess:
		starts = failures == 0 && nones == 0
	case hive.RuleAllDone:
		starts = true
	case hive.RuleOneSuccess:
		starts = successes > 0
	case hive.RuleOneFailed:
		starts = failures > 0
	case hive.RuleAllFailed:
		starts = failures == needs && needs > 0
	}
	switch {
	case t.Spec.Disabled:
		return hive.EffectSuccess
	case !starts && failures > 0 &&
		(t.Spec.EffectiveRule() == hive.RuleAllSuccess || t.Spec.EffectiveRule() == hive.RuleOneSuccess):
		return hive.EffectFailure
	case !starts:
		return hive.EffectNone
	case t.Spec.When != "" && !holds, !fails, t.Spec.AllowFailure:
		return hive.EffectSuccess
	default:
		return hive.EffectFailure
	}
}

// Without its redundant needs every task has the same result, for all failures and conditions.
func TestRedundantNeedsChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := compile(t, drawDefinition(t, 6, 5))
		less := compile(t, g.Reduced())
		n := len(g.Tasks)
		fails := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "fails")
		holds := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "holds")
		if a, b := effects(g, fails, holds), effects(less, fails, holds); !slices.Equal(a, b) {
			t.Fatalf("with redundant needs %v\nwithout %v", a, b)
		}
	})
}

// Reduced keeps the downstream tasks, makes no task implicit, and leaves no redundant need.
func TestReducedKeepsReachability(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := compile(t, drawDefinition(t, 8, 5))
		less := compile(t, g.Reduced())
		for i := range g.Tasks {
			if a, b := g.Downstream(i), less.Downstream(i); !slices.Equal(a, b) {
				t.Fatalf("downstream of %s: %v, then %v", g.Tasks[i].Spec.Key, a, b)
			}
			if g.Tasks[i].Implicit != less.Tasks[i].Implicit {
				t.Fatalf("%s lost its last need", g.Tasks[i].Spec.Key)
			}
			if len(less.Tasks[i].Redundant) > 0 {
				t.Fatalf("%s still has redundant needs", g.Tasks[i].Spec.Key)
			}
		}
	})
}

// The bit blocks find the same redundant needs as a plain search of the paths, also over many blocks.
func TestRedundantAgreesWithPlainWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := drawDefinition(t, 5, 4)
		wide := rapid.SampledFrom([]int{0, 1, 511, 512, 700, 1100}).Draw(t, "wide")
		var padding hive.Job
		padding.Key = "padding"
		for i := range wide {
			padding.Tasks = append(padding.Tasks, hive.Task{Key: fmt.Sprintf("p%d", i), Handler: "shell"})
		}
		at := rapid.IntRange(0, len(def.Jobs)).Draw(t, "at")
		def.Jobs = slices.Insert(def.Jobs, at, padding)
		g := compile(t, def)
		for i := range g.Tasks {
			if want := plainRedundant(g, i); !slices.Equal(g.Tasks[i].Redundant, want) {
				t.Fatalf("%s: got %v, want %v", g.Tasks[i].Spec.Key, g.Tasks[i].Redundant, want)
			}
		}
	})
}

// plainRedundant searches the paths between the needs of task i. It follows written needs only, and handles implicit
// tasks by their earlier jobs.
func plainRedundant(g *graph.Graph, i int) []int {
	t := &g.Tasks[i]
	if t.Spec.EffectiveRule() != hive.RuleAllSuccess {
		return nil
	}
	proven := map[int]bool{}
	for _, n := range t.Needs {
		walk(g, n, proven, map[int]bool{})
	}
	var out []int
	for _, n := range t.Needs {
		if proven[n] {
			out = append(out, n)
		}
	}
	return out
}

func walk(g *graph.Graph, i int, proven, seen map[int]bool) {
	t := &g.Tasks[i]
	if seen[i] || t.Spec.EffectiveRule() != hive.RuleAllSuccess || t.Spec.AllowFailure || t.Spec.When != "" ||
		t.Spec.Disabled {
		return
	}
	seen[i] = true
	needs := t.Needs
	if t.Implicit {
		for n := range g.Jobs[t.Job].First {
			if !endsInNone(g, n) {
				needs = append(needs, n)
			}
		}
	}
	for _, n := range needs {
		proven[n] = true
		walk(g, n, proven, seen)
	}
}

func endsInNone(g *graph.Graph, i int) bool {
	t := &g.Tasks[i]
	switch t.Spec.EffectiveRule() {
	case hive.RuleAllDone:
		return false
	case hive.RuleAllSuccess:
		return slices.ContainsFunc(t.Needs, func(n int) bool { return endsInNone(g, n) })
	default:
		return true
	}
}

// Downstream finds the same tasks as a check of each task for a given or downstream need.
func TestDownstreamAgreesWithPlainWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := compile(t, drawDefinition(t, 8, 5))
		if len(g.Tasks) == 0 {
			return
		}
		given := rapid.SliceOfN(rapid.IntRange(0, len(g.Tasks)-1), 0, 4).Draw(t, "given")
		reads := make([]bool, len(g.Tasks))
		var want []int
		for i := range g.Tasks {
			task := &g.Tasks[i]
			needs := task.Needs
			for n := 0; task.Implicit && n < g.Jobs[task.Job].First; n++ {
				needs = append(needs, n)
			}
			reads[i] = slices.ContainsFunc(needs, func(n int) bool { return reads[n] || slices.Contains(given, n) })
			if reads[i] && !slices.Contains(given, i) {
				want = append(want, i)
			}
		}
		if got := g.Downstream(given...); !slices.Equal(got, want) {
			t.Fatalf("downstream of %v: got %v, want %v", given, got, want)
		}
	})
}

// Validate never panics, and every fault has a message, a remedy and a code, for any keys.
func TestValidateHostileKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "A", "b", "ab"}))
		def := &hive.Definition{Name: word.Draw(t, "name")}
		for range rapid.IntRange(0, 4).Draw(t, "jobs") {
			job := hive.Job{Key: word.Draw(t, "job")}
			for range rapid.IntRange(0, 4).Draw(t, "tasks") {
				job.Tasks = append(job.Tasks, hive.Task{
					Key: word.Draw(t, "task"), Needs: rapid.SliceOfN(word, 0, 4).Draw(t, "needs"),
					Rule: hive.Rule(word.Draw(t, "rule")),
				})
			}
			def.Jobs = append(def.Jobs, job)
		}
		for _, f := range graph.Validate(def) {
			if f.Message == "" || f.Remedy == "" || f.Code == "" {
				t.Fatalf("incomplete fault: %+v", f)
			}
		}
	})
}
