package sim

import (
	"maps"
	"slices"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/hive"
)

// This file has the invariants of stored rows, which are checked at each commit.

// checkHistory checks that the history of a round equals the row that was stored in that round.
func (s *store) checkHistory(w *hive.BatchWrite, r *hive.Run) {
	old := s.runs[r.ID]
	if old == nil {
		s.w.failf("history", "batch %d: history of run %d, which is not stored", w.BatchID, r.ID)
	}
	if r.State.Final() && (old.State != r.State || old.Attempts != r.Attempts || old.Round != r.Round) {
		// A run that ended and was reset within one group was never stored as final: its row is the earlier one.
		if old.State.Final() {
			s.w.failf("history", "batch %d: history says %s in round %d of run %s, the store %s in round %d",
				w.BatchID, r.State, r.Round, r.Task, old.State, old.Round)
		}
	}
}

// checkRunChange checks that only a plan changes a final run, and that the plan stores its former state.
func (s *store) checkRunChange(w *hive.BatchWrite, old, to *hive.Run) {
	if !old.State.Final() {
		return
	}
	kept := slices.ContainsFunc(w.History, func(h hive.Run) bool { return h.ID == old.ID })
	same := old.State == to.State && old.Reason == to.Reason && old.Attempts == to.Attempts && old.Round == to.Round
	if !kept && !same {
		s.w.failf("final", "batch %d: run %s was %s (%s) in round %d and became %s (%s) in round %d without a plan",
			w.BatchID, old.Task, old.State, old.Reason, old.Round, to.State, to.Reason, to.Round)
	}
}

// checkOffers checks that each offered run may run by the stored rows.
func (s *store) checkOffers(w *hive.BatchWrite) {
	if len(w.Offers) == 0 || len(w.History) > 0 {
		return // a plan of the same group may have changed the rows on which the offer was based
	}
	b := s.batches[w.BatchID]
	for i := range w.Offers {
		r := s.runs[w.Offers[i].RunID]
		if w.Batch == nil && (b.State != hive.BatchRunning || b.Wish != hive.WishRun) {
			s.w.failf("offer", "batch %d: %s offered while it is %s with wish %s", b.ID, r.Task, b.State, b.Wish)
		}
		if verdict := s.judge(b, r); verdict != mayRun {
			s.w.failf("rules", "batch %d: %s was offered, but by the rules it is to %s", b.ID, r.Task, verdict)
		}
	}
}

// checkOwn checks that an attempt is stored with the report about itself, not about another one with the same id.
func (s *store) checkOwn(a *hive.Attempt) {
	ref := ledger.Ref(a.Ref())
	h, ran := s.w.hostOf(a.Executor), a.Outcome == hive.OutcomeSuccess || a.Outcome == hive.OutcomeFailure
	if h.blocking && ran {
		if p := s.w.work.started[ref]; p == nil || p.host != h || p.began < s.offered[ref] {
			s.w.failf("another", "attempt %s is stored as %s, and %s has not run it", ref, a.Outcome, h.name)
		}
	}
	ran = ran || a.State == hive.AttemptRunning || a.Outcome == hive.OutcomeKilled || a.Outcome == hive.OutcomeTimeout
	if !h.blocking && ran {
		if r, ok := h.accepted[ref]; !ok || r < s.offered[ref] {
			s.w.failf("another", "attempt %s is stored as %s %s, and %s has not accepted it", ref, a.State, a.Outcome,
				h.name)
		}
	}
}

// checkBatch checks that all rows of a batch agree with each other.
func (s *store) checkBatch(id int64) {
	b, c := s.batches[id], s.byBatch[id]
	bad := func(format string, args ...any) { s.w.failf("rows", format, args...) }
	if b.Live == b.State.Final() || b.State.Final() == b.FinishedAt.IsZero() || b.Round < 1 {
		bad("batch %d is %s, live %t, finished %s", id, b.State, b.Live, b.FinishedAt)
	}
	open := map[int64]int64{}
	tries := map[int64]int{}
	for _, aid := range c.attempts {
		a := s.attempts[aid]
		if (a.State == hive.AttemptEnded) != (a.Outcome != "") || a.State == hive.AttemptEnded &&
			a.FinishedAt.IsZero() {
			bad("attempt %d is %s with outcome %q, finished %s", aid, a.State, a.Outcome, a.FinishedAt)
		}
		if a.Outcome != hive.OutcomeReturned {
			tries[a.RunID]++
		}
		if a.State != hive.AttemptEnded {
			if open[a.RunID] != 0 {
				bad("run %d has two attempts in hand: %d and %d", a.RunID, open[a.RunID], aid)
			}
			open[a.RunID] = aid
		}
	}
	counts := hive.Counts{}
	for _, rid := range c.runs {
		s.checkRun(b, s.runs[rid], open[rid], tries[rid])
		counts[s.runs[rid].State]++
	}
	if b.Live != (b.Counts == nil) || !b.Live && !maps.Equal(b.Counts, counts) {
		bad("batch %d (%s) counts %v, its runs are %v", id, b.State, b.Counts, counts)
	}
}

func (s *store) checkRun(b *hive.Batch, r *hive.Run, open int64, tries int) {
	bad := func(what string) {
		s.w.failf("rows", "batch %d (%s): run %s: %s: %+v", b.ID, b.State, r.Task, what, *r)
	}
	switch {
	case r.Attempt != open:
		bad("another attempt is in hand")
	case r.Attempts != tries:
		bad("the count of attempts is wrong")
	case r.State.Final() && (r.Attempt != 0 || !r.NotBefore.IsZero() || r.FinishedAt.IsZero()):
		bad("final, and not at rest")
	case b.State.Final() && !r.State.Final():
		bad("the batch has ended without it")
	case r.State == hive.RunRunning && r.Attempt == 0, r.State == hive.RunWaiting && r.Attempt != 0:
		bad("state and attempt do not agree")
	case r.Outputs != nil && r.State != hive.RunSucceeded:
		bad("outputs of what did not succeed")
	case r.Round > b.Round:
		bad("a round that is not there yet")
	}
	if a := s.attempts[r.Attempt]; a != nil && r.State == hive.RunRunning && a.State != hive.AttemptRunning {
		bad("it runs without a receipt")
	}
	if last := s.last(r); last != nil && last.Outcome == hive.OutcomeSuccess && last.Round == r.Round &&
		r.State != hive.RunSucceeded && r.Reason != hive.ReasonPerson {
		bad("its last attempt succeeded")
	}
}

// last returns the latest attempt of a run that was not returned.
func (s *store) last(r *hive.Run) *hive.Attempt {
	list := s.byBatch[r.BatchID].attempts
	for _, l := range slices.Backward(list) {
		if a := s.attempts[l]; a.RunID == r.ID && a.Outcome != hive.OutcomeReturned {
			return a
		}
	}
	return nil
}
