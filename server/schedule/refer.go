package schedule

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// slack is how much a calendar day or a change of the clock may move the end of a window.
const slack = 26 * time.Hour

// Refers reports whether a moment of the timetable's schedule needs a moment of an upstream by its window. A policy
// that picks some of the moments in the window counts only if picks is true: which moments it took, only the links of
// the batches tell.
func (t *Timetable) Refers(at time.Time, upstream string, moment time.Time, picks bool) bool {
	found, own := false, false
	for i := range t.entries {
		if e := &t.entries[i]; isMoment(e.series, at) {
			own = true
			found = found || e.gate != nil && e.gate.refers(e.series, at, upstream, moment, picks)
		}
	}
	if own {
		return found
	}
	for _, g := range t.follows {
		found = found || g.gives(at) && g.refers(nil, at, upstream, moment, picks)
	}
	return found
}

func (g *gate) refers(s series, at time.Time, upstream string, moment time.Time, picks bool) bool {
	if g.joins() && !picks {
		return false
	}
	var before time.Time
	for i := range g.after {
		u := &g.after[i]
		if u.schedule != upstream || !picks && (u.policy.n > 0 || u.policy.name == hive.PolicyAny && !g.each()) {
			continue
		}
		if u.window == nil && s != nil {
			before = momentBefore(s, at)
		}
		if g.span(u, at, before).holds(moment) {
			return true
		}
	}
	return false
}

// Referring returns the time in which moments of the timetable's schedule may refer to a moment of an upstream: those
// after the first and up to the second time. It is wider than needed; Refers decides. false if there are none.
func (t *Timetable) Referring(upstream string, moment time.Time) (after, until time.Time, ok bool) {
	widen := func(from, to time.Time) {
		if !ok || from.Before(after) {
			after = from
		}
		until, ok = later(until, to), true
	}
	for i := range t.entries {
		if e := &t.entries[i]; e.gate != nil {
			e.gate.reach(e.series, upstream, moment, widen)
		}
	}
	for _, g := range t.follows {
		g.reach(nil, upstream, moment, widen)
	}
	return after, until, ok
}

// reach calls widen for each window in which a moment of the gate's trigger may refer to a moment of an upstream.
func (g *gate) reach(s series, upstream string, moment time.Time, widen func(from, to time.Time)) {
	for i := range g.after {
		u := &g.after[i]
		switch {
		case u.schedule != upstream:
		case u.window == nil && s != nil:
			if next, found := s.Next(justBefore(moment)); found {
				widen(justBefore(moment), next)
			}
		case u.window == nil:
			widen(justBefore(moment), moment)
		case u.window.unit != "":
			widen(moment.Add(-slack), moment.Add(slack))
		default:
			widen(moment.Add(-u.window.to.approximate()-slack), moment.Add(-u.window.from.approximate()+slack))
		}
	}
}
