package backfill

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	failed := &hive.Batch{ID: 7, State: hive.BatchFailed}
	succeeded := &hive.Batch{ID: 8, State: hive.BatchSucceeded}
	live := &hive.Batch{ID: 9, State: hive.BatchRunning, Live: true}
	view := func(b hive.Backfill, failed []int64, batches ...*hive.Batch) hive.BackfillView {
		if b.State == "" {
			b.State = hive.BackfillRunning
		}
		b.Parallel = max(b.Parallel, 1)
		b.Counts.Waiting = len(batches)
		v := hive.BackfillView{Backfill: b, Failed: failed}
		for i, at := range batches {
			v.Next = append(v.Next, hive.BackfillMoment{Position: i, Batch: at})
		}
		return v
	}
	type fill = hive.Backfill
	running := func(n int) hive.BackfillCounts { return hive.BackfillCounts{Running: n} }
	for what, c := range map[string]struct {
		view hive.BackfillView
		want string
	}{
		"one at a time": {view(fill{}, nil, nil, nil), "running/created"},
		"three at a time": {
			view(fill{Parallel: 3}, nil, nil, nil, nil, nil), "running/created/created/created",
		},
		"room for one more": {view(fill{Parallel: 3, Counts: running(2)}, nil, nil, nil), "running/created"},
		"no room":           {view(fill{Counts: running(1)}, nil, nil), "running"},
		"the last one runs": {view(fill{Counts: running(1)}, nil), "running"},
		"nothing is left":   {view(fill{}, nil), "done"},
		"all are kept": {
			view(fill{Existing: hive.ExistingKeep}, nil, failed, succeeded, live), "done/kept/kept/kept",
		},
		"kept ones take no room": {
			view(fill{Existing: hive.ExistingKeep}, nil, failed, nil), "running/kept/created",
		},
		"kept ones end at a full one": {
			view(fill{Existing: hive.ExistingKeep, Counts: running(1)}, nil, failed, nil, failed), "running/kept",
		},
		"all run again": {
			view(fill{Existing: hive.ExistingRerun, Parallel: 9}, nil, failed, succeeded, live, nil),
			"running/rerun/rerun/kept/created",
		},
		"failed ones run again": {
			view(fill{Existing: hive.ExistingFailed, Parallel: 9}, nil, failed, succeeded, live, nil),
			"running/rerun/kept/kept/created",
		},
		"a failure stops": {view(fill{OnFailure: hive.OnFailureStop}, []int64{7}, nil), "stopped by 7"},
		"a failure does not stop": {
			view(fill{OnFailure: hive.OnFailureContinue}, []int64{7}, nil), "running/created",
		},
		"the last one has failed": {view(fill{OnFailure: hive.OnFailureStop}, []int64{7}), "done"},
		"the failure was resumed": {
			view(fill{State: hive.BackfillStopped, StoppedBy: 7}, nil, nil), "running/created",
		},
		"paused":                    {view(fill{State: hive.BackfillPaused}, nil, nil), "paused"},
		"paused at the end":         {view(fill{State: hive.BackfillPaused}, nil), "paused"},
		"canceled":                  {view(fill{State: hive.BackfillCanceled}, []int64{7}, nil), "canceled"},
		"done, and resumed by hand": {view(fill{State: hive.BackfillDone, Counts: running(1)}, nil), "done"},
	} {
		w := Decide(c.view)
		got := string(w.State)
		if w.StoppedBy != 0 {
			got += fmt.Sprint(" by ", w.StoppedBy)
		}
		for i, m := range w.Moments {
			if m.Position != i || c.view.Next[i].Batch != nil && m.Batch != c.view.Next[i].Batch.ID {
				t.Errorf("%s: moment %d is %+v", what, i, m)
			}
			got += "/" + string(m.Act)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

// Random backfills whose batches end at random: the parallel limit holds, each moment is decided once and in order, a
// failure stops what says so, and all of them come to an end.
func TestDecideHoldsItsLimits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(rng)
		for step := 0; w.b.State != hive.BackfillDone; step++ {
			if step > 2000 {
				t.Fatalf("seed %d: no end after %d steps: %+v", seed, step, w.b)
			}
			w.decide(t, seed)
			w.live(rng)
		}
		if w.b.Counts.Running != 0 || w.b.Counts.Waiting != 0 {
			t.Fatalf("seed %d: done with %+v", seed, w.b.Counts)
		}
	}
}

