package dispatch

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// heldRun waits for a person.
const heldRun = 60

func (lookup) NoteAttempts(context.Context, []hive.NoticedAttempt) error { return nil }

func (l lookup) Runs(context.Context, int64) ([]hive.Run, error) {
	return []hive.Run{{ID: heldRun, State: hive.RunUnknown, Reason: hive.ReasonHeld}}, nil
}

// shift drives a service as an engine's loop does.
type shift struct {
	*Service
	t      *testing.T
	inbox  chan func(now time.Time)
	events chan hive.AttemptEvent
	stop   func()
}

// newShift starts a service that knows some executors. It stops with the test.
func newShift(t *testing.T, stored lookup, known ...hive.Executor) *shift {
	t.Helper()
	s := &shift{t: t, inbox: make(chan func(now time.Time), 4), events: make(chan hive.AttemptEvent, 1000)}
	over := make(chan struct{})
	s.Service = New(Config{
		Settings: fleet.Settings{PollWait: 50 * time.Millisecond}, ClusterID: "c", ServerID: "s", LogDir: t.TempDir(),
		Attempts: stored, Log: quiet(), Post: func(f func(now time.Time)) {
			select {
			case s.inbox <- f:
			case <-over:
			}
		},
	})
	s.logs.every = 20 * time.Millisecond
	for i := range known {
		s.Register(time.Now(), known[i])
	}
	require.NoError(t, s.Start(t.Context()))
	s.SetEpoch(1, "first")
	var loop sync.WaitGroup
	loop.Go(func() {
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
		loop.Wait()
		s.Stop()
	})
	t.Cleanup(s.stop)
	return s
}

// do runs f in the loop.
func (s *shift) do(f func(now time.Time)) {
	s.t.Helper()
	done := make(chan struct{})
	s.inbox <- func(now time.Time) { f(now); close(done) }
	<-done
}

