package schedule

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Limits of what a trigger waits for.
const (
	longestWindow = 366 * 24 * time.Hour
	mostLast      = 1000 // n of last(n) and first(n)
	mostUpstreams = 50   // of one trigger
)

// window is the moments of an upstream that one moment of a dependant refers to: those after its begin, up to its end.
type window struct {
	unit     string // WindowSameHour or WindowSameDay; empty for offsets
	from, to offset // from the moment of the dependant
}

// offset is a distance to a moment. Its days are calendar days.
type offset struct {
	days int
	rest time.Duration
}

const windowHelp = "write same_hour, same_day, a time such as last 6h, or two offsets such as (-3d, 0h]"

// offsets reads the form with two offsets.
var offsets = regexp.MustCompile(`^\(\s*([^,\s]+)\s*,\s*([^,\s]+)\s*\]$`)

// parseWindow reads a window that is not empty.
func parseWindow(text string) (window, *parseError) {
	text = strings.TrimSpace(text)
	if text == hive.WindowSameHour || text == hive.WindowSameDay {
		return window{unit: text}, nil
	}
	var w window
	var ok, toOK bool
	if span, found := strings.CutPrefix(text, "last "); found {
		w.from, ok = parseOffset("-" + strings.TrimSpace(span))
		toOK = true
	} else if m := offsets.FindStringSubmatch(text); m != nil {
		w.from, ok = parseOffset(m[1])
		w.to, toOK = parseOffset(m[2])
	}
	if !ok || !toOK || len(text) > longestPoint {
		return window{}, parseErrorf(windowHelp, "%.80q is not a window", text).
			withReason(ReasonWindowUnread, "value", hive.Clean(text, 80))
	}
	return w, w.check(text)
}

// check refuses windows that hold nothing, that end after the moment, or that are too long.
func (w window) check(text string) *parseError {
	from, to := w.from.approximate(), w.to.approximate()
	switch {
	case to > 0:
		return parseErrorf("write an end of 0h or earlier",
			"the window %q ends after the moment of the schedule", text).
			withReason(ReasonWindowFuture, "value", text)
	case from >= to:
		return parseErrorf("write a begin before the end, such as (-1d, 0h]", "the window %q holds nothing", text).
			withReason(ReasonWindowEmpty, "value", text)
	case to-from > longestWindow:
		return parseErrorf("write a window of at most 366 days", "the window %q is too long", text).
			withReason(ReasonWindowLong, "value", text)
	}
	return nil
}

// parseOffset reads a duration with an optional sign. Only its leading days are calendar days: 24h are hours.
func parseOffset(text string) (offset, bool) {
	sign := 1
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = -1, rest
	}
	total, err := hive.ParseDuration(text)
	if text == "0" || text == "0d" {
		total, err = 0, nil
	}
	if err != nil || total.Std() > 2*longestWindow {
		return offset{}, false
	}
	o := offset{rest: total.Std()}
	if days, _, found := strings.Cut(text, "d"); found {
		n, _ := strconv.Atoi(days)
		o.days, o.rest = n, o.rest-time.Duration(n)*24*time.Hour
	}
	o.days, o.rest = sign*o.days, time.Duration(sign)*o.rest
	return o, true
}

func (o offset) approximate() time.Duration { return time.Duration(o.days)*24*time.Hour + o.rest }

// after adds the offset to a moment, in a zone.
func (o offset) after(at time.Time, zone *time.Location) time.Time {
	if o.days != 0 {
		at = locate(civilTime(at, zone).AddDate(0, 0, o.days), zone).first.UTC()
	}
	return at.Add(o.rest)
}

// span is the time after one moment and up to another.
type span struct{ after, until time.Time }

func (s span) holds(at time.Time) bool { return at.After(s.after) && !at.After(s.until) }

// around returns the time of the window for a moment.
func (w window) around(at time.Time, zone *time.Location) span {
	if w.unit != "" {
		return span{justBefore(startOf(w.unit, at, zone)), at}
	}
	return span{w.from.after(at, zone), w.to.after(at, zone)}
}

// startOf returns the first moment of the hour or day of a moment.
func startOf(unit string, at time.Time, zone *time.Location) time.Time {
	w := civilTime(at, zone)
	if unit == hive.WindowSameHour {
		return at.Add(-time.Duration(w.Minute())*time.Minute - time.Duration(w.Second())*time.Second -
			time.Duration(w.Nanosecond())).UTC()
	}
	return locate(time.Date(w.Year(), w.Month(), w.Day(), 0, 0, 0, 0, time.UTC), zone).first.UTC()
}

// whole returns the whole hour or day that begins at a moment.
func whole(unit string, start time.Time, zone *time.Location) span {
	next := start.Add(time.Hour)
	if unit == hive.WindowSameDay {
		w := civilTime(start.Add(2*time.Hour), zone) // a day may begin at 01:00, but its date does not change
		next = locate(time.Date(w.Year(), w.Month(), w.Day()+1, 0, 0, 0, 0, time.UTC), zone).first.UTC()
	}
	return span{justBefore(start), justBefore(next)}
}

// policy determines which of the expected moments must have succeeded.
type policy struct {
	name string // PolicyAll, PolicyAny, last or first
	n    int    // of last and first
}

const (
	policyLast  = "last"
	policyFirst = "first"
)

var counted = regexp.MustCompile(`^(last|first)\(\s*([0-9]{1,4})\s*\)$`)

// parsePolicy reads a policy; all if it is empty.
func parsePolicy(text string) (policy, *parseError) {
	text = strings.TrimSpace(text)
	switch text {
	case "", hive.PolicyAll:
		return policy{name: hive.PolicyAll}, nil
	case hive.PolicyAny:
		return policy{name: hive.PolicyAny}, nil
	}
	if m := counted.FindStringSubmatch(text); m != nil {
		if n, _ := strconv.Atoi(m[2]); n >= 1 && n <= mostLast {
			return policy{name: m[1], n: n}, nil
		}
	}
	return policy{}, parseErrorf("write all, any, last(3) or first(3)", "%.80q is not a policy", text).
		withReason(ReasonPolicyUnread, "value", hive.Clean(text, 80), "most", mostLast)
}
