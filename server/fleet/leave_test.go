package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// countNotes counts the notes of orderly stops, and the notes that warn of an executor out of contact.
func countNotes(f *Fleet) (stops, warnings int) {
	for _, n := range f.TakeNotes() {
		switch n.(type) {
		case Stopping:
			stops++
		case NotAnswering, Silent:
			warnings++
		}
	}
	return stops, warnings
}

// There is no warning of an executor that does not answer after it has announced its stop. There is one for an executor
// that disappeared without an announcement, and for one that was started again.
func TestOrderlyStop(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	f := New(Settings{})
	var stops, warnings int
	count := func() {
		s, w := countNotes(f)
		stops, warnings = stops+s, warnings+w
	}
	fails := func() {
		t.Helper()
		calls := f.Calls(now)
		require.Len(t, calls, 1)
		f.Answered(now, &Unanswered{Call: calls[0].(SessionCall), Failure: Failure{Words: "EOF"}})
		count()
	}
	life := func(boot string) hive.Executor {
		return hive.Executor{ID: "x", Name: "x", BootID: boot, Durable: true, Address: boot + ":9999"}
	}
	f.Register(now, life("one"))
	f.Leave(life("none"))
	fails()
	assert.Equal(t, 1, warnings, "it went away without a word")

	f.Register(now, life("two"))
	now = now.Add(time.Second)
	calls := f.Calls(now)
	require.Len(t, calls, 1)
	f.Answered(now, &AttachAnswer{Call: calls[0].(*AttachCall), BootID: "two"})
	f.Leave(life("two"))
	f.Leave(life("two"))
	fails()
	f.Register(now, life("two")) // as it is read from the database
	now = now.Add(2 * time.Minute)
	f.FireTimers(now)
	count()
	assert.Equal(t, 1, warnings)
	assert.Equal(t, 1, stops)

	f.Register(now, life("three"))
	fails()
	assert.Equal(t, 2, warnings)
}

// Leave of an earlier process changes nothing. Leave before the registration of its process is remembered.
func TestLateLeave(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	f := New(Settings{})
	life := func(boot string) hive.Executor {
		return hive.Executor{
			ID: "x", Name: "x", BootID: boot, Durable: true, Address: "x:1",
			Handlers: []hive.Handler{{Name: "shell"}},
		}
	}
	refuses := func() bool { return f.executors["x"].refusesNew() }
	f.Register(now, life("two"))
	f.Leave(life("one"))
	assert.False(t, refuses(), "the life before it stops")
	f.Leave(life("three"))
	assert.False(t, refuses(), "a life that is not known yet stops")
	f.Register(now, life("three"))
	assert.True(t, refuses(), "its registration came after its goodbye")
	f.Leave(life("one"))
	assert.True(t, refuses(), "it has said so")
	f.Register(now, life("four"))
	assert.False(t, refuses(), "it was started again")
}

// An executor that has announced its stop gets no offers, even if an earlier answer arrives late. Its next process gets
// offers again.
func TestStoppingExecutorGetsNoOffers(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{true, false} {
		now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
		f := New(Settings{})
		life := func(boot string) hive.Executor {
			return hive.Executor{
				ID: "x", Name: "x", BootID: boot, Durable: durable, Address: boot + ":9999", Slots: 9,
				Handlers: []hive.Handler{{Name: "shell"}},
			}
		}
		answer := func(boot string, c Call) {
			d := Description{ID: "x", BootID: boot, Name: "x", Load: &Load{}, Handlers: life(boot).Handlers, Slots: 9}
			switch c := c.(type) {
			case *DescribeCall:
				f.Answered(now, &DescribeAnswer{Call: c, Description: d})
			case *AttachCall:
				f.Answered(now, &AttachAnswer{Call: c, BootID: boot, Load: d.Load, Description: d})
			case *PollCall:
				f.Answered(now, &PollAnswer{Call: c, BootID: boot, Load: d.Load})
			default:
				t.Errorf("unexpected call %T", c)
			}
		}
		wait := func() hive.WaitReason {
			return f.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"}).Wait
		}
		for _, boot := range []string{"one", "two"} {
			f.Register(now, life(boot))
			now = now.Add(time.Minute)
			for _, c := range f.Calls(now) {
				answer(boot, c)
			}
			assert.Equal(t, hive.WaitNone, wait(), "durable %v, %s", durable, boot)
			now = now.Add(time.Minute)
			late := f.Calls(now)
			require.NotEmpty(t, late)
			f.Leave(life(boot))
			assert.Equal(t, hive.WaitOffline, wait(), "durable %v, %s", durable, boot)
			for _, c := range late {
				answer(boot, c)
			}
			assert.Equal(t, hive.WaitOffline, wait(), "durable %v, %s, after a late answer", durable, boot)
		}
	}
}

// The same holds for an executor that only offers run: there is no warning.
func TestOrderlyStopOfARunOnlyExecutor(t *testing.T) {
	t.Parallel()
	for text, warns := range map[bool]int{false: 1, true: 0} {
		now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
		f := New(Settings{})
		x := hive.Executor{ID: "x", Name: "x", BootID: "one", Address: "x:9999"}
		f.Register(now, x)
		if text {
			f.Leave(x)
		}
		calls := f.Calls(now)
		require.Len(t, calls, 1)
		f.Answered(now, &Unanswered{Call: calls[0].(*DescribeCall), Failure: Failure{Words: "EOF"}})
		_, warnings := countNotes(f)
		assert.Equal(t, warns, warnings)
	}
}
