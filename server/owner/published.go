package owner

import (
	"maps"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// told is what observers know of a batch in memory. Memory itself is ahead of it by what is not durable yet.
type publishedBatch struct {
	batch        hive.Batch
	states       []hive.RunState // by run number
	lastAttempts []lastAttempt   // by run number; as of the newest group, so at most one commit ahead
}

// hand is the latest attempt of a run that an executor had.
type lastAttempt struct {
	round     int // in which it was; of a run as it was loaded: the run's
	executor  string
	errorText string       // what went wrong with it
	partial   bool         // it ended before the batch was loaded: only the store knows it
	previous  *lastAttempt // in case that the attempt is returned
}

func newPublishedBatch(img *hive.BatchSnapshot, runs []hive.Run) *publishedBatch {
	t := &publishedBatch{batch: img.Batch, states: make([]hive.RunState, len(runs)), lastAttempts: make([]lastAttempt, len(runs))}
	for n := range runs {
		t.states[n] = runs[n].State
		t.lastAttempts[n] = lastAttempt{round: runs[n].Round, partial: runs[n].Attempts > 0}
	}
	t.batch.Counts = hive.CountRuns(runs)
	for i := range img.Attempts {
		a := &img.Attempts[i]
		if n := slices.IndexFunc(runs, func(r hive.Run) bool { return r.ID == a.RunID }); n >= 0 &&
			runs[n].Attempt == a.ID {
			former := lastAttempt{round: runs[n].Round, partial: runs[n].Attempts > 1}
			t.lastAttempts[n] = lastAttempt{round: a.Round, executor: a.ExecutorName, errorText: a.Error, previous: &former}
		}
	}
	return t
}

// tell collects what observers get once the part is durable.
func (p *changeSet) collectDeltas() {
	l := p.batch
	for len(l.published.lastAttempts) < len(l.machine.Runs()) {
		l.published.lastAttempts = append(l.published.lastAttempts, lastAttempt{})
	}
	for _, id := range p.attempts {
		if a, ok := l.machine.Attempt(id); ok {
			if n, ok := l.runOf(a.RunID); ok {
				l.published.lastAttempts[n].update(&a, p.newAttempts[id])
			}
		}
	}
	for _, n := range p.runs {
		p.deltas = append(p.deltas, l.runDelta(n))
	}
	for _, n := range p.newRuns {
		if !p.seenRuns[n] {
			p.deltas = append(p.deltas, l.runDelta(n))
		}
	}
}

// attempt takes in an attempt as it is now.
func (h *lastAttempt) update(a *hive.Attempt, fresh bool) {
	if a.Outcome == hive.OutcomeReturned {
		if h.previous != nil {
			*h = *h.previous
		}
		return
	}
	former := h.previous
	if fresh {
		keep := *h
		keep.previous = nil
		former = &keep
	}
	*h = lastAttempt{round: a.Round, executor: a.ExecutorName, errorText: a.Error, previous: former}
	if a.State != hive.AttemptOffered {
		h.previous = nil // it has its receipt: it is not returned any more
	}
}

// delta is a run as it is in memory now.
func (l *liveBatch) runDelta(n int) hive.Delta {
	r := l.machine.Run(n)
	d := hive.Delta{
		Batch: l.id, Run: n, Task: r.Task, State: r.State, Reason: r.Reason, Attempt: r.Attempt, At: r.ChangedAt,
		Now: &hive.RunView{Run: r},
	}
	if a, ok := l.machine.Attempt(r.Attempt); ok {
		d.Executor = a.ExecutorName
	}
	words := ""
	if h := &l.published.lastAttempts[n]; h.round == r.Round {
		d.Now.Executor, words, d.Partial = h.executor, h.errorText, h.partial
	}
	if r.State == hive.RunFailed || r.State == hive.RunUnknown {
		if d.Now.Error = words; words == "" {
			d.Now.Error = r.Detail
		}
	}
	return d
}

// commit brings what observers know up to a part that is durable now, and answers its deltas.
func (t *publishedBatch) publish(p *changeSet) []hive.Delta {
	if p.write.Batch != nil {
		counts := t.batch.Counts
		t.batch = p.write.Batch.To
		t.batch.Counts = counts
	}
	if len(p.deltas) == 0 {
		return nil
	}
	counts := maps.Clone(t.batch.Counts)
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
	t.batch.Counts = counts
	whole := t.batch
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
	whole := l.published.batch
	deltas := []hive.Delta{{
		Batch: batch, Run: -1, BState: whole.State, Wish: whole.Wish, Reason: whole.Reason, At: whole.FinishedAt, Whole: &whole,
	}}
	for n, s := range l.published.states {
		r := l.machine.Run(n)
		if s == hive.RunReady && l.stored[n].state == hive.RunWaiting && r.State == hive.RunReady && r.Attempt == 0 {
			d := l.runDelta(n)
			d.Whole = &whole
			deltas = append(deltas, d)
		}
	}
	return deltas
}

// AllPublished says that all that was stored was told to observers: no commit is under way, or is to be tried again.
func (o *Owner) AllPublished() bool { return o.inflight == nil && len(o.retryQueue) == 0 }

// Published is a batch in memory as observers know it, and what is never stored of it.
func (o *Owner) Published(batch int64) (hive.PublishedBatch, bool) {
	l := o.live[batch]
	if l == nil {
		return hive.PublishedBatch{}, false
	}
	v := hive.PublishedBatch{
		States: slices.Clone(l.published.states), Whole: l.published.batch, Progress: maps.Clone(l.progress),
		WaitReasons: map[int]hive.WaitReason{}, Attempts: make([]int, len(l.published.states)),
	}
	holds := o.queues.waitReasons()
	for n := range v.States {
		r := l.machine.Run(n)
		v.Attempts[n] = r.Attempts
		if v.States[n] == hive.RunReady && r.State == hive.RunReady && r.Attempt == 0 && r.NotBefore.IsZero() {
			if h := holds.of(l, n); h != hive.WaitNone {
				v.WaitReasons[n] = h
			}
		}
	}
	return v, true
}
