package ledger

import (
	"strings"
	"testing"
)

// With large outputs of many attempts, every answer fits into a frame, and all outcomes are reported.
func TestAnswersFitIntoAFrame(t *testing.T) {
	t.Parallel()
	const n = 400
	d := newDriver(t, n)
	d.attach(alice())
	for id := range int64(n) {
		d.submit(alice(), id+1)
		d.keep(d.l.Ended(d.now, at(id+1), Outcome{
			Kind: Success, Outputs: map[string]string{"rows": strings.Repeat("x", 64<<10-10)},
		}, false))
	}
	seen, last := map[int64]bool{}, int64(0)
	for round := 0; len(seen) < n; round++ {
		if !d.l.Urgent(alice(), last) || round > n {
			t.Fatalf("it waits though only %d are told", len(seen))
		}
		a := d.poll(PollCall{Caller: alice(), LastAnswer: last, OrphanTimeout: -1})
		size := 0
		for _, e := range a.Events {
			seen[e.Attempt.ID] = true
			size += len(e.Outcome.Outputs["rows"])
		}
		if size > 2*MaxAnswerBytes-(1<<20) {
			t.Fatalf("an answer of %d bytes", size)
		}
		last = a.Number
	}
	for _, r := range d.attach(alice2()).Others {
		if r.Outcome == nil || r.Outcome.Outputs != nil {
			t.Fatal("a report of an ended attempt has an outcome, without outputs")
		}
	}
	a := d.poll(PollCall{Caller: alice2(), LastAnswer: 0, OrphanTimeout: -1})
	if len(a.Events) == 0 || a.Events[0].Outcome.Outputs == nil {
		t.Fatal("a report took the outputs away")
	}
}
