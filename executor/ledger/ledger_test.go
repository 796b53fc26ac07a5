package ledger

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

const (
	started   = ReceiptStarted
	busy      = ReceiptBusy
	forgotten = ReceiptForgotten
	stale     = ReceiptStale
	refused   = ReceiptRefused
	draining  = ReceiptDraining
)

func TestSubmitIsIdempotent(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.attach(alice())
	d.want(d.submit(alice(), 1, 2, 1), started, started, started)
	d.want(d.submit(alice(), 2), started)
	d.end(1, Success)
	d.want(d.submit(alice(), 1), started)
	if !slices.Equal(d.starts, []int64{1, 2}) {
		t.Fatalf("started %v", d.starts)
	}
	if left := d.reboot(); len(left) != 1 || left[0].Attempt.ID != 2 {
		t.Fatalf("survivors %+v", left)
	}
	d.attach(alice(), 1, 2)
	d.want(d.submit(alice(), 1, 2), started, started)
	if len(d.starts) != 2 {
		t.Fatalf("started %v", d.starts)
	}
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.attach(alice(), 50)
	d.want(d.submit(alice(), 1, 50, 2, 3), started, forgotten, started, busy)
	d.end(1, Success)
	d.want(d.submit(alice(), 3, 6), forgotten, started) // 3 was given away: a late copy of the call must not start it
	d.l.SetDraining(true)
	d.end(2, Success)
	d.want(d.submit(alice(), 4, 6), draining, started)
	d.l.SetDraining(false)
	d.want(d.submit(alice(), 4), forgotten)
	d.reboot()
	d.attach(alice())
	d.want(d.submit(alice(), 3, 4), forgotten, forgotten)
	receipts, st, err := d.l.Submit(d.now,
		SubmitCall{Caller: alice(), Offers: []Offer{{Attempt: at(5), Refusal: "no"}}})
	if err != nil || receipts[0].Code != refused || receipts[0].Reason != "no" || len(st.Records) != 0 {
		t.Fatalf("%+v %+v %v", receipts, st, err)
	}
}

func TestSubmitNeedsALease(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.want(d.submit(alice(), 1), busy)
	d.attach(alice())
	d.want(d.submit(alice(), 1, 3), forgotten, started)
	d.pass(DefaultOrphanTimeout)
	d.want(d.submit(alice(), 2), busy)
	if !slices.Equal(d.kills, []int64{3}) {
		t.Fatalf("killed %v", d.kills)
	}
}

// A submit that was long on its way shows it by its lastAnswer, whatever later polls renewed.
// FORGOTTEN is relied on: it waits for the tombstone, though the BUSY that made it waits for nothing.
func TestForgottenIsDurable(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	offers := []Offer{{Attempt: at(1), Handler: "h"}, {Attempt: at(1), Handler: "h"}}
	receipts, st, err := d.l.Submit(d.now, SubmitCall{Caller: Caller{Server: "s", Epoch: 1}, Offers: offers})
	if err != nil || receipts[0].Code != ReceiptBusy || receipts[1].Code != ReceiptForgotten {
		t.Fatalf("%+v, %v", receipts, err)
	}
	if st.After < d.l.tombs.lsn {
		t.Errorf("the reply waits for record %d, the tombstone is record %d", st.After, d.l.tombs.lsn)
	}
}

func TestDelayedSubmit(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.attach(alice())
	old := d.poll(PollCall{Caller: alice(), OrphanTimeout: time.Minute})
	last := old
	for range 10 {
		d.pass(10 * time.Second)
		last = d.poll(PollCall{Caller: alice(), LastAnswer: last.Number, OrphanTimeout: time.Minute})
	}
	id := int64(9)
	code := func(answer int64) ReceiptCode {
		id++
		receipts, st, err := d.l.Submit(d.now,
			SubmitCall{Caller: alice(), Offers: []Offer{{Attempt: at(id)}}, LastAnswer: answer})
		d.take(st)
		if err != nil {
			t.Fatal(err)
		}
		return receipts[0].Code
	}
	for _, wrong := range []int64{old.Number, last.Number + 1, 1} {
		if got := code(wrong); got != busy {
			t.Fatalf("answer %d: %v", wrong, got)
		}
	}
	if got := code(last.Number); got != started {
		t.Fatalf("the last answer: %v", got)
	}
}

