package sim

import (
	"maps"
	"slices"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/hive"
)

// checkRest checks the world at rest: no resource is in use, and all stored states follow from the rules.
func (w *world) checkRest() {
	for _, s := range w.servers {
		w.checkServer(s)
	}
	for _, h := range w.hosts {
		w.checkHost(h)
	}
	for _, id := range slices.Sorted(maps.Keys(w.store.batches)) {
		w.store.checkEnd(w.store.batches[id])
	}
	for _, id := range slices.Sorted(maps.Keys(w.store.runs)) {
		w.checkOutputs(w.store.runs[id])
	}
	for _, id := range slices.Sorted(maps.Keys(w.store.attempts)) {
		a := w.store.attempts[id]
		if a.State != hive.AttemptEnded {
			w.failf("rest", "attempt %d is still %s", id, a.State)
		}
		w.checkAttempt(a)
	}
}

// checkAttempt checks that the stored end of an attempt is that of its work, or that it was lost.
func (w *world) checkAttempt(a *hive.Attempt) {
	p := w.work.started[ledger.Ref(a.Ref())]
	did := map[hive.Outcome]ledger.OutcomeKind{
		hive.OutcomeSuccess: ledger.Success, hive.OutcomeFailure: ledger.Failure,
		hive.OutcomeTimeout: ledger.Timeout, hive.OutcomeKilled: ledger.Killed,
	}
	kind, ran := did[a.Outcome]
	if a.Outcome == hive.OutcomeTimeout && w.hostOf(a.Executor).blocking {
		return // the server has stopped waiting for its work
	}
	switch {
	case ran && (p == nil || p.became != kind):
		w.failf("outcome", "attempt %d is stored as %s, its work did something else: %+v", a.ID, a.Outcome, p)
	case ran && (p.host.id != a.Executor || p.began < w.store.offered[ledger.Ref(a.Ref())]):
		w.failf("another", "attempt %d of %s is stored as %s, that is what another did: %+v", a.ID, a.ExecutorName,
			a.Outcome, p)
	case a.Outcome == hive.OutcomeReturned && p != nil && w.store.over[ledger.Ref(a.Ref())]:
		// It had ended and had been released. Then the store went back to the time when it was only offered.
	case !ran && a.Outcome != hive.OutcomeLost && p != nil:
		w.failf("outcome", "attempt %d is stored as %s, and %s ran it", a.ID, a.Outcome, p.host.name)
	}
}

// checkOutputs checks that a run has the outputs that its process wrote.
func (w *world) checkOutputs(r *hive.Run) {
	last := w.store.last(r)
	if r.Outputs == nil || last == nil || last.Outcome != hive.OutcomeSuccess {
		return
	}
	if p := w.work.started[ledger.Ref(last.Ref())]; p == nil || r.Outputs["n"] != p.number {
		w.failf("another", "run %d has the outputs %v of another than attempt %d: %+v", r.ID, r.Outputs, last.ID, p)
	}
}

func (w *world) checkServer(s *server) {
	for _, st := range s.fleet.Statuses(s.now()) {
		if at := w.work.givenUp(st.Executor.ID, s); st.Used > at {
			w.failf("slots", "%s thinks that %s holds %d attempts, %d of them given up and at work", s.name,
				st.Executor.Name, st.Used, at)
		}
		if st.State != hive.ExecutorOnline {
			w.failf("rest", "%s sees %s as %s", s.name, st.Executor.Name, st.State)
		}
	}
	if ids := s.keeper.Batches(); len(ids) != 0 {
		w.failf("rest", "%s still has batches %v in memory", s.name, ids)
	}
}

func (w *world) checkHost(h *host) {
	if h.blocking {
		return // processes that were given up may continue there
	}
	if n := h.ledger.Load().Running; n != 0 {
		w.failf("slots", "%s thinks that %d attempts run", h.name, n)
	}
	if known := h.ledger.Known(); len(known) != 0 {
		w.failf("release", "%s was never released of attempts %v", h.name, known)
	}
	if p := h.super.procs(); len(p) != 0 {
		w.failf("orphan", "attempt %s still runs on %s", p[0].t.attempt, h.name)
	}
}

