package dispatch

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// small is a fleet with one executor that only offers run, added by its address, described and there.
type small struct {
	*Fleet
	t   *testing.T
	now time.Time
}

func newSmall(t *testing.T) *small {
	t.Helper()
	f := &small{NewFleet(Settings{}, quiet()), t, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)}
	f.Know(f.now, hive.Executor{
		ID: "at:h:1", Name: "small", Address: "h:1", Origin: hive.OriginAddress, Slots: 1, BootID: "b1",
		Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.says(f.describing(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	return f
}

// describing is the describe call that is due now; nothing else may be.
func (f *small) describing() Call {
	f.t.Helper()
	calls := f.Calls(f.now)
	require.Len(f.t, calls, 1)
	require.Equal(f.t, CallDescribe, calls[0].Kind)
	return calls[0]
}

func (f *small) says(c Call, d *Description) { f.Answered(f.now, c, Answer{Description: d}) }

func (f *small) fails(c Call, err error) { f.Answered(f.now, c, Answer{Err: err}) }

// run hands an attempt over and answers its call.
func (f *small) run(id int64) Call {
	f.t.Helper()
	f.Reserve("at:h:1", ref(id))
	f.Offer(hive.Assignment{Attempt: id})
	for _, c := range f.Calls(f.now) {
		if c.Kind == CallRun {
			f.Sent(f.now, ref(id))
			return c
		}
	}
	f.t.Fatal("no run call")
	return Call{}
}

func (f *small) pick() hive.WaitReason {
	_, _, hold := f.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"})
	return hold
}

func (f *small) status() Status { return f.Statuses(f.now)[0] }

// One that takes a call at a time leaves everybody else waiting while it works. It is neither silent nor lost for that,
// and is asked again when its work has ended.
func TestDeafWhileAtWork(t *testing.T) {
	t.Parallel()
	f := newSmall(t)
	c := f.run(5)
	assert.Equal(t, hive.WaitBusy, f.pick())
	f.now = f.now.Add(describeEvery)
	f.fails(f.describing(), context.DeadlineExceeded)
	f.now = f.now.Add(time.Hour)
	f.Due(f.now)
	assert.Empty(t, f.Calls(f.now))
	assert.True(t, f.Wake().IsZero(), "there is nothing to do before it answers")
	assert.Equal(t, hive.ExecutorOnline, f.status().State)
	require.Len(t, f.Events(), 1, "it has begun, and nothing else is told")
	f.Answered(f.now, c, Answer{Events: []hive.AttemptEvent{{Kind: hive.EventEnded, Outcome: hive.OutcomeSuccess}}})
	ev := f.Events()[0]
	assert.Equal(t, time.Hour+describeEvery, ev.FinishedAt.Sub(ev.StartedAt), "it names no times")
	f.says(f.describing(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	f.Ack(ref(5), 0)
	assert.Equal(t, hive.WaitNone, f.pick())
}

// One that came just now is neither silent nor online before it has answered or failed to.
func TestConnecting(t *testing.T) {
	t.Parallel()
	f := &small{NewFleet(Settings{}, quiet()), t, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)}
	f.Know(f.now, hive.Executor{ID: "at:h:1", Name: "small", Address: "h:1", Origin: hive.OriginAddress, Slots: 1})
	assert.Equal(t, hive.ExecutorConnecting, f.status().State)
	c := f.describing()
	assert.Equal(t, hive.ExecutorConnecting, f.status().State)
	f.fails(c, &dialError{context.DeadlineExceeded})
	assert.Equal(t, hive.ExecutorSilent, f.status().State)
	f.now = f.now.Add(time.Second)
	f.says(f.describing(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	assert.Equal(t, hive.ExecutorOnline, f.status().State)

	// A call that hangs says nothing either, but not for ever.
	f.Renew(2)
	assert.Equal(t, hive.ExecutorConnecting, f.status().State)
	f.now = f.now.Add(30 * time.Second)
	assert.Equal(t, hive.ExecutorSilent, f.status().State)
}

// Nobody listens there any more: it gets nothing, is silent, then lost, and comes back by answering.
func TestGoneAndBack(t *testing.T) {
	t.Parallel()
	f := newSmall(t)
	f.now = f.now.Add(describeEvery)
	f.fails(f.describing(), &dialError{context.DeadlineExceeded})
	assert.Equal(t, hive.WaitSilent, f.pick())
	assert.Equal(t, hive.ExecutorSilent, f.status().State)
	assert.Equal(t, "it does not answer in time", f.status().Trouble)
	f.now = f.now.Add(time.Hour)
	f.Due(f.now)
	assert.Equal(t, hive.ExecutorLost, f.status().State)
	f.says(f.describing(), &Description{BootID: "b1", Slots: 1, Handlers: []hive.Handler{{Name: "shell"}}})
	assert.Equal(t, hive.ExecutorOnline, f.status().State)
	assert.Empty(t, f.status().Trouble)
}

// Somebody else answers where an executor with an id of its own was.
func TestAnotherAtItsAddress(t *testing.T) {
	t.Parallel()
	f := &small{NewFleet(Settings{}, quiet()), t, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)}
	f.Know(f.now, hive.Executor{
		ID: "x", Name: "x", Address: "h:1", Origin: hive.OriginAddress,
		Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.says(f.describing(), &Description{ID: "y", BootID: "b", Slots: 1, Handlers: []hive.Handler{{Name: "other"}}})
	assert.Equal(t, hive.WaitSilent, f.pick())
	assert.Equal(t, "another executor answers at its address", f.status().Trouble)
	assert.Empty(t, f.News(), "nothing of it is kept")
}

// What it offers is followed and stored anew; what a person said of it stays; nothing new is not stored.
func TestFollowsWhatItOffers(t *testing.T) {
	t.Parallel()
	f := newSmall(t)
	assert.Empty(t, f.News())
	f.now = f.now.Add(describeEvery)
	f.says(f.describing(), &Description{
		BootID: "b1", Name: "other", Group: "other", Slots: 3, Handlers: []hive.Handler{
			{Name: "shell"},
			{Name: "train"},
		},
	})
	news := f.News()
	require.Len(t, news, 1)
	assert.Equal(t, "small", news[0].Name)
	assert.Equal(t, 3, news[0].Slots)
	_, _, hold := f.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "train"})
	assert.Equal(t, hive.WaitNone, hold)
	assert.Empty(t, f.News())
}

// Drained holds until another boot id is told, also if nobody has stored that yet.
func TestDrainedUntilNextBoot(t *testing.T) {
	t.Parallel()
	f := newSmall(t)
	e := f.status().Executor
	e.Drained = true
	f.Know(f.now, e)
	assert.Equal(t, hive.WaitOffline, f.pick())
	assert.Equal(t, hive.ExecutorDraining, f.status().State)
	f.now = f.now.Add(describeEvery)
	handlers := []hive.Handler{{Name: "shell"}}
	f.says(f.describing(), &Description{BootID: "b1", Slots: 1, Handlers: handlers})
	assert.Equal(t, hive.WaitOffline, f.pick())
	f.now = f.now.Add(describeEvery)
	f.says(f.describing(), &Description{BootID: "b2", Slots: 1, Handlers: handlers})
	assert.Equal(t, hive.WaitNone, f.pick())
	f.Learn(f.now, []hive.Executor{e}, f.now) // as it was stored before
	assert.Equal(t, hive.WaitNone, f.pick())
	e.BootID = "b2"
	f.Learn(f.now, []hive.Executor{e}, f.now)
	assert.Equal(t, hive.WaitOffline, f.pick(), "somebody drained it again, by another server")
}

// A durable executor that comes back as one that only offers run does not know what it had.
func TestTurnedIntoRunOnly(t *testing.T) {
	t.Parallel()
	f := NewFleet(Settings{}, quiet())
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	e := hive.Executor{ID: "x", Name: "x", Durable: true, BootID: "b1"}
	f.Know(now, e)
	f.Adopt(now, "x", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: 5}, Started: true})
	e.Durable, e.BootID = false, "b2"
	f.Know(now, e)
	events := f.Events()
	require.Len(t, events, 1)
	assert.Equal(t, hive.AttemptEvent{Attempt: 5, Kind: hive.EventLost, RunOnly: true, Words: wordsTurned}, events[0])
}

// Addresses that cannot be called, or must not be called so, are refused before anything is sent.
func TestCheckNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n    hive.NewExecutor
		want hive.ErrorReason
	}{
		"loopback":         {hive.NewExecutor{Address: "127.0.0.1:9999"}, ""},
		"loopback by name": {hive.NewExecutor{Address: "localhost:9999", Name: "a", Group: "b", Slots: 3}, ""},
		"IPv6":             {hive.NewExecutor{Address: "[::1]:9999"}, ""},
		"elsewhere":        {hive.NewExecutor{Address: "10.0.0.1:9999", TLS: true, Token: "t"}, ""},
		"no port":          {hive.NewExecutor{Address: "127.0.0.1"}, hive.ErrorExecutorAddress},
		"port 0":           {hive.NewExecutor{Address: "127.0.0.1:0"}, hive.ErrorExecutorAddress},
		"a port by name":   {hive.NewExecutor{Address: "127.0.0.1:http"}, hive.ErrorExecutorAddress},
		"a path":           {hive.NewExecutor{Address: "127.0.0.1:80/x"}, hive.ErrorExecutorAddress},
		"no host":          {hive.NewExecutor{Address: ":9999"}, hive.ErrorExecutorAddress},
		"everywhere":       {hive.NewExecutor{Address: "0.0.0.0:9999"}, hive.ErrorExecutorAddress},
		"everywhere, IPv6": {hive.NewExecutor{Address: "[::]:9999"}, hive.ErrorExecutorAddress},
		"a group of machines": {
			hive.NewExecutor{Address: "224.0.0.1:9999", TLS: true, Token: "t"},
			hive.ErrorExecutorAddress,
		},
		"a host that steers": {
			hive.NewExecutor{Address: "a\x1b[2J:9999", TLS: true, Token: "t"},
			hive.ErrorExecutorAddress,
		},
		"cloud metadata": {
			hive.NewExecutor{Address: "169.254.169.254:80", Token: "t"},
			hive.ErrorExecutorNeedsTLS,
		},
		"mapped":              {hive.NewExecutor{Address: "[::ffff:10.0.0.1]:80"}, hive.ErrorExecutorNeedsTLS},
		"without a token":     {hive.NewExecutor{Address: "a.example:9999", TLS: true}, hive.ErrorExecutorNeedsToken},
		"a name with spaces":  {hive.NewExecutor{Address: "127.0.0.1:1", Name: "a b"}, hive.ErrorValue},
		"a token with breaks": {hive.NewExecutor{Address: "127.0.0.1:1", Token: "a\nb"}, hive.ErrorValue},
		"labels that steer": {
			hive.NewExecutor{Address: "127.0.0.1:1", Labels: map[string]string{"a": "\x1b"}},
			hive.ErrorValue,
		},
		"too many slots": {hive.NewExecutor{Address: "127.0.0.1:1", Slots: maxSlots + 1}, hive.ErrorValue},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := CheckNew(&c.n)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var refused *hive.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.want, refused.Reason)
			assert.NotContains(t, err.Error(), "\x1b")
			assert.NotContains(t, err.Error(), "a\nb")
		})
	}
}

