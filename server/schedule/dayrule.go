package schedule

import (
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// dayRule is a day of a cron that depends on the month: L, L-2, LW and 15W among the days of the month, 5#2 and 5L
// among the days of the week.
type dayRule struct {
	kind dayKind
	n    int // a day of the month, a weekday, or for the kind lastDay how many days before the last one
	nth  int // of the kind nthWeekday: which one in the month, from 1
}

type dayKind int

const (
	lastDay     dayKind = iota // L-n, and L with n = 0
	lastWorkday                // LW: the last day from Monday to Friday
	nearWorkday                // nW: the day from Monday to Friday nearest to day n in the same month
	nthWeekday                 // n#nth
	lastWeekday                // nL
)

// day returns the day of a month, or 0 if the month has no such day. first is the first day of the month.
func (r dayRule) day(first time.Time) int {
	last := first.AddDate(0, 1, -1)
	switch r.kind {
	case lastDay:
		return max(0, last.Day()-r.n)
	case lastWorkday:
		return nearestWorkday(last, last.Day())
	case nearWorkday:
		if r.n > last.Day() {
			return 0
		}
		return nearestWorkday(first.AddDate(0, 0, r.n-1), last.Day())
	case nthWeekday:
		day := 1 + (r.n-int(first.Weekday())+7)%7 + 7*(r.nth-1)
		if day > last.Day() {
			return 0
		}
		return day
	default:
		return last.Day() - (int(last.Weekday())-r.n+7)%7
	}
}

// nearestWorkday returns the day from Monday to Friday that is nearest to a day of the same month. last is the month's
// last day.
func nearestWorkday(at time.Time, last int) int {
	day := at.Day()
	switch {
	case at.Weekday() == time.Saturday && day > 1:
		return day - 1
	case at.Weekday() == time.Saturday:
		return day + 2 // the 1st: Friday would be in the month before
	case at.Weekday() == time.Sunday && day < last:
		return day + 1
	case at.Weekday() == time.Sunday:
		return day - 2 // the last day: Monday would be in the next month
	default:
		return day
	}
}

// days are the days of a cron with rules. A cron without rules has none: package cron finds its days.
type days struct {
	month, week           uint64 // plain days of the month and of the week, as bits with package cron's mark for *
	monthRules, weekRules []dayRule
}

// star is the bit with which package cron marks a field that is *.
const star = 1 << 63

// in returns the days of a month on which the cron is due, as bits 1 to 31. As in every cron, a day matches if it is
// among the days of the month or of the week; if one of the two fields is *, the other one decides.
func (d *days) in(first time.Time) uint32 {
	last := first.AddDate(0, 1, -1).Day()
	byMonth, byWeek := uint32(d.month)&^1, uint32(0)
	for day := 1; day <= last; day++ {
		if d.week>>((int(first.Weekday())+day-1)%7)&1 == 1 {
			byWeek |= 1 << day
		}
	}
	byMonth, byWeek = addDays(byMonth, d.monthRules, first), addDays(byWeek, d.weekRules, first)
	found := byMonth | byWeek
	if d.month&star != 0 || d.week&star != 0 {
		found = byMonth & byWeek
	}
	return found & (1<<(last+1) - 1)
}

func addDays(found uint32, rules []dayRule, first time.Time) uint32 {
	for _, r := range rules {
		if day := r.day(first); day > 0 {
			found |= 1 << day
		}
	}
	return found
}

// reach is how many years a rule's next day can be away: a fifth Friday in February comes every 28 years, and 40 years
// apart around the year 2100.
const reach = 40

// daysIn returns the days of a month on which a cron with rules is due, as bits 1 to 31.
func (c *Cron) daysIn(first time.Time) uint32 {
	if c.calendar != nil {
		return c.calendar.daysIn(first)
	}
	if c.spec.Month>>uint(first.Month())&1 == 0 {
		return 0
	}
	return c.days.in(first)
}

// nextByRules returns the first civil time of a cron with rules after w.
func (c *Cron) nextByRules(w time.Time) (time.Time, bool) {
	month := time.Date(w.Year(), w.Month(), 1, 0, 0, 0, 0, time.UTC)
	for ; month.Year() <= min(lastYear, w.Year()+reach); month = month.AddDate(0, 1, 0) {
		for found := c.daysIn(month); found != 0; found &= found - 1 {
			begin := month.AddDate(0, 0, bits.TrailingZeros32(found)-1)
			end := begin.AddDate(0, 0, 1)
			if !end.After(w) {
				continue
			}
			from := begin.Add(-time.Second)
			if w.After(from) {
				from = w
			}
			if n := c.spec.Next(from); !n.IsZero() && n.Before(end) {
				return n, true
			}
		}
	}
	return time.Time{}, false
}

// cutRules takes the rules out of a field of days. It returns the other elements of the field's list, or an empty text
// if there are none.
func (f *field) cutRules(text string) (string, []dayRule, *parseError) {
	var plain []string
	var rules []dayRule
	for part := range strings.SplitSeq(text, ",") {
		r, ok, w := f.rule(part)
		switch {
		case w != nil:
			return "", nil, w
		case ok:
			rules = append(rules, r)
		default:
			plain = append(plain, part)
		}
	}
	return strings.Join(plain, ","), rules, nil
}

// rule reads an element as a rule. ok is false for an element of another kind.
func (f *field) rule(part string) (r dayRule, ok bool, w *parseError) {
	if f.sunday() {
		return f.weekdayRule(part)
	}
	before, back := strings.CutPrefix(part, "l-")
	day, near := strings.CutSuffix(part, "w")
	switch {
	case part == "l":
		return dayRule{kind: lastDay}, true, nil
	case part == "lw":
		return dayRule{kind: lastWorkday}, true, nil
	case near:
		if !digits(day) {
			return r, false, parseErrorf("write one day before W, such as 15W, or LW for the last workday of the month",
				"%q names no workday of a month", part).
				withReason(ReasonCronWorkday, "value", part)
		}
		n, w := f.number(part, day)
		return dayRule{kind: nearWorkday, n: n}, true, w
	case back:
		n, err := strconv.Atoi(before)
		if err != nil || n < 1 || n > 30 {
			return r, false, parseErrorf("write L for the last day of the month, or L-1 to L-30 for a day before it",
				"%q names no day before the last one of a month", part).
				withReason(ReasonCronLast, "value", part)
		}
		return dayRule{kind: lastDay, n: n}, true, nil
	default:
		return r, false, nil
	}
}

// weekdayRule reads 5#2 and 5L. A single L is Saturday in some crons and an error in others, so it is refused here.
func (f *field) weekdayRule(part string) (r dayRule, ok bool, w *parseError) {
	if day, nth, found := strings.Cut(part, "#"); found {
		n, err := strconv.Atoi(nth)
		if err != nil || n < 1 || n > 5 || !word(day) {
			return r, false, parseErrorf(
				"write a weekday, # and a number from 1 to 5, such as 5#2 for the second Friday",
				"%q names no weekday of a month", part).
				withReason(ReasonCronNth, "value", part)
		}
		weekday, w := f.number(part, day)
		return dayRule{kind: nthWeekday, n: weekday % 7, nth: n}, true, w
	}
	day, last := strings.CutSuffix(part, "l")
	switch {
	case !last:
		return r, false, nil
	case !word(day):
		return r, false, parseErrorf("write a weekday before L, such as 5L for the last Friday of the month",
			"%q names no weekday", part).
			withReason(ReasonCronLastWeekday, "value", part)
	}
	weekday, w := f.number(part, day)
	return dayRule{kind: lastWeekday, n: weekday % 7}, true, w
}
