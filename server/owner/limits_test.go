package owner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

var poolDW = hive.LimitKey{Kind: hive.LimitPool, Name: "dw"} //nolint:gochecknoglobals // a constant, if Go had it

// limit sets limits, by their keys as text, with the schedules 1 and 2 for those that concern schedules.
func (f *fixture) limit(most map[string]int, held ...hive.HeldSlots) {
	s := hive.LimitState{Held: held}
	for key, n := range most {
		l := hive.ActiveLimit{Limit: hive.Limit{LimitKey: hive.ParseLimitKey(key), Most: n}}
		if l.Kind == hive.LimitTag || l.Kind == hive.LimitSchedule {
			l.Schedules = []int64{1, 2}
		}
		s.Limits = append(s.Limits, l)
	}
	f.owner.SetLimits(s)
	f.owner.DispatchReady(f.now)
}

// waits returns why the only run of a batch waits, and for what.
func (f *fixture) waits(batch int64) string {
	f.t.Helper()
	v, ok := f.owner.View(batch)
	require.True(f.t, ok)
	return fmt.Sprint(v.WaitReasons[0], ": ", v.WaitFor[0])
}

// The slots of a pool count over all schedules, and the end of an attempt frees its slots for the next run.
func TestPool(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limit(map[string]int{"pool dw": 3})
	for id := range int64(4) {
		f.routed(id+1, id+1, "", []string{", pool: {name: dw, slots: 2}", ", pool: {name: dw}"}[min(id, 1)])
	}
	f.routed(5, 5, "", ", pool: {name: none}")
	f.load(1, 2, 3, 4, 5)
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a"}, f.Tasks())
	assert.Equal(t, "pool: pool dw", f.waits(3))
	assert.Equal(t, "pool: pool none", f.waits(5))
	f.ends(1, "a")
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a", "3.a", "4.a"}, f.Tasks())
	f.limit(map[string]int{"pool dw": 2, "pool none": 1})
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a", "3.a", "4.a", "5.a"}, f.Tasks())
}

// A run that needs several slots is not passed by later ones with fewer, unless no executor could take it or the pool
// will never have enough.
func TestWideRunOfAPool(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wide string
		want []string
	}{
		"reserves":       {", pool: {name: dw, slots: 2}", []string{"1.a", "2.a"}},
		"too wide":       {", pool: {name: dw, slots: 3}", []string{"1.a", "2.a", "4.a"}},
		"without a pool": {"", []string{"1.a", "2.a", "3.a", "4.a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.limit(map[string]int{"pool dw": 2})
			f.routed(1, 1, "", ", pool: {name: dw}")
			f.routed(2, 2, "", ", pool: {name: dw}")
			f.routed(3, 3, "", c.wide)
			f.routed(4, 4, "", ", pool: {name: dw}")
			f.load(1, 2, 3, 4)
			f.settle()
			f.ends(1, "a")
			f.settle()
			assert.Equal(t, c.want, f.Tasks())
		})
	}
}

// A run that needs several slots starts, though its executor is busy whenever slots of the pool are free.
func TestWideRunWithABusyExecutor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limit(map[string]int{"pool dw": 2})
	f.Busy = "few"
	f.routed(1, 1, "", ", group: few, pool: {name: dw, slots: 2}")
	f.routed(2, 2, "", ", pool: {name: dw}")
	f.load(1, 2)
	f.settle()
	assert.Empty(t, f.Tasks(), "the slots are kept")
	assert.Equal(t, "busy: ", f.waits(1))
	assert.Equal(t, "pool: pool dw", f.waits(2))
	f.Busy = ""
	f.settle()
	assert.Equal(t, []string{"1.a"}, f.Tasks())
}

// Each kind of limit holds for its own runs, counts what other servers run, and can be changed while runs wait.
func TestLimits(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][]string{
		"server": {"1.a"}, "group default": {"1.a"}, "group other": {"1.a", "2.a", "3.a"},
		"tag night": {"1.a", "3.a"}, "schedule s1": {"1.a", "3.a"},
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			elsewhere := hive.HeldSlots{Batch: 77, Schedule: 2, Group: "default", Attempts: 1}
			f.limit(map[string]int{key: 0}, elsewhere)
			for id := range int64(3) {
				f.routed(id+1, id+1, "", "")
			}
			f.load(1, 2, 3)
			f.settle()
			f.limit(map[string]int{key: 1}, elsewhere)
			f.settle()
			if key == "group other" { // which no task is in
				assert.Len(t, f.Tasks(), 3)
			} else {
				assert.NotContains(t, f.Tasks(), "1.a", "another server runs one")
				assert.NotContains(t, f.Tasks(), "2.a")
				assert.Equal(t, "limit: "+key, f.waits(1))
			}
			f.limit(map[string]int{key: 1})
			f.settle()
			assert.ElementsMatch(t, want, f.Tasks())
			f.limit(nil)
			f.settle()
			assert.Len(t, f.Tasks(), 3)
		})
	}
}

// A commit with offers has the guards of their limits. Where it is refused, nothing that is limited is offered before
// the limits were read again.
func TestGuardOfALimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limit(map[string]int{"pool dw": 2, "tag night": 5})
	f.routed(1, 1, "", ", pool: {name: dw}")
	f.routed(2, 9, "", "")
	f.load(1, 2)
	g := f.owner.NextCommit(f.now)
	require.NotNil(t, g)
	assert.Equal(t, []hive.LimitGuard{
		{LimitKey: hive.LimitKey{Kind: hive.LimitTag, Name: "night"}, Schedules: []int64{1, 2}, Batches: []int64{1}},
		{LimitKey: poolDW, Batches: []int64{1}},
	}, g.Limits)
	fx := f.owner.CommitDone(f.now, &hive.GuardError{Batches: []int64{1}, Limited: true})
	require.Equal(t, []int64{1}, fx.Reload)
	assert.True(t, f.owner.LimitsOutdated())
	f.load(1)
	f.settle()
	assert.Equal(t, []string{"2.a"}, f.Tasks())
	f.limit(map[string]int{"pool dw": 2}, hive.HeldSlots{Batch: 77, Pool: "dw", Attempts: 1, Slots: 1})
	f.settle()
	assert.Equal(t, []string{"2.a", "1.a"}, f.Tasks())
	assert.False(t, f.owner.LimitsOutdated())
}

