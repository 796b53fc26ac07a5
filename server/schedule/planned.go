package schedule

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// changes is the planned changes of a schedule, in the order of their moments.
type changes []hive.PlannedChange

// of returns the change of a moment; nil if there is none.
func (l changes) of(at time.Time) *hive.PlannedChange {
	i, found := slices.BinarySearchFunc(l, at,
		func(c hive.PlannedChange, at time.Time) int { return c.Moment.Compare(at) })
	if !found {
		return nil
	}
	return &l[i]
}

// due gives a moment the time at which it is looked at. A change that skips, holds or moves it leaves no jitter.
func (l changes) due(m Moment) Moment {
	if c := l.of(m.At); c != nil && c.Action != hive.ChangeParams {
		m.Due = m.At
	}
	return m
}

// within lists the moments of a series with changes, from the first to the last time.
func (l changes) within(s series, first, last time.Time) []time.Time {
	var out []time.Time
	for i := range l {
		if at := l[i].Moment; !at.Before(first) && !at.After(last) && isMoment(s, at) {
			out = append(out, at)
		}
	}
	return out
}

// skips reports whether a moment is planned to make no batch.
func (l changes) skips(at time.Time) bool {
	c := l.of(at)
	return c != nil && c.Action == hive.ChangeSkip
}

// next returns the first time after now at which a moved moment is decided; zero if there is none.
func (l changes) next(now time.Time) time.Time {
	var first time.Time
	for i := range l {
		c := &l[i]
		if c.Action == hive.ChangeMove && c.To.After(now) && (first.IsZero() || c.To.Before(first)) {
			first = c.To
		}
	}
	return first
}

// same reports whether two lists change the same moments in the same way.
func (l changes) same(other changes) bool {
	return slices.EqualFunc(l, other, func(a, b hive.PlannedChange) bool { return reflect.DeepEqual(a, b) })
}

// Has reports whether a trigger of the timetable has a moment of its own, known before it comes.
func (t *Timetable) Has(at time.Time) bool {
	return slices.ContainsFunc(t.entries, func(e timetableEntry) bool { return isMoment(e.series, at) })
}

// withoutPassed takes out the moments that were decided before their time. It lets those that are moved to a later time
// be late against that time.
func withoutPassed(due []candidate) (left, passed []candidate) {
	left = due[:0:0]
	for i := range due {
		c := due[i]
		switch {
		case c.change != nil && c.change.Decided:
			passed = append(passed, c)
			continue
		case c.moved():
			c.Due = c.change.To
		}
		left = append(left, c)
	}
	return left, passed
}

// earlyOf lists the moments to come that are moved to a time that has come. They run by the newest revision.
func earlyOf(v *hive.TickView, p *Period, now time.Time) []candidate {
	var out []candidate
	for i := range v.Changes {
		c := &v.Changes[i]
		if c.Action != hive.ChangeMove || c.Decided || c.To.After(now) || !c.Moment.After(now) {
			continue
		}
		for j := range p.Timetable.entries {
			e := &p.Timetable.entries[j]
			if isMoment(e.series, c.Moment) {
				m := p.Timetable.moment(e, c.Moment)
				m.Due = c.To
				out = append(out, candidate{
					Moment: m, period: p, series: e.series, gate: e.gate, change: c, early: true,
				})
				break
			}
		}
	}
	return out
}

// released reports whether a person has ended the wait of a waiting tick.
func (c *candidate) released() bool { return c.row != nil && c.row.Wait.Released.By != "" }

// moved reports whether the time of a planned move decides when the moment is due. Once the moment waits for others, or
// a person has released it, that time has no say any more.
func (c *candidate) moved() bool {
	return c.change != nil && c.change.Action == hive.ChangeMove && !c.released() &&
		(c.row == nil || c.row.Rule == rulePlannedMove)
}

// skipsOrHolds reports whether a planned change lets the moment make no batch by itself.
func (c *candidate) skipsOrHolds() bool {
	return c.change != nil && (c.change.Action == hive.ChangeSkip || c.change.Action == hive.ChangeHold)
}

// givenParams returns the params of the batch: those of a call, or those of a planned change.
func (c *candidate) givenParams() map[string]any {
	if c.change != nil {
		return c.change.Params
	}
	return c.params
}

// planned decides a moment as a person has planned it; false if the rules of the schedule decide.
func (d *decider) planned(c *candidate) (hive.TickWrite, bool) {
	switch r := c.release(); {
	case d.view.Schedule.Archived():
		return hive.TickWrite{}, false
	case r.Skip:
		return d.tick(c, hive.DecisionSkipped, ruleSkipped,
			hive.Clean(fmt.Sprintf("skipped by %s: %s", r.By, r.Reason), maxDetail)), true
	case c.change == nil || r.By != "" || c.gone:
		return hive.TickWrite{}, false
	case c.change.Action == hive.ChangeSkip && c.row == nil:
		return d.tick(c, hive.DecisionSkipped, rulePlannedSkip, ""), true
	case d.expired(c):
		return hive.TickWrite{}, false
	case c.moved() && d.now.Before(c.Due):
		return d.tick(c, hive.DecisionWaiting, rulePlannedMove, ""), true
	case c.holds() && (c.row != nil || d.view.Schedule.Enabled):
		return d.tick(c, hive.DecisionWaiting, rulePlannedHold, ""), true
	}
	return hive.TickWrite{}, false
}

// release returns what a person has decided about a waiting tick.
func (c *candidate) release() hive.Release {
	if c.row == nil {
		return hive.Release{}
	}
	return c.row.Wait.Released
}

// holds reports whether the moment waits for a person.
func (c *candidate) holds() bool {
	return c.change != nil && c.change.Action == hive.ChangeHold && (c.row == nil || c.row.Rule == rulePlannedHold)
}

// changedBy reports whether a planned change with an action still decides a moment of a chain.
func (n *chainNode) changedBy(action hive.ChangeAction, rule string) bool {
	c := changes(n.link.Changes).of(n.at)
	return c != nil && c.Action == action && (n.row == nil || n.row.Rule == rule && !n.released())
}

// leftOutByPerson reports whether a person lets a moment of a chain make no batch.
func (n *chainNode) leftOutByPerson() bool {
	return n.changedBy(hive.ChangeSkip, rulePlannedSkip) || n.row != nil && n.row.Wait.Released.Skip
}

// begins returns when a moment of a chain is decided: at its time, or at the one to which it is moved.
func (n *chainNode) begins() time.Time {
	if n.changedBy(hive.ChangeMove, rulePlannedMove) {
		return changes(n.link.Changes).of(n.at).To
	}
	return n.at
}
