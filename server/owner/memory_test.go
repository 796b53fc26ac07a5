package owner_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// watchedGraphs compiles graphs without a cache, and knows whether the last one is still in memory.
type watchedGraphs struct{ last weak.Pointer[graph.Graph] }

func (w *watchedGraphs) Compile(rev *hive.Revision) (*graph.Graph, error) {
	doc, _ := document.Parse([]byte(rev.Document), document.Options{Stored: true})
	g, err := graph.Compile(doc.Definition)
	w.last = weak.Make(g)
	return g, err
}

// A batch that the owner has given up leaves nothing behind: neither a timer that is due in days, nor a place in the
// queue of an executor that is busy for days. Either would keep the whole batch in memory.
func TestBatchLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	drop := &hive.GuardError{Batches: []int64{1}}
	for name, leave := range map[string]func(f *fixture){
		"ended before its timeout": func(f *fixture) {
			f.ends(1, "a")
			f.settle()
		},
		"dropped before its timeout": func(f *fixture) {
			f.deliver(hive.AttemptEvent{Attempt: f.Attempt(1, "a"), Kind: hive.EventStarted})
			f.now = f.now.Add(time.Second)
			f.commit(drop)
		},
		"dropped between two attempts": func(f *fixture) {
			f.deliver(hive.AttemptEvent{
				Attempt: f.Attempt(1, "a"), Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeFailure, At: f.now,
			})
			f.commit(drop)
		},
		"dropped while it waits for an executor": func(f *fixture) {
			f.Slots = 0
			f.deliver(hive.AttemptEvent{Attempt: f.Attempt(1, "a"), Kind: hive.EventReturned})
			f.commit(drop)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, graphs := newFixture(t), &watchedGraphs{}
			f.graphs = graphs
			f.begin()
			f.Add(1, 1, hive.BatchQueued, "", "a")
			f.Batches[1].Revision.Document = strings.NewReplacer("{expire: 6h}", "{timeout: 7d}",
				"handler: shell", "handler: shell, retry: {max: 2, delay: 1h}").Replace(f.Batches[1].Revision.Document)
			f.load(1)
			f.settle()
			leave(f)
			require.False(t, f.owner.Has(1))
			assert.Eventually(t, func() bool { runtime.GC(); return graphs.last.Value() == nil }, 5*time.Second,
				time.Millisecond, "it is still in memory")
			runtime.KeepAlive(f)
		})
	}
}
