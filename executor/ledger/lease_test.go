package ledger

import (
	"slices"
	"testing"
	"time"
)

// The lease counts from the moment at which an answer was sent, not from its confirmation.
func TestLease(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1)
	const orphan = 10 * time.Second
	base := d.now.Mono
	a := d.poll(PollCall{Caller: alice(), OrphanTimeout: orphan})
	d.pass(9 * time.Second)
	d.poll(PollCall{Caller: alice(), LastAnswer: a.Number, OrphanTimeout: orphan})
	if next, ok := d.l.NextLease(); !ok || next != base+orphan {
		t.Fatalf("lease until %v, want %v", next, base+orphan)
	}
	d.pass(999 * time.Millisecond)
	d.keep(d.l.LeaseDue(d.now))
	if len(d.kills) != 0 {
		t.Fatal("killed before the lease was over")
	}
	d.pass(time.Millisecond)
	d.keep(d.l.LeaseDue(d.now))
	d.keep(d.l.LeaseDue(d.now))
	if !slices.Equal(d.kills, []int64{1}) {
		t.Fatalf("killed %v", d.kills)
	}
	if _, ok := d.l.NextLease(); ok {
		t.Fatal("a lease is due, but nothing is left to kill")
	}
	d.end(1, Killed)
	if o := d.l.State(at(1)).Outcome; o.Kind != Lost {
		t.Fatalf("outcome %+v", o)
	}
}

// A poll that confirms no answer of this process does not extend a lease.
func TestUnconfirmedPollsExtendNothing(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1)
	d.reboot()
	d.l.AdoptLease(Lease{Name: alice().LeaseName(), Deadline: d.now.Mono + 5*time.Second})
	for range 10 {
		d.pass(time.Second)
		d.poll(PollCall{Caller: alice(), LastAnswer: 77, OrphanTimeout: time.Minute})
	}
	if !slices.Equal(d.kills, []int64{1}) {
		t.Fatalf("killed %v", d.kills)
	}
}

func TestNoOrphanTimeout(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1)
	a := d.poll(PollCall{Caller: alice(), OrphanTimeout: 0})
	d.poll(PollCall{Caller: alice(), OrphanTimeout: 0, LastAnswer: a.Number})
	d.pass(1000 * time.Hour)
	d.keep(d.l.LeaseDue(d.now))
	if _, ok := d.l.NextLease(); ok || len(d.kills) != 0 {
		t.Fatalf("killed %v for silence", d.kills)
	}
}

func TestTakeoverCountsTheNewOwnersLease(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1, 2)
	d.pass(DefaultOrphanTimeout - time.Second)
	d.attach(bob(), 1)
	a := d.poll(PollCall{Caller: bob(), OrphanTimeout: DefaultOrphanTimeout})
	d.poll(PollCall{Caller: bob(), LastAnswer: a.Number, OrphanTimeout: DefaultOrphanTimeout})
	d.pass(2 * time.Second)
	d.keep(d.l.LeaseDue(d.now))
	if !slices.Equal(d.kills, []int64{2}) {
		t.Fatalf("killed %v, want the one that alice still had", d.kills)
	}
	d.end(1, Success)
	a = d.poll(PollCall{Caller: bob()})
	if len(a.Events) != 1 || a.Events[0].Attempt.ID != 1 {
		t.Fatalf("bob hears %+v", a.Events)
	}
}

// A delayed attach does not extend the lease of the attempts that it takes over.
func TestTakeoverAloneExtendsNothing(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1)
	d.pass(DefaultOrphanTimeout - time.Second)
	d.attach(bob(), 1)
	d.pass(2 * time.Second)
	d.keep(d.l.LeaseDue(d.now))
	if !slices.Equal(d.kills, []int64{1}) {
		t.Fatalf("killed %v, want what bob was never heard to know of", d.kills)
	}
}

