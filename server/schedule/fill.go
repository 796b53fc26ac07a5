package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Range selects moments of the past. It has a list of moments, or a time from From to To. In that time, the moments are
// those of the schedule's triggers, or those at each Step if it is set.
type Range struct {
	From, To string // as in a trigger, both included; To is the present if it is empty
	Step     time.Duration
	List     []string
}

const (
	codeBadRange = "bad_range"
	day          = 24 * time.Hour
	// countedAtMost bounds the part of a range whose moments are counted for an error.
	countedAtMost = 366 * day
	leastStep     = time.Second
)

// Moments lists the moments of r for a definition of a schedule that was created at the given time, oldest first. It
// refuses more than limit of them, and moments after now. Its error is a *hive.Error with all faults, by from, to,
// step, moments and moments[i].
func (r Range) Moments(
	def *hive.Definition, created, now time.Time, limit int, calendars Calendars,
) ([]time.Time, error) {
	zone, w := loadZone(def.Timezone)
	if w != nil {
		return nil, rangeError(w.fault(codeBadTimezone, "timezone"))
	}
	f := filler{zone: zone, now: now.Truncate(time.Second), limit: limit, calendars: calendars}
	var all []time.Time
	switch {
	case len(r.List) > 0 && (r.From != "" || r.To != "" || r.Step != 0):
		f.add("moments", parseErrorf("leave the range and the step out, or the list",
			"there is a range and a list of moments").withReason(ReasonRangeAndList))
	case len(r.List) > 0:
		all = f.list(r.List)
	default:
		all = f.fromRange(r, def, created)
	}
	if len(f.faults) > 0 {
		return nil, rangeError(f.faults...)
	}
	return all, nil
}

func rangeError(faults ...hive.Fault) error {
	return &hive.Error{
		Code: hive.CodeInvalid, Words: "the moments of the backfill cannot be used", Faults: faults,
		Reason: hive.ErrorBackfill,
	}
}

// filler finds the moments of a range and its faults.
type filler struct {
	zone   *time.Location
	now    time.Time
	limit  int
	faults []hive.Fault

	calendars Calendars
}

func (f *filler) add(field string, w *parseError) {
	f.faults = append(f.faults, w.fault(codeBadRange, field))
}

func (f *filler) point(field, text string) point {
	p, w := parsePoint(text, f.zone)
	if w != nil {
		f.add(field, w)
	}
	return p
}

// list reads single moments.
func (f *filler) list(texts []string) []time.Time {
	if len(texts) > f.limit {
		f.tooMany("moments", len(texts))
		return nil
	}
	var all []time.Time
	for i, text := range texts {
		field := fmt.Sprintf("moments[%d]", i)
		n := len(f.faults)
		p := f.point(field, text)
		if len(f.faults) > n {
			continue
		}
		switch {
		case p.date:
			f.add(field, parseErrorf("add the time of day, such as "+text+"T18:00", "%q has no time of day", text).
				withReason(ReasonAtDate, "value", text))
		case p.gap:
			f.add(field, parseErrorf("write a time that exists", "%q does not exist in %s: daylight saving skips it",
				text, f.zone).withReason(ReasonAtGap, "value", text, "zone", f.zone))
		case p.first.After(f.now):
			f.future(field, text)
		}
		all = append(all, p.first)
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// fromRange reads a range and finds its moments.
func (f *filler) fromRange(r Range, def *hive.Definition, created time.Time) []time.Time {
	if strings.TrimSpace(r.From) == "" {
		f.add("from", parseErrorf("write the first day, such as 2026-12-24, or a time such as 2026-12-24T18:00",
			"the range has no start").withReason(ReasonRangeOpen))
		return nil
	}
	if r.Step != 0 && (r.Step < leastStep || r.Step%time.Second != 0) {
		f.add("step", parseErrorf("write whole seconds, such as 30s, 2h or 1d",
			"the step %s is too short or has parts of a second", hive.Duration(r.Step)).
			withReason(ReasonRangeStep, "value", hive.Duration(r.Step)))
	}
	from, to := f.point("from", r.From), point{last: f.now}
	if r.To != "" {
		to = f.point("to", r.To)
	}
	if len(f.faults) > 0 {
		return nil
	}
	last := to.last
	if to.date && last.After(f.now) && !to.first.After(f.now) {
		last = f.now // today is given by its date, and only its past is meant
	}
	switch {
	case last.Before(from.first) && r.To == "":
		f.future("from", r.From)
	case last.Before(from.first):
		f.add("to", parseErrorf("write an end after the start", "the range ends before it starts").
			withReason(ReasonRangeBackwards, "start", r.From, "end", r.To))
	case last.After(f.now):
		f.future("to", r.To)
	}
	if len(f.faults) > 0 {
		return nil
	}
	if r.Step > 0 {
		return f.stepped(from.first, last, r.Step)
	}
	return f.triggered(def, created, from.first, last)
}

// stepped returns the moments of a step. A step of whole days follows the calendar of the zone, so the time of day
// stays when the clocks change.
func (f *filler) stepped(from, last time.Time, step time.Duration) []time.Time {
	if n := int64(last.Sub(from)/step) + 1; n > int64(f.limit) {
		f.tooMany("step", int(n))
		return nil
	}
	var all []time.Time
	start := civilTime(from, f.zone)
	for i := range f.limit + 2 { // a day has 23 hours once a year, so whole days may be one more than was counted
		at := from.Add(time.Duration(i) * step)
		if step%day == 0 {
			at = locate(start.AddDate(0, 0, i*int(step/day)), f.zone).first.UTC()
		}
		if at.After(last) {
			break
		}
		all = append(all, at)
	}
	if len(all) > f.limit {
		f.tooMany("step", len(all))
	}
	return all
}

// triggered returns the moments of the triggers.
func (f *filler) triggered(def *hive.Definition, created, from, last time.Time) []time.Time {
	table, err := parseTimetable(def, created, loadZone, f.calendars)
	if err == nil && len(table.entries) == 0 {
		f.add("step", parseErrorf("give a step such as 1d, or a list of moments", "the schedule has no triggers").
			withReason(ReasonRangeNoTriggers))
		return nil
	}
	before := from.Add(-time.Second)
	due, more := table.Due(before, last, f.limit)
	switch {
	case more:
		until := last
		if end := from.Add(countedAtMost); end.Before(until) {
			until = end
		}
		f.tooMany("from", max(table.count(before, until), f.limit+1))
	case len(due) == 0:
		f.add("from", parseErrorf("write a longer range, or give a step such as 1d",
			"the triggers of the schedule have no moment in the range").withReason(ReasonRangeEmpty))
	}
	all := make([]time.Time, len(due))
	for i := range due {
		all[i] = due[i].At
	}
	return all
}

// count returns the number of moments of the trigger that has the most.
func (t *Timetable) count(after, until time.Time) int {
	most := 0
	for _, e := range t.entries {
		most = max(most, e.series.count(after, until))
	}
	return most
}

func (f *filler) tooMany(field string, count int) {
	f.add(field, parseErrorf("make several backfills of shorter ranges",
		"there are at least %d moments, and a backfill may have %d", count, f.limit).
		withReason(ReasonRangeMany, "count", count, "most", f.limit))
}

func (f *filler) future(field, text string) {
	f.add(field, parseErrorf("write a time that has passed; the triggers take care of later ones",
		"%q is in the future", text).withReason(ReasonRangeFuture, "value", text))
}
