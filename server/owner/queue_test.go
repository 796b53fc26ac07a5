package owner_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner/ownertest"
)

// A queued batch waits until nothing of its schedule runs, in whatever order they were loaded and numbered.
func TestQueueWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.Add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	f.Add(3, 1, hive.BatchQueued, "", "a") // a person's: it does not wait
	f.Add(4, 2, hive.BatchQueued, hive.ReasonQueued, "a")
	f.load(1, 2, 3, 4)
	f.settle()
	assert.Equal(t, []string{"1.a", "3.a", "4.a"}, f.Tasks(), "another schedule's queue is its own")
	f.ends(1, "a")
	f.settle()
	assert.NotContains(t, f.Tasks(), "2.a", "3 still runs")
	f.ends(3, "a")
	f.settle()
	assert.Contains(t, f.Tasks(), "2.a")
}

// Nothing waits for a batch of a backfill, unless a person has resumed it.
func TestQueueAndBackfills(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.Batches[1].Batch.Kind = hive.KindBackfill
	f.Add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	f.Add(3, 2, hive.BatchRunning, "", "a")
	f.Batches[3].Batch.Kind, f.Batches[3].Batch.Round = hive.KindBackfill, 2
	f.Add(4, 2, hive.BatchQueued, hive.ReasonQueued, "a")
	f.load(1, 2, 3, 4)
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a", "3.a"}, f.Tasks())
}

// A batch that was dropped may still run: it keeps its place until it was read again. If it belongs to another server
// meanwhile, it keeps its place until it ends there.
func TestDroppedBatchKeepsItsPlace(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(f *fixture){
		"read again": func(f *fixture) {
			f.load(1)
			f.settle()
			assert.NotContains(t, f.Tasks(), "2.a", "1 runs")
			f.ends(1, "a")
		},
		"another's": func(f *fixture) {
			f.Batches[1].Batch.Owner = "another"
			f.owner.Disown(f.now, 1)
			f.settle()
			assert.NotContains(t, f.Tasks(), "2.a", "1 runs")
			f.Batches[1].Batch.State, f.Batches[1].Batch.Live = hive.BatchSucceeded, false
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Add(1, 1, hive.BatchQueued, "", "a")
			f.Add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
			f.Add(3, 1, hive.BatchQueued, "", "a")
			f.load(1, 2, 3)
			f.settle()
			f.ends(3, "a")
			f.deliver(hive.AttemptEvent{Attempt: f.Attempt(1, "a"), Kind: hive.EventStarted})
			fx := f.commit(&hive.GuardError{Batches: []int64{1}})
			require.Equal(t, []int64{1}, fx.Reload)
			f.settle() // 3 ends
			assert.NotContains(t, f.Tasks(), "2.a", "1 is being read")
			back(f)
			f.settle()
			assert.Contains(t, f.Tasks(), "2.a")
		})
	}
}

// A batch that waited for longer than its policy allows is not run, and the next one is looked at.
func TestQueueExpires(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.Add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	f.Add(3, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	f.Batches[3].Batch.Moment = ownertest.Start().Add(6 * time.Hour)
	f.load(1, 2, 3)
	f.settle()
	f.now = f.now.Add(7 * time.Hour)
	f.ends(1, "a")
	f.settle()
	b, states := f.Stored(2)
	assert.Equal(t, hive.BatchCanceled, b.State)
	assert.Equal(t, hive.ReasonExpired, b.Reason)
	assert.Equal(t, hive.RunCanceled, states["a"])
	assert.Equal(t, []string{"1.a", "3.a"}, f.Tasks())
}

// A command is done once, however often it comes, and answered in the commit of what it did.
func TestCommandTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a", "b")
	f.load(1)
	f.commit(nil)
	c := f.Command(7, 1, hive.CommandWish, `{"wish":"cancel"}`)
	f.owner.HandleCommand(f.now, c, nil, hive.Revision{})
	f.owner.HandleCommand(f.now, c, nil, hive.Revision{})
	assert.Empty(t, f.Kills, "not durable yet")
	fx := f.commit(nil)
	require.Len(t, fx.Answers, 1)
	assert.Equal(t, hive.CommandApplied, fx.Answers[0].State)
	assert.Len(t, f.Kills, 1)

	// The sweep had read it before it was answered: the guard notices, and nothing is done again.
	f.owner.HandleCommand(f.now, c, nil, hive.Revision{})
	f.settle()
	assert.Len(t, f.Kills, 1)
	assert.Equal(t, hive.CommandApplied, f.Batches[1].Commands[0].State)
}

