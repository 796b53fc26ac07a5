package graph_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

type vector struct {
	Name       string          `json:"name"`
	Definition hive.Definition `json:"definition"`
	Faults     []hive.Fault    `json:"faults"`
	Redundant  []string        `json:"redundant"`
}

func TestVectors(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var vectors []vector
		if err := json.Unmarshal(src, &vectors); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, v := range vectors {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+v.Name, func(t *testing.T) {
				t.Parallel()
				checkVector(t, v)
			})
		}
	}
}

func checkVector(t *testing.T, v vector) {
	t.Helper()
	faults := graph.Validate(&v.Definition)
	if got, want := codes(faults), codes(v.Faults); !slices.Equal(got, want) {
		t.Errorf("faults\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	for _, f := range faults {
		if f.Message == "" || f.Remedy == "" || f.Warning || f.Line != 0 {
			t.Errorf("a fault must have a message and a remedy, and no line: %+v", f)
		}
	}
	g, err := graph.Compile(&v.Definition)
	// a stored definition may have bad titles
	shape := slices.DeleteFunc(faults, func(f hive.Fault) bool { return f.Code == graph.CodeBadTitle })
	if (err != nil) != (len(shape) > 0) {
		t.Fatalf("Compile: %v", err)
	}
	if err != nil {
		if hive.CodeOf(err) != hive.CodeInvalid {
			t.Errorf("code %s", hive.CodeOf(err))
		}
		return
	}
	slices.Sort(v.Redundant)
	if got := redundant(g); !slices.Equal(got, v.Redundant) {
		t.Errorf("redundant: got %v, want %v", got, v.Redundant)
	}
}

func codes(faults []hive.Fault) []string {
	out := make([]string, 0, len(faults))
	for _, f := range faults {
		out = append(out, f.Path+" "+f.Code)
	}
	slices.Sort(out)
	return out
}

// redundant lists the paths of all redundant needs of g, sorted.
func redundant(g *graph.Graph) []string {
	out := []string{}
	for _, task := range g.Tasks {
		for i, key := range task.Spec.Needs {
			if n, _ := g.Lookup(key); slices.Contains(task.Redundant, n) {
				out = append(out, fmt.Sprintf("jobs[%d].tasks[%d].needs[%d]", task.Job,
					task.Index-g.Jobs[task.Job].First, i))
			}
		}
	}
	slices.Sort(out)
	return out
}
