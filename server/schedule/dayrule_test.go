package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// ruleCases are crons with days that depend on the month. 1 March 2026 is a Sunday.
func ruleCases() map[string]nextCase {
	days := func(all ...string) []string {
		for i := range all {
			all[i] += "T03:00:00Z"
		}
		return all
	}
	return map[string]nextCase{
		"last day":              {"0 3 L * *", "", monday, days("2026-03-31", "2026-04-30", "2026-05-31")},
		"last day of a leap":    {"0 3 L 2 *", "", monday, days("2027-02-28", "2028-02-29", "2029-02-28")},
		"two days before":       {"0 3 L-2 * *", "", monday, days("2026-03-29", "2026-04-28", "2026-05-29")},
		"30 days before":        {"0 3 L-30 * *", "", monday, days("2026-05-01", "2026-07-01", "2026-08-01")},
		"last workday":          {"0 3 LW * *", "", monday, days("2026-03-31", "2026-04-30", "2026-05-29")},
		"near Saturday":         {"0 3 14W * *", "", monday, days("2026-03-13", "2026-04-14", "2026-05-14")},
		"near Sunday":           {"0 3 15W * *", "", monday, days("2026-03-16", "2026-04-15", "2026-05-15")},
		"near the first":        {"0 3 1W 8 *", "", monday, days("2026-08-03", "2027-08-02", "2028-08-01")},
		"near the last":         {"0 3 31W 5 *", "", monday, days("2026-05-29", "2027-05-31", "2028-05-31")},
		"31st, where it exists": {"0 3 31W * *", "", monday, days("2026-03-31", "2026-05-29", "2026-07-31")},
		"second Friday":         {"0 3 ? * 5#2", "", monday, days("2026-03-13", "2026-04-10", "2026-05-08")},
		"by name":               {"0 3 ? * FRI#2", "", monday, days("2026-03-13", "2026-04-10", "2026-05-08")},
		"fifth Sunday":          {"0 3 ? * 7#5", "", monday, days("2026-03-29", "2026-05-31", "2026-08-30")},
		"fifth Friday of a February": {
			"0 3 * 2 5#5", "", monday, days("2036-02-29", "2064-02-29", "2092-02-29", "2104-02-29", "2132-02-29"),
		},
		"last Friday":    {"0 3 ? * 5L", "", monday, days("2026-03-27", "2026-04-24", "2026-05-29")},
		"with plain":     {"0 3 15,L * *", "", monday, days("2026-03-15", "2026-03-31", "2026-04-15")},
		"or a weekday":   {"0 3 L * 1", "", "2026-03-24T00:00:00Z", days("2026-03-30", "2026-03-31", "2026-04-06")},
		"several a day":  {"0 3,4 L * *", "", "2026-03-31T03:00:00Z", []string{"2026-03-31T04:00:00Z"}},
		"never a 30th":   {"0 3 30W 2 *", "", monday, nil},
		"in a zone":      {"0 3 L * *", "Asia/Shanghai", monday, []string{"2026-03-30T19:00:00Z"}},
		"beside a gap":   {"30 2 ? * 7L", "Europe/Berlin", monday, []string{"2026-03-29T01:00:00Z"}},
		"twice in a day": {"30 2 ? * 7L", "Europe/Berlin", "2026-10-01T00:00:00Z", []string{"2026-10-25T00:30:00Z"}},
	}
}

// slowDay is a rule, and whether a day matches it: by looking at the days around it, one after the other.
type slowDay struct {
	text    string
	ofWeek  bool
	matches func(day time.Time) bool
}

