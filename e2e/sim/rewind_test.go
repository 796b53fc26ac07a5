package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/hive"
)

// TestRepeatedID lets the database go back to its empty state while an executor has an attempt, so that the id of the
// attempt is used again. The new run must get its own process, and the old attempt must be removed.
func TestRepeatedID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		handler string
		task    int // milliseconds
		until   func(w *world, ref ledger.Ref) bool
	}{
		{
			"accepted", handlerShell, 60_000,
			func(w *world, ref ledger.Ref) bool { return w.hosts[0].ledger.State(ref).Known },
		},
		{"running", handlerShell, 60_000, func(w *world, ref ledger.Ref) bool { return w.work.started[ref] != nil }},
		{
			"running inside", handlerLocal, 60_000,
			func(w *world, ref ledger.Ref) bool { return w.work.started[ref] != nil },
		},
		{
			"ended", handlerShell, 100,
			func(w *world, ref ledger.Ref) bool { return w.hosts[0].ledger.State(ref).Outcome != nil },
		},
		{
			"stored", handlerShell, 100,
			func(w *world, ref ledger.Ref) bool { return w.store.attempt(ref).State == hive.AttemptEnded },
		},
		{"released", handlerShell, 100, func(w *world, ref ledger.Ref) bool {
			return w.work.started[ref] != nil && len(w.hosts[0].ledger.Known()) == 0
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if v := repeat(c.handler, c.task, MutateNone, c.until); v != nil {
				t.Error(v)
			}
			if c.name == "released" {
				return // the tombstone of the old attempt refuses the new one, which then gets another id
			}
			if v := repeat(c.handler, c.task, MutateKeys, c.until); v == nil || v.Rule != "another" {
				t.Errorf("without keys the new run is not its own, and that was noticed as: %v", v)
			}
		})
	}
}

// repeat plays this history in a world without other faults.
func repeat(handler string, task int, m Mutation, until func(w *world, ref ledger.Ref) bool) (v *Violation) {
	defer func() {
		if p := recover(); p != nil {
			v = p.(*Violation) // another panic is passed on
		}
	}()
	w := lonelyWorld(Options{Seed: 1, Mutation: m}, &hive.Task{
		Key: "load", Handler: handler, Params: map[string]any{"mean": task, "fail": 0, "deaf": 0, "never": 0},
	})
	saved := w.store.snapshot()
	begin := func() ledger.Ref {
		w.servers[0].boot()
		w.wait("a session", func() bool { return !w.servers[0].keeper.Over() })
		w.people.run()
		w.wait("an offer", func() bool { return len(w.store.attempts) == 1 })
		for _, a := range w.store.attempts {
			return ledger.Ref(a.Ref())
		}
		return ledger.Ref{}
	}
	first := begin()
	w.wait("the moment", func() bool { return until(w, first) })
	w.servers[0].crash()
	w.store.restore(saved)
	second := begin()
	if second.ID != first.ID || m == MutateNone && second == first {
		return &Violation{Rule: "test", Detail: fmt.Sprintf("%s came first, then %s", first, second)}
	}
	w.wait("the end", w.store.allFinal)
	w.runUntil(w.now + settleTime)
	w.checkRest()
	last := w.store.last(w.store.runs[w.store.attempts[second.ID].RunID])
	p := w.work.started[ledger.Ref(last.Ref())]
	if last.Outcome != hive.OutcomeSuccess || p == nil || p == w.work.started[first] {
		return &Violation{Rule: "test", Detail: fmt.Sprintf("%+v was done by %+v", *last, p)}
	}
	return nil
}

// lonelyWorld returns a world with one server, which is not started yet, one executor, and a schedule with one task.
func lonelyWorld(opt Options, task *hive.Task) *world {
	w := newWorld(opt)
	w.cfg = config{
		servers: 1, hosts: 1, batches: 1, storm: time.Minute, orphan: time.Minute,
		ahead: 60,
	}
	w.calm = true
	w.store, w.net, w.work = newStore(w), &network{w: w}, newWork(w)
	h := newHost(w, 0)
	h.blocking, h.slots = false, 1
	row := w.store.hosts[h.id]
	row.Durable, row.Slots = true, 1
	w.store.hosts[h.id] = row
	w.hosts, w.servers = []*host{h}, []*server{newServer(w, 0)}
	def := &hive.Definition{
		APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "s",
		Jobs: []hive.Job{{Key: "j", Tasks: []hive.Task{*task}}},
	}
	w.people = &people{w: w, revs: []*revision{w.store.publish(def, 1)}}
	h.boot()
	return w
}

// wait plays events until a condition holds.
func (w *world) wait(what string, is func() bool) {
	for end := w.now + time.Hour; !is(); w.runUntil(w.now + time.Millisecond) {
		if w.now > end {
			w.failf("test", "%s has not come: %s", what, w.store.openWork())
		}
	}
}