// What a person says goes before what the executor says, and that before what was known of it.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	plain := Newcomer(&hive.NewExecutor{Address: "127.0.0.1:9"}, &Description{Slots: 1}, nil, now)
	assert.Equal(t, hive.Executor{
		ID: "at:127.0.0.1:9", Name: "127.0.0.1:9", Group: hive.DefaultGroup, Address: "127.0.0.1:9", Slots: 1,
		Origin: hive.OriginAddress, Labels: map[string]string{}, CreatedAt: now, SeenAt: now,
	}, plain)
	d := &Description{
		ID: "x", BootID: "b", Name: "said", Group: "said", Slots: 4,
		Labels: map[string]string{"a": "1", "b": "1"},
	}
	said := Newcomer(&hive.NewExecutor{Address: "h:9", Labels: map[string]string{"b": "2"}}, d, nil, now)
	assert.Equal(t, []any{"x", "said", "said", 4, false},
		[]any{said.ID, said.Name, said.Group, said.Slots, said.SlotsByHand})
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, said.Labels)
	known := &hive.Executor{
		Name: "known", Group: "known", BootID: "b", Drained: true, Offline: true,
		CreatedAt: now.Add(-time.Hour),
	}
	again := Newcomer(&hive.NewExecutor{Address: "h:9", Group: "mine", Slots: 2}, d, known, now)
	assert.Equal(t, []any{"known", "mine", 2, true, true, true}, []any{
		again.Name, again.Group, again.Slots, again.SlotsByHand, again.Drained, again.Offline,
	})
	assert.Equal(t, known.CreatedAt, again.CreatedAt)
}
