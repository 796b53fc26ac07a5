package schedule

import (
	"maps"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// followed lists the moments that the newest revision takes from other schedules, and that have no tick yet.
func (l *lookout) followed(p *Period) []candidate {
	out := make([]candidate, 0, len(p.Timetable.follows))
	for _, g := range p.Timetable.follows {
		var found []candidate
		switch {
		case g.joins():
			found = l.join(g)
		case g.succeeds():
			found = l.successes(g)
		default:
			found = l.ticks(g)
		}
		for i := range found {
			found[i].Trigger, found[i].period, found[i].gate, found[i].follows = g.trigger, p, g, true
		}
		out = append(out, l.fresh(found)...)
	}
	return out
}

// since returns the time after which moments are followed.
func (l *lookout) since() time.Time { return later(l.e.followsSince(), l.now.Add(-followBack)) }

// enabled finds an upstream by its name; nil if it is unknown, disabled or archived.
func (l *lookout) enabled(name string) *entry {
	e := l.named(name)
	if e == nil || !e.row.Active() {
		return nil
	}
	return e
}

// named finds an upstream by its name; nil if it is unknown.
func (l *lookout) named(name string) *entry {
	e, err := l.t.named(l.ctx, name)
	if l.fail(err) {
		return nil
	}
	return e
}

// ticks lists the moments that follow from new ticks of the upstreams.
func (l *lookout) ticks(g *gate) []candidate {
	var out []candidate
	known := map[int64]bool{}
	for i := range g.after {
		up := l.enabled(g.after[i].schedule)
		if up == nil || l.err != nil {
			continue
		}
		key := seenKey{g.trigger, up.row.ID}
		moments, last, err := l.t.config.Results.ExpectedTicks(l.ctx, up.row.ID, l.since(), l.e.wait.seen[key],
			mostFollowed)
		if l.fail(err) {
			return nil
		}
		if l.seen == nil {
			l.seen = map[seenKey]int64{}
			maps.Copy(l.seen, l.e.wait.seen)
		}
		l.seen[key] = max(last, l.seen[key])
		l.more = l.more || len(moments) == mostFollowed
		for _, at := range moments {
			if at = g.momentOf(at); !known[at.UnixMilli()] {
				known[at.UnixMilli()] = true
				out = append(out, candidate{Moment: Moment{At: at, Due: at}})
			}
		}
	}
	return out
}

// successes lists the moments at which the only upstream has succeeded. Batches by hand count too.
func (l *lookout) successes(g *gate) []candidate {
	up := l.enabled(g.after[0].schedule)
	if up == nil || l.err != nil {
		return nil
	}
	list, err := l.t.config.Results.Successes(l.ctx, up.row.ID, l.since(), true, mostMoments)
	if l.fail(err) {
		return nil
	}
	out := make([]candidate, 0, len(list))
	for i := range list {
		at := list[i].Moment
		out = append(out, candidate{Moment: Moment{At: at, Due: at}, met: true, causes: []int64{list[i].Batch}})
	}
	return out
}

// join finds the moment at which each of several upstreams has a success that is newer than the last moment of the
// trigger.
func (l *lookout) join(g *gate) []candidate {
	if l.err != nil {
		return nil
	}
	last, err := l.e.wait.Last(g.trigger, func(trigger string) (time.Time, error) {
		return l.t.config.Results.LastOfTrigger(l.ctx, l.e.row.ID, trigger)
	})
	if l.fail(err) {
		return nil
	}
	c := candidate{met: true}
	for i := range g.after {
		u := &g.after[i]
		up := l.enabled(u.schedule)
		if up == nil && l.named(u.schedule) != nil {
			continue // a disabled or archived one is not waited for
		}
		if up == nil {
			return nil
		}
		list, err := l.t.config.Results.Successes(l.ctx, up.row.ID, later(last, l.since()),
			u.policy.name == hive.PolicyAny, 1)
		if l.fail(err) || len(list) == 0 {
			return nil
		}
		c.At, c.causes = later(c.At, list[0].Moment), append(c.causes, list[0].Batch)
	}
	if c.At.IsZero() {
		return nil
	}
	c.Due = c.At
	return []candidate{c}
}

// fresh leaves out moments that have a tick already, or a batch that a backfill made: a moment fires once.
func (l *lookout) fresh(found []candidate) []candidate {
	if len(found) == 0 || l.err != nil {
		return nil
	}
	first, last := found[0].At, found[0].At
	for i := range found {
		if found[i].At.Before(first) {
			first = found[i].At
		}
		last = later(last, found[i].At)
	}
	own, err := l.t.config.Results.MomentResults(l.ctx, l.e.row.ID, justBefore(first), last, mostMoments)
	if l.fail(err) {
		return nil
	}
	ticks := make(map[int64]bool, len(own))
	for i := range own {
		ticks[own[i].Moment.UnixMilli()] = own[i].Decision != "" || own[i].Filled
	}
	out := found[:0]
	for i := range found {
		if !ticks[found[i].At.UnixMilli()] {
			out = append(out, found[i])
		}
	}
	return out
}
