package ledger

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
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
	d := newDriver(t, 4)
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
	d := newDriver(t, 2)
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
		SubmitCall{Caller: alice(), Offers: []Offer{{Attempt: at(5), Refusal: message.Plain("no")}}})
	if err != nil || receipts[0].Code != refused || receipts[0].Why.Words != "no" || len(st.Records) != 0 {
		t.Fatalf("%+v %+v %v", receipts, st, err)
	}
}

func TestSubmitNeedsALease(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 4)
	d.want(d.submit(alice(), 1), busy)
	d.attach(alice())
	d.want(d.submit(alice(), 1, 3), forgotten, started)
	d.pass(DefaultOrphanTimeout)
	d.want(d.submit(alice(), 2), busy)
	if !slices.Equal(d.kills, []int64{3}) {
		t.Fatalf("killed %v", d.kills)
	}
}

// The reply FORGOTTEN waits for the record of the tombstone, although the reply BUSY that made it did not.
func TestForgottenIsDurable(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 1)
	offers := []Offer{{Attempt: at(1), Handler: "h"}, {Attempt: at(1), Handler: "h"}}
	receipts, st, err := d.l.Submit(d.now, SubmitCall{Caller: Caller{Server: "s", Epoch: 1}, Offers: offers})
	if err != nil || receipts[0].Code != ReceiptBusy || receipts[1].Code != ReceiptForgotten {
		t.Fatalf("%+v, %v", receipts, err)
	}
	if st.After < d.l.tombs.lsn {
		t.Errorf("the reply waits for record %d, the tombstone is record %d", st.After, d.l.tombs.lsn)
	}
}

// The ledger recognizes a delayed submit by its lastAnswer, even if later polls have renewed the lease.
func TestDelayedSubmit(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 4)
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
		d.keep(st)
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
	d := newDriver(t, 4)
	d.attach(alice())
	d.attach(bob())
	d.submit(alice(), 1)
	// bob takes over attempt 1; alice's old session must not change it any more.
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
	// A new session of alice replaces the old one, also after a restart of the executor.
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
	d := newDriver(t, 1)
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

func TestReleaseOfWhatRunsIsIgnored(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 4)
	d.attach(alice())
	d.submit(alice(), 1)
	d.poll(PollCall{Caller: alice(), Releases: refs(1)})
	if !d.l.State(at(1)).Known {
		t.Fatal("a running attempt was released")
	}
}

func TestAttachReports(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
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

func TestKill(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
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
	d.keep(st)
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
