package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// A run is ready since the latest of its round, its own change, and the changes of what it needs.
func TestReadySince(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return epoch().Add(time.Duration(minute) * time.Minute) }
	for _, flow := range []hive.Flow{hive.FlowNeeds, hive.FlowStrict} {
		def := schedule(
			job("one", task("a"), task("b"), task("running"), task("again")),
			job("two", task("all"), task("one", "a"), task("both", "a", "b")),
		)
		def.Flow = flow
		g, err := graph.Compile(def)
		if err != nil {
			t.Fatal(err)
		}
		img := freshImage(g)
		img.Batch.State, img.Batch.RoundAt = hive.BatchRunning, at(1)
		set := func(n int, s hive.RunState, minute int) {
			img.Runs[n].State, img.Runs[n].ChangedAt = s, at(minute)
		}
		set(0, hive.RunSucceeded, 3)
		set(1, hive.RunSucceeded, 5)
		set(2, hive.RunSucceeded, 7)
		set(3, hive.RunSucceeded, 8)
		want := map[int]time.Time{4: at(8), 5: at(3), 6: at(5)}
		if flow == hive.FlowStrict {
			want = map[int]time.Time{4: at(8), 5: at(8), 6: at(8)}
		}
		assert.Equal(t, want, New(img, whens{}).ReadySince(), flow)

		set(2, hive.RunRunning, 7)
		img.Runs[2].Attempt = 1
		set(3, hive.RunReady, 8)
		img.Runs[3].NotBefore = at(9)
		want = map[int]time.Time{3: at(9), 5: at(3), 6: at(5)}
		if flow == hive.FlowStrict {
			want = map[int]time.Time{3: at(9)}
		}
		assert.Equal(t, want, New(img, whens{}).ReadySince(), flow)
	}
	g, err := graph.Compile(schedule(job("one", task("a"))))
	if err != nil {
		t.Fatal(err)
	}
	img := freshImage(g)
	img.Batch.State, img.Batch.RoundAt = hive.BatchRunning, at(1)
	assert.Equal(t, map[int]time.Time{0: at(1)}, New(img, whens{}).ReadySince(), "the round begins later")
}
