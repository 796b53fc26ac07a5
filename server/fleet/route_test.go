package fleet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

// routed is a fleet of attached executors for tests of Pick.
type routed struct {
	*Fleet
	now  time.Time
	next int64
}

// newRouted makes executors with these names in group gpu, with two slots each.
func newRouted(seed uint64, names ...string) *routed {
	f := &routed{Fleet: New(Settings{Seed: seed}), now: time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)}
	for _, name := range names {
		f.join(name, "gpu")
	}
	return f
}

func (f *routed) join(name, group string) {
	f.Register(f.now, hive.Executor{
		ID: "id-" + name, Name: name, Group: group, Slots: 2, BootID: "b", Durable: true,
		Labels: map[string]string{"name": name}, Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.executors["id-"+name].attached = true
}

func (f *routed) of(name string) *executorState { return f.executors["id-"+name] }

// use takes slots of an executor.
func (f *routed) use(name string, slots int) {
	for range slots {
		f.next++
		f.Reserve("id-"+name, ref(f.next))
	}
}

func need(r hive.Route) hive.Requirement {
	return hive.Requirement{
		Group: "gpu", Handler: "shell", RouteSetting: hive.RouteSetting{Route: r, Origin: hive.RouteOfTask},
	}
}

// choose picks an executor, and counts the choice as the reservation of a slot does.
func (f *routed) choose(req hive.Requirement) hive.Choice {
	c := f.Pick(req)
	if c.Executor != "" {
		f.countChoice(f.executors[c.Executor])
	}
	return c
}

// picks returns the names of the executors of a number of choices; "" for none.
func (f *routed) picks(req hive.Requirement, n int) []string {
	var out []string
	for range n {
		out = append(out, f.choose(req).Name)
	}
	return out
}

// shown returns a choice as text: the name of the executor, or the reason to wait and for whom.
func shown(c hive.Choice) string {
	if c.Executor != "" {
		return c.Name
	}
	return string(c.Wait) + ":" + c.For
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	full := func(names ...string) func(*routed) {
		return func(f *routed) {
			for _, name := range names {
				f.use(name, 2)
			}
		}
	}
	with := func(name string, change func(x *executorState)) func(*routed) {
		return func(f *routed) { change(f.of(name)) }
	}
	silent := func(x *executorState) { x.silent = true }
	offline := func(x *executorState) { x.exec.Offline = true }
	drained := func(x *executorState) { x.exec.Drained = true }
	draining := func(x *executorState) { x.draining = true }
	detached := func(x *executorState) { x.attached = false }
	for name, c := range map[string]struct {
		route  hive.Route
		before func(*routed)
		want   string
	}{
		"least loaded: the smallest share":      {hive.RouteLeastLoaded, func(f *routed) { f.use("a", 1) }, "b"},
		"round robin: one after the other":      {hive.RouteRoundRobin, nil, "a,b,c,a,b"},
		"round robin: passes full ones":         {hive.RouteRoundRobin, full("b"), "a,c,a"},
		"round robin: all full":                 {hive.RouteRoundRobin, full("a", "b", "c"), "busy:"},
		"first":                                 {hive.RouteFirst, nil, "a,a"},
		"first: waits for a silent one":         {hive.RouteFirst, with("a", silent), "silent:a"},
		"first: waits for a slot":               {hive.RouteFirst, full("a"), "busy:a"},
		"first: waits while it drains itself":   {hive.RouteFirst, with("a", draining), "offline:a"},
		"first: passes one that is offline":     {hive.RouteFirst, with("a", offline), "b"},
		"last":                                  {hive.RouteLast, nil, "c,c"},
		"last: passes one that a person drains": {hive.RouteLast, with("c", drained), "b"},
		"failover: the first in contact":        {hive.RouteFailover, with("a", silent), "b,b"},
		"failover: passes one that drains":      {hive.RouteFailover, with("a", draining), "b"},
		"failover: waits for a slot":            {hive.RouteFailover, full("a"), "busy:a"},
		"failover: waits for one that attaches": {hive.RouteFailover, with("a", detached), "silent:a"},
		"busy over: the first with a slot":      {hive.RouteBusyOver, full("a"), "b,b"},
		"busy over: passes a silent one":        {hive.RouteBusyOver, with("a", silent), "b"},
		"lru":                                   {hive.RouteLRU, nil, "a,b,c,a"},
		"lru: a full one keeps its turn": {
			hive.RouteLRU, func(f *routed) { f.picks(need(hive.RouteLRU), 3); f.use("a", 2) }, "b,c",
		},
		"lfu": {
			hive.RouteLFU, func(f *routed) { f.picks(need(hive.RouteFirst), 3); f.picks(need(hive.RouteLast), 1) },
			"b,b,c,b,c,a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRouted(1, "c", "a", "b")
			if c.before != nil {
				c.before(f)
			}
			var got []string
			for range strings.SplitSeq(c.want, ",") {
				got = append(got, shown(f.choose(need(c.route))))
			}
			require.Equal(t, c.want, strings.Join(got, ","))
		})
	}
}

// A new executor does not get everything until it has been chosen as often as the others.
func TestLFUStartsNewExecutorsWithTheOthers(t *testing.T) {
	t.Parallel()
	f := newRouted(1, "a", "b")
	f.picks(need(hive.RouteLFU), 10)
	f.join("c", "gpu")
	assert.Equal(t, []string{"a", "b", "c"}, f.picks(need(hive.RouteLFU), 3))
}

// The same seed gives the same choices, another seed gives others, and all executors are chosen about equally often.
func TestRandomRoute(t *testing.T) {
	t.Parallel()
	const n = 3000
	req := need(hive.RouteRandom)
	one := newRouted(7, "a", "b", "c").picks(req, n)
	assert.Equal(t, one, newRouted(7, "a", "b", "c").picks(req, n))
	assert.NotEqual(t, one, newRouted(8, "a", "b", "c").picks(req, n))
	counts := map[string]int{}
	for _, name := range one {
		counts[name]++
	}
	for _, name := range []string{"a", "b", "c"} {
		assert.InDelta(t, n/3, counts[name], n/20, name)
	}
}

// The executors of a group that has several are recorded with each choice: the chosen one first.
func TestSchedulingRecord(t *testing.T) {
	t.Parallel()
	f := newRouted(1, "a", "b", "c")
	f.join("z", "other")
	f.use("a", 2)
	f.of("c").silent = true
	got := f.choose(need(hive.RouteBusyOver)).Scheduling
	assert.Equal(t, &hive.Scheduling{
		Route: hive.RouteBusyOver, Origin: hive.RouteOfTask, Group: 3, Considered: []hive.Considered{
			{Name: "b", Slots: 2},
			{Name: "a", Used: 2, Slots: 2, Wait: hive.WaitBusy},
			{Name: "c", Slots: 2, Wait: hive.WaitSilent},
		},
	}, got)
	other := need(hive.RouteLeastLoaded)
	other.Group = "other"
	choice := f.choose(other)
	assert.Equal(t, "z", choice.Name)
	assert.Nil(t, choice.Scheduling, "there was no choice")
}

// Who asks and offers nothing does not change what comes next, whatever was asked.
func TestAQuestionIsNoChoice(t *testing.T) {
	t.Parallel()
	for _, route := range []hive.Route{hive.RouteRoundRobin, hive.RouteLRU, hive.RouteLFU} {
		asked, quiet := newRouted(1, "a", "b", "c"), newRouted(1, "a", "b", "c")
		for range 7 {
			asked.Pick(need(route))
			asked.Pick(need(hive.RouteLast))
			require.Equal(t, quiet.choose(need(route)).Name, asked.choose(need(route)).Name, route)
		}
	}
}

// Labels, selector and name narrow the executors for every route, and only candidates with a free slot are chosen.
func TestRoutesOnlyPickCandidates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := newRouted(rapid.Uint64().Draw(t, "seed"))
		n := rapid.IntRange(1, 6).Draw(t, "executors")
		for i := range n {
			name := fmt.Sprintf("x%d", i)
			f.join(name, rapid.SampledFrom([]string{"gpu", "gpu", "cpu"}).Draw(t, "group"))
			x := f.of(name)
			x.exec.Labels["zone"] = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone")
			x.exec.Offline = rapid.IntRange(0, 4).Draw(t, "offline") == 0
			x.silent = rapid.IntRange(0, 4).Draw(t, "silent") == 0
			x.attached = rapid.IntRange(0, 4).Draw(t, "detached") != 0
			f.use(name, rapid.IntRange(0, 2).Draw(t, "used"))
		}
		for range rapid.IntRange(1, 12).Draw(t, "picks") {
			req := need(rapid.SampledFrom(hive.Routes()).Draw(t, "route"))
			req.Bucket = rapid.IntRange(0, hive.RouteBuckets-1).Draw(t, "bucket")
			selector := rapid.SampledFrom([]string{"", "zone=a", "zone!=a", "!zone"}).Draw(t, "selector")
			req.Selector, _ = hive.ParseSelector(selector)
			got := f.choose(req)
			free := 0
			for _, x := range f.order {
				if x.whyNot(&req) == hive.WaitNone {
					free++
				}
			}
			if got.Executor == "" {
				if got.Wait == hive.WaitNone || got.For == "" && free > 0 {
					t.Fatalf("%v chose nobody of %d: %+v", req.Route, free, got)
				}
				continue
			}
			if why := f.executors[got.Executor].whyNot(&req); why != hive.WaitNone || got.Wait != hive.WaitNone {
				t.Fatalf("%v chose %s, which is %q (%q)", req.Route, got.Name, why, got.Wait)
			}
			f.use(got.Name, 1)
		}
	})
}

