package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

var _ Attempts = lookup{}

// lookup is the store of attempts.
type lookup map[int64]hive.Attempt

func (l lookup) Attempt(_ context.Context, id int64) (hive.Attempt, error) {
	a, ok := l[id]
	if !ok {
		return a, hive.Errorf(hive.CodeNotFound, "there is no attempt with id %d", id)
	}
	return a, nil
}

// heldRun is a run that waits for a person.
const heldRun = 60

func (lookup) NoteAttempts(context.Context, []hive.NoticedAttempt) error { return nil }

func (l lookup) Runs(context.Context, int64) ([]hive.Run, error) {
	return []hive.Run{{ID: heldRun, State: hive.RunUnknown, Reason: hive.ReasonHeld}}, nil
}

// logFile returns the file of the complete log of an attempt without a key.
func logFile(s *loop, id int64) string {
	return filepath.Join(s.cfg.LogDir, strconv.FormatInt(id/1000, 10), strconv.FormatInt(id, 10)+".log")
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 2*time.Minute, 5*time.Millisecond, what)
}

// loop drives a service as an engine's loop does.
type loop struct {
	*Service
	t      *testing.T
	inbox  chan func(now time.Time)
	events chan hive.AttemptEvent
	stop   func()
}

// newLoop starts a service that knows some executors. It stops with the test.
func newLoop(t *testing.T, stored lookup, known ...hive.Executor) *loop {
	t.Helper()
	s := &loop{t: t, inbox: make(chan func(now time.Time), 4), events: make(chan hive.AttemptEvent, 1000)}
	over := make(chan struct{})
	s.Service = New(Config{
		Settings: fleet.Settings{PollWait: 50 * time.Millisecond}, ClusterID: "c", ServerID: "s", LogDir: t.TempDir(),
		Attempts: stored, Log: slog.New(slog.DiscardHandler), Post: func(f func(now time.Time)) {
			select {
			case s.inbox <- f:
			case <-over:
			}
		},
	})
	for i := range known {
		s.Register(time.Now(), known[i])
	}
	require.NoError(t, s.Start(t.Context()))
	s.SetEpoch(1, "first")
	var running sync.WaitGroup
	running.Go(func() {
		timer := time.NewTimer(0)
		for {
			select {
			case <-over:
				return
			case f := <-s.inbox:
				f(time.Now())
			case <-timer.C:
			}
			for _, ev := range s.Events(time.Now()) {
				s.events <- ev
			}
			s.Launch(time.Now())
			if at := s.Wake(); !at.IsZero() {
				timer.Reset(max(time.Until(at), time.Millisecond))
			}
		}
	})
	s.stop = sync.OnceFunc(func() {
		close(over)
		running.Wait()
		s.Stop()
	})
	t.Cleanup(s.stop)
	return s
}

// do runs f in the loop.
func (s *loop) do(f func(now time.Time)) {
	s.t.Helper()
	done := make(chan struct{})
	s.inbox <- func(now time.Time) { f(now); close(done) }
	<-done
}

// next returns the next event of a kind.
func (s *loop) next(kind hive.AttemptEventKind) hive.AttemptEvent {
	s.t.Helper()
	for {
		select {
		case ev := <-s.events:
			if ev.Kind == kind {
				return ev
			}
		case <-time.After(2 * time.Minute):
			s.t.Fatalf("no event %s", kind)
		}
	}
}

// polls lets x answer polls with events until they are acked, and returns the results of the calls.
func polls(x *wiretest.Executor, boot string, acks chan<- int64, releases chan<- int64) (
	report func(...*hivego.Event),
) {
	var mu sync.Mutex
	var events []*hivego.Event
	number := int64(0)
	x.OnPoll = func(_ context.Context, c *hivego.PollCall) (*hivego.PollReply, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, a := range c.Acks {
			for i, ev := range events {
				if ev.GetAttemptId() == a.GetAttemptId() && a.GetSeq() >= ev.GetSeq() {
					events = append(events[:i:i], events[i+1:]...)
					break
				}
			}
			acks <- a.GetAttemptId()
		}
		for _, id := range c.Releases {
			releases <- id
		}
		number++
		answer := number
		return &hivego.PollReply{Answer: &answer, BootId: &boot, Events: events}, nil
	}
	return func(evs ...*hivego.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, evs...)
	}
}

