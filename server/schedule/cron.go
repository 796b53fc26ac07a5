// Package schedule decides when a schedule is due, and what becomes of each due moment. Crons, time zones and
// decisions are pure; Ticker is the long-lived part that asks them.
//
// A cron names civil times. With fixed hours (20 3 * * *) a civil time that daylight saving skips or repeats is
// placed as the trigger's dst field says. With a cycle through the day (*, */2 or 0/2 as hours) the cron follows
// elapsed time: what is skipped does not happen, what is repeated happens twice. @every counts from the creation of
// the schedule, so that restarts and edits never shift it.
package schedule

import (
	"math/bits"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/rprp/hivego/server/hive"
)

// What happens to a fixed hour that daylight saving skips or repeats.
const (
	gapRunAfter = "run-after" // default: at the moment that ends the gap
	gapSkip     = "skip"
	repeatFirst = "first" // default
	repeatLast  = "last"
	repeatBoth  = "both"
)

// Cron is one parsed cron in its time zone.
type Cron struct {
	zone  *time.Location
	spec  *cron.SpecSchedule // over civil times, written as if they were UTC; nil for @every
	days  *days              // rules of the days, which package cron does not know; spec then finds times of day only
	every time.Duration      // whole seconds; 0 for fields
	first int64              // of @every: the Unix time from which its periods are counted
	fixed bool               // its hours are fixed: dst applies
	dst   hive.DST

	calendar *calendarRule // changes the days; nil without a calendar
}

// searches is how often five years (the reach of one search of package cron) are searched for a civil time: 29
// February can be eight years away.
const searches = 3

// steps bounds the search for a civil time that exists: a day of seconds, skipped by a change of the date line.
const steps = 100_000

// lastYear is the last year whose times can be written as RFC 3339.
const lastYear = 9999

// Next returns the first moment after the given one; false if the cron never fires again.
func (c *Cron) Next(after time.Time) (time.Time, bool) {
	if c.calendar == nil {
		return c.search(after)
	}
	if f := c.calendar.latest.Load(); f != nil && !after.Before(f.after) && (!f.ok || after.Before(f.next)) {
		return f.next, f.ok
	}
	next, ok := c.search(after)
	c.calendar.latest.Store(&found{after, next, ok})
	return next, ok
}

// found is an answer of Next. It holds for each time from after up to next.
type found struct {
	after, next time.Time
	ok          bool
}

// search is Next, each time anew.
func (c *Cron) search(after time.Time) (time.Time, bool) {
	switch {
	case c.every > 0:
		n := c.periods(after) + 1
		return time.Unix(c.first+n*c.step(), 0).UTC(), true
	case !c.fixed:
		return c.nextElapsed(after)
	case c.dst.Repeat == repeatLast:
		return c.nextFixed(after, true)
	case c.dst.Repeat == repeatBoth:
		first, ok := c.nextFixed(after, false)
		last, more := c.nextFixed(after, true)
		if !ok || more && last.Before(first) {
			return last, more
		}
		return first, true
	default:
		return c.nextFixed(after, false)
	}
}

func (c *Cron) step() int64 { return int64(c.every / time.Second) }

// periods returns how many periods of @every have ended up to t; negative before the first one began.
func (c *Cron) periods(t time.Time) int64 { return floorDiv(t.Unix()-c.first, c.step()) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// nextCivil returns the first civil time of the cron after w.
func (c *Cron) nextCivil(w time.Time) (time.Time, bool) {
	if c.days != nil {
		return c.nextByRules(w)
	}
	for range searches {
		if n := c.spec.Next(w); !n.IsZero() {
			return n, n.Year() <= lastYear
		}
		w = time.Date(w.Year()+5, time.December, 31, 23, 59, 59, 0, time.UTC)
	}
	return time.Time{}, false
}

// nextElapsed searches one span of constant offset after the other, so that civil times of a skipped hour do not
// happen and those of a repeated hour happen twice.
func (c *Cron) nextElapsed(after time.Time) (time.Time, bool) {
	at, from := after, civilTime(after, c.zone)
	for range steps {
		w, ok := c.nextCivil(from)
		if !ok {
			return time.Time{}, false
		}
		offset, _, end := offsetAt(at, c.zone)
		if moment := w.Add(-offset); end.IsZero() || moment.Before(end) {
			return moment, true
		}
		at, from = end, civilTime(end, c.zone).Add(-time.Second)
	}
	return time.Time{}, false
}

// nextFixed searches civil times in order and takes the first or the last moment of each; these grow with them.
func (c *Cron) nextFixed(after time.Time, last bool) (time.Time, bool) {
	w := civilTime(after, c.zone)
	if _, _, end := offsetAt(after, c.zone); !end.IsZero() {
		// In the first pass of a repeated hour, civil times before now are yet to come.
		if again := civilTime(end, c.zone).Add(-time.Second); again.Before(w) {
			w = again
		}
	}
	for range steps {
		var ok bool
		if w, ok = c.nextCivil(w); !ok {
			return time.Time{}, false
		}
		p := locate(w, c.zone)
		moment := p.first
		switch {
		case p.gap && c.dst.Gap == gapSkip:
			continue
		case !p.gap && last:
			moment = p.last
		}
		if moment.After(after) {
			return moment, true
		}
	}
	return time.Time{}, false
}

// count returns the number of moments after the first and up to the second time. Whole days of one offset are counted
// without visiting their moments, so that a year of a cron of every second takes milliseconds.
func (c *Cron) count(after, until time.Time) int {
	if c.every > 0 {
		return int(max(0, c.periods(until)-c.periods(after)))
	}
	n, t := 0, after
	for t.Before(until) {
		t2 := endOfDay(t, c.zone)
		if t2.After(until) {
			t2 = until
		}
		if isWholeDay(t, t2, c.zone) {
			n += c.perDay(civilTime(t2, c.zone))
		} else {
			n += c.countOneByOne(t, t2)
		}
		t = t2
	}
	return n
}

// perDay returns how many civil times of the cron the day of w has.
func (c *Cron) perDay(w time.Time) int {
	s := c.spec
	if !c.matchesDay(w) {
		return 0
	}
	return bitCount(s.Hour) * bitCount(s.Minute) * bitCount(s.Second)
}

// matchesDay reports whether the day of w matches the cron's months, days of the month and days of the week.
func (c *Cron) matchesDay(w time.Time) bool {
	if c.days != nil {
		return c.daysIn(w.AddDate(0, 0, 1-w.Day()))>>w.Day()&1 == 1
	}
	if c.spec.Month>>uint(w.Month())&1 == 0 {
		return false
	}
	day, weekday := c.spec.Dom>>uint(w.Day())&1 == 1, c.spec.Dow>>uint(w.Weekday())&1 == 1
	if c.spec.Dom&star != 0 || c.spec.Dow&star != 0 {
		return day && weekday
	}
	return day || weekday
}

func bitCount(field uint64) int { return bits.OnesCount64(field &^ star) }

func (c *Cron) countOneByOne(after, until time.Time) int {
	n := 0
	for t, ok := c.Next(after); ok && !t.After(until); t, ok = c.Next(t) {
		n++
	}
	return n
}
