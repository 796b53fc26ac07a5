package reader

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

// ICS reads the whole-day events of an iCalendar file (RFC 5545), recurrences included. An event is a make-up workday
// if Apple's property for such days or the word 班 in its summary says so, and a holiday otherwise.
func ICS(src []byte, o Options) (Days, error) {
	text, err := checkText(src)
	if err != nil {
		return Days{}, err
	}
	lines, err := unfold(text)
	if err != nil {
		return Days{}, err
	}
	events, err := readEvents(lines)
	if err != nil {
		return Days{}, err
	}
	c := collector{days: map[string]collected{}}
	left, rules := 0, 0
	moved := movedInstances(events)
	for i := range events {
		e := &events[i]
		if e.rule != "" {
			if rules++; rules > maxRules { // a rule that matches nothing is searched for to the year 9999
				return Days{}, wrong(e.line, hive.FaultICSRules, "the file has more than ‹most› rules",
					"take fewer events", "most", maxRules)
			}
		}
		if e.timed {
			left++
			continue
		}
		if e.canceled {
			continue
		}
		starts, err := e.starts(o, moved)
		if err != nil {
			return Days{}, err
		}
		for _, at := range starts {
			if err := c.add(e.line, at, e.days, e.workday, e.summary); err != nil {
				return Days{}, err
			}
		}
	}
	out := c.entries()
	out.Left = left
	return out, nil
}

// property is one line of the file: NAME;PARAM=VALUE:VALUE.
type property struct {
	line   int
	name   string // upper case
	params string // upper case
	value  string
}

// unfold joins lines that continue the one before, and splits them into properties.
func unfold(text string) ([]property, error) {
	var out []property
	for n, raw := range strings.Split(text, "\n") {
		raw = strings.TrimSuffix(raw, "\r")
		switch {
		case raw == "":
		case (raw[0] == ' ' || raw[0] == '\t') && len(out) > 0:
			last := &out[len(out)-1]
			if last.value += raw[1:]; len(last.value) > maxLine {
				return nil, wrong(n+1, hive.FaultICSLong, "the line is longer than ‹most› bytes", "shorten the text",
					"most", maxLine)
			}
		default:
			if len(raw) > maxLine {
				return nil, wrong(n+1, hive.FaultICSLong, "the line is longer than ‹most› bytes", "shorten the text",
					"most", maxLine)
			}
			out = append(out, property{line: n + 1, value: raw})
		}
	}
	for i := range out {
		p := &out[i]
		head, value, ok := cutUnquoted(p.value)
		if !ok {
			return nil, wrong(p.line, hive.FaultICSLine, "‹value› is not a line of iCalendar",
				"write lines as NAME:VALUE, or save the file as iCalendar again", "value", quoted(p.value))
		}
		name, params, _ := strings.Cut(head, ";")
		p.name, p.params, p.value = strings.ToUpper(strings.TrimSpace(name)), strings.ToUpper(params), value
	}
	return out, nil
}

// cutUnquoted cuts a line at the first colon outside quotes.
func cutUnquoted(line string) (head, value string, ok bool) {
	quoted := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ':' && !quoted:
			return line[:i], line[i+1:], true
		}
	}
	return "", "", false
}

// event is one event of the file.
type event struct {
	line     int
	uid      string
	summary  string
	start    time.Time
	days     int
	end      time.Time // exclusive; zero: none
	rule     string
	ruleLine int
	more     []time.Time // RDATE
	except   []time.Time // EXDATE
	instance time.Time   // RECURRENCE-ID: the event stands for this instance of the one with the same UID
	timed    bool        // it begins at a time of day
	canceled bool
	workday  bool
}

// eventReader reads the events, without what is nested in them.
type eventReader struct {
	events []event
	open   []string // the parts that have begun, from the outside
	event  event
	seen   bool // there is a calendar
}

