package document

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func revisionOf(id int64, tasks int) *hive.Revision {
	var w strings.Builder
	w.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: s\njobs:\n  - key: j\n    tasks:\n")
	for i := range tasks {
		fmt.Fprintf(&w, "      - {key: t%d, handler: shell}\n", i)
	}
	return &hive.Revision{ID: id, Number: id, Document: w.String()}
}

func TestGraphsAreCached(t *testing.T) {
	t.Parallel()
	var g Graphs
	compile := func(rev *hive.Revision) any {
		t.Helper()
		made, err := g.Compile(rev)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	first := compile(revisionOf(1, 2))
	if compile(revisionOf(1, 2)) != first {
		t.Error("made twice")
	}
	if compile(revisionOf(1, 3)) == first || compile(revisionOf(2, 2)) == first {
		t.Error("another revision's")
	}
	for i := range int64(maxGraphs) {
		compile(revisionOf(1, 2)) // in use
		compile(revisionOf(100+i, 1))
	}
	if compile(revisionOf(1, 2)) != first {
		t.Error("a recently used graph was dropped")
	}
	if len(g.cached) > maxGraphs {
		t.Errorf("%d graphs are cached", len(g.cached))
	}
}

func TestGraphsAreBoundedByTheirTasks(t *testing.T) {
	t.Parallel()
	var g Graphs
	for i := range int64(6) {
		if _, err := g.Compile(revisionOf(i, maxGraphTasks/4)); err != nil {
			t.Fatal(err)
		}
	}
	if len(g.cached) != 4 || g.cached[3].id != 5 {
		t.Errorf("%d graphs are cached", len(g.cached))
	}
}

func TestTextIsParsedOnceWhileItsDefinitionIsInUse(t *testing.T) {
	t.Parallel()
	var g Graphs
	readTwice(t, &g)
	g.cached = nil
	for range 100_000 { // cleanups run some time after a collection
		runtime.GC()
		runtime.Gosched()
		g.mu.Lock()
		left := len(g.read)
		g.mu.Unlock()
		if left == 0 {
			return
		}
	}
	t.Error("the cache has texts whose definitions are not in use")
}

func readTwice(t *testing.T, g *Graphs) {
	t.Helper()
	rev := revisionOf(1, 2)
	held, faults := g.Definition(rev.Document)
	if held == nil {
		t.Fatalf("not read: %v", faults)
	}
	if made, err := g.Compile(rev); err != nil || made.Def != held {
		t.Errorf("the graph has a definition of its own; error %v", err)
	}
	if other, _ := g.Definition(revisionOf(1, 3).Document); other == held {
		t.Error("another text's")
	}
	runtime.KeepAlive(held)
}

func TestGraphsOfDamagedRevisions(t *testing.T) {
	t.Parallel()
	var g Graphs
	if _, err := g.Compile(&hive.Revision{ID: 1, Document: "kind: [Schedule"}); hive.CodeOf(err) != hive.CodeInternal {
		t.Errorf("error %v", err)
	}
}
