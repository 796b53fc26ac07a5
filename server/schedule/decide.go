package schedule

import (
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The rules that decide ticks, as the ledger names them.
const (
	ruleOnTime     = "on_time"
	ruleCatchUp    = "catch_up"
	ruleExpire     = "expire"
	ruleOverlap    = "overlap"
	ruleDisabled   = "paused" // the schedule is disabled; the value is stored, so it keeps an earlier word
	ruleArchived   = "archived"
	ruleMaxBatches = "max_batches"
	ruleBacklog    = "backlog"           // older than the newest perTrigger ticks of a trigger: one range row
	ruleDefinition = "definition"        // the revision cannot be read, or no runs can be made of it
	ruleWait       = "after"             // it waits, or has waited, for other schedules or for the moment before
	ruleReleased   = "released"          // a person ended the wait
	ruleUpstream   = "upstream"          // the moment that it follows makes no batch
	ruleEdited     = "edited"            // no trigger has the moment any more
	ruleSkipped    = "skipped_by_person" // a person ended the wait without a batch

	// Rules of planned changes.
	rulePlannedSkip = "planned_skip"
	rulePlannedMove = "planned_move"
	rulePlannedHold = "planned_hold"
)

// leastGrace is the smallest grace: a decision takes some time, so a smaller grace would make every tick late.
const leastGrace = time.Second

// Decide makes one decision for each moment that is due after v.Schedule.Mark (before the first decision: after the
// schedule was created) and up to now. It is pure. The batches that it returns have no runs and no owner yet.
//
// periods are the revisions that were in force in that time, oldest first. The revision in force at a moment says what
// is due and what runs; the policy of the newest revision decides.
//
// A moment that depends on when the last batch has ended comes after all others that are due, while no batch is live.
//
// A moment with jitter is late from the time on at which it is due; it expires by the moment itself.
//
// An archived schedule has no new moments, and skips those that wait and those of calls of its webhooks. Otherwise the
// rules apply to each moment in this order: a planned skip, hold or move; a disabled schedule skips it; a tick older
// than expire is missed; of late ticks (older than grace) catchUp takes all, the latest or none; maxBatches skips; a
// moment with needs waits for them; overlap decides. Ticks that wait already stay as they are.
func Decide(v hive.TickView, periods []Period, now time.Time) []hive.TickWrite {
	v.Waiting = nil
	return decideWith(v, periods, now, nil, unjudged)
}

// unjudged lets every moment with needs wait.
func unjudged(*candidate, []hive.TickWrite) verdict { return verdict{missing: []hive.Missing{}} }

// decideWith is Decide with moments that follow other schedules, and with a judge for moments that have needs. It
// judges the waiting ticks of the view too.
func decideWith(v hive.TickView, periods []Period, now time.Time, followed []candidate,
	judge func(c *candidate, before []hive.TickWrite) verdict,
) []hive.TickWrite {
	if len(periods) == 0 {
		return nil
	}
	d := newDecider(v, periods[len(periods)-1].Definition.Policy, now)
	d.judge = judge
	after := v.Schedule.Mark
	if after.IsZero() {
		after = v.Schedule.CreatedAt
	}
	var due, passed []candidate
	var ranges []backlog
	if !v.Schedule.Archived() {
		due, ranges = collect(periods, after, now, v.Changes)
		due, passed = withoutPassed(due)
		due = slices.Concat(due, earlyOf(&v, &periods[len(periods)-1], now))
	}
	due = merge(waitingOf(&v, &periods[len(periods)-1]), due, followed)
	d.findLatest(due)
	out := make([]hive.TickWrite, 0, len(due)+len(ranges))
	for _, r := range ranges {
		out = append(out, d.missedRange(r))
	}
	first := len(out)
	for i := range due {
		if w := d.decide(&due[i], out[first:]); w.Tick.ID == 0 || changed(due[i].row, &w.Tick) {
			out = append(out, w)
		}
	}
	for i := range passed {
		w := d.tick(&passed[i], hive.DecisionSkipped, ruleEdited, "")
		w.Passed = true
		out = append(out, w)
	}
	out = append(out, d.decideDelayed(periods, out)...)
	slices.SortStableFunc(out, func(a, b hive.TickWrite) int { return a.Tick.Moment.Compare(b.Tick.Moment) })
	return out
}

// decider is the state of one decision about several moments.
type decider struct {
	view    hive.TickView
	policy  hive.Policy
	now     time.Time
	grace   time.Duration
	latest  time.Time // the late moment that catchUp latest takes; zero if none
	live    int       // live batches, and those made here
	waiting int       // of these, the ones that wait for others to end
	counted int       // against maxBatches
	inOrder bool      // late ticks run one after another; ticks on time then wait behind them
	judge   func(c *candidate, before []hive.TickWrite) verdict
}

func newDecider(v hive.TickView, p hive.Policy, now time.Time) *decider {
	grace := hive.DefaultGrace
	if p.CatchUp.Grace != nil {
		grace = *p.CatchUp.Grace
	}
	d := &decider{
		view: v, policy: p, now: now, grace: max(grace.Std(), leastGrace), live: len(v.Live), counted: v.Counted,
	}
	for i := range v.Live {
		if waits(&v.Live[i]) {
			d.waiting++
		}
	}
	return d
}

func waits(b *hive.Batch) bool {
	return b.State == hive.BatchQueued && b.Reason == hive.ReasonQueued
}

func (d *decider) late(c *candidate) bool { return d.now.Sub(c.Due) > d.grace }

func (d *decider) expired(c *candidate) bool {
	return d.policy.Expire > 0 && d.now.Sub(c.At) > d.policy.Expire.Std()
}

// findLatest finds the newest late moment that has not expired and that no planned change takes out.
func (d *decider) findLatest(due []candidate) {
	for i := range due {
		if c := &due[i]; d.canBeLate(c) && d.late(c) && !d.expired(c) && !c.skipsOrHolds() {
			d.latest = c.At
		}
	}
}

// canBeLate reports whether a moment can come late: it comes from a trigger's own series and does not wait for others.
func (d *decider) canBeLate(c *candidate) bool { return c.onlyDue() || c.moved() }

// decide makes the decision of one moment. before are the decisions of earlier moments; with overlap replace, the last
// of them may lose its batch to this moment.
func (d *decider) decide(c *candidate, before []hive.TickWrite) hive.TickWrite {
	if w, ok := d.planned(c); ok {
		return w
	}
	late := d.canBeLate(c) && d.late(c)
	switch {
	case d.view.Schedule.Archived():
		return d.tick(c, hive.DecisionSkipped, ruleArchived, "the schedule is archived")
	case !d.view.Schedule.Enabled && c.row == nil:
		return d.tick(c, hive.DecisionSkipped, ruleDisabled, "the schedule is disabled")
	case d.expired(c):
		return d.tick(c, hive.DecisionMissed, ruleExpire, fmt.Sprintf("older than %s", d.policy.Expire))
	case late && d.policy.CatchUp.Mode == hive.CatchUpNone:
		return d.tick(c, hive.DecisionMissed, ruleCatchUp, "late, and catchUp is none")
	case late && d.policy.CatchUp.Mode != hive.CatchUpAll && !c.At.Equal(d.latest):
		return d.tick(c, hive.DecisionMissed, ruleCatchUp, "late, and catchUp takes the latest only")
	case d.policy.MaxBatches > 0 && d.counted >= d.policy.MaxBatches && !d.replaces(before):
		return d.tick(c, hive.DecisionSkipped, ruleMaxBatches,
			fmt.Sprintf("%d batches were the last", d.policy.MaxBatches))
	}
	if w, ended := d.wait(c, before); ended {
		return w
	}
	switch {
	case c.row != nil && !c.moved():
		return d.afterWait(c, before)
	case late && d.policy.CatchUp.Mode == hive.CatchUpAll, d.inOrder && d.policy.Overlap != hive.OverlapAllow:
		return d.runInOrder(c)
	default:
		rule := ruleOnTime
		switch {
		case late:
			rule = ruleCatchUp
		case c.moved():
			rule = rulePlannedMove
		}
		return d.overlap(c, rule, before)
	}
}

// runInOrder lets late ticks run one after another, whatever the overlap policy is.
func (d *decider) runInOrder(c *candidate) hive.TickWrite {
	d.inOrder = true
	if d.live == 0 {
		return d.fire(c, ruleCatchUp, "")
	}
	return d.queue(c, ruleCatchUp, "one after another")
}

// overlap decides by the batches that are live.
func (d *decider) overlap(c *candidate, rule string, before []hive.TickWrite) hive.TickWrite {
	switch {
	case d.live == 0 || d.policy.Overlap == hive.OverlapAllow:
		return d.fire(c, rule, "")
	case d.policy.Overlap == hive.OverlapReplace:
		return d.replace(c, before)
	case d.policy.Overlap != hive.OverlapQueue:
		return d.tick(c, hive.DecisionSkipped, ruleOverlap, d.liveWords())
	case d.waiting > 0:
		return d.tick(c, hive.DecisionMerged, ruleOverlap, "a batch is queued already")
	default:
		return d.queue(c, ruleOverlap, d.liveWords())
	}
}

func (d *decider) liveWords() string {
	if len(d.view.Live) == 0 {
		return "a batch is live"
	}
	return fmt.Sprintf("batch %d is live", d.view.Live[0].ID)
}

// replace queues a batch behind the batches that it cancels. A batch that a person resumed is not canceled: the new one
// waits for it.
func (d *decider) replace(c *candidate, before []hive.TickWrite) hive.TickWrite {
	if d.replaces(before) {
		taken := &before[len(before)-1]
		words := "replaced by the tick of " + c.At.Format(time.RFC3339)
		ids := taken.Replace
		taken.Tick.Decision, taken.Tick.Rule, taken.Tick.Detail = hive.DecisionMerged, ruleOverlap, words
		if taken.Batch.Batch.Reason == hive.ReasonQueued {
			d.waiting--
		}
		taken.Batch, taken.Replace = nil, nil
		d.counted--
		d.live--
		if d.live == 0 {
			return d.fire(c, ruleOverlap, "")
		}
		return d.queueReplacing(c, ids)
	}
	var ids []int64
	for i := range d.view.Live {
		if b := &d.view.Live[i]; b.Round <= 1 && b.Wish != hive.WishCancel {
			ids = append(ids, b.ID)
		}
	}
	return d.queueReplacing(c, ids)
}

// replaces reports whether the batch of the tick just before is replaced by the next one.
func (d *decider) replaces(before []hive.TickWrite) bool {
	return d.policy.Overlap == hive.OverlapReplace && !d.inOrder && len(before) > 0 &&
		before[len(before)-1].Batch != nil
}

func (d *decider) queueReplacing(c *candidate, ids []int64) hive.TickWrite {
	words := d.liveWords()
	if len(ids) > 0 {
		words = fmt.Sprintf("replaces batches %d", ids)
	}
	w := d.queue(c, ruleOverlap, words)
	w.Replace = ids
	return w
}

func (d *decider) fire(c *candidate, rule, words string) hive.TickWrite {
	return d.withBatch(d.tick(c, hive.DecisionFired, rule, words), c, hive.ReasonNone)
}

func (d *decider) queue(c *candidate, rule, words string) hive.TickWrite {
	d.waiting++
	return d.withBatch(d.tick(c, hive.DecisionQueued, rule, words), c, hive.ReasonQueued)
}

func (d *decider) withBatch(w hive.TickWrite, c *candidate, reason hive.Reason) hive.TickWrite {
	d.live++
	d.counted++
	s := &d.view.Schedule
	w.Causes = c.causes
	w.Batch = &hive.NewBatch{Batch: hive.Batch{
		ScheduleID: s.ID, Schedule: s.Name, RevisionID: c.period.RevisionID, Revision: c.period.Revision,
		Kind: c.kind(), State: hive.BatchQueued, Reason: reason, Wish: hive.WishRun, Round: 1,
		Moment: c.At, Params: c.givenParams(), CreatedAt: d.now, Live: true,
	}}
	return w
}

func (d *decider) tick(c *candidate, decision hive.Decision, rule, words string) hive.TickWrite {
	if words == "" && c.change != nil {
		words = hive.Clean(c.change.Words(), maxDetail)
	}
	w := hive.TickWrite{Follows: c.follows || c.early, Called: c.called, Tick: hive.Tick{
		ScheduleID: d.view.Schedule.ID, Moment: c.At, Count: 1, Trigger: c.Trigger, Decision: decision, Rule: rule,
		Detail: words, RevisionID: c.period.RevisionID, DecidedAt: d.now, Change: c.change,
	}}
	if c.row != nil {
		w.Tick.ID, w.Tick.Wait.Released = c.row.ID, c.row.Wait.Released
	}
	if d.canBeLate(c) {
		w.Due = c.Due
	}
	return w
}

// missedRange returns the row of a whole backlog.
func (d *decider) missedRange(b backlog) hive.TickWrite {
	c := &candidate{Moment: Moment{At: b.first, Trigger: b.trigger}, period: b.period}
	w := d.tick(c, hive.DecisionMissed, ruleBacklog,
		fmt.Sprintf("only the newest %d of a trigger are decided one by one", perTrigger))
	if !d.view.Schedule.Enabled {
		w = d.tick(c, hive.DecisionSkipped, ruleDisabled, "the schedule is disabled")
	}
	w.Tick.Until, w.Tick.Count = b.last, b.count
	return w
}