// A limit of a group counts the attempts on its executors, also of one that has changed its group since.
func TestLimitOfAGroupCountsItsExecutors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	within := func(group string, most int) {
		f.owner.SetLimits(hive.LimitState{Groups: map[string]string{"x1": "moved"}, Limits: []hive.ActiveLimit{{
			Limit: hive.Limit{LimitKey: hive.LimitKey{Kind: hive.LimitGroup, Name: group}, Most: most},
		}}})
		f.owner.DispatchReady(f.now)
	}
	f.routed(1, 1, "", "")
	f.routed(2, 2, "", "")
	f.routed(3, 3, "", ", group: moved")
	f.load(1)
	f.settle()
	require.Equal(t, []string{"1.a"}, f.Tasks())
	within("moved", 1)
	f.load(2, 3)
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a"}, f.Tasks(), "1 and 2 run on an executor of the group of 3")
	assert.Equal(t, "limit: group moved", f.waits(3))
	within("default", 1)
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a", "3.a"}, f.Tasks())
}

// A run that waits keeps its age when its batch is loaded again: after a restart, or because a commit was refused.
func TestAgeAfterARestart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Slots = 0
	f.routed(1, 1, "", ", priority: 1")
	f.load(1)
	f.settle()
	f.now = f.now.Add(2 * time.Hour)
	f.routed(2, 2, "", ", priority: 10")
	f.load(2)
	f.settle()
	f.begin()
	f.Number = 0
	f.Slots = 1
	f.load(2, 1)
	f.settle()
	assert.Equal(t, []string{"1.a"}, f.Tasks())
}

// A run keeps its age when an executor rejects it, and over a pause.
func TestAgeAfterARejection(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(f *fixture){
		"rejected": func(f *fixture) {
			f.Slots = 1
			f.settle()
			f.Slots = 0
			f.deliver(hive.AttemptEvent{
				Attempt: f.Attempt(1, "a"), Kind: hive.EventReturned, Rejected: true, At: f.now,
			})
			f.settle()
		},
		"paused": func(f *fixture) {
			for _, wish := range []string{"pause", "run"} {
				c := f.Command(int64(len(wish)), 1, hive.CommandWish, fmt.Sprintf(`{"wish":%q}`, wish))
				f.owner.HandleCommand(f.now, c, nil, hive.Revision{})
				f.settle()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Slots = 0
			f.routed(1, 1, "", ", priority: 1")
			f.load(1)
			f.settle()
			f.now = f.now.Add(2 * time.Hour)
			between(f)
			f.Offered = nil
			f.routed(2, 2, "", ", priority: 10")
			f.load(2)
			f.settle()
			f.Slots, f.Held = 1, map[int64]bool{}
			f.now = f.now.Add(time.Hour)
			f.owner.FireTimers(f.now)
			f.settle()
			assert.Equal(t, []string{"1.a"}, f.Tasks())
		})
	}
}

// A restart counts the attempts that are stored. Nothing is offered before the limits are known.
func TestLimitsAfterARestart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limit(map[string]int{"pool dw": 1})
	f.routed(1, 1, "", ", pool: {name: dw}")
	f.routed(2, 2, "", ", pool: {name: dw}")
	f.load(1, 2)
	f.settle()
	require.Equal(t, []string{"1.a"}, f.Tasks())
	f.begin()
	f.Number = 0
	f.owner.AwaitLimits()
	f.routed(3, 3, "", "")
	f.load(1, 2, 3)
	f.settle()
	assert.Empty(t, f.Tasks())
	f.limit(map[string]int{"pool dw": 1})
	f.settle()
	assert.Equal(t, []string{"3.a"}, f.Tasks(), "1 still runs")
}

// A task has the priority of its schedule unless it has one of its own.
func TestPriorityOfASchedule(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Slots = 0
	f.routed(1, 1, "", "")
	f.routed(2, 2, ", priority: 7", "")
	f.routed(3, 3, ", priority: 7", ", priority: 5")
	f.routed(4, 4, "", ", priority: 6")
	f.load(1, 2, 3, 4)
	f.Slots = 1
	f.settle()
	for len(f.Offered) < 4 {
		f.ends(f.Offered[len(f.Offered)-1].BatchID, "a")
		f.settle()
	}
	assert.Equal(t, []string{"2.a", "4.a", "1.a", "3.a"}, f.Tasks())
}

// Under a constant load of urgent runs, a run with the lowest priority starts after 90 minutes.
func TestNothingStarves(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Slots = 1
	f.routed(1, 1, "", ", priority: 10")
	f.load(1)
	f.settle()
	f.routed(2, 2, "", ", priority: 1")
	f.load(2)
	begin := f.now
	for id := int64(3); f.Attempt(2, "a") == 0; id++ {
		require.Less(t, f.now.Sub(begin), 2*time.Hour, "it starves")
		f.now = f.now.Add(5 * time.Minute)
		f.routed(id, id, "", ", priority: 10")
		f.load(id)
		f.ends(f.Offered[len(f.Offered)-1].BatchID, "a")
		f.settle()
	}
	assert.GreaterOrEqual(t, f.now.Sub(begin), 90*time.Minute)
}
