package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// runOnly is a fleet with one executor that only offers run. It was added by its address, described and is in contact.
type runOnly struct {
	*Fleet
	t   *testing.T
	now time.Time
}

func newRunOnly(t *testing.T) *runOnly {
	t.Helper()
	f := &runOnly{New(Settings{}), t, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)}
	f.Register(f.now, hive.Executor{
		ID: "at:h:1", Name: "small", Address: "h:1", Origin: hive.OriginAddress, Slots: 1, BootID: "b1",
		Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.answerDescribe(f.describeCall(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	return f
}

// describeCall returns the describe call that is due now, and fails if there is another call.
func (f *runOnly) describeCall() *DescribeCall {
	f.t.Helper()
	calls := f.Calls(f.now)
	require.Len(f.t, calls, 1)
	require.IsType(f.t, &DescribeCall{}, calls[0])
	return calls[0].(*DescribeCall)
}

func (f *runOnly) answerDescribe(c *DescribeCall, d *Description) {
	f.Answered(f.now, &DescribeAnswer{Call: c, Description: *d})
}

// timeOutDescribe answers a describe call with a timeout.
func (f *runOnly) timeOutDescribe(c *DescribeCall) {
	f.Answered(f.now, &Unanswered{Call: c, Failure: Failure{
		Words: "deadline exceeded", Trouble: hive.Plain("it does not answer in time"), Timeout: true,
	}})
}

// run offers an attempt and returns its call.
func (f *runOnly) run(id int64) *RunCall {
	f.t.Helper()
	f.Reserve("at:h:1", ref(id))
	f.Offer(hive.Assignment{Attempt: id})
	for _, c := range f.Calls(f.now) {
		if c, ok := c.(*RunCall); ok {
			f.RunSent(f.now, ref(id))
			return c
		}
	}
	f.t.Fatal("no run call")
	return nil
}

func (f *runOnly) pick() hive.WaitReason {
	return f.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"}).Wait
}

func (f *runOnly) status() Status { return f.Statuses(f.now)[0] }

// An executor that accepts one call at a time answers no other while it works. It is neither silent nor lost because of
// that, and is called again when its work has ended.
func TestOccupiedWhileAtWork(t *testing.T) {
	t.Parallel()
	f := newRunOnly(t)
	c := f.run(5)
	assert.Equal(t, hive.WaitBusy, f.pick())
	f.now = f.now.Add(describeEvery)
	f.timeOutDescribe(f.describeCall())
	f.now = f.now.Add(time.Hour)
	f.FireTimers(f.now)
	assert.Empty(t, f.Calls(f.now))
	assert.True(t, f.Wake().IsZero(), "there is nothing to do before it answers")
	assert.Equal(t, hive.ExecutorOnline, f.status().State)
	require.Len(t, f.Events(), 1, "it has begun, and nothing else is told")
	f.Answered(f.now, &RunAnswer{Call: c, End: hive.AttemptEvent{Kind: hive.EventEnded, Outcome: hive.OutcomeSuccess}})
	ev := f.Events()[0]
	assert.Equal(t, time.Hour+describeEvery, ev.FinishedAt.Sub(ev.StartedAt), "it names no times")
	f.answerDescribe(f.describeCall(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	f.Ack(ref(5), 0)
	assert.Equal(t, hive.WaitNone, f.pick())
}

// A new executor is neither silent nor online before it has answered or failed to.
func TestConnecting(t *testing.T) {
	t.Parallel()
	f := &runOnly{New(Settings{}), t, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)}
	f.Register(f.now, hive.Executor{ID: "at:h:1", Name: "small", Address: "h:1", Origin: hive.OriginAddress, Slots: 1})
	assert.Equal(t, hive.ExecutorConnecting, f.status().State)
	c := f.describeCall()
	assert.Equal(t, hive.ExecutorConnecting, f.status().State)
	f.timeOutDescribe(c)
	assert.Equal(t, hive.ExecutorSilent, f.status().State)
	f.now = f.now.Add(time.Second)
	f.answerDescribe(f.describeCall(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	assert.Equal(t, hive.ExecutorOnline, f.status().State)

	// A call that hangs leaves the state open, but not for ever.
	f.BeginSession(2)
	assert.Equal(t, hive.ExecutorConnecting, f.status().State)
	f.now = f.now.Add(30 * time.Second)
	assert.Equal(t, hive.ExecutorSilent, f.status().State)
}

// An executor that does not answer gets no work, is silent, then lost. An answer brings it back.
func TestSilentAndBack(t *testing.T) {
	t.Parallel()
	f := newRunOnly(t)
	f.now = f.now.Add(describeEvery)
	f.timeOutDescribe(f.describeCall())
	assert.Equal(t, hive.WaitSilent, f.pick())
	assert.Equal(t, hive.ExecutorSilent, f.status().State)
	assert.Equal(t, "it does not answer in time", f.status().Trouble.Text)
	f.now = f.now.Add(time.Hour)
	f.FireTimers(f.now)
	assert.Equal(t, hive.ExecutorLost, f.status().State)
	f.answerDescribe(f.describeCall(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	assert.Equal(t, hive.ExecutorOnline, f.status().State)
	assert.Empty(t, f.status().Trouble.Text)
}

// Another executor answers at the address of an executor with an id.
func TestOtherExecutorAtItsAddress(t *testing.T) {
	t.Parallel()
	f := &runOnly{New(Settings{}), t, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)}
	f.Register(f.now, hive.Executor{
		ID: "x", Name: "x", Address: "h:1", Origin: hive.OriginAddress,
		Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.answerDescribe(f.describeCall(), &Description{
		ID: "y", BootID: "b", Slots: 1, Handlers: []hive.Handler{{Name: "other"}},
	})
	assert.Equal(t, hive.WaitSilent, f.pick())
	assert.Equal(t, "another executor answers at its address", f.status().Trouble.Text)
	assert.Empty(t, f.TakeChanged(), "nothing of it is kept")
}

// A changed description is stored. Settings of a person stay. Without a change nothing is stored.
func TestDescriptionUpdatesTheExecutor(t *testing.T) {
	t.Parallel()
	f := newRunOnly(t)
	assert.Empty(t, f.TakeChanged())
	f.now = f.now.Add(describeEvery)
	f.answerDescribe(f.describeCall(), &Description{
		BootID: "b1", Name: "other", Group: "other", Slots: 3, Handlers: []hive.Handler{
			{Name: "shell"},
			{Name: "train"},
		},
	})
	news := f.TakeChanged()
	require.Len(t, news, 1)
	assert.Equal(t, "small", news[0].Name)
	assert.Equal(t, 3, news[0].Slots)
	choice := f.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "train"})
	assert.Equal(t, hive.WaitNone, choice.Wait)
	assert.Empty(t, f.TakeChanged())
}

// Drained holds until the executor names another boot id, also if that is not stored yet.
func TestDrainedUntilNextBoot(t *testing.T) {
	t.Parallel()
	f := newRunOnly(t)
	e := f.status().Executor
	e.Drained = true
	f.Register(f.now, e)
	assert.Equal(t, hive.WaitOffline, f.pick())
	assert.Equal(t, hive.ExecutorDraining, f.status().State)
	f.now = f.now.Add(describeEvery)
	handlers := []hive.Handler{{Name: "shell"}}
	f.answerDescribe(f.describeCall(), &Description{BootID: "b1", Slots: 1, Handlers: handlers})
	assert.Equal(t, hive.WaitOffline, f.pick())
	f.now = f.now.Add(describeEvery)
	f.answerDescribe(f.describeCall(), &Description{BootID: "b2", Slots: 1, Handlers: handlers})
	assert.Equal(t, hive.WaitNone, f.pick())
	f.Learn(f.now, []hive.Executor{e}, f.now) // as it was stored before
	assert.Equal(t, hive.WaitNone, f.pick())
	e.BootID = "b2"
	f.Learn(f.now, []hive.Executor{e}, f.now)
	assert.Equal(t, hive.WaitOffline, f.pick(), "somebody drained it again, by another server")
}

// A durable executor that becomes one that only offers run has lost its attempts.
func TestTurnedIntoRunOnly(t *testing.T) {
	t.Parallel()
	f := New(Settings{})
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	e := hive.Executor{ID: "x", Name: "x", Durable: true, BootID: "b1"}
	f.Register(now, e)
	f.Adopt(now, "x", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: 5}, Started: true})
	e.Durable, e.BootID = false, "b2"
	f.Register(now, e)
	events := f.Events()
	require.Len(t, events, 1)
	assert.Equal(t, hive.AttemptEvent{
		Attempt: 5, Kind: hive.EventLost, RunOnly: true, Words: noLongerDurable(),
	}, events[0])
}

// The result of a run call waits for a session that has the attempt. If none has it, the result is dropped in the end.
func TestResultThatNoSessionTakes(t *testing.T) {
	t.Parallel()
	f := newRunOnly(t)
	ends := func(c *RunCall) {
		f.Answered(f.now, &RunAnswer{
			Call: c, End: hive.AttemptEvent{Kind: hive.EventEnded, Outcome: hive.OutcomeSuccess},
		})
	}
	first := f.run(5)
	f.Reset() // the session is over
	ends(first)
	f.answerDescribe(f.describeCall(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	second := f.run(6)
	f.Reset()
	f.now = f.now.Add(resultMemory)
	ends(second)

	f.Adopt(f.now, "at:h:1", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: 6}, Started: true})
	f.Adopt(f.now, "at:h:1", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: 5}, Started: true})
	events := f.Events()
	require.Len(t, events, 2)
	assert.Equal(t, ref(6), events[0].Ref())
	assert.Equal(t, hive.EventEnded, events[0].Kind)
	assert.Equal(t, ref(5), events[1].Ref())
	assert.Equal(t, hive.EventLost, events[1].Kind, "it was dropped")
}