// checkEnd checks that the end of a batch follows from its runs, and its runs from the rules, unless it was repaired.
func (s *store) checkEnd(b *hive.Batch) {
	if want := s.outcome(b); b.State != want {
		s.w.failf("oracle", "batch %d is %s (%s), its runs say %s", b.ID, b.State, b.Reason, want)
	}
	if s.byBatch[b.ID].repaired {
		return
	}
	rev := s.revs[b.RevisionID]
	for _, id := range s.byBatch[b.ID].runs {
		s.checkRunEnd(b, s.runs[id], rev.tasks[s.runs[id].Task])
	}
}

func (s *store) checkRunEnd(b *hive.Batch, r *hive.Run, task *hive.Task) {
	bad := func(why string) {
		s.w.failf("oracle", "batch %d: %s ended %s (%s): %s", b.ID, r.Task, r.State, r.Reason, why)
	}
	switch r.Reason {
	case hive.ReasonPerson, hive.ReasonBatchCanceled, hive.ReasonBatchTimeout, hive.ReasonJobTimeout,
		hive.ReasonReplaced:
		return // decided outside of the rules
	}
	v := s.judge(b, r)
	switch {
	case r.State == hive.RunSkipped && r.Reason == hive.ReasonUpstreamFailed && v != skipBad,
		// a failure may follow
		r.State == hive.RunSkipped && r.Reason == hive.ReasonRule && v != skipNone && v != skipBad,
		r.State != hive.RunSkipped && v != mayRun:
		bad("by the rules it is to " + string(v))
	}
	last := s.last(r)
	switch r.State {
	case hive.RunSucceeded:
		if last == nil || last.Outcome != hive.OutcomeSuccess {
			bad("without an attempt that succeeded")
		}
		if p := s.w.work.started[ledger.Ref(last.Ref())]; p == nil || !p.dead {
			bad("without work that was done")
		}
	case hive.RunFailed:
		s.checkFailure(r, task, last, bad)
	case hive.RunIgnored:
		if !task.Disabled && task.When == "" {
			bad("it has no condition")
		}
	}
}

func (s *store) checkFailure(r *hive.Run, task *hive.Task, last *hive.Attempt, bad func(string)) {
	switch r.Reason {
	case hive.ReasonExit, hive.ReasonTimeout, hive.ReasonKilled:
		if r.Failures != task.Retry.Max+1 {
			bad("its retries are not used up")
		}
	case hive.ReasonLost:
		if r.Losses <= task.OnLost.MaxLost() && task.OnLost.Do != hive.OnLostFail {
			bad("it may be lost once more")
		}
	case hive.ReasonRefused:
		if last == nil || last.Outcome != hive.OutcomeRefused {
			bad("nobody refused it")
		}
	case hive.ReasonWhenError:
		if task.When == "" {
			bad("it has no condition")
		}
	default:
		bad("that is no reason to fail")
	}
}

// outcome returns the state of an ended batch, computed from its runs.
func (s *store) outcome(b *hive.Batch) hive.BatchState {
	if b.Wish == hive.WishCancel {
		return hive.BatchCanceled
	}
	if b.Reason == hive.ReasonBatchTimeout {
		return hive.BatchFailed
	}
	rev, state := s.revs[b.RevisionID], hive.BatchSucceeded
	for _, id := range s.byBatch[b.ID].runs {
		r := s.runs[id]
		task := rev.tasks[r.Task]
		switch {
		case r.State == hive.RunFailed && (task == nil || !task.AllowFailure),
			r.State == hive.RunCanceled && (r.Reason == hive.ReasonJobTimeout || r.Reason == hive.ReasonBatchTimeout):
			return hive.BatchFailed
		case r.State == hive.RunCanceled:
			state = hive.BatchCanceled
		}
	}
	return state
}