func drawSlowDay(t *rapid.T) slowDay {
	sameMonth := func(a, b time.Time) bool { return a.Month() == b.Month() }
	workday := func(d time.Time) bool { return d.Weekday() != time.Saturday && d.Weekday() != time.Sunday }
	n := rapid.IntRange(1, 31).Draw(t, "day")
	weekday := time.Weekday(rapid.IntRange(0, 6).Draw(t, "weekday"))
	nth := rapid.IntRange(1, 5).Draw(t, "nth")
	switch rapid.SampledFrom([]string{"L", "L-n", "LW", "nW", "n#n", "nL"}).Draw(t, "rule") {
	case "L":
		return slowDay{"L", false, func(d time.Time) bool { return !sameMonth(d, d.AddDate(0, 0, 1)) }}
	case "L-n":
		n = min(n, 30)
		return slowDay{fmt.Sprintf("L-%d", n), false, func(d time.Time) bool {
			return sameMonth(d, d.AddDate(0, 0, n)) && !sameMonth(d, d.AddDate(0, 0, n+1))
		}}
	case "LW":
		return slowDay{"LW", false, func(d time.Time) bool {
			later := d.AddDate(0, 0, 1)
			for sameMonth(d, later) && !workday(later) {
				later = later.AddDate(0, 0, 1)
			}
			return workday(d) && !sameMonth(d, later)
		}}
	case "nW":
		return slowDay{fmt.Sprintf("%dW", n), false, func(d time.Time) bool {
			// Among the workdays of the month d is the nearest to the nth; Friday wins over the Monday after.
			target := time.Date(d.Year(), d.Month(), n, 0, 0, 0, 0, time.UTC)
			if !workday(d) || !sameMonth(d, target) {
				return false
			}
			for off := range 4 {
				for _, near := range []time.Time{target.AddDate(0, 0, -off), target.AddDate(0, 0, off)} {
					if workday(near) && sameMonth(near, target) {
						return near.Equal(d)
					}
				}
			}
			return false
		}}
	case "n#n":
		return slowDay{fmt.Sprintf("%d#%d", weekday, nth), true, func(d time.Time) bool {
			count := 0
			for b := d; sameMonth(b, d); b = b.AddDate(0, 0, -7) {
				count++
			}
			return d.Weekday() == weekday && count == nth
		}}
	default:
		return slowDay{fmt.Sprintf("%dL", weekday), true, func(d time.Time) bool {
			return d.Weekday() == weekday && !sameMonth(d, d.AddDate(0, 0, 7))
		}}
	}
}

// TestRulesAreWhatASlowSearchFinds compares rules, and lists of rules and plain days, with a visit of every day.
func TestRulesAreWhatASlowSearchFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(drawSlowDay), 1, 3).Draw(t, "rules")
		plain := rapid.SliceOfN(rapid.IntRange(1, 31), 0, 2).Draw(t, "plain")
		ofMonth, ofWeek := []string{}, []string{}
		for _, n := range plain {
			ofMonth = append(ofMonth, fmt.Sprint(n))
		}
		for _, r := range rules {
			if r.ofWeek {
				ofWeek = append(ofWeek, r.text)
			} else {
				ofMonth = append(ofMonth, r.text)
			}
		}
		field := func(list []string) string {
			if len(list) == 0 {
				return "*"
			}
			return strings.Join(list, ",")
		}
		spec := fmt.Sprintf("0 3 %s * %s", field(ofMonth), field(ofWeek))
		cron := mustParse(t, spec, "")
		from := time.Date(rapid.IntRange(1990, 2100).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
		at := from
		for day := from; day.Before(from.AddDate(1, 0, 0)); day = day.AddDate(0, 0, 1) {
			due := slices.Contains(plain, day.Day()) || slices.ContainsFunc(rules, func(r slowDay) bool {
				return r.matches(day)
			})
			if !due {
				continue
			}
			next, ok := cron.Next(at)
			if want := day.Add(3 * time.Hour); !ok || !next.Equal(want) {
				t.Fatalf("%s: after %s comes %s, %t; want %s", spec, at, next, ok, want)
			}
			at = next
		}
		if next, ok := cron.Next(at); ok && next.Before(from.AddDate(1, 0, 0)) {
			t.Fatalf("%s: after %s comes %s, and nothing should in that year", spec, at, next)
		}
	})
}