func TestEpochs(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.attach(alice())
	d.attach(bob())
	d.submit(alice(), 1)
	// bob takes attempt 1 over; alice's old session may not touch it any more.
	if r := d.attach(bob(), 1).Attempts[0]; r.State != AttemptRunning {
		t.Fatalf("report %+v", r)
	}
	d.want(d.submit(alice(), 1), stale)
	statuses, _, err := d.l.Kill(d.now, alice(), []KillRequest{{Attempt: at(1)}})
	if err != nil || statuses[0].Code != KillStale {
		t.Fatalf("%+v %v", statuses, err)
	}
	var staleErr *StaleError
	if _, _, err := d.l.Attach(d.now, AttachCall{Caller: alice(), Attempts: refs(1)}); !errors.As(err, &staleErr) ||
		staleErr.Epoch != 7 {
		t.Fatalf("attach of another's attempt: %v", err)
	}
	// A new session of alice shuts the old one out, also after a restart of the executor.
	d.attach(alice2())
	for range 2 {
		_, _, err1 := d.l.Submit(d.now, SubmitCall{Caller: alice()})
		_, err2 := d.l.Poll(d.now, PollCall{Caller: alice()})
		_, _, err3 := d.l.Kill(d.now, alice(), nil)
		_, _, err4 := d.l.Attach(d.now, AttachCall{Caller: alice()})
		_, _, err5 := d.l.Answer(d.now, alice(), 0, 0)
		for i, err := range []error{err1, err2, err3, err4, err5} {
			if !errors.As(err, &staleErr) || staleErr.Epoch != 8 {
				t.Fatalf("call %d of the old session: %v", i+1, err)
			}
		}
		d.reboot()
	}
}

func TestCallersMustNameThemselves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	var bad *BadCallError
	for _, c := range []Caller{{}, {Server: "x"}, {Epoch: 1}, {Server: "x", Epoch: -1}} {
		if _, err := d.l.Poll(d.now, PollCall{Caller: c}); !errors.As(err, &bad) {
			t.Fatalf("%+v: %v", c, err)
		}
	}
	if _, _, err := d.l.Submit(d.now,
		SubmitCall{Caller: alice(), Offers: make([]Offer, MaxAssignments+1)}); !errors.As(err, &bad) {
		t.Fatal(err)
	}
	if _, _, err := d.l.Submit(d.now, SubmitCall{Caller: alice(), Offers: make([]Offer, 1)}); !errors.As(err, &bad) {
		t.Fatal(err)
	}
}

func TestEventsUntilAcked(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.attach(alice())
	first := d.poll(PollCall{Caller: alice()})
	d.submit(alice(), 1)
	if d.l.Urgent(alice(), first.Number) {
		t.Fatal("a start is news, beside its receipt")
	}
	a := d.poll(PollCall{Caller: alice(), LastAnswer: first.Number})
	if len(a.Events) != 0 {
		t.Fatalf("events %+v", a.Events)
	}
	d.end(1, Success)
	if !d.l.Urgent(alice(), a.Number) {
		t.Fatal("an end is no news")
	}
	b := d.poll(PollCall{Caller: alice(), LastAnswer: a.Number})
	if len(b.Events) != 1 || b.Events[0].Kind != EventEnded || b.Events[0].Seq != 2 {
		t.Fatalf("events %+v", b.Events)
	}
	if d.l.Urgent(alice(), b.Number) {
		t.Fatal("told and received, but urgent")
	}
	if !d.l.Urgent(alice(), a.Number) {
		t.Fatal("the answer was lost, but that is not urgent")
	}
	c := d.poll(PollCall{Caller: alice(), LastAnswer: b.Number, Acks: []Ack{{at(1), 1}}})
	if len(c.Events) != 1 || c.Events[0].Seq != 2 {
		t.Fatalf("events %+v", c.Events)
	}
	e := d.poll(PollCall{Caller: alice(), LastAnswer: c.Number, Acks: []Ack{{at(1), 2}, {at(1), 99}, {at(77), 1}}})
	if len(e.Events) != 0 || d.l.Urgent(alice(), e.Number) {
		t.Fatalf("events %+v", e.Events)
	}
	if !d.l.State(at(1)).Known {
		t.Fatal("forgotten before its release")
	}
	d.poll(PollCall{Caller: alice(), LastAnswer: e.Number, Releases: refs(1, 77)})
	if d.l.State(at(1)).Known {
		t.Fatal("known after its release")
	}
	d.want(d.submit(alice(), 1), forgotten)
	d.reboot()
	d.attach(alice())
	d.want(d.submit(alice(), 1), forgotten)
}

