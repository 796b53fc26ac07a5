package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/hive"
)

// errRefused is the error of the database for a row that it refuses.
var errRefused = errors.New("the database refuses a row")

// commit stores a whole group or nothing.
func (s *store) commit(g *hive.Group) error {
	if err := s.holds(g.Server, g.Epoch); err != nil {
		return err
	}
	if n := s.sessions[g.Server].number; n != g.Number && n != g.Number-1 {
		return hive.ErrSessionLost
	}
	for i := range g.Batches {
		if s.w.now < s.poisoned[g.Batches[i].BatchID] {
			return errRefused
		}
	}
	var missed []int64
	var detail strings.Builder
	excused := s.doubted[g.Server] || s.behind(g.Server)
	for i := range g.Batches {
		b := &g.Batches[i]
		if why := s.guard(g.Server, b); why != "" {
			missed = append(missed, b.BatchID)
			fmt.Fprintf(&detail, "batch %d: %s; ", b.BatchID, why)
			excused = excused || why == "overlap" // another server has started a batch
			excused = excused || why == "command" // two copies of one command may reach an owner: the guard decides
		}
	}
	if len(missed) > 0 {
		s.w.stats.Guards++
		s.w.tracef(g.Server, "store: guard: %s", detail.String())
		if !excused {
			s.w.failf("guard", "server %s wrote what it knows, and the store has something else: %s", g.Server,
				detail.String())
		}
		return &hive.GuardError{Batches: missed, Detail: detail.String()}
	}
	for i := range g.Batches {
		s.apply(&g.Batches[i])
	}
	for i := range g.Batches {
		s.checkBatch(g.Batches[i].BatchID)
	}
	s.sessions[g.Server].number = g.Number
	s.doubted[g.Server] = false
	return nil
}

// guard names the first row that differs from the writer's expectation. Empty means that all rows match.
func (s *store) guard(server string, w *hive.BatchWrite) string {
	b := s.batches[w.BatchID]
	if b == nil || w.Batch != nil && (b.State != w.Batch.From || b.Owner != server) {
		return "batch"
	}
	if s.mustWait(w) {
		return "overlap"
	}
	for i := range w.NewRuns {
		if s.runs[w.NewRuns[i].ID] != nil || w.NewRuns[i].Number < len(s.byBatch[w.BatchID].runs) {
			return "new run " + w.NewRuns[i].Task
		}
	}
	seen := map[int64]bool{}
	for i := range w.Runs {
		if c := &w.Runs[i]; !seen[c.To.ID] {
			seen[c.To.ID] = true
			if r := s.runs[c.To.ID]; r == nil || r.State != c.From {
				return "run " + c.To.Task
			}
		}
	}
	for i := range w.Offers {
		if s.attempts[w.Offers[i].ID] != nil {
			return "offer"
		}
	}
	for i := range w.Attempts {
		if a := s.attempts[w.Attempts[i].To.ID]; a == nil || a.State == hive.AttemptEnded {
			return "attempt"
		}
	}
	for i := range w.Commands {
		c := s.commands[w.Commands[i].ID]
		if c == nil || c.State != hive.CommandPending || c.BatchID != w.BatchID {
			return "command"
		}
	}
	return ""
}

// apply stores a group whose guards have passed. It fails on a write that no history allows.
func (s *store) apply(w *hive.BatchWrite) {
	c, b := s.byBatch[w.BatchID], s.batches[w.BatchID]
	before := b.Round
	for _, r := range w.NewRuns {
		row := clean(r)
		row.BatchID = w.BatchID
		if row.Number != len(c.runs) {
			s.w.failf("rows", "batch %d: new run %s has number %d of %d", w.BatchID, r.Task, r.Number, len(c.runs))
		}
		s.runs[row.ID] = &row
		c.runs = append(c.runs, row.ID)
		c.past[row.Number] = map[hive.RunState]bool{row.State: true}
		c.repaired = true
	}
	left := map[int64]bool{}
	for i := range w.NewRuns {
		left[w.NewRuns[i].ID] = true
	}
	for _, r := range w.History {
		if !left[r.ID] { // otherwise a second plan in the same group would drop a state that was never stored
			left[r.ID] = true
			s.checkHistory(w, &r)
		}
		c.history = append(c.history, clean(r))
		c.repaired = true
	}
	for i := range w.Runs {
		s.applyRun(w, &w.Runs[i].To)
	}
	for i := range w.Offers {
		a := cleanAttempt(w.Offers[i])
		s.attempts[a.ID] = &a
		s.ever[ledger.Ref(a.Ref())], s.offered[ledger.Ref(a.Ref())] = a.Executor, s.w.now
		c.attempts = append(c.attempts, a.ID)
		s.w.stats.Attempts++
	}
	for i := range w.Attempts {
		s.applyAttempt(w, &w.Attempts[i].To)
	}
	if w.Batch != nil {
		c.repaired = c.repaired || b.RevisionID != w.Batch.To.RevisionID
		s.checkStart(b, &w.Batch.To)
		s.applyBatch(b, &w.Batch.To)
		c.ended[b.State] = true
	}
	for _, d := range w.Commands {
		row := s.commands[d.ID]
		s.checkChainAnswer(row, w, d.State, before)
		row.State, row.Answer, row.DoneAt = d.State, d.Answer, milli(d.At)
	}
	s.callHooks(w)
	s.traceWrite(w)
	s.checkOffers(w)
}

