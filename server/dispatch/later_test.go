package dispatch

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// durable is a fleet with one durable executor that has been attached to, in session 7.
func durable(t *testing.T) (*calling, time.Time) {
	t.Helper()
	f, now := &calling{Fleet: NewFleet(Settings{}, quiet())}, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	f.Renew(7)
	f.Know(now, hive.Executor{
		ID: "x", Name: "x", Address: "x:1", Slots: 4, BootID: "b", Durable: true,
		Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.Answered(now, call(t, f, now, CallAttach), Answer{Boot: "b"})
	f.Answered(now, call(t, f, now, CallPoll), Answer{Boot: "b", Number: 1})
	return f, now
}

// calling is a fleet and the calls that are under way.
type calling struct {
	*Fleet
	under []Call
}

// call is the call of a kind that is under way, or due now.
func call(t *testing.T, f *calling, now time.Time, kind CallKind) Call {
	t.Helper()
	f.under = append(f.under, f.Calls(now)...)
	for i, c := range f.under {
		if c.Kind == kind {
			f.under = slices.Delete(f.under, i, i+1)
			return c
		}
	}
	require.Fail(t, "no such call is due", kind)
	return Call{}
}

// give hands an attempt over: it runs.
func give(t *testing.T, f *calling, now time.Time, a hive.AttemptRef) {
	t.Helper()
	f.Reserve("x", a)
	f.Offer(hive.Assignment{Attempt: a.ID, Key: a.Key, Executor: "x"})
	f.Answered(now, call(t, f, now, CallSubmit), Answer{Receipts: []ReceiptLine{{Attempt: a, Receipt: ReceiptStarted}}})
	require.Equal(t, hive.EventStarted, f.Events()[0].Kind)
}

// An executor that has heard of a later session says which; one that lies about it is not heeded.
func TestLaterSessions(t *testing.T) {
	t.Parallel()
	for heard, want := range map[int64]bool{6: false, 7: true, 8: true, 7 + farthest: true, 8 + farthest: false} {
		f, now := durable(t)
		now = now.Add(time.Second)
		f.Answered(now, call(t, f, now, CallPoll), Answer{Err: spoken("poll", &hivego.StaleEpoch{Epoch: &heard})})
		later, ok := f.Later()
		assert.Equal(t, want, ok, heard)
		if want {
			assert.Equal(t, hive.Later{Executor: "x", Epoch: heard}, later)
		}
		_, again := f.Later()
		assert.False(t, again, "each is told once")
		assert.Contains(t, f.Statuses(now)[0].Trouble, "it has heard of a later session of this server")
	}
}

// What an answer says of a call of the session before counts for nothing.
func TestLaterSessionOfBefore(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	now = now.Add(time.Second)
	poll := call(t, f, now, CallPoll)
	f.Renew(9)
	f.Answered(now, poll, Answer{Err: &hivego.StaleEpoch{Epoch: new(int64(8))}})
	_, ok := f.Later()
	assert.False(t, ok)
}

// Exceptions of the contract are told in words, and are found again.
func TestSpokenErrors(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"poll: refused for session 5: no words": &hivego.StaleEpoch{Epoch: new(int64(5))},
		"poll: refused: wrong token":            &hivego.AccessDenied{Message: new("wrong token")},
		"poll: it cannot read the call: too big": &hivego.BadCall{
			Message: new("too big"),
		},
		"poll: EOF": errors.New("EOF"),
	} {
		is := spoken("poll", err)
		assert.Equal(t, want, is.Error())
		require.ErrorIs(t, is, err)
	}
}

// The same id with another key is another attempt in every answer of an executor.
func TestAnotherKeyIsAnotherAttempt(t *testing.T) {
	t.Parallel()
	mine, other := hive.AttemptRef{ID: 5, Key: "mine"}, hive.AttemptRef{ID: 5, Key: "other"}
	end := func(a hive.AttemptRef, seq int64) hive.AttemptEvent {
		return hive.AttemptEvent{
			Attempt: a.ID, Key: a.Key, Kind: hive.EventEnded, Seq: seq,
			Outcome: hive.OutcomeSuccess,
		}
	}
	t.Run("receipt", func(t *testing.T) {
		t.Parallel()
		f, now := durable(t)
		f.Reserve("x", mine)
		f.Offer(hive.Assignment{Attempt: 5, Key: "mine", Executor: "x"})
		f.Answered(now, call(t, f, now, CallSubmit),
			Answer{Receipts: []ReceiptLine{{Attempt: other, Receipt: ReceiptStarted}}})
		events := f.Events()
		require.Len(t, events, 1)
		assert.Equal(t, hive.EventNoted, events[0].Kind, "there is no receipt for it")
		assert.Equal(t, "mine", events[0].Key)
	})
	t.Run("event", func(t *testing.T) {
		t.Parallel()
		f, now := durable(t)
		give(t, f, now, mine)
		f.Answered(now, call(t, f, now, CallPoll),
			Answer{Boot: "b", Number: 2, Events: []hive.AttemptEvent{end(other, 3)}})
		assert.Empty(t, f.Events())
		strays := f.Strays()
		require.Len(t, strays, 1)
		assert.Equal(t, other, strays[0].Attempt)

		f.Settle(strays[0], StandingUnknown)
		f.Released("x", other)
		now = now.Add(time.Minute)
		again := call(t, f, now, CallPoll)
		f.Answered(now, again, Answer{Boot: "b", Number: 3, Events: []hive.AttemptEvent{end(other, 3)}})
		assert.Empty(t, f.Strays(), "it was noted")
		f.Released("x", other)
		now = now.Add(time.Minute)
		poll := call(t, f, now, CallPoll)
		assert.Equal(t, map[hive.AttemptRef]int64{other: 3}, poll.Acks)
		assert.Equal(t, []hive.AttemptRef{other}, poll.Releases)
		f.Answered(now, poll, Answer{Boot: "b", Number: 4, Events: []hive.AttemptEvent{end(mine, 4)}})
		events := f.Events()
		require.Len(t, events, 1)
		assert.Equal(t, mine, events[0].Ref())
	})
	t.Run("report, kill", func(t *testing.T) {
		t.Parallel()
		f, now := durable(t)
		give(t, f, now, mine)
		f.Renew(8)
		f.under = nil
		attach := call(t, f, now, CallAttach)
		assert.Equal(t, []hive.AttemptRef{mine}, attach.Attach)
		f.Answered(now, attach, Answer{
			Boot: "b", Reports: []Report{{Attempt: other, State: ReportLost}, {Attempt: mine, State: ReportRunning}},
			Others: []Report{{Attempt: other, State: ReportRunning, BatchID: 3, Schedule: "sales", Task: "load"}},
		})
		assert.Empty(t, f.Events(), "that the other one is lost says nothing")
		strays := f.Strays()
		require.Len(t, strays, 1)
		assert.Equal(t, Stray{
			Executor: "x", Name: "x", Attempt: other, Running: true, BatchID: 3, Schedule: "sales",
			Task: "load",
		}, strays[0])

		f.Settle(strays[0], StandingUnknown)
		kill := call(t, f, now, CallKill)
		require.Len(t, kill.Kill, 1)
		assert.Equal(t, other, kill.Kill[0].Ref())
		f.Answered(now, kill, Answer{Reports: []Report{{Attempt: other, State: ReportForgotten}}})
		assert.Empty(t, f.Events(), "mine goes on")
		assert.Equal(t, 1, f.Statuses(now)[0].Held)
	})
}

// An executor that takes nothing new says why, as long as that is so.
func TestExcuse(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	for _, excuse := range []string{"the disk is full", ""} {
		now = now.Add(time.Second)
		f.Answered(now, call(t, f, now, CallPoll),
			Answer{Boot: "b", Number: 2, HasLoad: true, Draining: excuse != "", Excuse: excuse})
		assert.Equal(t, excuse, f.Statuses(now)[0].Trouble)
		assert.Equal(t, excuse != "", f.Statuses(now)[0].State == hive.ExecutorDraining)
	}
}

// A key that no server made is one of no attempt: it becomes part of no name of a file.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 65)
	for _, key := range []string{"/../../etc/cron.d/x", "a/b", "..", "a\x00b", "a b", long, "é"} {
		line := &hivego.AttemptReport{AttemptId: new(int64(5)), Key: &key, State: new(hivego.AttemptState_RUNNING)}
		assert.Empty(t, reports([]*hivego.AttemptReport{line}), key)
		_, ok := eventOf(&hivego.Event{AttemptId: new(int64(5)), Key: &key, Kind: new(hivego.EventKind_ENDED)})
		assert.False(t, ok, key)
		c := newCopier("/logs", nil, quiet(), nil)
		assert.Equal(t, "/logs/0/5-invalid.log", c.path(hive.AttemptRef{ID: 5, Key: key}, wholeLog))
	}
	for _, key := range []string{"", "k", long[1:], "A-b_9"} {
		line := &hivego.AttemptReport{AttemptId: new(int64(5)), Key: &key, State: new(hivego.AttemptState_RUNNING)}
		assert.Len(t, reports([]*hivego.AttemptReport{line}), 1, key)
	}
}