// A server that starts again registers, attaches and polls before it has read its batches: what is told then it cannot
// keep. When it takes the attempts over, its poll, which waits by then, tells it again at once, not when its time is
// over.
func TestTakingOverWakesThePoll(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.attach(alice())
	d.submit(alice(), 1, 2)
	d.end(1, Success)
	d.reboot()
	d.attach(alice2())
	early := d.poll(PollCall{Caller: alice2()})
	early = d.poll(PollCall{Caller: alice2(), LastAnswer: early.Number})
	if d.l.Urgent(alice2(), early.Number) {
		t.Fatal("the poll does not wait")
	}
	_, st, err := d.l.Attach(d.now, AttachCall{Caller: alice2(), Attempts: refs(1, 2), OrphanTimeout: -1})
	d.take(st)
	if err != nil || !slices.Equal(st.Wakes, []string{"alice"}) || !d.l.Urgent(alice2(), early.Number) {
		t.Fatalf("it goes on waiting: %v, %v", st.Wakes, err)
	}
	late := d.poll(PollCall{Caller: alice2(), LastAnswer: early.Number})
	if len(late.Events) != 1 || late.Events[0].Attempt.ID != 1 {
		t.Fatalf("told again: %+v", late.Events)
	}
}

func TestReleaseOfWhatRunsIsIgnored(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.attach(alice())
	d.submit(alice(), 1)
	d.poll(PollCall{Caller: alice(), Releases: refs(1)})
	if !d.l.State(at(1)).Known {
		t.Fatal("a running attempt was released")
	}
}

func TestProgressSeqsAreNeverUsedTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 4)
	d.attach(alice())
	d.submit(alice(), 1)
	d.take(d.l.Progress(at(1), 0.5))
	d.take(d.l.Progress(at(1), 7))
	a := d.poll(PollCall{Caller: alice()})
	if len(a.Events) != 1 || a.Events[0].Seq != 3 || a.Events[0].Progress != 1 {
		t.Fatalf("events %+v", a.Events)
	}
	d.poll(PollCall{Caller: alice(), LastAnswer: a.Number, Acks: []Ack{{at(1), 3}}})
	d.reboot()
	d.end(1, Success)
	b := d.poll(PollCall{Caller: alice()})
	if len(b.Events) != 1 || b.Events[0].Kind != EventEnded || b.Events[0].Seq <= 3 {
		t.Fatalf("events %+v", b.Events)
	}
	d.journal = d.l.Snapshot()
	d.reboot()
	if c := d.poll(PollCall{Caller: alice()}); len(c.Events) != 1 || c.Events[0].Seq != b.Events[0].Seq {
		t.Fatalf("events %+v, before %+v", c.Events, b.Events)
	}
}

func TestAttachReports(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 9)
	d.attach(alice())
	d.submit(alice(), 1, 2, 3, 4)
	d.end(2, Failure)
	d.end(3, Lost)
	reply := d.attach(alice2(), 1, 2, 3, 9)
	var states []AttemptState
	for _, r := range reply.Attempts {
		states = append(states, r.State)
	}
	want := []AttemptState{
		AttemptRunning, AttemptEnded, AttemptLost, AttemptForgotten,
	}
	if !slices.Equal(states, want) {
		t.Fatalf("states %v", states)
	}
	if len(reply.Others) != 1 || reply.Others[0].Attempt.ID != 4 {
		t.Fatalf("others %+v", reply.Others)
	}
	d.want(d.submit(alice2(), 9), forgotten)
}