func (s *store) applyRun(w *hive.BatchWrite, to *hive.Run) {
	old, row := s.runs[to.ID], clean(*to)
	s.checkRunChange(w, old, &row)
	row.ID, row.BatchID, row.Number = old.ID, old.BatchID, old.Number
	row.Job, row.Task, row.Shard = old.Job, old.Task, old.Shard
	*old = row
	s.byBatch[w.BatchID].past[row.Number][row.State] = true
}

func (s *store) applyAttempt(w *hive.BatchWrite, to *hive.Attempt) {
	old, row := s.attempts[to.ID], cleanAttempt(*to)
	if old.Executor != row.Executor || old.RunID != row.RunID || old.State == hive.AttemptRunning &&
		row.State == hive.AttemptOffered {
		s.w.failf("rows", "batch %d: attempt %d went from %+v to %+v", w.BatchID, to.ID, *old, row)
	}
	if row.Outcome == hive.OutcomeLost {
		s.w.stats.Losses++
	}
	*old = row
	s.checkOwn(old)
}

func (s *store) applyBatch(b, to *hive.Batch) {
	b.RevisionID, b.Revision, b.State = to.RevisionID, to.Revision, to.State
	b.Wish, b.Reason, b.Round = to.Wish, to.Reason, to.Round
	b.StartedAt, b.RoundAt = milli(to.StartedAt), milli(to.RoundAt)
	b.FinishedAt, b.PausedAt = milli(to.FinishedAt), milli(to.PausedAt)
	b.PausedFor = to.PausedFor.Truncate(time.Millisecond)
	b.Live, b.ClosedNote, b.Counts = to.Live, to.ClosedNote, to.Counts
}

// milli rounds a time to the precision of the database.
func milli(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

func clean(r hive.Run) hive.Run {
	r.NotBefore, r.StartedAt = milli(r.NotBefore), milli(r.StartedAt)
	r.FinishedAt, r.ChangedAt = milli(r.FinishedAt), milli(r.ChangedAt)
	return r
}

func cleanAttempt(a hive.Attempt) hive.Attempt {
	a.KillingAt, a.OfferedAt = milli(a.KillingAt), milli(a.OfferedAt)
	a.StartedAt, a.FinishedAt = milli(a.StartedAt), milli(a.FinishedAt)
	a.Notes = slices.Clone(a.Notes)
	return a
}

// traceWrite writes the stored rows into the history.
func (s *store) traceWrite(w *hive.BatchWrite) {
	if s.w.trace == nil {
		return
	}
	tell := func(format string, args ...any) { s.w.tracef("store", format, args...) }
	for i := range w.Runs {
		r := &w.Runs[i].To
		tell("batch %d run %d %s: %s → %s %s attempt %d round %d",
			w.BatchID, r.ID, r.Task, w.Runs[i].From, r.State, r.Reason, r.Attempt, r.Round)
	}
	for i := range w.NewRuns {
		tell("batch %d run %d %s is new", w.BatchID, w.NewRuns[i].ID, w.NewRuns[i].Task)
	}
	for i := range w.Offers {
		a := &w.Offers[i]
		tell("batch %d attempt %d of run %d offered to %s (%s)", w.BatchID, a.ID, a.RunID, a.ExecutorName, a.State)
	}
	for i := range w.Attempts {
		a := &w.Attempts[i].To
		tell("batch %d attempt %d %s %s kill %q", w.BatchID, a.ID, a.State, a.Outcome, a.KillReason)
	}
	if w.Batch != nil {
		b := &w.Batch.To
		tell("batch %d: %s → %s wish %s round %d %s", w.BatchID, w.Batch.From, b.State, b.Wish, b.Round, b.Reason)
	}
	for _, c := range w.Commands {
		tell("batch %d command %d %s %s", w.BatchID, c.ID, c.State, c.Answer)
	}
}