// A batch that waited for another one, and was paused when that one ended, begins when it is continued.
func TestContinueABatchThatWaitedPaused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchRunning, "", "a")
	f.Add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	f.load(1, 2)
	f.settle()
	f.owner.HandleCommand(f.now, f.Command(7, 2, hive.CommandWish, `{"wish":"pause"}`), nil, hive.Revision{})
	f.settle()
	f.ends(1, "a")
	f.settle()
	require.Equal(t, hive.BatchSucceeded, f.Batches[1].Batch.State)
	require.Equal(t, hive.BatchQueued, f.Batches[2].Batch.State)
	f.owner.HandleCommand(f.now, f.Command(8, 2, hive.CommandWish, `{"wish":"run"}`), nil, hive.Revision{})
	f.settle()
	assert.Equal(t, hive.BatchRunning, f.Batches[2].Batch.State)
}

// A run that is ready again, but stored as waiting, is run anew: what it had of the former round is gone from its row
// too, or the next owner would go on with it.
func TestRerunOfWhatIsReady(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchRunning, "", "a")
	f.Batches[1].Batch.Wish = hive.WishPause
	f.Batches[1].Runs[0].Reason, f.Batches[1].Runs[0].Losses = hive.ReasonLostRetry, 1
	f.load(1)
	f.owner.HandleCommand(f.now, f.Command(7, 1, hive.CommandRepair, `{"action":"rerun","tasks":["a"]}`), nil,
		hive.Revision{})
	fx := f.commit(nil)
	require.Len(t, fx.Answers, 1)
	require.Equal(t, hive.CommandApplied, fx.Answers[0].State, string(fx.Answers[0].Answer))
	row := f.Batches[1].Runs[0]
	assert.Equal(t, hive.RunReady, row.State)
	assert.Equal(t, 2, row.Round)
	assert.Empty(t, row.Reason)
	assert.Zero(t, row.Losses)
}

// While a run waits for a free executor, a plan on the latest revision changes what it requires, and adds another that
// comes first. Each is handed out for what it requires now; if the plan is not stored after all, as if it had never
// been.
func TestPlanWhileRunsWait(t *testing.T) {
	t.Parallel()
	latest, err := graph.Compile(&hive.Definition{
		APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "s1",
		Jobs: []hive.Job{{Key: "ja", Tasks: []hive.Task{
			{Key: "a", Handler: "shell", Group: "etl"}, {Key: "new", Handler: "shell", Group: "other", Priority: 9},
		}}},
	})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		failure error
		want    map[string]string
	}{
		"stored":     {nil, map[string]string{"a": "etl", "new": "other"}},
		"not stored": {&hive.GuardError{Batches: []int64{1}}, map[string]string{"a": "default"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Slots = 0
			f.Add(1, 1, hive.BatchRunning, "", "a")
			f.load(1)
			rerun := f.Command(7, 1, hive.CommandRepair, `{"action":"rerun","tasks":["a"],"revisionId":2}`)
			f.owner.HandleCommand(f.now, rerun, latest, hive.Revision{ID: 2, Number: 2, ScheduleID: 1})
			f.owner.DispatchReady(f.now)
			if c.failure == nil {
				f.commit(nil)
			} else { // it is read again before anything is handed out
				require.NotNil(t, f.owner.NextCommit(f.now))
				fx := f.owner.CommitDone(f.now, c.failure)
				f.Batches[1].Commands = nil
				f.load(fx.Reload...)
			}
			f.Slots = 10
			f.owner.DispatchReady(f.now)
			f.settle()
			got := map[string]string{}
			for _, a := range f.Offered {
				got[a.Task] = f.Wanted[a.Attempt].Group
			}
			assert.Len(t, f.Offered, len(c.want))
			assert.Equal(t, c.want, got)
		})
	}
}

// A command that an unknown version of the server has stored is refused with a reason.
func TestCommandUnreadable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind    hive.CommandKind
		payload string
	}{{"dance", `{}`}, {hive.CommandWish, `{"wish":7}`}, {hive.CommandRepair, `{"action":7}`}} {
		f := newFixture(t)
		f.Add(1, 1, hive.BatchQueued, "", "a")
		f.load(1)
		f.commit(nil)
		f.owner.HandleCommand(f.now, f.Command(7, 1, c.kind, c.payload), nil, hive.Revision{})
		fx := f.commit(nil)
		require.Len(t, fx.Answers, 1, c.kind)
		var p hive.Problem
		require.NoError(t, json.Unmarshal(fx.Answers[0].Answer, &p))
		assert.Equal(t, hive.CodeInvalid, p.Code)
		assert.Equal(t, hive.ErrorCommandUnread, p.Reason)
		assert.Contains(t, p.Words, "the same version")
	}
}

