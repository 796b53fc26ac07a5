package owner

import (
	"maps"

	"github.com/rprp/hivego/server/hive"
)

// runRecord is the owner's record of a run beside the machine's row. The machine is ahead of it: its row may hold
// changes that are not stored yet, or that observers do not know yet.
type runRecord struct {
	stored      hive.RunState // state of the row, as of the newest group; empty if there is no row yet
	storedRound int           // round of the row, as of the newest group
	storedPart  *hive.Shard   // of the row, as of the newest group
	published   hive.RunState // state that observers know; empty if they do not know the run yet
	last        *lastAttempt  // latest attempt that an executor had; nil if there was none
}

// lastAttempt is the latest attempt of a run that an executor had. It never changes.
type lastAttempt struct {
	round     int // of the attempt; of one that only the store knows: the run's
	executor  string
	errorText hive.Sentence
	partial   bool         // it ended before the batch was loaded: only the store knows its executor and its error
	offered   bool         // it has no receipt yet, and may be returned
	former    *lastAttempt // of an offered one: what counts again if it is returned
}

// errorOf returns the error of an attempt with its reason.
func errorOf(a *hive.Attempt) hive.Sentence {
	return hive.Sentence{Text: a.Error, Reason: a.Reasons.OfError()}
}

// loadRecords fills in the records of a batch that was just loaded: all that is stored is published.
func (l *liveBatch) loadRecords(img *hive.BatchSnapshot) {
	l.records = make([]runRecord, len(img.Runs))
	for i := range img.Runs { // as stored
		r := &img.Runs[i]
		l.records[r.Number] = runRecord{stored: r.State, storedRound: r.Round, storedPart: r.Part}
	}
	runs := l.machine.Runs()
	for n := range runs { // with ready derived
		l.records[n].published = runs[n].State
		if runs[n].Attempts > 0 {
			l.records[n].last = &lastAttempt{round: runs[n].Round, partial: true}
		}
	}
	for i := range img.Attempts {
		a := &img.Attempts[i]
		n, ok := l.machine.RunOf(a.ID)
		if !ok || runs[n].Attempt != a.ID {
			continue
		}
		last := &lastAttempt{round: a.Round, executor: a.ExecutorName, errorText: errorOf(a), offered: true}
		if runs[n].Attempts > 1 {
			last.former = &lastAttempt{round: runs[n].Round, partial: true}
		}
		l.records[n].last = last
	}
	l.published = img.Batch
	l.published.Counts = hive.CountRuns(runs)
}

// noteAttempt records the present state of an attempt. isNew means that the attempt is newer than the last group.
func (r *runRecord) noteAttempt(a *hive.Attempt, isNew bool) {
	if a.Outcome == hive.OutcomeReturned {
		if r.last != nil && r.last.offered {
			r.last = r.last.former
		}
		return
	}
	next := &lastAttempt{round: a.Round, executor: a.ExecutorName, errorText: errorOf(a)}
	if a.State == hive.AttemptOffered {
		switch {
		case isNew:
			next.offered, next.former = true, r.last
		case r.last != nil:
			next.offered, next.former = r.last.offered, r.last.former
		}
	}
	r.last = next
}

// collectDeltas collects the deltas that observers get once the change set is durable.
func (p *changeSet) collectDeltas() {
	l := p.batch
	for _, id := range p.attempts {
		if a, ok := l.machine.Attempt(id); ok {
			if n, ok := l.machine.RunOf(id); ok {
				l.records[n].noteAttempt(&a, p.newAttempts[id])
			}
		}
	}
	for _, n := range p.runs {
		p.deltas = append(p.deltas, l.runDelta(n))
	}
}

