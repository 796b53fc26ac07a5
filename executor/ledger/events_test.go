package ledger

import (
	"slices"
	"testing"
)

func TestEventsUntilAcked(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 4)
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

// A server that restarts registers, attaches and polls before it has read its batches, so it cannot use the events of
// the first answers. When it takes over the attempts, its waiting poll reports the events again at once.
func TestTakingOverWakesThePoll(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 4)
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
	d.keep(st)
	if err != nil || !slices.Equal(st.Wakes, []string{"alice"}) || !d.l.Urgent(alice2(), early.Number) {
		t.Fatalf("it goes on waiting: %v, %v", st.Wakes, err)
	}
	late := d.poll(PollCall{Caller: alice2(), LastAnswer: early.Number})
	if len(late.Events) != 1 || late.Events[0].Attempt.ID != 1 {
		t.Fatalf("told again: %+v", late.Events)
	}
}

func TestProgressSeqsAreNeverUsedTwice(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 4)
	d.attach(alice())
	d.submit(alice(), 1)
	d.keep(d.l.Progress(at(1), 0.5))
	d.keep(d.l.Progress(at(1), 7))
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

func TestAnswersAreLimitedAndNewsComeFirst(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 100)
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
		d.keep(st)
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