// Without one executor, its buckets spread over the others, and no other bucket moves. They come back with it.
func TestConsistentHashMovesOnlyTheKeysOfALostExecutor(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e"}
	f := newRouted(1, names...)
	where := func() map[int]string {
		out := map[int]string{}
		for bucket := range hive.RouteBuckets {
			req := need(hive.RouteConsistentHash)
			req.Bucket = bucket
			out[bucket] = f.choose(req).Name
		}
		return out
	}
	before := where()
	f.of("c").silent = true
	during := where()
	taken := map[string]bool{}
	for bucket, name := range before {
		if name != "c" {
			require.Equal(t, name, during[bucket], bucket)
			continue
		}
		require.NotEqual(t, "c", during[bucket])
		taken[during[bucket]] = true
	}
	assert.Greater(t, len(taken), 1, "several executors take over")
	f.of("c").silent = false
	assert.Equal(t, before, where())
}

// A full executor keeps its keys: the task waits for it.
func TestConsistentHashWaitsForASlot(t *testing.T) {
	t.Parallel()
	f := newRouted(1, "a", "b", "c")
	req := need(hive.RouteConsistentHash)
	name := f.choose(req).Name
	f.use(name, 2)
	assert.Equal(t, hive.Choice{Wait: hive.WaitBusy, For: name}, f.choose(req))
}

// Whatever joins, leaves and fills up, round robin gives two executors that are always free the same share.
func TestRoundRobinIsFair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := newRouted(1, "a", "b", "c", "d")
		req := need(hive.RouteRoundRobin)
		counts := map[string]int{}
		for range 40 {
			f.of("b").silent = rapid.Bool().Draw(t, "b")
			f.of("d").silent = rapid.Bool().Draw(t, "d")
			counts[f.choose(req).Name]++
		}
		if d := counts["a"] - counts["c"]; d < -1 || d > 1 {
			t.Fatalf("not fair: %v", counts)
		}
	})
}
