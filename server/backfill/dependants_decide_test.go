package backfill

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Random backfills of three schedules whose batches end at random: no moment starts before what it reads, none that
// could start is forgotten, the parallel limit holds, a failure stops what says so, and all of them come to an end.
func TestDecideManyHoldsItsLimits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := newWideWorld(rng)
		for step := 0; w.v.Backfill.State != hive.BackfillDone; step++ {
			if step > 2000 {
				t.Fatalf("seed %d: no end after %d steps: %+v", seed, step, w.v.Backfill)
			}
			w.decide(t, seed)
			w.live(rng)
		}
		for i := range w.v.Next {
			m := &w.v.Next[i]
			if m.Outcome == "" && (m.SkippedFor < 0 || !w.blocked(i)) {
				t.Fatalf("seed %d: done without moment %d: %+v", seed, i, m)
			}
		}
	}
}

// wideWorld is a backfill of three schedules, with its batches in memory.
type wideWorld struct {
	v      hive.BackfillView
	passed map[int]bool
}

func newWideWorld(rng *rand.Rand) *wideWorld {
	w := &wideWorld{passed: map[int]bool{}}
	b := &w.v.Backfill
	b.State, b.Parallel = hive.BackfillRunning, 1+rng.IntN(4)
	b.OnFailure = []hive.BackfillOnFailure{hive.OnFailureStop, hive.OnFailureContinue}[rng.IntN(2)]
	b.Existing = []hive.BackfillExisting{hive.ExistingKeep, hive.ExistingRerun}[rng.IntN(2)]
	for id := int64(1); id <= 3; id++ {
		b.Schedules = append(b.Schedules, hive.BackfillSchedule{ScheduleID: id})
		for h := range 1 + rng.IntN(10) {
			m := hive.BackfillMoment{
				Position: len(w.v.Next), ScheduleID: id, Moment: hour(h), SkippedFor: -1,
			}
			if rng.IntN(5) == 0 {
				m.Batch = &hive.Batch{ID: 1, State: []hive.BatchState{"failed", "succeeded"}[rng.IntN(2)]}
			}
			for up := int64(1); up < id; up++ {
				if from := rng.IntN(10); up == 1 || rng.IntN(2) == 0 {
					n := hive.BackfillNeed{
						ScheduleID: up, First: hour(from), Last: hour(from + rng.IntN(3)), Any: rng.IntN(4) == 0,
					}
					if len(w.read(&n)) > 0 {
						m.Needs = append(m.Needs, n)
					}
				}
			}
			w.v.Next = append(w.v.Next, m)
		}
	}
	return w
}

func hour(h int) time.Time { return time.Unix(int64(h)*3600, 0) }

// read lists the moments that a need reads.
func (w *wideWorld) read(n *hive.BackfillNeed) (found []int) {
	for i := range w.v.Next {
		m := &w.v.Next[i]
		if m.ScheduleID == n.ScheduleID && !m.Moment.Before(n.First) && !m.Moment.After(n.Last) {
			found = append(found, i)
		}
	}
	return found
}

// met tells by a plain look at each moment that one reads that it may start, and blocked that it cannot.
func (w *wideWorld) met(i int) bool {
	return !slices.ContainsFunc(w.v.Next[i].Needs, func(n hive.BackfillNeed) bool {
		good, all := 0, w.read(&n)
		for _, k := range all {
			good += count(w.v.Next[k].Outcome == hive.BatchSucceeded)
		}
		return good < len(all) && (!n.Any || good == 0)
	})
}

func (w *wideWorld) blocked(i int) bool {
	return slices.ContainsFunc(w.v.Next[i].Needs, func(n hive.BackfillNeed) bool {
		bad, all := 0, w.read(&n)
		for _, k := range all {
			m := &w.v.Next[k]
			bad += count(m.Outcome == hive.BatchFailed || m.Outcome == "" && w.blocked(k))
		}
		return bad == len(all) || bad > 0 && !n.Any
	})
}

// look counts the moments, as the store does.
func (w *wideWorld) look() {
	c := hive.BackfillCounts{}
	w.v.Failed = nil
	for i := range w.v.Next {
		m := &w.v.Next[i]
		switch {
		case m.Outcome == "" && m.SkippedFor >= 0:
			c.Skipped++
		case m.Outcome == "":
			c.Waiting++
		case m.Outcome == hive.BatchRunning:
			c.Running++
		case m.Outcome == hive.BatchFailed && m.Got != 1 && !w.passed[i]: // 1 is the batch of a kept moment
			w.v.Failed = append(w.v.Failed, int64(i))
		}
	}
	w.v.Backfill.Counts = c
}

func (w *wideWorld) decide(t *testing.T, seed uint64) {
	t.Helper()
	w.look()
	out := Decide(w.v)
	for _, m := range out.Moments {
		at := &w.v.Next[m.Position]
		switch m.Act {
		case hive.ActSkipped:
			if !w.blocked(m.Position) {
				t.Fatalf("seed %d: moment %d is skipped", seed, m.Position)
			}
			at.SkippedFor = m.SkippedFor
		case hive.ActWaiting:
			at.SkippedFor = -1
		default:
			if !w.met(m.Position) || at.Outcome != "" || len(w.v.Failed) > 0 && out.State == hive.BackfillStopped {
				t.Fatalf("seed %d: moment %d starts", seed, m.Position)
			}
			at.SkippedFor, at.Outcome, at.Got = -1, hive.BatchRunning, int64(2+m.Position)
			if m.Act == hive.ActKept {
				at.Outcome, at.Got = at.Batch.State, 1
			}
		}
	}
	w.v.Backfill.State = out.State
	w.look()
	if n := w.v.Backfill.Counts.Running; n > w.v.Backfill.Parallel {
		t.Fatalf("seed %d: %d batches are live", seed, n)
	}
}

// live lets a batch end, or a person act on what failed.
func (w *wideWorld) live(rng *rand.Rand) {
	outcome := func(s hive.BatchState) int {
		return slices.IndexFunc(w.v.Next, func(m hive.BackfillMoment) bool { return m.Outcome == s && m.Got != 1 })
	}
	i, failed := outcome(hive.BatchRunning), outcome(hive.BatchFailed)
	stopped := w.v.Backfill.State == hive.BackfillStopped
	switch {
	case i >= 0 && rng.IntN(4) == 0:
		w.v.Next[i].Outcome = hive.BatchFailed
	case i >= 0:
		w.v.Next[i].Outcome = hive.BatchSucceeded
	case stopped && rng.IntN(2) == 0: // resumed
		w.v.Next[failed].Outcome = hive.BatchSucceeded
	case stopped: // continued
		w.v.Backfill.State = hive.BackfillRunning
		for i := range w.v.Next {
			w.passed[i] = w.passed[i] || w.v.Next[i].Outcome == hive.BatchFailed
		}
	}
}