// A later session of a server extends only the leases of attempts that it names: the others may belong to another
// server.
func TestSessionsHaveSeparateLeases(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1, 2)
	later := alice()
	later.Epoch += 10
	d.attach(later, 2)
	last := d.poll(PollCall{Caller: later, OrphanTimeout: DefaultOrphanTimeout})
	for range 4 {
		d.pass(DefaultOrphanTimeout / 3)
		last = d.poll(PollCall{Caller: later, LastAnswer: last.Number, OrphanTimeout: DefaultOrphanTimeout})
	}
	if !slices.Equal(d.kills, []int64{1}) {
		t.Fatalf("killed %v, want the one that the later session did not name", d.kills)
	}
}

// After a boot, resumed attempts have a new lease. Other attempts with the same old lease are killed if it has
// passed; the new lease must not extend theirs.
func TestResume(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1, 2)
	d.attach(bob())
	d.submit(bob(), 3, 4)
	d.reboot()
	d.l.AdoptLease(Lease{Name: alice().LeaseName(), Deadline: d.now.Mono - time.Second})
	d.l.AdoptLease(Lease{Name: bob().LeaseName(), Deadline: d.now.Mono + time.Hour})
	d.keep(d.l.Resume(d.now, []Resumed{{at(1), 10 * time.Second}, {at(3), 10 * time.Second}, {at(77), time.Second}}))
	if !slices.Equal(d.kills, []int64{2}) {
		t.Fatalf("killed %v, want the one of alice's that is not taken up again", d.kills)
	}
	d.pass(10*time.Second - 1)
	d.keep(d.l.LeaseDue(d.now))
	if len(d.kills) != 1 {
		t.Fatalf("killed %v", d.kills)
	}
	d.pass(1)
	d.keep(d.l.LeaseDue(d.now))
	if !slices.Equal(d.kills, []int64{2, 1}) {
		t.Fatalf("killed %v, want the one whose server never came", d.kills)
	}
	d.attach(bob(), 3, 4)
	if d.pass(time.Hour); d.l.Orphan(at(4)) != DefaultOrphanTimeout {
		t.Fatalf("orphan timeout %v", d.l.Orphan(at(4)))
	}
	d.keep(d.l.LeaseDue(d.now))
	if !slices.Equal(d.kills, []int64{2, 1, 3, 4}) {
		t.Fatalf("killed %v", d.kills)
	}
	// Attempts that are being killed need no lease, and get none.
	d.reboot()
	d.keep(d.l.Resume(d.now, []Resumed{{at(1), 0}, {at(3), 0}}))
	if next, ok := d.l.NextLease(); ok {
		t.Fatalf("a lease until %v", next)
	}
}

// The end of an attempt is reported again to the session that takes it over, even if the earlier owner had acked it.
func TestTakeoverReportsTheEnd(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1)
	d.end(1, Success)
	a := d.poll(PollCall{Caller: alice()})
	d.poll(PollCall{Caller: alice(), Acks: []Ack{{at(1), a.Events[0].Seq}}, LastAnswer: a.Number})
	d.attach(bob(), 1)
	if a = d.poll(PollCall{Caller: bob()}); len(a.Events) != 1 || a.Events[0].Attempt.ID != 1 {
		t.Fatalf("bob hears %+v", a.Events)
	}
}

// A poll waits if all events of an attempt were reported, also after a boot and a takeover.
func TestNothingNewIsNotUrgent(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	d.submit(alice(), 1)
	d.reboot()
	d.attach(bob(), 1)
	a := d.poll(PollCall{Caller: bob()})
	if d.l.Urgent(bob(), a.Number) {
		t.Fatalf("there is news after %+v", a)
	}
}

// A server without a live lease cannot take over an attempt by a submit.
func TestTakeoverNeedsALease(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(bob())
	d.pass(DefaultOrphanTimeout - time.Second)
	d.attach(alice())
	d.submit(alice(), 1)
	d.pass(time.Second)
	d.want(d.submit(bob(), 1), busy)
	if s := d.l.State(at(1)); s.Server != "alice" || s.Killing {
		t.Fatalf("state %+v", s)
	}
}
