package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// A queued batch waits until nothing of its schedule runs, in whatever order they were loaded and numbered.
func TestQueueWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a")
	d.add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	d.add(3, 1, hive.BatchQueued, "", "a") // a person's: it does not wait
	d.add(4, 2, hive.BatchQueued, hive.ReasonQueued, "a")
	d.load(1, 2, 3, 4)
	d.settle()
	assert.Equal(t, []string{"1.a", "3.a", "4.a"}, d.tasks(), "another schedule's queue is its own")
	d.ends(1, "a")
	d.settle()
	assert.NotContains(t, d.tasks(), "2.a", "3 still runs")
	d.ends(3, "a")
	d.settle()
	assert.Contains(t, d.tasks(), "2.a")
}

// A batch that was dropped may still run: it keeps its place until it was read again, or is known to be somebody
// else's.
func TestDroppedBatchKeepsItsPlace(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(d *desk){
		"read again": func(d *desk) {
			d.load(1)
			d.settle()
			assert.NotContains(t, d.tasks(), "2.a", "1 runs")
			d.ends(1, "a")
		},
		"another's": func(d *desk) { d.owner.Gone(d.now, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.add(1, 1, hive.BatchQueued, "", "a")
			d.add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
			d.add(3, 1, hive.BatchQueued, "", "a")
			d.load(1, 2, 3)
			d.settle()
			d.ends(3, "a")
			d.deliver(hive.AttemptEvent{Attempt: d.attempt(1, "a"), Kind: hive.EventStarted})
			fx := d.commit(&hive.GuardError{Batches: []int64{1}})
			require.Equal(t, []int64{1}, fx.Reload)
			d.settle() // 3 ends
			assert.NotContains(t, d.tasks(), "2.a", "1 is being read")
			back(d)
			d.settle()
			assert.Contains(t, d.tasks(), "2.a")
		})
	}
}

// A batch that waited for longer than its policy allows is not run, and the next one is looked at.
func TestQueueExpires(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a")
	d.add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	d.add(3, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	d.images[3].Batch.Moment = epochStart().Add(6 * time.Hour)
	d.load(1, 2, 3)
	d.settle()
	d.now = d.now.Add(7 * time.Hour)
	d.ends(1, "a")
	d.settle()
	b, states := d.stored(2)
	assert.Equal(t, hive.BatchCanceled, b.State)
	assert.Equal(t, hive.ReasonExpired, b.Reason)
	assert.Equal(t, hive.RunCanceled, states["a"])
	assert.Equal(t, []string{"1.a", "3.a"}, d.tasks())
}

// A command is done once, however often it comes, and answered in the commit of what it did.
func TestCommandTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a", "b")
	d.load(1)
	d.commit(nil)
	c := d.command(7, 1, hive.CommandWish, `{"wish":"cancel"}`)
	d.owner.Command(d.now, c, nil, hive.Revision{})
	d.owner.Command(d.now, c, nil, hive.Revision{})
	assert.Empty(t, d.kills, "not durable yet")
	fx := d.commit(nil)
	require.Len(t, fx.Answers, 1)
	assert.Equal(t, hive.CommandApplied, fx.Answers[0].State)
	assert.Len(t, d.kills, 1)

	// The sweep had read it before it was answered: the guard notices, and nothing is done again.
	d.owner.Command(d.now, c, nil, hive.Revision{})
	d.settle()
	assert.Len(t, d.kills, 1)
	assert.Equal(t, hive.CommandApplied, d.images[1].Commands[0].State)
}

// A run that is ready again, but stored as waiting, is run anew: what it had of the former round is gone from its row
// too, or the next owner would go on with it.
func TestRerunOfWhatIsReady(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchRunning, "", "a")
	d.images[1].Batch.Wish = hive.WishPause
	d.images[1].Runs[0].Reason, d.images[1].Runs[0].Losses = hive.ReasonLostRetry, 1
	d.load(1)
	d.owner.Command(d.now, d.command(7, 1, hive.CommandRepair, `{"action":"rerun","tasks":["a"]}`), nil,
		hive.Revision{})
	fx := d.commit(nil)
	require.Len(t, fx.Answers, 1)
	require.Equal(t, hive.CommandApplied, fx.Answers[0].State, string(fx.Answers[0].Answer))
	row := d.images[1].Runs[0]
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
			d := newDesk(t)
			d.slots = 0
			d.add(1, 1, hive.BatchRunning, "", "a")
			d.load(1)
			rerun := d.command(7, 1, hive.CommandRepair, `{"action":"rerun","tasks":["a"],"revisionId":2}`)
			d.owner.Command(d.now, rerun, latest, hive.Revision{ID: 2, Number: 2, ScheduleID: 1})
			d.owner.Fill(d.now)
			if c.failure == nil {
				d.commit(nil)
			} else { // it is read again before anything is handed out
				require.NotNil(t, d.owner.Take(d.now))
				fx := d.owner.Done(d.now, c.failure)
				d.images[1].Commands = nil
				d.load(fx.Reload...)
			}
			d.slots = 10
			d.owner.Fill(d.now)
			d.settle()
			got := map[string]string{}
			for _, a := range d.offered {
				got[a.Task] = d.wanted[a.Attempt].Group
			}
			assert.Len(t, d.offered, len(c.want))
			assert.Equal(t, c.want, got)
		})
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
		d := newDesk(t)
		d.add(1, 1, hive.BatchQueued, "", "a")
		d.load(1)
		d.commit(nil)
		d.deliver(hive.AttemptEvent{Attempt: d.attempt(1, "a"), Kind: hive.EventStarted})
		d.owner.Command(d.now, d.command(7, 1, hive.CommandRepair, payload), nil, hive.Revision{})
		fx := d.commit(nil)
		require.Len(t, fx.Answers, 1, payload)
		assert.Equal(t, hive.CommandRefused, fx.Answers[0].State, payload)
		assert.Contains(t, string(fx.Answers[0].Answer), `"code":"`+code+`"`, payload)
		d.ends(1, "a")
		d.settle()
		assert.Equal(t, hive.RunSucceeded, d.states(1)["a"])
	}
}

// A pause holds back what has not started; when it ends, everything goes on.
func TestPause(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a", "b")
	d.load(1)
	d.commit(nil)
	d.owner.Command(d.now, d.command(7, 1, hive.CommandWish, `{"wish":"pause"}`), nil, hive.Revision{})
	d.commit(nil)
	d.ends(1, "a")
	d.settle()
	assert.Equal(t, []string{"1.a"}, d.tasks())
	d.owner.Command(d.now, d.command(8, 1, hive.CommandWish, `{"wish":"run"}`), nil, hive.Revision{})
	d.settle()
	assert.Equal(t, []string{"1.a", "1.b"}, d.tasks())
}

// Slots are not exceeded; priorities count over batches, then age.
func TestSlots(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.slots = 2
	for id := range int64(4) {
		d.add(1+id, 1+id, hive.BatchQueued, "", "a")
		d.load(1 + id)
	}
	d.settle()
	assert.Equal(t, []string{"1.a", "2.a"}, d.tasks())
	v, ok := d.owner.View(3)
	require.True(t, ok)
	assert.Equal(t, hive.WaitBusy, v.WaitReasons[0])
	d.ends(2, "a")
	d.settle()
	assert.Equal(t, []string{"1.a", "2.a", "3.a"}, d.tasks())
}