func readEvents(lines []property) ([]event, error) {
	var r eventReader
	for i := range lines {
		if err := r.read(&lines[i]); err != nil {
			return nil, err
		}
	}
	switch n := len(r.open); {
	case !r.seen:
		return nil, wrong(1, hive.FaultICSNone, "the file has no BEGIN:VCALENDAR",
			"export the calendar as iCalendar (.ics)")
	case n > 0:
		return nil, wrong(len(lines), hive.FaultICSOpen, "BEGIN:‹value› does not end",
			"fetch the file again: its end is missing", "value", quoted(r.open[n-1]))
	}
	return r.events, nil
}

func (r *eventReader) read(p *property) error {
	part := strings.ToUpper(strings.TrimSpace(p.value))
	switch {
	case p.name == "BEGIN":
		if r.open = append(r.open, part); len(r.open) > 10 {
			return wrong(p.line, hive.FaultICSDeep, "the parts are nested too deep", "save the file as iCalendar again")
		}
		r.seen = r.seen || part == "VCALENDAR"
		if part == "VEVENT" {
			r.event = event{line: p.line}
		}
		return nil
	case p.name == "END":
		return r.end(p.line, part)
	case len(r.open) > 0 && r.open[len(r.open)-1] == "VEVENT":
		return r.event.property(p)
	default:
		return nil
	}
}

func (r *eventReader) end(line int, part string) error {
	last := len(r.open) - 1
	if last < 0 || r.open[last] != part {
		return wrong(line, hive.FaultICSEnd, "END:‹value› ends nothing", "save the file as iCalendar again",
			"value", quoted(part))
	}
	if r.open = r.open[:last]; part != "VEVENT" {
		return nil
	}
	if err := r.event.complete(); err != nil {
		return err
	}
	if r.events = append(r.events, r.event); len(r.events) > maxEvents {
		return wrong(line, hive.FaultICSEvents, "the file has more than ‹most› events", "take fewer years",
			"most", maxEvents)
	}
	return nil
}

func (e *event) property(p *property) (err error) {
	switch p.name {
	case "UID":
		e.uid = p.value
	case "SUMMARY":
		e.summary = unescape(p.value)
		e.workday = e.workday || strings.Contains(e.summary, "班")
	case "X-APPLE-SPECIAL-DAY":
		e.workday = e.workday || strings.EqualFold(strings.TrimSpace(p.value), "ALTERNATE-WORKDAY")
	case "STATUS":
		e.canceled = strings.EqualFold(strings.TrimSpace(p.value), "CANCELLED")
	case "DTSTART":
		e.timed = len(strings.TrimSpace(p.value)) > len("20060102")
		e.start, err = icsDate(p, p.value)
	case "DTEND":
		e.end, err = icsDate(p, p.value)
	case "DURATION":
		e.days, err = icsDays(p)
	case "RRULE":
		e.rule, e.ruleLine = p.value, p.line
	case "RDATE":
		e.more, err = icsDates(p, e.more)
	case "EXDATE":
		e.except, err = icsDates(p, e.except)
	case "RECURRENCE-ID":
		e.instance, err = icsDate(p, p.value)
	}
	return err
}

// complete computes how many days the event has.
func (e *event) complete() error {
	if e.start.IsZero() {
		return wrong(e.line, hive.FaultICSStart, "the event has no first day", "give it a DTSTART, or take it out")
	}
	if !e.end.IsZero() && !e.timed {
		e.days = int(e.end.Sub(e.start) / (24 * time.Hour))
	}
	if e.days == 0 {
		e.days = 1
	}
	if e.days < 1 || e.days > calendar.MaxSpan {
		return wrong(e.line, hive.FaultICSDays, "the event has ‹value› days", "correct its DTEND, or take it out",
			"value", e.days)
	}
	return nil
}

// instanceKey names one instance of an event that recurs.
type instanceKey struct {
	uid string
	at  int64
}

// movedInstances lists the instances that have events of their own.
func movedInstances(events []event) map[instanceKey]bool {
	out := map[instanceKey]bool{}
	for i := range events {
		if e := &events[i]; !e.instance.IsZero() {
			out[instanceKey{e.uid, e.instance.Unix()}] = true
		}
	}
	return out
}

