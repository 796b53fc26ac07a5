package owner

import (
	"maps"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// told is what observers know of a batch in memory. Memory itself is ahead of it by what is not durable yet.
type told struct {
	whole  hive.Batch
	states []hive.RunState // by run number
	hands  []hand          // by run number; as of the newest group, so at most one commit ahead
}

// hand is the latest attempt of a run that an executor had.
type hand struct {
	round    int // in which it was; of a run as it was loaded: the run's
	executor string
	words    string // what went wrong with it
	stored   bool   // it ended before the batch was loaded: only the store knows it
	former   *hand  // in case that the attempt is returned
}

func newTold(img *hive.BatchSnapshot, runs []hive.Run) *told {
	t := &told{whole: img.Batch, states: make([]hive.RunState, len(runs)), hands: make([]hand, len(runs))}
	for n := range runs {
		t.states[n] = runs[n].State
		t.hands[n] = hand{round: runs[n].Round, stored: runs[n].Attempts > 0}
	}
	t.whole.Counts = hive.CountRuns(runs)
	for i := range img.Attempts {
		a := &img.Attempts[i]
		if n := slices.IndexFunc(runs, func(r hive.Run) bool { return r.ID == a.RunID }); n >= 0 &&
			runs[n].Attempt == a.ID {
			former := hand{round: runs[n].Round, stored: runs[n].Attempts > 1}
			t.hands[n] = hand{round: a.Round, executor: a.ExecutorName, words: a.Error, former: &former}
		}
	}
	return t
}

// tell collects what observers get once the part is durable.
func (p *part) tell() {
	l := p.live
	for len(l.told.hands) < len(l.m.Runs()) {
		l.told.hands = append(l.told.hands, hand{})
	}
	for _, id := range p.attempts {
		if a, ok := l.m.Attempt(id); ok {
			if n, ok := l.runOf(a.RunID); ok {
				l.told.hands[n].attempt(&a, p.newA[id])
			}
		}
	}
	for _, n := range p.runs {
		p.deltas = append(p.deltas, l.delta(n))
	}
	for _, n := range p.newRuns {
		if !p.seen[n] {
			p.deltas = append(p.deltas, l.delta(n))
		}
	}
}

// attempt takes in an attempt as it is now.
func (h *hand) attempt(a *hive.Attempt, fresh bool) {
	if a.Outcome == hive.OutcomeReturned {
		if h.former != nil {
			*h = *h.former
		}
		return
	}
	former := h.former
	if fresh {
		keep := *h
		keep.former = nil
		former = &keep
	}
	*h = hand{round: a.Round, executor: a.ExecutorName, words: a.Error, former: former}
	if a.State != hive.AttemptOffered {
		h.former = nil // it has its receipt: it is not returned any more
	}
}

// delta is a run as it is in memory now.
func (l *live) delta(n int) hive.Delta {
	r := l.m.Run(n)
	d := hive.Delta{
		Batch: l.id, Run: n, Task: r.Task, State: r.State, Reason: r.Reason, Attempt: r.Attempt, At: r.ChangedAt,
		Now: &hive.RunView{Run: r},
	}
	if a, ok := l.m.Attempt(r.Attempt); ok {
		d.Executor = a.ExecutorName
	}
	words := ""
	if h := &l.told.hands[n]; h.round == r.Round {
		d.Now.Executor, words, d.Partial = h.executor, h.words, h.stored
	}
	if r.State == hive.RunFailed || r.State == hive.RunUnknown {
		if d.Now.Error = words; words == "" {
			d.Now.Error = r.Detail
		}
	}
	return d
}

// commit brings what observers know up to a part that is durable now, and answers its deltas.
func (t *told) commit(p *part) []hive.Delta {
	if p.write.Batch != nil {
		counts := t.whole.Counts
		t.whole = p.write.Batch.To
		t.whole.Counts = counts
	}
	if len(p.deltas) == 0 {
		return nil
	}
	counts := maps.Clone(t.whole.Counts)
	for i := range p.deltas {
		d := &p.deltas[i]
		if d.Run < 0 {
			continue
		}
		for len(t.states) <= d.Run {
			t.states = append(t.states, "")
		}
		if from := t.states[d.Run]; from != "" {
			if counts[from]--; counts[from] == 0 {
				delete(counts, from)
			}
		}
		counts[d.State]++
		t.states[d.Run] = d.State
	}
	t.whole.Counts = counts
	whole := t.whole
	for i := range p.deltas {
		p.deltas[i].Whole = &whole
	}
	return p.deltas
}

// LoadedDeltas is how a batch stands that was just loaded: its row, and the runs that are ready without being stored so.
func (o *Owner) LoadedDeltas(batch int64) []hive.Delta {
	l := o.live[batch]
	if l == nil {
		return nil
	}
	whole := l.told.whole
	deltas := []hive.Delta{{
		Batch: batch, Run: -1, BState: whole.State, Wish: whole.Wish, Reason: whole.Reason, At: whole.FinishedAt, Whole: &whole,
	}}
	for n, s := range l.told.states {
		r := l.m.Run(n)
		if s == hive.RunReady && l.stored[n].state == hive.RunWaiting && r.State == hive.RunReady && r.Attempt == 0 {
			d := l.delta(n)
			d.Whole = &whole
			deltas = append(deltas, d)
		}
	}
	return deltas
}

// AllPublished says that all that was stored was told to observers: no commit is under way, or is to be tried again.
func (o *Owner) AllPublished() bool { return o.inflight == nil && len(o.parked) == 0 }

// Published is a batch in memory as observers know it, and what is never stored of it.
func (o *Owner) Published(batch int64) (hive.PublishedBatch, bool) {
	l := o.live[batch]
	if l == nil {
		return hive.PublishedBatch{}, false
	}
	v := hive.PublishedBatch{
		States: slices.Clone(l.told.states), Whole: l.told.whole, Progress: maps.Clone(l.progress),
		WaitReasons: map[int]hive.WaitReason{}, Attempts: make([]int, len(l.told.states)),
	}
	holds := o.queue.holds()
	for n := range v.States {
		r := l.m.Run(n)
		v.Attempts[n] = r.Attempts
		if v.States[n] == hive.RunReady && r.State == hive.RunReady && r.Attempt == 0 && r.NotBefore.IsZero() {
			if h := holds.of(l, n); h != hive.WaitNone {
				v.WaitReasons[n] = h
			}
		}
	}
	return v, true
}
