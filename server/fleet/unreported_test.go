package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// An executor leaves an adopted attempt out of its answers to attach. It is asked again after pauses. In the end the
// attempt is lost and held for a person, although the executor is in contact all the time.
func TestAttemptThatNoAttachReports(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	left, reported := hive.AttemptRef{ID: 5, Key: "left"}, hive.AttemptRef{ID: 6, Key: "reported"}
	for _, a := range []hive.AttemptRef{left, reported} {
		f.Adopt(now, "x", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: a.ID, Key: a.Key}, Started: true})
	}
	for range maxUnreported {
		require.Empty(t, f.Events())
		attach := due[*AttachCall](t, f, now)
		require.ElementsMatch(t, []hive.AttemptRef{left, reported}, attach.Attempts)
		f.Answered(now, &AttachAnswer{
			Call: attach, BootID: "b", Reports: []Report{{Attempt: reported, State: AttemptRunning}},
		})
		for _, c := range f.Calls(now) {
			require.IsType(t, &PollCall{}, c, "nothing is asked without a pause, and other calls go on")
			f.Answered(now, &PollAnswer{Call: c.(*PollCall), BootID: "b", Number: 2})
		}
		if wake := f.Wake(); wake.Before(now.Add(2 * askPause)) {
			now = wake
		}
	}
	events := f.Events()
	require.Len(t, events, 1)
	assert.Equal(t, left, events[0].Ref())
	assert.Equal(t, hive.EventLost, events[0].Kind)
	assert.True(t, events[0].Hold, "its work may still run")
	assert.Equal(t, []Note{Unreported{Executor: "x", Attempt: left}}, f.TakeNotes())
	for _, c := range f.Calls(now.Add(askPause)) {
		assert.NotEqual(t, kindAttach, c.Kind(), "it is not asked for any more")
	}
}

// An answer to a kill that leaves an order out is followed by another kill after a pause. Other calls need not wait.
func TestKillThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	a := hive.AttemptRef{ID: 5, Key: "a"}
	startAttempt(t, f, now, a)
	f.Kill("x", hive.KillOrder{Attempt: a.ID, Key: a.Key})
	first := due[*KillCall](t, f, now)
	f.Answered(now, &KillAnswer{Call: first})
	f.Reserve("x", ref(6))
	f.Offer(hive.Assignment{Attempt: 6, Executor: "x"})
	f.Answered(now, &SubmitAnswer{
		Call: due[*SubmitCall](t, f, now), Receipts: []Receipt{{Attempt: ref(6), Code: ReceiptStarted}},
	})
	for _, c := range f.Calls(now) {
		assert.NotEqual(t, kindKill, c.Kind(), "no pause")
	}
	assert.Equal(t, now.Add(askPause), f.Wake())

	now = now.Add(askPause)
	again := due[*KillCall](t, f, now)
	assert.Equal(t, first.Orders, again.Orders)
	f.Answered(now, &KillAnswer{Call: again, Reports: []Report{{Attempt: a, State: AttemptRunning}}})
	assert.True(t, f.Wake().After(now.Add(askPause)), "it is answered")
}

// An executor answers a kill with STALE: another server has the attempt.
func TestKillOfAnAttemptThatWasTakenOver(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	a := hive.AttemptRef{ID: 5, Key: "a"}
	startAttempt(t, f, now, a)
	f.Kill("x", hive.KillOrder{Attempt: a.ID, Key: a.Key})
	f.Answered(now, &KillAnswer{
		Call: due[*KillCall](t, f, now), Reports: []Report{{Attempt: a, State: AttemptStale}},
	})
	assert.Equal(t, []Note{TakenOver{Executor: "x", Attempt: a}}, f.TakeNotes())
}

// A lease that ends before its executor counts as silent wakes the loop too.
func TestWakeForAShortLease(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	f.set.OrphanTimeout = time.Second
	startAttempt(t, f, now, ref(5))
	end := now.Add(f.set.lease(0))
	require.True(t, end.Before(now.Add(f.set.SilentAfter)))
	assert.Equal(t, end, f.Wake())
	f.FireTimers(end)
	events := f.Events()
	require.Len(t, events, 1)
	assert.Equal(t, hive.EventLost, events[0].Kind)
}