func TestBootLosesWhatDoesNotSurvive(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 9)
	d.attach(alice())
	_, st, _ := d.l.Submit(d.now,
		SubmitCall{
			Caller: alice(),
			Offers: []Offer{{Attempt: at(1), Handler: "sql"}, {Attempt: at(2), Handler: "shell", Survives: true}},
		})
	d.take(st)
	if left := d.reboot(); len(left) != 1 || left[0].Attempt.ID != 2 {
		t.Fatalf("survivors %+v", left)
	}
	if o := d.l.State(at(1)).Outcome; o == nil || o.Kind != Lost {
		t.Fatalf("outcome %+v", o)
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 9)
	d.attach(alice())
	d.submit(alice(), 1, 2)
	d.end(2, Success)
	orders := []KillRequest{
		{at(1), time.Second, "wanted"},
		{at(2), 0, ""},
		{at(3), 0, ""},
		{at(1), time.Minute, "again"},
	}
	statuses, st, err := d.l.Kill(d.now, alice(), orders)
	d.take(st)
	want := []KillCode{
		KillKilling, KillEnded, KillForgotten, KillKilling,
	}
	for i, s := range statuses {
		if s.Code != want[i] {
			t.Fatalf("order %d: %v", i, s.Code)
		}
	}
	if err != nil || len(st.Kills) != 2 || st.Kills[1].Reason != "wanted" || st.After == 0 {
		t.Fatalf("step %+v, %v", st, err)
	}
	d.want(d.submit(alice(), 3), forgotten)
	left := d.reboot()
	if len(left) != 1 || left[0].Kill == nil || left[0].Kill.Reason != "wanted" {
		t.Fatalf("survivors %+v", left)
	}
	d.end(1, Killed)
	if o := d.l.State(at(1)).Outcome; o.Kind != Killed || o.Error != "killed: wanted" {
		t.Fatalf("outcome %+v", o)
	}
}

func TestTombstonesAge(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 9)
	d.attach(alice(), 1)
	d.pass(TombstoneAge - time.Minute)
	d.attach(alice(), 2)
	d.pass(2 * time.Minute)
	d.attach(alice())
	d.want(d.submit(alice(), 1, 2), forgotten, forgotten)
	d.pass(TombstoneAge)
	d.attach(alice())
	d.want(d.submit(alice(), 1), started)
	// Restarts alone forget nothing, even if the wall clock leaps.
	d.attach(alice(), 3)
	d.now.Wall = d.now.Wall.Add(100 * TombstoneAge)
	d.reboot()
	d.attach(alice())
	d.want(d.submit(alice(), 3), forgotten)
}

func TestCluster(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 9)
	st, ok := d.l.SetCluster(d.now, "one")
	d.take(st)
	if !ok {
		t.Fatal("the first cluster is refused")
	}
	d.attach(alice(), 5)
	d.submit(alice(), 1)
	if _, ok := d.l.SetCluster(d.now, "two"); ok {
		t.Fatal("joined another cluster while something runs")
	}
	d.end(1, Success)
	st, ok = d.l.SetCluster(d.now, "two")
	d.take(st)
	if !ok || !slices.Equal(st.Drops, refs(1)) {
		t.Fatalf("%v %+v", ok, st)
	}
	d.reboot()
	if d.l.Cluster() != "two" {
		t.Fatalf("cluster %q", d.l.Cluster())
	}
	d.attach(alice())
	d.want(d.submit(alice(), 5, 1), started, started)
}

func TestAnswersAreLimitedAndNewsComeFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 100)
	d.attach(alice())
	var ids []int64
	for i := range 10 {
		ids = append(ids, int64(i+1))
	}
	d.submit(alice(), ids...)
	for _, id := range ids {
		d.end(id, Success)
	}
	seen := map[int64]bool{}
	last := int64(0)
	for range 5 {
		a, st, err := d.l.Answer(d.now, alice(), last, 2)
		d.take(st)
		if err != nil || len(a.Events) != 2 {
			t.Fatalf("%+v %v", a, err)
		}
		for _, e := range a.Events {
			seen[e.Attempt.ID] = true
		}
		last = a.Number
	}
	if len(seen) != 10 {
		t.Fatalf("heard of %v only", seen)
	}
}

func ExampleLedger() {
	l := New(Config{Slots: 1})
	now := Now{Mono: time.Second, Wall: time.UnixMilli(0)}
	l.Boot(now)
	server := Caller{Server: "s", Epoch: 1}
	if _, _, err := l.Attach(now, AttachCall{Caller: server}); err != nil {
		panic(err)
	}
	receipts, step, _ := l.Submit(now,
		SubmitCall{Caller: server, Offers: []Offer{{Attempt: Ref{ID: 7, Key: "k3V"}, Handler: "shell"}}})
	fmt.Println(receipts[0].Code, step.Starts)
	// Output: STARTED [7-k3V]
}
