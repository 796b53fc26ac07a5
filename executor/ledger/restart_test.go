package ledger

import (
	"slices"
	"testing"
	"time"
)

func TestBootLosesWhatDoesNotSurvive(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice())
	_, st, _ := d.l.Submit(d.now,
		SubmitCall{
			Caller: alice(),
			Offers: []Offer{{Attempt: at(1), Handler: "sql"}, {Attempt: at(2), Handler: "shell", Survives: true}},
		})
	d.keep(st)
	if left := d.reboot(); len(left) != 1 || left[0].Attempt.ID != 2 {
		t.Fatalf("survivors %+v", left)
	}
	if o := d.l.State(at(1)).Outcome; o == nil || o.Kind != Lost {
		t.Fatalf("outcome %+v", o)
	}
}

func TestTombstonesAge(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	d.attach(alice(), 1)
	d.pass(TombstoneAge - time.Minute)
	d.attach(alice(), 2)
	d.pass(2 * time.Minute)
	d.attach(alice())
	d.want(d.submit(alice(), 1, 2), forgotten, forgotten)
	d.pass(TombstoneAge)
	d.attach(alice())
	d.want(d.submit(alice(), 1), started)
	// Restarts alone drop no tombstone, even if the wall clock jumps.
	d.attach(alice(), 3)
	d.now.Wall = d.now.Wall.Add(100 * TombstoneAge)
	d.reboot()
	d.attach(alice())
	d.want(d.submit(alice(), 3), forgotten)
}

func TestCluster(t *testing.T) {
	t.Parallel()
	d := newDriver(t, 9)
	st, ok := d.l.SetCluster(d.now, "one")
	d.keep(st)
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
	d.keep(st)
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