// world is a backfill and its batches in memory.
type world struct {
	b        hive.Backfill
	existing []*hive.Batch
	next     int               // the first moment that waits
	states   []hive.BatchState // by moment: what runs, or how it ended
	passed   []bool
}

func newWorld(rng *rand.Rand) *world {
	pick := func(n int) int { return rng.IntN(n) }
	w := &world{existing: make([]*hive.Batch, 1+pick(30))}
	w.states, w.passed = make([]hive.BatchState, len(w.existing)), make([]bool, len(w.existing))
	for i := range w.existing {
		switch pick(4) {
		case 0:
			w.existing[i] = &hive.Batch{ID: int64(i), State: hive.BatchFailed}
		case 1:
			w.existing[i] = &hive.Batch{ID: int64(i), State: hive.BatchSucceeded}
		}
	}
	w.b = hive.Backfill{
		State: hive.BackfillRunning, Parallel: 1 + pick(4),
		Existing:  []hive.BackfillExisting{hive.ExistingKeep, hive.ExistingRerun, hive.ExistingFailed}[pick(3)],
		OnFailure: []hive.BackfillOnFailure{hive.OnFailureStop, hive.OnFailureContinue}[pick(2)],
	}
	return w
}

func (w *world) view() hive.BackfillView {
	v := hive.BackfillView{Backfill: w.b}
	c := &v.Backfill.Counts
	*c = hive.BackfillCounts{Waiting: len(w.existing) - w.next}
	for i, s := range w.states[:w.next] {
		add := map[hive.BatchState]*int{
			hive.BatchRunning: &c.Running, hive.BatchSucceeded: &c.Succeeded, hive.BatchFailed: &c.Failed, "": &c.Kept,
		}[s]
		*add++
		if s == hive.BatchFailed && !w.passed[i] {
			v.Failed = append(v.Failed, int64(i))
		}
	}
	for i := w.next; i < min(w.next+5, len(w.existing)); i++ {
		v.Next = append(v.Next, hive.BackfillMoment{Position: i, Batch: w.existing[i]})
	}
	w.b.Counts = *c
	return v
}

func (w *world) decide(t *testing.T, seed uint64) {
	t.Helper()
	v := w.view()
	out := Decide(v)
	if w.b.OnFailure == hive.OnFailureStop && len(v.Failed) > 0 && len(out.Moments) > 0 {
		t.Fatalf("seed %d: it went on after a failure", seed)
	}
	for _, m := range out.Moments {
		if m.Position != w.next {
			t.Fatalf("seed %d: moment %d in place of %d", seed, m.Position, w.next)
		}
		if w.next++; m.Act != hive.ActKept {
			w.states[m.Position] = hive.BatchRunning
		}
	}
	w.b.State = out.State
	if w.view(); w.b.Counts.Running > w.b.Parallel {
		t.Fatalf("seed %d: %d batches, %d allowed", seed, w.b.Counts.Running, w.b.Parallel)
	}
}

// live lets a batch end, or a person act on what failed.
func (w *world) live(rng *rand.Rand) {
	i := slices.Index(w.states, hive.BatchRunning)
	switch {
	case i >= 0 && rng.IntN(4) == 0:
		w.states[i] = hive.BatchFailed
	case i >= 0:
		w.states[i] = hive.BatchSucceeded
	case w.b.State == hive.BackfillStopped && rng.IntN(2) == 0: // resumed
		w.states[slices.Index(w.states, hive.BatchFailed)] = hive.BatchRunning
		w.b.Parallel = max(w.b.Parallel, 1)
	case w.b.State == hive.BackfillStopped: // continued
		w.b.State = hive.BackfillRunning
		for i, s := range w.states {
			w.passed[i] = w.passed[i] || s == hive.BatchFailed
		}
	}
}
