package schedule

import (
	"slices"
	"sort"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Limits of a projection.
const (
	chainAhead   = 24 * time.Hour // moments are projected up to so long after now, or after the resume
	mostChainDue = 2000           // coming moments of one schedule
	mostNeeds    = 200_000        // moments that are looked at as needs of others
	mostBars     = 48             // of one schedule
)

// ChainMember is a schedule of a chain as a projection finds it.
type ChainMember struct {
	Schedule   hive.Schedule
	Place      hive.ChainPlace
	Missing    bool // there is no such schedule; only its name is known
	Title      string
	Timezone   string
	Triggers   []hive.Trigger
	Policy     hive.Policy
	Times      *Timetable
	Following  Following // of its triggers that follow others
	Published  time.Time // of the newest revision: older moments are not followed
	Usual      time.Duration
	UsualKnown bool

	Results []hive.MomentResult // since the time that ChainReach returns, oldest first
	Batches []hive.Batch        // of these moments, as far as they are known
	Waiting []hive.Tick
	Changes []hive.PlannedChange // in the order of their moments
	Last    map[string]time.Time // the last moment of each trigger that joins several schedules, by Trigger.String
}

// ChainAsk is what a projection is asked for.
type ChainAsk struct {
	Subject  string
	Now      time.Time
	ResumeAt time.Time       // zero: failed batches stay failed
	Unread   map[string]bool // schedules that exist, and that are no members because there are too many
}

// Joins lists the triggers that take the latest moment of several schedules, by Trigger.String.
func (t *Timetable) Joins() []string {
	var out []string
	for _, g := range t.follows {
		if g.joins() {
			out = append(out, g.trigger)
		}
	}
	return out
}

// ChainReach returns the time since which the results of each member must be read, by name. Members and their waiting
// ticks must be known. from is the time since which bars are shown.
func ChainReach(members []ChainMember, now, from time.Time) map[string]time.Time {
	reach := map[string]time.Time{}
	ordered := byNeeds(members)
	for i := range ordered {
		reach[ordered[i].Schedule.Name] = from
	}
	for _, m := range slices.Backward(ordered) { // dependants before the schedules that they wait for
		first := reach[m.Schedule.Name]
		for i := range m.Waiting {
			first = earlier(first, m.Waiting[i].Moment)
		}
		reach[m.Schedule.Name] = first.Add(-time.Millisecond)
		if m.Times == nil {
			continue
		}
		for _, g := range m.Times.gates() {
			for i := range g.gate.after {
				u := &g.gate.after[i]
				at := first
				if u.window != nil && g.gate.unit() != "" {
					at = startOf(g.gate.unit(), first, g.gate.zone)
				}
				in := g.gate.span(u, at, beforeOf(g.series, at))
				if g.gate.joins() {
					in.after = earlier(in.after, m.Last[g.gate.trigger])
				}
				if old, ok := reach[u.schedule]; ok {
					reach[u.schedule] = later(earlier(old, in.after), now.Add(-longestWindow))
				}
			}
		}
	}
	return reach
}

// seriesGate is a gate with the series of its trigger; nil if the trigger follows others.
type seriesGate struct {
	gate   *gate
	series series
}

// gates lists what the triggers wait for.
func (t *Timetable) gates() []seriesGate {
	var out []seriesGate
	for _, e := range t.entries {
		if e.gate != nil {
			out = append(out, seriesGate{e.gate, e.series})
		}
	}
	for _, g := range t.follows {
		out = append(out, seriesGate{g, nil})
	}
	return out
}

func beforeOf(s series, at time.Time) time.Time {
	if s == nil {
		return time.Time{}
	}
	return momentBefore(s, at)
}

func earlier(a, b time.Time) time.Time {
	if !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// byNeeds orders members so that each stands after those that it waits for, and by name.
func byNeeds(members []ChainMember) []*ChainMember {
	byName := map[string]*ChainMember{}
	names := make([]string, 0, len(members))
	for i := range members {
		byName[members[i].Schedule.Name] = &members[i]
		names = append(names, members[i].Schedule.Name)
	}
	sort.Strings(names)
	out := make([]*ChainMember, 0, len(members))
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		m := byName[name]
		if m == nil || seen[name] {
			return
		}
		seen[name] = true
		for i := range m.Triggers {
			for j := range m.Triggers[i].After {
				visit(m.Triggers[i].After[j].Schedule)
			}
		}
		out = append(out, m)
	}
	for _, name := range names {
		visit(name)
	}
	return out
}

// ProjectChain computes how a chain goes on, if nobody does more than resume the failed batches.
func ProjectChain(members []ChainMember, ask ChainAsk) hive.Chain {
	if !ask.ResumeAt.IsZero() {
		ask.ResumeAt = later(ask.ResumeAt, ask.Now)
	}
	w := newChainWorld(members, ask)
	w.find()
	asItStands := newProjection(w, time.Time{})
	now := newProjection(w, ask.Now)
	shown := asItStands
	if !ask.ResumeAt.IsZero() {
		shown = newProjection(w, ask.ResumeAt)
	}
	return (&chainAnswer{w: w, shown: shown, stands: asItStands, now: now}).make()
}