// A command that cannot be done is refused with words, and the batch goes on.
func TestCommandRefused(t *testing.T) {
	t.Parallel()
	for payload, code := range map[string]string{
		`{"action":"resume"`:                      "invalid",
		`{"action":"rerun","tasks":["nobody"]}`:   "invalid",
		`{"action":"dance"}`:                      "invalid",
		`{"action":"mark_skip","tasks":["a"]}`:    "conflict",
		`{"action":"resume","hash":"of another"}`: "conflict",
	} {
		f := newFixture(t)
		f.Add(1, 1, hive.BatchQueued, "", "a")
		f.load(1)
		f.commit(nil)
		f.deliver(hive.AttemptEvent{Attempt: f.Attempt(1, "a"), Kind: hive.EventStarted})
		f.owner.HandleCommand(f.now, f.Command(7, 1, hive.CommandRepair, payload), nil, hive.Revision{})
		fx := f.commit(nil)
		require.Len(t, fx.Answers, 1, payload)
		assert.Equal(t, hive.CommandRefused, fx.Answers[0].State, payload)
		assert.Contains(t, string(fx.Answers[0].Answer), `"code":"`+code+`"`, payload)
		f.ends(1, "a")
		f.settle()
		assert.Equal(t, hive.RunSucceeded, f.states(1)["a"])
	}
}

// A pause holds back what has not started; when it ends, everything goes on.
func TestPause(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a", "b")
	f.load(1)
	f.commit(nil)
	f.owner.HandleCommand(f.now, f.Command(7, 1, hive.CommandWish, `{"wish":"pause"}`), nil, hive.Revision{})
	f.commit(nil)
	f.ends(1, "a")
	f.settle()
	assert.Equal(t, []string{"1.a"}, f.Tasks())
	f.owner.HandleCommand(f.now, f.Command(8, 1, hive.CommandWish, `{"wish":"run"}`), nil, hive.Revision{})
	f.settle()
	assert.Equal(t, []string{"1.a", "1.b"}, f.Tasks())
}

// What is ready is offered by priority over all groups, then in the order in which it became ready.
func TestOrderOfOffers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Slots = 0
	f.Add(1, 1, hive.BatchQueued, "", "t0", "t1", "t2", "t3", "t4", "t5")
	var doc strings.Builder
	doc.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: s1\njobs:\n  - key: one\n    tasks:\n")
	for i, priority := range []int{5, 9, 5, 10, 1, 9} {
		fmt.Fprintf(&doc, "      - {key: t%d, handler: shell, params: {command: x}, priority: %d, group: g%d}\n", i,
			priority, i%2)
		f.Batches[1].Runs[i].Job = "one"
	}
	f.Batches[1].Revision.Document = doc.String()
	f.load(1)
	f.Slots = 100
	f.settle()
	assert.Equal(t, []string{"1.t3", "1.t1", "1.t5", "1.t0", "1.t2", "1.t4"}, f.Tasks())

	f.deliver(hive.AttemptEvent{Attempt: f.Attempt(1, "t0"), Kind: hive.EventReturned, Words: hive.Plain("busy")},
		hive.AttemptEvent{Attempt: f.Attempt(1, "t4"), Kind: hive.EventReturned, Words: hive.Plain("busy")},
		hive.AttemptEvent{Attempt: f.Attempt(1, "t3"), Kind: hive.EventReturned, Words: hive.Plain("busy")})
	f.settle()
	assert.Equal(t, []string{"1.t3", "1.t0", "1.t4"}, f.Tasks()[6:], "they are offered again")
}

// Slots are not exceeded; priorities count over batches, then age.
func TestSlots(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Slots = 2
	for id := range int64(4) {
		f.Add(1+id, 1+id, hive.BatchQueued, "", "a")
		f.load(1 + id)
	}
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a"}, f.Tasks())
	v, ok := f.owner.View(3)
	require.True(t, ok)
	assert.Equal(t, hive.WaitBusy, v.WaitReasons[0])
	f.ends(2, "a")
	f.settle()
	assert.Equal(t, []string{"1.a", "2.a", "3.a"}, f.Tasks())
}

// A run tells why it waits for an executor once it may start, and not while its next attempt is not due.
func TestWaitReasonOfARetry(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.Add(2, 2, hive.BatchQueued, "", "a")
	doc := &f.Batches[1].Revision.Document
	*doc = strings.Replace(*doc, "handler: shell", "handler: shell, retry: {max: 2, delay: 1h}", 1)
	reasons := func() (shown, published map[int]hive.WaitReason) {
		t.Helper()
		v, ok := f.owner.View(1)
		require.True(t, ok)
		p, ok := f.owner.Published(1)
		require.True(t, ok)
		return v.WaitReasons, p.WaitReasons
	}
	f.load(1)
	f.settle()
	f.Slots = 1
	f.deliver(hive.AttemptEvent{
		Attempt: f.Attempt(1, "a"), Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeFailure, At: f.now,
	})
	f.settle()
	f.load(2) // it takes the slot
	f.settle()
	f.Add(3, 3, hive.BatchQueued, "", "a") // it waits for the slot
	f.load(3)
	f.settle()
	shown, published := reasons()
	assert.Empty(t, shown)
	assert.Empty(t, published)

	f.now = f.now.Add(2 * time.Hour)
	f.settle()
	busy := map[int]hive.WaitReason{0: hive.WaitBusy}
	shown, published = reasons()
	assert.Equal(t, busy, shown)
	assert.Equal(t, busy, published)
}
