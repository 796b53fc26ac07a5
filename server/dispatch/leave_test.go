package dispatch

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// An executor that has said that it stops is no trouble when it does not answer any more. One that only went away is,
// and so is one that was started again.
func TestOrderlyStop(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	warned := func() int { return strings.Count(out.String(), "level=WARN") }
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	f := NewFleet(Settings{}, slog.New(slog.NewTextHandler(&out, nil)))
	fails := func() {
		t.Helper()
		calls := f.Calls(now)
		require.Len(t, calls, 1)
		f.Answered(now, calls[0], Answer{Err: errors.New("EOF")})
	}
	life := func(boot string) hive.Executor {
		return hive.Executor{ID: "x", Name: "x", BootID: boot, Durable: true, Address: boot + ":9999"}
	}
	f.Know(now, life("one"))
	f.Leave(life("none"))
	fails()
	assert.Equal(t, 1, warned(), "it went away without a word")

	f.Know(now, life("two"))
	now = now.Add(time.Second)
	calls := f.Calls(now)
	require.Len(t, calls, 1)
	f.Answered(now, calls[0], Answer{Boot: "two"})
	f.Leave(life("two"))
	f.Leave(life("two"))
	fails()
	f.Know(now, life("two")) // as the roster reads it
	now = now.Add(2 * time.Minute)
	f.Due(now)
	assert.Equal(t, 1, warned(), out.String())
	assert.Equal(t, 1, strings.Count(out.String(), "an executor stops"))

	f.Know(now, life("three"))
	fails()
	assert.Equal(t, 2, warned(), out.String())
}

// The fleet is told of those who may say so: by their token and their secret.
func TestWhoStops(t *testing.T) {
	t.Parallel()
	r := NewRegistry("c", registrar{map[string]hive.Executor{}}, func(hive.Executor) {}, time.Now)
	var left []string
	r.TellLeaving(func(_ context.Context, e hive.Executor) { left = append(left, e.ID+" "+e.BootID) })
	c := registration()
	_, err := r.RegisterExecutor(t.Context(), c)
	require.NoError(t, err)
	_, err = r.DeregisterExecutor(t.Context(),
		&hivego.DeregisterCall{Token: new("right"), ExecutorId: new("x1"), Secret: new("y")})
	require.Error(t, err)
	assert.Empty(t, left)
	_, err = r.DeregisterExecutor(t.Context(),
		&hivego.DeregisterCall{Token: new("right"), ExecutorId: new("x1"), Secret: new(secret)})
	require.NoError(t, err)
	assert.Equal(t, []string{"x1 " + c.GetBootId()}, left)
}

// A goodbye that arrives after the next life has registered ends nothing; one without a boot id ends the latest, as
// ever.
func TestLateGoodbye(t *testing.T) {
	t.Parallel()
	store, now := registrar{map[string]hive.Executor{}}, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	r := NewRegistry("c", store, func(hive.Executor) {}, func() time.Time { return now })
	var left []string
	r.TellLeaving(func(_ context.Context, e hive.Executor) { left = append(left, e.BootID) })
	_, err := r.RegisterExecutor(t.Context(), registration())
	require.NoError(t, err)
	for _, boot := range []*string{new("b0"), new("no\nboot id"), new("b1"), nil} {
		now = now.Add(time.Minute)
		reply, err := r.DeregisterExecutor(t.Context(), &hivego.DeregisterCall{
			Token: new("right"), ExecutorId: new("x1"), Secret: new(secret), BootId: boot,
		})
		require.NoError(t, err)
		assert.True(t, reply.GetKnown())
		assert.Equal(t, "b1", store.stored["x1"].BootID)
		if boot != nil && *boot == "b0" {
			assert.NotEqual(t, now, store.stored["x1"].SeenAt, "the next life's row is left as it is")
		}
	}
	assert.Equal(t, []string{"b0", "b1", "b1", "b1"}, left)

	f := NewFleet(Settings{}, quiet())
	life := func(boot string) hive.Executor {
		return hive.Executor{
			ID: "x", Name: "x", BootID: boot, Durable: true, Address: "x:1",
			Handlers: []hive.Handler{{Name: "shell"}},
		}
	}
	held := func() bool { return f.peers["x"].leaves() }
	f.Know(now, life("two"))
	f.Leave(life("one"))
	assert.False(t, held(), "the life before it stops")
	f.Leave(life("three"))
	assert.False(t, held(), "a life that is not known yet stops")
	f.Know(now, life("three"))
	assert.True(t, held(), "its registration came after its goodbye")
	f.Leave(life("one"))
	assert.True(t, held(), "it has said so")
	f.Know(now, life("four"))
	assert.False(t, held(), "it was started again")
}

// An executor that has said that it stops is offered nothing more, whatever it says that it said before. In its next
// life it is.
func TestNothingIsOfferedToOneThatLeaves(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{true, false} {
		now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
		f := NewFleet(Settings{}, quiet())
		life := func(boot string) hive.Executor {
			return hive.Executor{
				ID: "x", Name: "x", BootID: boot, Durable: durable, Address: boot + ":9999", Slots: 9,
				Handlers: []hive.Handler{{Name: "shell"}},
			}
		}
		answer := func(boot string, c Call) {
			d := &Description{ID: "x", BootID: boot, Name: "x", HasLoad: true, Handlers: life(boot).Handlers, Slots: 9}
			f.Answered(now, c, Answer{Boot: boot, HasLoad: true, Description: d})
		}
		hold := func() hive.WaitReason {
			_, _, hold := f.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"})
			return hold
		}
		for _, boot := range []string{"one", "two"} {
			f.Know(now, life(boot))
			now = now.Add(time.Minute)
			for _, c := range f.Calls(now) {
				answer(boot, c)
			}
			assert.Equal(t, hive.WaitNone, hold(), "durable %v, %s", durable, boot)
			now = now.Add(time.Minute)
			late := f.Calls(now)
			require.NotEmpty(t, late)
			f.Leave(life(boot))
			assert.Equal(t, hive.WaitOffline, hold(), "durable %v, %s", durable, boot)
			for _, c := range late {
				answer(boot, c)
			}
			assert.Equal(t, hive.WaitOffline, hold(), "durable %v, %s, after a late answer", durable, boot)
		}
	}
}

// One that only offers run says goodbye in the same way: nobody warns of it.
func TestOrderlyStopOfOneThatOnlyOffersRun(t *testing.T) {
	t.Parallel()
	for said, warns := range map[bool]int{false: 1, true: 0} {
		var out bytes.Buffer
		now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
		f := NewFleet(Settings{}, slog.New(slog.NewTextHandler(&out, nil)))
		x := hive.Executor{ID: "x", Name: "x", BootID: "one", Address: "x:9999"}
		f.Know(now, x)
		if said {
			f.Leave(x)
		}
		calls := f.Calls(now)
		require.Len(t, calls, 1)
		f.Answered(now, calls[0], Answer{Err: errors.New("EOF")})
		assert.Equal(t, warns, strings.Count(out.String(), "level=WARN"), out.String())
	}
}