// starts lists the first day of each instance of the event. The instances are its start, the dates that the file lists,
// and the dates of its rule in the years of o.
func (e *event) starts(o Options, moved map[instanceKey]bool) ([]time.Time, error) {
	all := append([]time.Time{e.start}, e.more...)
	if e.rule != "" {
		found, err := e.recur(o)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(found, e.more)
	}
	if !e.instance.IsZero() {
		return all, nil
	}
	out := all[:0]
	for _, at := range all {
		if moved[instanceKey{e.uid, at.Unix()}] || slices.ContainsFunc(e.except, at.Equal) {
			continue
		}
		out = append(out, at)
	}
	return out, nil
}

// maxCount is how many instances a rule may count; every day of a hundred years has fewer.
const maxCount = 36_600

// recur writes a rule out.
func (e *event) recur(o Options) ([]time.Time, error) {
	option, err := rrule.StrToROption(strings.TrimSpace(e.rule))
	if err != nil {
		return nil, e.badRule(err)
	}
	if option.Freq > rrule.DAILY || len(option.Byhour)+len(option.Byminute)+len(option.Bysecond) > 0 {
		return nil, wrong(e.ruleLine, hive.FaultICSWithin, "the rule recurs within a day",
			"let whole days recur daily or less often")
	}
	if option.Count > maxCount || option.Interval > maxCount {
		return nil, wrong(e.ruleLine, hive.FaultICSCount, "the rule counts more than ‹most›",
			"end the rule with UNTIL", "most", maxCount)
	}
	first := time.Date(o.FirstYear, time.January, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(o.LastYear, time.December, 31, 0, 0, 0, 0, time.UTC)
	option.Dtstart = e.start
	rule, err := rrule.NewRRule(*option)
	if err != nil {
		return nil, e.badRule(err)
	}
	var out []time.Time
	next := rule.Iterator()
	for at, ok := next(); ok && !at.After(last); at, ok = next() {
		if !at.Before(first) {
			out = append(out, at)
		}
	}
	return out, nil
}

func (e *event) badRule(err error) error {
	return wrong(e.ruleLine, hive.FaultICSRule, "the rule cannot be read: ‹words›",
		"correct the RRULE, or list the days", "words", hive.Clean(err.Error(), 100))
}

// icsDate reads a date, or the date of a time.
func icsDate(p *property, value string) (time.Time, error) {
	date, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(value)), "T")
	at, err := time.Parse("20060102", date)
	if err != nil || at.Year() < 1 {
		return time.Time{}, wrong(p.line, hive.FaultICSDate, "‹value› is not a date", "write one such as 20261001",
			"value", quoted(value))
	}
	return at, nil
}

func icsDates(p *property, list []time.Time) ([]time.Time, error) {
	for value := range strings.SplitSeq(p.value, ",") {
		value, _, _ = strings.Cut(value, "/") // a period of RDATE
		at, err := icsDate(p, value)
		if err != nil {
			return nil, err
		}
		if list = append(list, at); len(list) > calendar.MaxEntries {
			return nil, wrong(p.line, hive.FaultICSList, "the event lists more than ‹most› days", "take fewer years",
				"most", calendar.MaxEntries)
		}
	}
	return list, nil
}

// icsDays reads a duration in whole days or weeks.
func icsDays(p *property) (int, error) {
	text := strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(p.value)), "P")
	for unit, days := range map[string]int{"D": 1, "W": 7} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			if n, err := strconv.Atoi(number); err == nil && n > 0 && n <= calendar.MaxSpan {
				return n * days, nil
			}
		}
	}
	if strings.Contains(text, "T") {
		return 1, nil // it belongs to a time of day
	}
	return 0, wrong(p.line, hive.FaultICSDuration, "‹value› is not a number of days", "write one such as P3D",
		"value", quoted(p.value))
}

// unescape reads a text of iCalendar.
func unescape(text string) string {
	return strings.NewReplacer(`\n`, " ", `\N`, " ", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(text)
}
