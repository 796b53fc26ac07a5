package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// waitingOf turns the waiting ticks of a schedule into candidates of its newest revision. Each gets the trigger that
// gives its moment now: the same as before if possible.
func waitingOf(v *hive.TickView, p *Period) []candidate {
	planned := changes(v.Changes)
	out := make([]candidate, 0, len(v.Waiting))
	for i := range v.Waiting {
		row := &v.Waiting[i]
		c := candidate{
			Moment: Moment{At: row.Moment, Due: row.Moment, Trigger: row.Trigger}, period: p, row: row, gone: true,
			change: planned.of(row.Moment),
		}
		if e := p.Timetable.giverOf(row.Moment, row.Trigger); e != nil {
			c.gone, c.Trigger, c.series, c.gate = false, e.trigger, e.series, e.gate
		}
		for _, g := range p.Timetable.follows {
			if c.gone && g.gives(row.Moment) || g.trigger == row.Trigger {
				c.gone, c.Trigger, c.gate, c.follows = false, g.trigger, g, true
			}
		}
		if c.moved() {
			c.Due = c.change.To
		}
		out = append(out, c)
	}
	return out
}

// giverOf finds the trigger that gives a moment: that of before if it still does, else the first one; nil if there is
// none. It asks that of before first, because a trigger that is seldom due takes long to ask, and many ticks may wait.
func (t *Timetable) giverOf(at time.Time, before string) *timetableEntry {
	for _, known := range []bool{true, false} {
		for i := range t.entries {
			e := &t.entries[i]
			if (e.trigger == before) == known && isMoment(e.series, at) {
				return e
			}
		}
	}
	return nil
}

// merge orders candidates by their moments. Of several with one moment it keeps a waiting tick, or else the one that is
// due by a trigger of the schedule itself.
func merge(waiting, due, followed []candidate) []candidate {
	if len(waiting)+len(followed) == 0 {
		return due
	}
	all := slices.Concat(waiting, due, followed)
	slices.SortStableFunc(all, func(a, b candidate) int { return a.At.Compare(b.At) })
	return slices.CompactFunc(all, func(a, b candidate) bool { return a.At.Equal(b.At) })
}

// changed reports whether a waiting tick must be stored again.
func changed(row, now *hive.Tick) bool {
	return now.Decision != hive.DecisionWaiting || now.Trigger != row.Trigger || now.Rule != row.Rule ||
		now.Wait.More != row.Wait.More ||
		!slices.EqualFunc(now.Wait.Missing, row.Wait.Missing, func(a, b hive.Missing) bool {
			return a.Schedule == b.Schedule && a.State == b.State && a.Batch == b.Batch && a.Moment.Equal(b.Moment)
		})
}

// wait judges a moment. If it cannot start, the result is its decision.
func (d *decider) wait(c *candidate, before []hive.TickWrite) (hive.TickWrite, bool) {
	released := c.released()
	if c.gone && !released {
		return d.tick(c, hive.DecisionSkipped, ruleEdited, "no trigger has this moment any more"), true
	}
	if c.gate != nil && !released {
		v := d.judge(c, before)
		switch {
		case v.gone:
			return d.tick(c, hive.DecisionSkipped, ruleUpstream, "the moment that it follows makes no batch"), true
		case v.missing != nil:
			return d.waits(c, v.missing), true
		}
		c.causes = slices.Concat(c.causes, v.causes)
	}
	if !d.view.Schedule.Enabled {
		return d.tick(c, hive.DecisionSkipped, ruleDisabled, "the schedule is disabled"), true
	}
	return hive.TickWrite{}, false
}

// waits is the decision that a moment waits.
func (d *decider) waits(c *candidate, missing []hive.Missing) hive.TickWrite {
	w := d.tick(c, hive.DecisionWaiting, ruleWait, missingWords(missing))
	w.Tick.Wait.Missing = missing
	if len(missing) > hive.MaxMissing {
		w.Tick.Wait.Missing, w.Tick.Wait.More = missing[:hive.MaxMissing], len(missing)-hive.MaxMissing
	}
	return w
}

// afterWait starts a moment whose wait has ended. It runs after the live batches where other moments are left out: the
// wait was for others, so the moment must not be lost because of its own schedule.
func (d *decider) afterWait(c *candidate, before []hive.TickWrite) hive.TickWrite {
	rule, words := ruleWait, ""
	if r := c.row.Wait.Released; r.By != "" {
		rule, words = ruleReleased, hive.Clean(fmt.Sprintf("released by %s: %s", r.By, r.Reason), maxDetail)
	}
	switch {
	case d.live == 0 || d.policy.Overlap == hive.OverlapAllow:
		return d.fire(c, rule, words)
	case d.policy.Overlap == hive.OverlapReplace:
		return d.replace(c, before)
	case words == "":
		words = "one after another"
	}
	return d.queue(c, rule, words)
}

// maxDetail bounds the detail of a tick, in bytes.
const maxDetail = 1024

// missingWords is what is missing in words.
func missingWords(missing []hive.Missing) string {
	const shown = 3
	if len(missing) == 0 {
		return "waits for its needs"
	}
	var parts []string
	for i := range missing {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more", len(missing)-shown))
			break
		}
		parts = append(parts, wordsOf(&missing[i]))
	}
	return hive.Clean("waits for "+strings.Join(parts, ", "), maxDetail)
}

func wordsOf(m *hive.Missing) string {
	switch m.State {
	case hive.MissingSchedule:
		return m.Schedule + ", which does not exist"
	case hive.MissingSuccess:
		return "a success of " + m.Schedule
	default:
		return fmt.Sprintf("%s of %s (%s)", m.Schedule, m.Moment.UTC().Format(time.RFC3339), m.State)
	}
}
