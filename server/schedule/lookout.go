package schedule

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Limits of what one decision reads about upstreams.
const (
	mostMoments   = 10_000              // of one upstream in one window
	mostFollowed  = 200                 // moments that one decision begins to follow, for each upstream
	followBack    = 31 * 24 * time.Hour // older moments are not followed
	deepestFollow = 8                   // schedules that follow each other
)

// lookout reads what the moments of one schedule wait for.
type lookout struct {
	t    *Ticker
	ctx  context.Context //nolint:containedctx // it lives for one decision
	e    *entry
	now  time.Time
	seen map[seenKey]int64 // as waiting.next
	more bool              // there is more to follow
	err  error             // the first one
}

// decideWaits decides what is due and what waits.
func (t *Ticker) decideWaits(ctx context.Context, now time.Time, e *entry, v hive.TickView) ([]hive.TickWrite, error) {
	w := &e.wait
	w.next, w.again, w.wrote, w.calls = nil, false, false, false
	w.expire, w.delayed, w.planned = time.Time{}, time.Time{}, changes(v.Changes).next(now)
	if len(e.periods) == 0 {
		return nil, nil
	}
	look := &lookout{t: t, ctx: ctx, e: e, now: now}
	newest := &e.periods[len(e.periods)-1]
	followed := look.calls(newest)
	if !v.Schedule.Archived() {
		followed = slices.Concat(look.followed(newest), followed)
	}
	writes := decideWith(v, e.periods, now, followed, look.judge)
	if look.err != nil {
		return nil, look.err
	}
	w.next, w.again = look.seen, look.more
	w.delayed = planDelayed(v, e.periods, writes)
	policy := newest.Definition.Policy
	note := func(tick *hive.Tick) {
		if at := tick.Moment.Add(policy.Expire.Std() + precision); policy.Expire > 0 &&
			(w.expire.IsZero() || at.Before(w.expire)) {
			w.expire = at
		}
	}
	ended := map[int64]bool{}
	for i := range writes {
		tick := &writes[i].Tick
		w.wrote = w.wrote || tick.ID == 0 || tick.Decision != hive.DecisionWaiting
		ended[tick.ID] = tick.ID != 0 && tick.Decision != hive.DecisionWaiting
		if tick.Decision == hive.DecisionWaiting {
			note(tick)
		}
	}
	for i := range v.Waiting {
		if !ended[v.Waiting[i].ID] {
			note(&v.Waiting[i])
		}
	}
	return writes, nil
}

func (l *lookout) fail(err error) bool {
	if l.err == nil {
		l.err = err
	}
	return l.err != nil
}

// judge finds out what one moment still needs.
func (l *lookout) judge(c *candidate, before []hive.TickWrite) verdict {
	var v verdict
	if l.err != nil {
		return v
	}
	if !c.met && !c.gate.succeeds() {
		l.judgeUpstreams(c, &v)
	}
	if c.gate.serial && l.err == nil {
		m, err := l.ownBefore(c.At, before)
		if l.fail(err) {
			return v
		}
		v.afterOwn(l.e.row.Name, m)
	}
	return v
}

// judgeUpstreams adds what the upstreams of one moment still lack.
func (l *lookout) judgeUpstreams(c *candidate, v *verdict) {
	var earlier time.Time
	for i := range c.gate.after {
		u := &c.gate.after[i]
		if u.window == nil && !c.follows && earlier.IsZero() {
			earlier = momentBefore(c.series, c.At)
		}
		f, err := l.t.facts(l.ctx, u.schedule, c.gate.span(u, c.At, earlier), 0)
		if l.fail(err) {
			return
		}
		if c.gate.each() {
			v.follow(u, &f)
		} else {
			v.add(u, &f)
		}
	}
	slices.Sort(v.causes)
	v.causes = slices.Compact(v.causes)
}

