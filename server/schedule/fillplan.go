package schedule

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// FillMember is a schedule that a backfill may fill.
type FillMember struct {
	Schedule hive.Schedule
	After    []string // names of the schedules that it waits for
	Times    *Timetable
}

// FillMoment is a moment to be filled, with what it reads of the other moments.
type FillMoment struct {
	At    time.Time
	Needs []hive.BackfillNeed
}

// FillPart is the moments of one schedule, oldest first.
type FillPart struct {
	Schedule hive.Schedule
	Moments  []FillMoment
}

// FillPlan is what a backfill with dependants fills: each schedule before those that wait for it.
type FillPlan struct {
	Parts   []FillPart
	LeftOut []hive.BackfillLeftOut
}

// PlanFill finds what a backfill fills of the schedules that wait for its own: the moments that read one of its moments
// by their windows, and those that read these. The first member is the backfill's schedule, with the given moments; the
// others wait for it, directly or through others. It refuses more than limit moments in all. It is pure.
//
// Only moments that have passed belong, and only if all of what they read has passed: the triggers take care of the
// others.
func PlanFill(members []FillMember, moments []time.Time, now time.Time, limit int) (FillPlan, error) {
	root := FillPart{Schedule: members[0].Schedule, Moments: make([]FillMoment, len(moments))}
	for i, at := range moments {
		root.Moments[i].At = at
	}
	plan := FillPlan{Parts: []FillPart{root}}
	filled := fills{members[0].Schedule.Name: {root.Schedule.ID, moments, members[0].Times}}
	count := len(moments)
	order, circle := inOrder(members)
	for _, m := range order {
		part, reason := m.part(filled, now, limit-count)
		if count += len(part.Moments); count > limit {
			f := filler{limit: limit}
			f.tooMany("withDependants", count)
			return FillPlan{}, rangeError(f.faults...)
		}
		if reason != "" {
			plan.LeftOut = append(plan.LeftOut, hive.BackfillLeftOut{Schedule: m.Schedule.Name, Reason: reason})
			continue
		}
		plan.Parts = append(plan.Parts, part)
		of := make([]time.Time, len(part.Moments))
		for i := range part.Moments {
			of[i] = part.Moments[i].At
		}
		filled[m.Schedule.Name] = &fill{m.Schedule.ID, of, m.Times}
	}
	for _, m := range circle {
		plan.LeftOut = append(plan.LeftOut, hive.BackfillLeftOut{
			Schedule: m.Schedule.Name, Reason: hive.LeftOutCircle,
		})
	}
	return plan, nil
}

// inOrder lists the members but the first, each after those that it waits for. Two saves in one instant may make a
// circle; its members, and those behind it, are apart.
func inOrder(members []FillMember) (order, circle []*FillMember) {
	open := map[string]bool{}
	for i := range members[1:] {
		open[members[i+1].Schedule.Name] = true
	}
	left := make([]*FillMember, 0, len(members))
	for i := range members[1:] {
		left = append(left, &members[i+1])
	}
	slices.SortFunc(left, func(a, b *FillMember) int { return int(a.Schedule.ID - b.Schedule.ID) })
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(m *FillMember) bool {
			return !slices.ContainsFunc(m.After, func(name string) bool { return open[name] })
		})
		if i < 0 {
			return order, left
		}
		order = append(order, left[i])
		delete(open, left[i].Schedule.Name)
		left = slices.Delete(left, i, i+1)
	}
	return order, nil
}

// part finds the moments of a member, or why it has none.
func (m *FillMember) part(filled fills, now time.Time, limit int) (FillPart, hive.LeftOutReason) {
	part := FillPart{Schedule: m.Schedule}
	switch {
	case m.Schedule.Archived():
		return part, hive.LeftOutArchived
	case !m.Schedule.Enabled:
		return part, hive.LeftOutDisabled
	case !slices.ContainsFunc(m.After, func(name string) bool { return filled[name] != nil }):
		return part, hive.LeftOutUpstream
	}
	r := reading{filled: filled, now: now, limit: limit, found: map[int64]*FillMoment{}}
	joins := r.read(m.Times)
	for _, at := range r.found {
		part.Moments = append(part.Moments, *at)
	}
	slices.SortFunc(part.Moments, func(a, b FillMoment) int { return a.At.Compare(b.At) })
	switch {
	case len(part.Moments) > 0:
		return part, ""
	case joins:
		return part, hive.LeftOutJoins
	default:
		return part, hive.LeftOutNothing
	}
}

// fill is the moments of an upstream that a backfill fills, oldest first.
type fill struct {
	id      int64
	moments []time.Time
	times   *Timetable
}

// fills is the upstreams that a backfill fills, by name.
type fills map[string]*fill

