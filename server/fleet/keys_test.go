package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// answered returns the answer to a poll.
func answered(c *PollCall, number int64, events ...hive.AttemptEvent) *PollAnswer {
	return &PollAnswer{Call: c, BootID: "b", Number: number, Events: events}
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
		f.Answered(now, &SubmitAnswer{
			Call: due[*SubmitCall](t, f, now), Receipts: []Receipt{{Attempt: other, Code: ReceiptStarted}},
		})
		events := f.Events()
		require.Len(t, events, 1)
		assert.Equal(t, hive.EventNoted, events[0].Kind, "there is no receipt for it")
		assert.Equal(t, "mine", events[0].Key)
	})
	t.Run("event", func(t *testing.T) {
		t.Parallel()
		f, now := durable(t)
		startAttempt(t, f, now, mine)
		f.Answered(now, answered(due[*PollCall](t, f, now), 2, end(other, 3)))
		assert.Empty(t, f.Events())
		untracked := f.TakeUntracked()
		require.Len(t, untracked, 1)
		assert.Equal(t, other, untracked[0].Attempt)

		f.Resolve(untracked[0], StandingUnknown)
		f.Release("x", other)
		now = now.Add(time.Minute)
		again := due[*PollCall](t, f, now)
		f.Answered(now, answered(again, 3, end(other, 3)))
		assert.Empty(t, f.TakeUntracked(), "it was noted")
		f.Release("x", other)
		now = now.Add(time.Minute)
		poll := due[*PollCall](t, f, now)
		assert.Equal(t, map[hive.AttemptRef]int64{other: 3}, poll.Acks)
		assert.Equal(t, []hive.AttemptRef{other}, poll.Releases)
		f.Answered(now, answered(poll, 4, end(mine, 4)))
		events := f.Events()
		require.Len(t, events, 1)
		assert.Equal(t, mine, events[0].Ref())
	})
	t.Run("report, kill", func(t *testing.T) {
		t.Parallel()
		f, now := durable(t)
		startAttempt(t, f, now, mine)
		f.BeginSession(8)
		f.under = nil
		attach := due[*AttachCall](t, f, now)
		assert.Equal(t, []hive.AttemptRef{mine}, attach.Attempts)
		f.Answered(now, &AttachAnswer{
			Call: attach, BootID: "b",
			Reports: []Report{{Attempt: other, State: AttemptLost}, {Attempt: mine, State: AttemptRunning}},
			Others:  []OtherAttempt{{Attempt: other, Running: true, BatchID: 3, Schedule: "sales", Task: "load"}},
		})
		assert.Empty(t, f.Events(), "that the other one is lost says nothing")
		untracked := f.TakeUntracked()
		require.Len(t, untracked, 1)
		assert.Equal(t, UntrackedAttempt{
			Executor: "x", ExecutorName: "x",
			OtherAttempt: OtherAttempt{Attempt: other, Running: true, BatchID: 3, Schedule: "sales", Task: "load"},
		}, untracked[0])

		f.Resolve(untracked[0], StandingUnknown)
		kill := due[*KillCall](t, f, now)
		require.Len(t, kill.Orders, 1)
		assert.Equal(t, other, kill.Orders[0].Ref())
		f.Answered(now, &KillAnswer{Call: kill, Reports: []Report{{Attempt: other, State: AttemptForgotten}}})
		assert.Empty(t, f.Events(), "mine goes on")
		assert.Equal(t, 1, f.Statuses(now)[0].Used)
	})
}