// ownBefore finds the last moment of the schedule before another one that was to make a batch; nil if there is none.
// before are the decisions that the store does not know yet.
func (l *lookout) ownBefore(at time.Time, before []hive.TickWrite) (*hive.MomentResult, error) {
	made := map[int64]*hive.Tick{}
	var latest *hive.MomentResult
	for i := range before {
		tick := &before[i].Tick
		made[tick.Moment.UnixMilli()] = tick
		m := hive.MomentResult{Moment: tick.Moment, Decision: tick.Decision}
		if before[i].Batch != nil {
			m.State = hive.BatchQueued
		}
		if m.Expected() && tick.Moment.Before(at) {
			latest = &m
		}
	}
	for {
		m, found, err := l.t.config.Results.MomentBefore(l.ctx, l.e.row.ID, at)
		if err != nil || !found {
			return latest, err
		}
		if latest != nil && !m.Moment.After(latest.Moment) {
			return latest, nil
		}
		if tick := made[m.Moment.UnixMilli()]; tick == nil {
			return &m, nil
		}
		at = m.Moment
	}
}

// facts reads what is known of a schedule in one span.
func (t *Ticker) facts(ctx context.Context, name string, in span, depth int) (facts, error) {
	e, err := t.named(ctx, name)
	if e == nil || err != nil {
		return facts{}, err
	}
	f := facts{exists: true, enabled: e.row.Active()}
	if !f.enabled {
		return f, nil
	}
	f.moments, err = t.config.Results.MomentResults(ctx, e.row.ID, in.after, in.until, mostMoments)
	if err != nil {
		return f, err
	}
	f.due, err = t.undecided(ctx, e, in, f.moments, depth)
	return f, err
}

// undecided lists the moments of a schedule in a span that have no tick yet.
func (t *Ticker) undecided(ctx context.Context, e *entry, in span, known []hive.MomentResult, depth int) (
	[]time.Time, error,
) {
	if len(e.periods) == 0 {
		return nil, nil
	}
	table := e.periods[len(e.periods)-1].Timetable
	moments, _ := table.Due(later(in.after, e.since()), in.until, mostMoments)
	due := make([]time.Time, 0, len(moments))
	for _, m := range moments {
		if !e.changes.skips(m.At) {
			due = append(due, m.At)
		}
	}
	for _, g := range table.follows {
		more, err := t.toFollow(ctx, e, g, in, depth)
		if err != nil {
			return nil, err
		}
		due = append(due, more...)
	}
	decided := make(map[int64]bool, len(known))
	for i := range known {
		if known[i].Decision != "" {
			decided[known[i].Moment.UnixMilli()] = true
		}
	}
	due = slices.DeleteFunc(due, func(at time.Time) bool { return decided[at.UnixMilli()] })
	slices.SortFunc(due, time.Time.Compare)
	return slices.CompactFunc(due, time.Time.Equal), nil
}

// toFollow lists the moments in a span that a trigger will follow. Those of several upstreams are not known before they
// happen.
func (t *Ticker) toFollow(ctx context.Context, e *entry, g *gate, in span, depth int) ([]time.Time, error) {
	if depth >= deepestFollow || g.succeeds() {
		return nil, nil
	}
	wide := in
	if unit := g.unit(); unit != "" {
		wide = span{
			justBefore(startOf(unit, in.after, g.zone)), whole(unit, startOf(unit, in.until, g.zone), g.zone).until,
		}
	}
	wide.after = later(wide.after, e.followsSince())
	var out []time.Time
	for i := range g.after {
		f, err := t.facts(ctx, g.after[i].schedule, wide, depth+1)
		if err != nil {
			return nil, err
		}
		expected := f.expected()
		for j := range expected {
			if at := g.momentOf(expected[j].Moment); in.holds(at) {
				out = append(out, at)
			}
		}
	}
	return out, nil
}

// momentOf returns the moment with which a trigger follows a moment of an upstream.
func (g *gate) momentOf(at time.Time) time.Time {
	if unit := g.unit(); unit != "" {
		return startOf(unit, at, g.zone)
	}
	return at
}