// within returns the filled moments in a span.
func (f *fill) within(in span) []time.Time {
	first, found := slices.BinarySearchFunc(f.moments, in.after, time.Time.Compare)
	if found {
		first++
	}
	last, found := slices.BinarySearchFunc(f.moments, in.until, time.Time.Compare)
	if found {
		last++
	}
	return f.moments[first:max(first, last)]
}

// picked returns the filled ones of the moments that a policy picks in a span.
func (f *fill) picked(p policy, in span) []time.Time {
	inside := f.within(in)
	if p.n == 0 || len(inside) == 0 {
		return inside
	}
	all := slices.Clone(inside)
	due, _ := f.times.Due(in.after, in.until, mostMoments)
	for i := range due {
		all = append(all, due[i].At)
	}
	slices.SortFunc(all, time.Time.Compare)
	all = pick(p, slices.CompactFunc(all, time.Time.Equal))
	return f.within(span{justBefore(all[0]), all[len(all)-1]})
}

// needs lists what a moment of the gate's trigger reads of what a backfill fills.
func (g *gate) needs(s series, at time.Time, filled fills) []hive.BackfillNeed {
	var out []hive.BackfillNeed
	var before time.Time
	for i := range g.after {
		u := &g.after[i]
		f := filled[u.schedule]
		if f == nil {
			continue
		}
		if u.window == nil && s != nil && before.IsZero() {
			before = momentBefore(s, at)
		}
		if moments := f.picked(u.policy, g.span(u, at, before)); len(moments) > 0 {
			out = append(out, hive.BackfillNeed{
				ScheduleID: f.id, First: moments[0], Last: moments[len(moments)-1],
				Any: u.policy.name == hive.PolicyAny,
			})
		}
	}
	return out
}

// reading finds the moments of one timetable that read filled moments.
type reading struct {
	filled fills
	now    time.Time
	limit  int // it ends after one more
	found  map[int64]*FillMoment
}

func (r *reading) full() bool { return len(r.found) > r.limit }

func (r *reading) add(at time.Time, needs []hive.BackfillNeed) {
	if len(needs) == 0 {
		return
	}
	m := r.found[at.UnixMilli()]
	if m == nil {
		m = &FillMoment{At: at}
		r.found[at.UnixMilli()] = m
	}
	for _, n := range needs {
		if !slices.Contains(m.Needs, n) {
			m.Needs = append(m.Needs, n)
		}
	}
}

// read finds the moments of a timetable. joins tells that one of its triggers takes the latest moment of several
// upstreams: which one that was, only a batch tells.
func (r *reading) read(t *Timetable) (joins bool) {
	for i := range t.entries {
		if e := &t.entries[i]; e.gate != nil {
			r.ofSeries(e)
		}
	}
	for _, g := range t.follows {
		if g.joins() {
			joins = true
			continue
		}
		r.following(t, g)
	}
	return joins
}

// ofSeries finds the moments of a trigger with moments of its own.
func (r *reading) ofSeries(e *timetableEntry) {
	for _, in := range r.reached(e) {
		until := in.until
		if until.After(r.now) {
			until = r.now
		}
		for at, ok := e.series.Next(in.after); ok && !at.After(until); at, ok = e.series.Next(at) {
			if r.add(at, e.gate.needs(e.series, at, r.filled)); r.full() {
				return
			}
		}
	}
}

// reached lists the spans in which moments of a trigger may read a filled one. They do not overlap.
func (r *reading) reached(e *timetableEntry) []span {
	var all []span
	for name, f := range r.filled {
		for _, at := range f.moments {
			e.gate.reach(e.series, name, at, func(from, to time.Time) { all = append(all, span{from, to}) })
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.after.Compare(b.after) })
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && !s.after.After(out[n-1].until) {
			out[n-1].until = later(out[n-1].until, s.until)
			continue
		}
		out = append(out, s)
	}
	return out
}

// following finds the moments of a trigger that takes them from its upstreams. A moment that another trigger has by
// itself is not one of them, as in the ledger.
func (r *reading) following(t *Timetable, g *gate) {
	seen := map[int64]bool{}
	for i := range g.after {
		f := r.filled[g.after[i].schedule]
		if f == nil {
			continue
		}
		for _, m := range f.moments {
			at := g.momentOf(m)
			if seen[at.UnixMilli()] {
				continue
			}
			seen[at.UnixMilli()] = true
			own := slices.ContainsFunc(t.entries, func(e timetableEntry) bool { return isMoment(e.series, at) })
			if own || g.span(&g.after[i], at, time.Time{}).until.After(r.now) {
				continue
			}
			if r.add(at, g.needs(nil, at, r.filled)); r.full() {
				return
			}
		}
	}
}
