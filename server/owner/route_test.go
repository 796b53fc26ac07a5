package owner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// routed adds a batch of one task a, with more fields in its policy and its task.
func (f *fixture) routed(id, schedule int64, policy, task string) {
	f.Add(id, schedule, hive.BatchQueued, "", "a")
	doc := &f.Batches[id].Revision.Document
	*doc = strings.Replace(*doc, "expire: 6h", "expire: 6h"+policy, 1)
	*doc = strings.Replace(*doc, "handler: shell", "handler: shell"+task, 1)
	f.Batches[id].Revision.ID = id // the graphs are cached by it
}

// The route of a task is its own, else that of its schedule, else that of its group, else the default.
func TestRouteOfATask(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy, task string
		group        hive.Route
		want         hive.RouteSetting
	}{
		"task":     {", route: first", ", route: last", "lru", hive.RouteSetting{Route: "last", Origin: "task"}},
		"schedule": {", route: first", "", "lru", hive.RouteSetting{Route: "first", Origin: "schedule"}},
		"group":    {"", "", "lru", hive.RouteSetting{Route: "lru", Origin: "group"}},
		"default":  {"", "", "", hive.RouteSetting{Route: "least_loaded", Origin: "default"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.owner.SetGroupRoutes(map[string]hive.Route{"default": c.group, "other": "random"})
			f.routed(1, 1, c.policy, c.task+", selector: 'gpu, !spot'")
			f.load(1)
			f.settle()
			got := f.Wanted[f.Attempt(1, "a")]
			assert.Equal(t, c.want, got.RouteSetting)
			assert.Equal(t, hive.Selector{{Label: "gpu"}, {Label: "spot", Not: true}}, got.Selector)
		})
	}
}

// The key of consistent_hash chooses a bucket, and is stored with the choice. Without one, it is schedule and task.
func TestRouteKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"": "s1/a", ", routeKey: '\"x\" + tick.date'": "x2026-01-02"} {
		f := newFixture(t)
		f.Record = &hive.Scheduling{Route: hive.RouteConsistentHash, Group: 2}
		f.routed(1, 1, "", ", route: consistent_hash"+key)
		f.load(1)
		f.settle()
		require.Equal(t, hive.RouteBucket(want), f.Wanted[f.Attempt(1, "a")].Bucket, want)
		require.Len(t, f.Batches[1].Attempts, 1)
		assert.Equal(t, want, f.Batches[1].Attempts[0].Scheduling.Key)
		assert.Empty(t, f.Record.Key, "the record of the fleet is shared")
	}
}

// A key that cannot be evaluated refuses the attempt, with the error. No executor is called.
func TestRouteKeyWithAnError(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.routed(1, 1, "", ", route: consistent_hash, routeKey: outputs.none.x")
	f.load(1)
	f.settle()
	assert.Empty(t, f.Offered)
	require.Len(t, f.Batches[1].Attempts, 1)
	a := f.Batches[1].Attempts[0]
	assert.Equal(t, hive.OutcomeRefused, a.Outcome)
	assert.Contains(t, a.Error, "routeKey")
}

// A new route of a group holds for the runs that wait, which keep their order.
func TestGroupRouteChangesWhileRunsWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Slots = 1
	for id := range int64(4) {
		f.routed(id+1, id+1, "", "")
	}
	f.load(1, 2, 3, 4)
	f.settle()
	require.Equal(t, []string{"1.a"}, f.Tasks())
	f.owner.SetGroupRoutes(map[string]hive.Route{"default": hive.RouteRoundRobin})
	for id := range int64(3) {
		f.ends(id+1, "a")
		f.settle()
	}
	assert.Equal(t, []string{"1.a", "2.a", "3.a", "4.a"}, f.Tasks())
	assert.Equal(t, hive.RouteSetting{Route: hive.RouteRoundRobin, Origin: hive.RouteOfGroup},
		f.Wanted[f.Attempt(2, "a")].RouteSetting)
}

// The count of rejected offers survives a restart.
func TestRejectsAreStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.routed(1, 1, "", ", reject: {max: 2}")
	f.load(1)
	f.settle()
	reject := func() {
		open := f.Batches[1].Attempts[len(f.Batches[1].Attempts)-1]
		f.deliver(hive.AttemptEvent{
			Attempt: open.ID, Key: open.Key, Kind: hive.EventReturned, Rejected: true, Words: hive.Plain("busy"),
		})
		f.settle()
	}
	reject()
	reject()
	require.Equal(t, 2, f.Batches[1].Runs[0].Rejects)
	f.begin()
	f.Number = 0 // a new session counts its commits anew
	f.load(1)
	f.settle()
	reject()
	assert.Equal(t, hive.RunFailed, f.Batches[1].Runs[0].State)
	assert.Equal(t, hive.ReasonRejected, f.Batches[1].Runs[0].Reason)
}