// An attempt is sent, begins and ends. It is acked once its end is durable, and released only when its log is copied.
func TestDurableExchange(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	acks, releases := make(chan int64, 100), make(chan int64, 100)
	report := polls(x, "b", acks, releases)
	x.OnAttach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		return &hivego.AttachReply{BootId: new("b")}, nil
	}
	x.OnSubmit = func(c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		r := &hivego.SubmitReply{}
		for _, a := range c.Assignments {
			r.Receipts = append(r.Receipts,
				&hivego.Receipt{AttemptId: a.AttemptId, Code: new(hivego.ReceiptCode_STARTED)})
		}
		return r, nil
	}
	s := newLoop(t, nil, x.Row())
	eventually(t, "the executor is attached", func() bool {
		var hold hive.WaitReason
		s.do(func(time.Time) { hold = s.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"}).Wait })
		return hold == hive.WaitNone
	})
	s.do(func(time.Time) {
		s.Reserve("x", ref(5))
		s.Offer(hive.Assignment{
			Attempt: 5, Executor: "x", Handler: "shell", Params: []byte("{}"),
			Values: []byte("{}"),
		})
	})
	assert.Equal(t, int64(5), s.next(hive.EventStarted).Attempt)

	x.Write(5, "done\n", true)
	anHourAgo := time.Now().Add(-time.Hour).UnixMilli()
	report(&hivego.Event{
		AttemptId: new(int64(5)), Seq: new(int64(2)), Kind: new(hivego.EventKind_ENDED), AtMillis: &anHourAgo,
		Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_SUCCESS), FinishedAtMillis: &anHourAgo},
	})
	ev := s.next(hive.EventEnded)
	assert.Equal(t, hive.OutcomeSuccess, ev.Outcome)
	assert.WithinDuration(t, time.Now(), ev.FinishedAt, 5*time.Minute, "its clock is an hour slow")
	assert.Empty(t, acks, "nothing is acked before it is durable")
	s.do(func(time.Time) { s.Ack(ref(5), ev.Seq) })
	assert.Equal(t, int64(5), <-acks)
	assert.Equal(t, int64(5), <-releases)
	raw, err := os.ReadFile(logFile(s, 5))
	require.NoError(t, err)
	assert.Equal(t, "done\n", string(raw), "it is here before it is released there")
}

// The next attach finds the attempts that a killed server had not copied, acked or released. Ended attempts are copied
// and released, whether the store knows them or not. Attempts that are open in the store stay with their owner.
// Attempts without an owner are killed; the reason shows whether a person must decide about the task.
func TestForgottenAttempts(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	acks, releases, kills := make(chan int64, 1000), make(chan int64, 1000), make(chan string, 100)
	report := polls(x, "b", acks, releases)
	state := func(id int64, s hivego.AttemptState) *hivego.AttemptReport {
		return &hivego.AttemptReport{AttemptId: &id, State: &s}
	}
	x.OnAttach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		return &hivego.AttachReply{BootId: new("b"), Others: []*hivego.AttemptReport{
			state(1, hivego.AttemptState_ENDED), state(2, hivego.AttemptState_LOST), state(3,
				hivego.AttemptState_RUNNING),
			state(4, hivego.AttemptState_RUNNING), state(5, hivego.AttemptState_ENDED),
			state(6, hivego.AttemptState_RUNNING),
		}}, nil
	}
	x.OnKill = func(c *hivego.KillCall) (*hivego.KillReply, error) {
		r := &hivego.KillReply{}
		for _, o := range c.Orders {
			kills <- fmt.Sprint(o.GetAttemptId(), " ", o.GetReason())
			r.Statuses = append(r.Statuses,
				&hivego.KillStatus{AttemptId: o.AttemptId, Code: new(hivego.KillCode_KILLING)})
		}
		return r, nil
	}
	x.Write(1, "one\n", true)
	x.Write(2, "two\n", true)
	ended := func(id int64) *hivego.Event {
		return &hivego.Event{
			AttemptId: &id, Seq: new(int64(2)), Kind: new(hivego.EventKind_ENDED),
			Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_SUCCESS)},
		}
	}
	report(ended(1), ended(5))
	s := newLoop(t, lookup{
		1: {ID: 1, State: hive.AttemptEnded},
		3: {ID: 3, State: hive.AttemptRunning}, 5: {ID: 5, State: hive.AttemptOffered},
		6: {ID: 6, State: hive.AttemptEnded, RunID: heldRun},
	}, x.Row())

	got := map[int64]bool{}
	for len(got) < 2 {
		id := <-releases
		require.Contains(t, []int64{1, 2}, id)
		got[id] = true
	}
	assert.Equal(t, int64(1), <-acks)
	assert.ElementsMatch(t, []string{"4 lost", "6 held"}, []string{<-kills, <-kills})
	for id, want := range map[int64]string{1: "one\n", 2: "two\n"} {
		raw, err := os.ReadFile(logFile(s, id))
		require.NoError(t, err)
		assert.Equal(t, want, string(raw))
	}
	s.stop()
	assert.Empty(t, s.events, "none of it concerns an owner")
	assert.Empty(t, kills)
}