// next is the next event of a kind.
func (s *shift) next(kind hive.AttemptEventKind) hive.AttemptEvent {
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

// polls scripts a poll that tells events until they are acked, and hands on what the calls bring.
func (x *script) polls(boot string, acks chan<- int64, releases chan<- int64) (tell func(...*hivego.Event)) {
	var mu sync.Mutex
	var told []*hivego.Event
	number := int64(0)
	x.poll = func(_ context.Context, c *hivego.PollCall) (*hivego.PollReply, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, a := range c.Acks {
			for i, ev := range told {
				if ev.GetAttemptId() == a.GetAttemptId() && a.GetSeq() >= ev.GetSeq() {
					told = append(told[:i:i], told[i+1:]...)
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
		return &hivego.PollReply{Answer: &answer, BootId: &boot, Events: told}, nil
	}
	return func(evs ...*hivego.Event) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, evs...)
	}
}

// An attempt goes out, begins, ends, is acked once durable, its log is copied, and only then it is released.
func TestWholeExchange(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	acks, releases := make(chan int64, 100), make(chan int64, 100)
	tell := x.polls("b", acks, releases)
	x.attach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		return &hivego.AttachReply{BootId: new("b")}, nil
	}
	x.submit = func(c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		r := &hivego.SubmitReply{}
		for _, a := range c.Assignments {
			r.Receipts = append(r.Receipts,
				&hivego.Receipt{AttemptId: a.AttemptId, Code: new(hivego.ReceiptCode_STARTED)})
		}
		return r, nil
	}
	s := newShift(t, nil, x.row())
	eventually(t, "the executor is attached", func() bool {
		var hold hive.WaitReason
		s.do(func(time.Time) { _, _, hold = s.Pick(hive.Requirement{Group: hive.DefaultGroup, Handler: "shell"}) })
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

	x.write(5, "done\n", true)
	anHourAgo := time.Now().Add(-time.Hour).UnixMilli()
	tell(&hivego.Event{
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
	raw, err := os.ReadFile(s.logs.path(ref(5), wholeLog))
	require.NoError(t, err)
	assert.Equal(t, "done\n", string(raw), "it is here before it is released there")
}

// What a killed server had not copied, acked or released is found at the next attach: ended attempts are, whether the
// store knows them or not; what the store has as open is left to its owner; what nobody waits for is killed, with a
// word that tells whether a person is to decide about its task.
func TestForgottenAttempts(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	acks, releases, kills := make(chan int64, 1000), make(chan int64, 1000), make(chan string, 100)
	tell := x.polls("b", acks, releases)
	report := func(id int64, s hivego.AttemptState) *hivego.AttemptReport {
		return &hivego.AttemptReport{AttemptId: &id, State: &s}
	}
	x.attach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		return &hivego.AttachReply{BootId: new("b"), Others: []*hivego.AttemptReport{
			report(1, hivego.AttemptState_ENDED), report(2, hivego.AttemptState_LOST), report(3,
				hivego.AttemptState_RUNNING),
			report(4, hivego.AttemptState_RUNNING), report(5, hivego.AttemptState_ENDED),
			report(6, hivego.AttemptState_RUNNING),
		}}, nil
	}
	x.kill = func(c *hivego.KillCall) (*hivego.KillReply, error) {
		r := &hivego.KillReply{}
		for _, o := range c.Orders {
			kills <- fmt.Sprint(o.GetAttemptId(), " ", o.GetReason())
			r.Statuses = append(r.Statuses,
				&hivego.KillStatus{AttemptId: o.AttemptId, Code: new(hivego.KillCode_KILLING)})
		}
		return r, nil
	}
	x.write(1, "one\n", true)
	x.write(2, "two\n", true)
	ended := func(id int64) *hivego.Event {
		return &hivego.Event{
			AttemptId: &id, Seq: new(int64(2)), Kind: new(hivego.EventKind_ENDED),
			Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_SUCCESS)},
		}
	}
	tell(ended(1), ended(5))
	s := newShift(t, lookup{
		1: {ID: 1, State: hive.AttemptEnded},
		3: {ID: 3, State: hive.AttemptRunning}, 5: {ID: 5, State: hive.AttemptOffered},
		6: {ID: 6, State: hive.AttemptEnded, RunID: heldRun},
	}, x.row())

	got := map[int64]bool{}
	for len(got) < 2 {
		id := <-releases
		require.Contains(t, []int64{1, 2}, id)
		got[id] = true
	}
	assert.Equal(t, int64(1), <-acks)
	assert.ElementsMatch(t, []string{"4 lost", "6 held"}, []string{<-kills, <-kills})
	for id, want := range map[int64]string{1: "one\n", 2: "two\n"} {
		raw, err := os.ReadFile(s.logs.path(ref(id), wholeLog))
		require.NoError(t, err)
		assert.Equal(t, want, string(raw))
	}
	s.stop()
	assert.Empty(t, s.events, "none of it concerns an owner")
	assert.Empty(t, kills)
}

// An executor that hangs keeps neither the loop nor another executor waiting, and the service stops in spite of it.
func TestServiceWithHangingExecutor(t *testing.T) {
	t.Parallel()
	x, hangs := newScript(t, "x"), newScript(t, "hangs")
	hung := make(chan struct{})
	hangsNow := sync.OnceFunc(func() { close(hung) }) // the new session may call it again
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hangs.attach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		hangsNow()
		<-release
		return nil, errUnscripted
	}
	acks, releases := make(chan int64, 1000), make(chan int64, 1000)
	x.polls("b", acks, releases)
	x.attach = func(c *hivego.AttachCall) (*hivego.AttachReply, error) {
		r := &hivego.AttachReply{BootId: new("b")}
		for _, id := range c.AttemptIds {
			r.Attempts = append(r.Attempts,
				&hivego.AttemptReport{AttemptId: &id, State: new(hivego.AttemptState_RUNNING)})
		}
		return r, nil
	}
	s := newShift(t, nil, hangs.row(), x.row())
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

// An executor that leaves out whatever it may, or all there is, breaks nothing.
func TestEmptyReplies(t *testing.T) {
	t.Parallel()
	x := newScript(t, "x")
	x.attach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		r := &hivego.AttachReply{Attempts: []*hivego.AttemptReport{{}}, Others: []*hivego.AttemptReport{{}}}
		for s := hivego.AttemptState(-1); s < 9; s++ {
			r.Attempts = append(r.Attempts, &hivego.AttemptReport{AttemptId: new(int64(1)), State: &s})
		}
		return r, nil
	}
	x.poll = func(context.Context, *hivego.PollCall) (*hivego.PollReply, error) {
		r := &hivego.PollReply{Events: []*hivego.Event{{}}}
		for k := hivego.EventKind(-1); k < 9; k++ {
			r.Events = append(r.Events, &hivego.Event{Kind: &k}, &hivego.Event{Kind: &k, Outcome: &hivego.Outcome{}})
		}
		return r, nil
	}
	x.submit = func(*hivego.SubmitCall) (*hivego.SubmitReply, error) {
		return &hivego.SubmitReply{Receipts: []*hivego.Receipt{{}, {}}}, nil
	}
	x.kill = func(*hivego.KillCall) (*hivego.KillReply, error) {
		return &hivego.KillReply{Statuses: []*hivego.KillStatus{{}, {}}}, nil
	}
	x.readLog = func(*hivego.LogCall) (*hivego.LogReply, error) { return &hivego.LogReply{}, nil }
	p, e := newTestPool(t), x.row()
	target := fleet.Target{Executor: e}
	for _, call := range []fleet.SessionCall{
		&fleet.AttachCall{Target: target}, &fleet.PollCall{Target: target}, &fleet.SubmitCall{Target: target},
		&fleet.KillCall{Target: target},
	} {
		require.NoError(t, p.use(t.Context(), e, lineControl, func(c *conn) error {
			answer, err := c.call(t.Context(), callerOf(&e), call)
			if err != nil {
				return err
			}
			f := fleet.New(fleet.Settings{})
			f.Register(time.Now(), e)
			f.Answered(time.Now(), answer)
			return nil
		}), call.Kind())
	}
}
