package state

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (e ApplyPlan) apply(p *transition) error {
	if round := p.m.batch.Round; e.Request.Round != 0 && e.Request.Round != round {
		return hive.Errorf(hive.CodeConflict, "the batch is in round %d now, not in round %d as expected", round,
			e.Request.Round).WithReason(hive.ErrorRoundMoved, "round", round, "expected", e.Request.Round)
	}
	d, err := p.m.preparePlan(e.Request, e.Latest, e.Revision)
	switch {
	case err != nil:
		return err
	case int64(d.newRuns()) > e.RunIDs:
		return hive.Errorf(hive.CodeUnavailable, "%d new tasks need ids that are not drawn yet; try again",
			d.newRuns())
	case e.Request.Hash != "" && e.Request.Hash != d.plan.Hash:
		return hive.Errorf(hive.CodeConflict, "the batch has moved since the plan was made; look at the plan again").
			WithReason(hive.ErrorPlanMoved)
	case e.Request.Action == hive.PlanClose:
		p.step.Plan = &d.plan
		p.m.batch.ClosedNote = hive.Clean(e.Request.Note, maxDetail)
		p.step.BatchChanged = true
		return nil
	case len(d.changes) == 0:
		return hive.Errorf(hive.CodeConflict, "there is nothing to %s in this batch as it is now", e.Request.Action).
			WithReason(hive.ErrorNothing, "action", e.Request.Action)
	}
	p.step.Plan, p.bulk = &d.plan, true
	p.openRound(d)
	p.dropClocks(d)
	for i := range d.changes {
		p.carryOut(d, &d.changes[i], e.note())
	}
	for i := range d.changes {
		if d.changes[i].again {
			p.dissolve(d.changes[i].row.Number)
		}
	}
	if d.otherRevision {
		p.adoptRevision(d)
	}
	p.m.rebuild()
	p.bulk = false
	for n := range p.m.runs {
		p.queue = append(p.queue, n)
	}
	return nil
}

// newRuns returns how many runs the plan adds.
func (d *preparedPlan) newRuns() int {
	n := 0
	for i := range d.changes {
		if d.changes[i].row.Number < 0 {
			n++
		}
	}
	return n
}

// note returns the text of a mark: who set it, and why.
func (e ApplyPlan) note() string {
	words := e.Request.Note
	if e.By != "" && words != "" {
		words = e.By + ": " + words
	} else if words == "" {
		words = e.By
	}
	return hive.Clean(words, maxDetail)
}

// openRound applies the plan to the batch's own row.
func (p *transition) openRound(d *preparedPlan) {
	b := &p.m.batch
	p.step.BatchChanged = true
	b.ClosedNote = ""
	if d.wholeBatch {
		p.unpause()
		b.Wish, b.Reason = hive.WishCancel, hive.ReasonBatchCanceled
	}
	if !d.opens {
		return
	}
	p.unpause()
	b.Round = d.plan.Round
	b.RoundAt, b.PausedFor = p.now, 0
	if b.State != hive.BatchQueued || b.Reason != hive.ReasonQueued {
		b.Reason = hive.ReasonNone // a batch that waits for others of its schedule still does
	}
	switch {
	case b.State.Final():
		b.State, b.Live, b.Wish, b.FinishedAt = hive.BatchRunning, true, hive.WishRun, time.Time{}
	case b.Wish == hive.WishCancel:
		b.Wish = hive.WishRun
	case b.Wish == hive.WishPause && b.State == hive.BatchRunning:
		b.PausedAt = p.now
	}
	if b.StartedAt.IsZero() && b.State == hive.BatchRunning {
		b.StartedAt = p.now
	}
}

// dropClocks stops the timeouts of jobs in which a task runs again, and of jobs that the revision no longer has.
func (p *transition) dropClocks(d *preparedPlan) {
	if len(p.m.batch.JobClocks) == 0 {
		return
	}
	p.setClocks(func(clocks map[string]time.Time) {
		for i := range d.changes {
			if d.changes[i].row.To == hive.RunWaiting {
				delete(clocks, d.changes[i].row.Job)
			}
		}
		known := make(map[string]bool, len(d.graph.Jobs))
		for j := range d.graph.Jobs {
			known[d.graph.Jobs[j].Key] = true
		}
		for key := range clocks {
			if !known[key] {
				delete(clocks, key)
			}
		}
	})
}

// carryOut applies one row of a plan.
func (p *transition) carryOut(d *preparedPlan, c *change, note string) {
	m, n := p.m, c.row.Number
	if n < 0 {
		p.addRun(d, c)
		return
	}
	r := &m.runs[n]
	held := m.held(n)
	if d.opens && (r.State.Final() || held) {
		p.step.History = append(p.step.History, *r)
		r.Round = d.plan.Round
	}
	switch {
	case c.d.event == RunReset && m.hasAttempt(n):
		r.Round = d.plan.Round // of a later round than its attempt: that end resets it
		p.markChanged(n)
		if a := m.openAttempt(n); a.KillingAt.IsZero() {
			p.killAttempt(n, a, hive.ReasonPerson)
		}
	case c.d.event == RunReset:
		r.Round = d.plan.Round
		p.reset(n)
	case c.d.event == RunCancel:
		p.stop(n, c.d.reason)
	default:
		dec := c.d
		if dec.reason == hive.ReasonPerson {
			dec.detail = hive.Plain(note)
			r.Outputs = nil
		}
		p.move(n, dec)
	}
}

// addRun creates the run of a task that only the later revision has.
func (p *transition) addRun(d *preparedPlan, c *change) {
	m := p.m
	n := len(m.runs)
	m.runs = append(m.runs, hive.Run{
		BatchID: m.batch.ID, Number: n, Job: c.row.Job, Task: c.row.Task, State: hive.RunWaiting, Round: d.plan.Round,
	})
	m.stamps = append(m.stamps, 0)
	p.step.NewRuns = append(p.step.NewRuns, n)
	p.markChanged(n)
}

// adoptRevision switches the batch to another revision. Runs that were ready by the old revision are decided again.
func (p *transition) adoptRevision(d *preparedPlan) {
	m := p.m
	m.graph = d.graph
	m.batch.RevisionID, m.batch.Revision = d.rev.ID, d.rev.Number
	for n := range m.runs {
		r := &m.runs[n]
		t, ok := m.graph.Lookup(r.Task)
		if !ok {
			continue
		}
		if job := m.graph.Jobs[m.graph.Tasks[t].Job].Key; job != r.Job {
			r.Job = job
			p.markChanged(n)
		}
		if r.State == hive.RunReady && r.Attempt == 0 && r.Shard == 0 && !m.begun(n) {
			p.move(n, decision{event: RunUnmet, reason: r.Reason, detail: detailOf(r)})
		}
	}
}