// An executor that hangs delays neither the loop nor another executor, and the service stops in spite of it.
func TestServiceWithHangingExecutor(t *testing.T) {
	t.Parallel()
	x, hangs := wiretest.New(t, "x"), wiretest.New(t, "hangs")
	hung := make(chan struct{})
	hangsNow := sync.OnceFunc(func() { close(hung) }) // the new session may call it again
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hangs.OnAttach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		hangsNow()
		<-release
		return nil, wiretest.ErrUnexpected
	}
	acks, releases := make(chan int64, 1000), make(chan int64, 1000)
	polls(x, "b", acks, releases)
	x.OnAttach = func(c *hivego.AttachCall) (*hivego.AttachReply, error) {
		r := &hivego.AttachReply{BootId: new("b")}
		for _, id := range c.AttemptIds {
			r.Attempts = append(r.Attempts,
				&hivego.AttemptReport{AttemptId: &id, State: new(hivego.AttemptState_RUNNING)})
		}
		return r, nil
	}
	s := newLoop(t, nil, hangs.Row(), x.Row())
	<-hung
	s.do(func(now time.Time) {
		for id, e := range []string{"hangs", "x"} {
			s.Adopt(now, e, hive.HeldAttempt{Assignment: hive.Assignment{Attempt: int64(id), Executor: e}})
		}
	})
	assert.Equal(t, int64(1), s.next(hive.EventStarted).Attempt)
	s.do(func(time.Time) { s.Reset(); s.SetEpoch(2, "session 2") }) // a new session breaks the call off
	s.stop()
}

// Descriptions of one executor are stored in the order in which they came, also if the first one takes long.
func TestDescriptionsAreStoredInOrder(t *testing.T) {
	t.Parallel()
	begun, proceed, stored := make(chan struct{}), make(chan struct{}), make(chan int, 10)
	first := sync.OnceFunc(func() {
		close(begun)
		<-proceed
	})
	s := New(Config{
		LogDir: t.TempDir(), Attempts: lookup{}, Log: slog.New(slog.DiscardHandler), Post: func(func(time.Time)) {},
		Described: func(_ context.Context, e hive.Executor) {
			first()
			stored <- e.Slots
		},
	})
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(s.Stop)
	now := time.Now()
	s.Register(now, hive.Executor{ID: "x", Name: "x", Address: "127.0.0.1:1", Origin: hive.OriginAddress, Slots: 1})
	for slots := 2; slots < 5; slots++ {
		calls := s.Calls(now)
		require.Len(t, calls, 1)
		require.IsType(t, &fleet.DescribeCall{}, calls[0])
		s.Answered(now, &fleet.DescribeAnswer{
			Call: calls[0].(*fleet.DescribeCall), Description: fleet.Description{BootID: "b", Slots: slots},
		})
		s.Launch(now)
		<-begun
		now = now.Add(time.Minute)
	}
	select {
	case slots := <-stored:
		t.Errorf("the description with %d slots overtook the first one", slots)
	case <-time.After(50 * time.Millisecond):
	}
	close(proceed)
	for slots := 2; slots < 5; slots++ {
		assert.Equal(t, slots, <-stored)
	}
}
