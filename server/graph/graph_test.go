package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// layered makes a definition of jobs × width tasks, each with `needs` needs of the job before.
func layered(jobs, width, needs int) *hive.Definition {
	def := &hive.Definition{APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "x"}
	for j := range jobs {
		job := hive.Job{Key: fmt.Sprintf("j%d", j)}
		for w := range width {
			task := hive.Task{Key: fmt.Sprintf("t%d_%d", j, w), Handler: "shell"}
			for n := 0; j > 0 && n < needs; n++ {
				task.Needs = append(task.Needs, fmt.Sprintf("t%d_%d", j-1, (w+n)%width))
			}
			job.Tasks = append(job.Tasks, task)
		}
		def.Jobs = append(def.Jobs, job)
	}
	return def
}

// The example graph of the documentation: A B C → D → E F G H → I (on E), J (on G, H) → K (on J).
func TestCompile(t *testing.T) {
	t.Parallel()
	def := &hive.Definition{
		APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "x", Jobs: []hive.Job{
			{Key: "one", Tasks: []hive.Task{
				{Key: "A", Handler: "shell"},
				{Key: "B", Handler: "shell"},
				{Key: "C", Handler: "shell"},
			}},
			{Key: "two", Tasks: []hive.Task{{Key: "D", Handler: "shell"}}},
			{Key: "empty"},
			{Key: "three", Tasks: []hive.Task{
				{Key: "E", Handler: "shell", Needs: []string{"D"}},
				{Key: "G", Handler: "shell", Needs: []string{"D", "B"}},
			}},
			{Key: "four", Tasks: []hive.Task{{Key: "I", Handler: "shell", Needs: []string{"E"}}}},
		},
	}
	g := compile(t, def)
	if got := fmt.Sprintln(g.Jobs[2].First, g.Jobs[2].Last, g.Jobs[3].First, g.Jobs[3].Last,
		g.Jobs[3].Key); got != "4 4 4 6 three\n" {
		t.Errorf("ranges of jobs: %s", got)
	}
	d, _ := g.Lookup("D")
	if !g.Tasks[d].Implicit || g.Tasks[d].Needs != nil || !slices.Equal(g.Tasks[d].Dependents, []int{4, 5}) {
		t.Errorf("D: %+v", g.Tasks[d])
	}
	if task := g.Tasks[5]; !slices.Equal(task.Needs, []int{1, 3}) || !slices.Equal(task.Redundant, []int{1}) ||
		task.Job != 3 {
		t.Errorf("G: %+v", task)
	}
	if got := g.Downstream(1); !slices.Equal(got, []int{3, 4, 5, 6}) {
		t.Errorf("downstream of B: %v", got)
	}
	if got := g.Downstream(); len(got) != 0 {
		t.Errorf("downstream of nothing: %v", got)
	}
	if _, ok := g.Lookup("d"); ok {
		t.Error("keys are told apart by case")
	}
	if got := g.Reduced().Jobs[3].Tasks[1].Needs; !slices.Equal(got, []string{"D"}) {
		t.Errorf("reduced needs: %v", got)
	}
	if got := def.Jobs[3].Tasks[1].Needs; !slices.Equal(got, []string{"D", "B"}) {
		t.Errorf("the definition itself was changed: %v", got)
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	def := layered(2, 12, 1)
	def.Jobs[1].Tasks[0].Needs = []string{"t0_O", "T0_3", "t0_1x", "nothing-like-it"}
	def.Jobs[1].Tasks[1].Rule = "all_succes"
	want := []string{
		"did you mean t0_0?", "did you mean t0_3? Keys are told apart by case", "did you mean t0_1?",
		"name a task of an earlier job",
	}
	var got []string
	for _, f := range graph.Validate(def) {
		switch f.Code {
		case graph.CodeUnknownNeed:
			got = append(got, f.Remedy)
		case graph.CodeUnknownValue:
			if !strings.HasPrefix(f.Remedy, "did you mean all_success? Use one of all_success, all_done") {
				t.Errorf("remedy of a rule: %s", f.Remedy)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		def  *hive.Definition
		code string
	}{
		"tasks at the limit": {layered(2, graph.MaxTasks/2, 1), ""},
		"too many tasks":     {layered(1, graph.MaxTasks+1, 0), graph.CodeTooManyTasks},
		"too many jobs":      {layered(graph.MaxJobs+1, 0, 0), graph.CodeTooManyJobs},
	} {
		faults := graph.Validate(c.def)
		if c.code == "" && len(faults) > 0 || c.code != "" && (len(faults) != 1 || faults[0].Code != c.code) {
			t.Errorf("%s: %v", name, faults)
		}
	}
	def := layered(2, 2_000, 1)
	for i := range def.Jobs[1].Tasks {
		def.Jobs[1].Tasks[i].Needs = []string{"unknown"}
	}
	faults := graph.Validate(def)
	if n := len(faults); n != graph.MaxFaults+1 || faults[n-1].Code != graph.CodeTooManyFaults {
		t.Errorf("%d faults, the last one %+v", n, faults[n-1])
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, c := range []struct{ jobs, width, needs int }{{10, 1000, 5}, {1000, 10, 5}, {100, 200, 50}} {
		def := layered(c.jobs, c.width, c.needs)
		b.Run(fmt.Sprintf("%dx%dx%d", c.jobs, c.width, c.needs), func(b *testing.B) {
			for b.Loop() {
				compile(b, def)
			}
		})
	}
}

// A value of megabytes is cut in the message of its fault.
func TestFaultsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for what, def := range map[string]*hive.Definition{
		"name":    {APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: long},
		"kind":    {APIVersion: hive.APIVersion, Kind: long, Name: "a"},
		"version": {APIVersion: long, Kind: hive.KindSchedule, Name: "a"},
		"key": {APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "a", Jobs: []hive.Job{
			{Key: "j", Tasks: []hive.Task{{Key: long, Handler: "shell"}}},
		}},
	} {
		faults := graph.Validate(def)
		if len(faults) == 0 {
			t.Errorf("%s: accepted", what)
		}
		for _, f := range faults {
			if len(f.Message) > 300 {
				t.Errorf("%s: a fault of %d bytes", what, len(f.Message))
			}
		}
	}
}