// runDelta returns the present state of a run as a delta.
func (l *liveBatch) runDelta(n int) hive.Delta {
	r := l.machine.Run(n)
	d := hive.Delta{
		Batch: l.id, Run: n, Task: r.Task, State: r.State, Reason: r.Reason, Attempt: r.Attempt, At: r.ChangedAt,
		Now: &hive.RunView{Run: r},
	}
	if a, ok := l.machine.Attempt(r.Attempt); ok {
		d.Executor = a.ExecutorName
	}
	var failed hive.Sentence
	if last := l.records[n].last; last != nil && last.round == r.Round {
		d.Now.Executor, failed, d.Partial = last.executor, last.errorText, last.partial
	}
	if r.State == hive.RunFailed || r.State == hive.RunUnknown {
		if d.Now.Error, d.Now.ErrorReason = failed.Text, failed.Reason; failed.Text == "" {
			d.Now.Error, d.Now.ErrorReason = r.Detail, r.DetailReason
		}
	}
	return d
}

// publish adds a durable change set to the published state, and returns its deltas.
func (l *liveBatch) publish(p *changeSet) []hive.Delta {
	if p.write.Batch != nil {
		counts := l.published.Counts
		l.published = p.write.Batch.To
		l.published.Counts = counts
	}
	if len(p.deltas) == 0 {
		return nil
	}
	counts := maps.Clone(l.published.Counts)
	for i := range p.deltas {
		d := &p.deltas[i]
		if d.Run < 0 {
			continue
		}
		published := &l.records[d.Run].published
		if d.Now != nil && d.Now.Shard != 0 { // the run of its task counts
			*published = d.State
			continue
		}
		if *published != "" {
			if counts[*published]--; counts[*published] == 0 {
				delete(counts, *published)
			}
		}
		counts[d.State]++
		*published = d.State
	}
	l.published.Counts = counts
	row := l.published
	for i := range p.deltas {
		p.deltas[i].BatchRow = &row
	}
	return p.deltas
}

// LoadedDeltas returns the deltas of a batch that was just loaded: one for its row, and one for each run that is ready
// but stored as waiting.
func (o *Owner) LoadedDeltas(batch int64) []hive.Delta {
	l := o.live[batch]
	if l == nil {
		return nil
	}
	row := l.published
	deltas := []hive.Delta{{
		Batch: batch, Run: -1, BState: row.State, Wish: row.Wish, Reason: row.Reason, At: row.FinishedAt,
		BatchRow: &row,
	}}
	for n := range l.records {
		r, record := l.machine.Run(n), &l.records[n]
		if record.published == hive.RunReady && record.stored == hive.RunWaiting && r.State == hive.RunReady &&
			r.Attempt == 0 {
			d := l.runDelta(n)
			d.BatchRow = &row
			deltas = append(deltas, d)
		}
	}
	return deltas
}

// AllPublished reports whether everything stored is published: no commit is under way, and none is to be tried again.
func (o *Owner) AllPublished() bool { return o.inflight == nil && len(o.retryQueue) == 0 }

// Published returns a batch in memory as observers know it, together with its values that are never stored.
func (o *Owner) Published(batch int64) (hive.PublishedBatch, bool) {
	l := o.live[batch]
	if l == nil {
		return hive.PublishedBatch{}, false
	}
	v := hive.PublishedBatch{
		Progress: maps.Clone(l.progress), WaitReasons: map[int]hive.WaitReason{},
		States: make([]hive.RunState, 0, len(l.records)), Attempts: make([]int, 0, len(l.records)),
	}
	for n := range l.records {
		state := l.records[n].published
		if state == "" {
			break // this run and all after it are new and not durable yet
		}
		r := l.machine.Run(n)
		v.States, v.Attempts = append(v.States, state), append(v.Attempts, r.Attempts)
		if why, _ := l.waitReason(n); why != hive.WaitNone && state == hive.RunReady {
			v.WaitReasons[n] = why
		}
	}
	return v, true
}

// PublishedRows returns all batches in memory as observers know them, with their counts, ordered by id.
func (o *Owner) PublishedRows() []hive.Batch {
	ids := o.LiveBatches()
	all := make([]hive.Batch, 0, len(ids))
	for _, id := range ids {
		all = append(all, o.live[id].published)
	}
	return all
}
