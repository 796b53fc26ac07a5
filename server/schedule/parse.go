package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/rprp/hivego/server/hive"
)

// Codes of the faults that triggers can have.
const (
	codeBadCron     = "bad_cron"
	codeBadTimezone = "bad_timezone"
	codeBadDST      = "bad_dst"
	codeNeverFires  = "never_fires"
	codeBadTrigger  = "bad_trigger" // fields that exclude each other
	codeBadPoint    = "bad_time"
	codeEnded       = "trigger_ended" // a warning
	codeNoCalendar  = "unknown_calendar"
)

// maxCron is the longest accepted cron, in bytes. A list of all 60 seconds, minutes and so on fits.
const maxCron = 512

// minEvery is the shortest period of @every.
const minEvery = time.Second

const cronHelp = `write five fields (minute hour day month weekday), six with seconds first, @daily, or @every 10m`

// parseError describes a mistake and its remedy; for programs it has a reason with params.
type parseError struct {
	message, remedy string
	reason          Reason
	params          map[string]string
}

func (w *parseError) Error() string { return w.message + "; " + w.remedy }

func parseErrorf(remedy, format string, args ...any) *parseError {
	return &parseError{message: fmt.Sprintf(format, args...), remedy: remedy}
}

// withReason gives w its reason. Params are pairs of a name and a value.
func (w *parseError) withReason(reason Reason, params ...any) *parseError {
	w.reason, w.params = reason, map[string]string{}
	for i := 0; i+1 < len(params); i += 2 {
		w.params[fmt.Sprint(params[i])] = fmt.Sprint(params[i+1])
	}
	return w
}

// parse reads a cron in a time zone, with the default dst. It never panics.
func parse(spec string, zone *time.Location) (*Cron, *parseError) {
	text := strings.TrimSpace(spec)
	switch {
	case text == "":
		return nil, parseErrorf(cronHelp, "the cron is empty").
			withReason(ReasonCronEmpty)
	case len(text) > maxCron:
		return nil, parseErrorf("write lists of numbers as ranges or steps, such as 0-30/5",
			"the cron is longer than %d characters", maxCron).
			withReason(ReasonCronLong, "most", maxCron)
	case strings.HasPrefix(strings.ToUpper(text), "TZ=") || strings.HasPrefix(strings.ToUpper(text), "CRON_TZ="):
		return nil, parseErrorf("write the zone into the schedule's field timezone and leave it out here",
			"%q names a time zone inside the cron", text).
			withReason(ReasonCronZone, "value", text)
	case strings.HasPrefix(text, "@"):
		return parseNamed(text, zone)
	default:
		return parseFields(text, zone)
	}
}

// parseNamed reads @daily and its like, and @every.
func parseNamed(text string, zone *time.Location) (*Cron, *parseError) {
	name, rest, _ := strings.Cut(text, " ")
	switch strings.ToLower(name) {
	case "@yearly", "@annually":
		return alias(text, rest, "0 0 0 1 1 *", zone)
	case "@monthly":
		return alias(text, rest, "0 0 0 1 * *", zone)
	case "@weekly":
		return alias(text, rest, "0 0 0 * * 0", zone)
	case "@daily", "@midnight":
		return alias(text, rest, "0 0 0 * * *", zone)
	case "@hourly":
		return alias(text, rest, "0 0 * * * *", zone)
	case "@every":
		return parseEvery(text, rest, zone)
	case "@reboot":
		return nil, parseErrorf("run the schedule by hand or by a cron",
			"%q: HiveGo does not start schedules when a machine starts", text).
			withReason(ReasonCronReboot, "value", text)
	default:
		return nil, parseErrorf("known are @yearly, @monthly, @weekly, @daily, @hourly and @every 10m",
			"%q is not a known name of a cycle", name).
			withReason(ReasonCronName, "value", name)
	}
}

func alias(text, rest, fields string, zone *time.Location) (*Cron, *parseError) {
	if strings.TrimSpace(rest) != "" {
		return nil, parseErrorf("leave out what follows the name", "%q has more than the name of a cycle", text).
			withReason(ReasonCronMore, "value", text)
	}
	return parseFields(fields, zone)
}

func parseEvery(text, rest string, zone *time.Location) (*Cron, *parseError) {
	const remedy = "write @every with whole seconds, such as @every 10m or @every 1h30m"
	d, err := hive.ParseDuration(strings.TrimSpace(rest))
	if err != nil {
		return nil, parseErrorf(remedy, "%q has no valid period", text).
			withReason(ReasonEveryPeriod, "value", text)
	}
	every := d.Std()
	if every < minEvery {
		return nil, parseErrorf("the shortest is @every 1s", "%q is too often", text).
			withReason(ReasonEveryOften, "value", text)
	}
	if every%time.Second != 0 {
		return nil, parseErrorf(remedy, "%q is not in whole seconds", text).
			withReason(ReasonEveryWhole, "value", text)
	}
	return &Cron{zone: zone, every: every}, nil
}

// field is one of the six fields of a cron.
type field struct {
	name     string
	min, max int
	names    []string // three letters each, of min, min+1, …
}

// id returns the name as params of reasons have it: one word.
func (f *field) id() string { return strings.ReplaceAll(f.name, " ", "_") }

func cronFields() [6]field {
	return [6]field{
		{name: "second", min: 0, max: 59},
		{name: "minute", min: 0, max: 59},
		{name: "hour", min: 0, max: 23},
		{name: "day of month", min: 1, max: 31},
		{name: "month", min: 1, max: 12, names: []string{
			"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
		}},
		{name: "day of week", min: 0, max: 6, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

const (
	fieldHour       = 2
	fieldDayOfMonth = 3
	fieldDayOfWeek  = 5
)

func parseFields(text string, zone *time.Location) (*Cron, *parseError) {
	fields := strings.Fields(strings.ToLower(text))
	switch len(fields) {
	case 5:
		fields = append([]string{"0"}, fields...)
	case 6:
	case 7:
		return nil, parseErrorf("leave out the year, which is Quartz's seventh field", "%q has seven fields", text).
			withReason(ReasonCronYear, "value", text)
	default:
		return nil, parseErrorf(cronHelp, "%q has %d fields", text, len(fields)).
			withReason(ReasonCronFields, "value", text, "count", len(fields))
	}
	places := cronFields()
	var rules [6][]dayRule
	for i := range fields {
		if places[i].ofDays() {
			plain, found, w := places[i].cutRules(fields[i])
			if w != nil {
				return nil, w
			}
			if rules[i] = found; plain == "" && found != nil {
				fields[i] = "" // rules alone
				continue
			}
			fields[i] = plain
		}
		clean, w := places[i].normal(fields[i])
		if w != nil {
			return nil, w
		}
		fields[i] = clean
	}
	return compile(text, fields, rules[fieldDayOfMonth], rules[fieldDayOfWeek], zone)
}

// compile makes a cron of its six fields and the rules of its days. A field of days is empty if it has rules alone.
func compile(text string, fields []string, ofMonth, ofWeek []dayRule, zone *time.Location) (*Cron, *parseError) {
	written := slices.Clone(fields)
	for i := range written {
		if written[i] == "" {
			written[i] = "*"
		}
	}
	parsed, err := cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).
		Parse(strings.Join(written, " "))
	if err != nil {
		return nil, parseErrorf(cronHelp, "%q is not a cron: %v", text, err).
			withReason(ReasonCronUnread, "value", text)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, parseErrorf(cronHelp, "%q is not a cron", text).
			withReason(ReasonCronUnread, "value", text)
	}
	spec.Location = time.UTC // it steps through civil times; Cron places them in the zone
	c := &Cron{zone: zone, spec: spec, fixed: fixedHours(fields[fieldHour], spec.Hour)}
	if ofMonth != nil || ofWeek != nil {
		c.days = &days{month: spec.Dom, week: spec.Dow, monthRules: ofMonth, weekRules: ofWeek}
		if fields[fieldDayOfMonth] == "" {
			c.days.month = 0
		}
		if fields[fieldDayOfWeek] == "" {
			c.days.week = 0
		}
		spec.Dom, spec.Dow = ^uint64(0), ^uint64(0) // from here on it finds times of day; the rules find the days
	}
	return c, nil
}

// fixedHours reports whether an hours field names hours, and not a cycle through the day: neither *, */2 nor 0/2, nor
// all 24.
func fixedHours(hours string, bits uint64) bool {
	const all = 1<<24 - 1
	if bits&all == all {
		return false
	}
	for part := range strings.SplitSeq(hours, ",") {
		low, _, step := strings.Cut(part, "/")
		if strings.HasPrefix(low, "*") || step && !strings.Contains(low, "-") {
			return false
		}
	}
	return true
}

// element is one part of a field's list: low-high/step, each as written, empty if not.
type element struct {
	low, high, step string
}

// split divides an element into its parts; false if it is not an element.
func split(part string) (element, bool) {
	span, step, stepped := strings.Cut(part, "/")
	low, high, ranged := strings.Cut(span, "-")
	star := low == "*" || low == "?"
	ok := (star || word(low)) && !(star && ranged) && (!ranged || word(high)) && (!stepped || digits(step))
	return element{low: low, high: high, step: step}, ok
}

// word reports whether s is a short number or three letters.
func word(s string) bool {
	return digits(s) || len(s) == 3 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

func digits(s string) bool {
	return s != "" && len(s) <= 4 && strings.Trim(s, "0123456789") == ""
}

// normal checks one field and writes it so that the parser of package cron reads what people mean: 7 and a range's
// last "sun" are Sunday.
func (f *field) normal(text string) (string, *parseError) {
	if text == "?" && !f.ofDays() {
		return "", parseErrorf("write *", `"?" stands for no particular day and has no meaning as %s`, f.name).
			withReason(ReasonCronQuestion, "field", f.id())
	}
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		e, ok := split(part)
		if !ok {
			return "", parseErrorf("write *, a number, a range such as 1-5, a step such as */10, or a list of these",
				"%q is not valid as %s", part, f.name).
				withReason(ReasonCronPart, "value", part, "field", f.id())
		}
		clean, w := f.part(part, e)
		if w != nil {
			return "", w
		}
		parts = append(parts, clean)
	}
	return strings.Join(parts, ","), nil
}

// part checks one element of a field's list and writes it for the parser.
func (f *field) part(text string, e element) (string, *parseError) {
	if w := f.checkStep(text, e.step); w != nil {
		return "", w
	}
	if e.low == "*" || e.low == "?" {
		return text, nil
	}
	from, w := f.number(text, e.low)
	if w != nil {
		return "", w
	}
	to := from
	switch {
	case e.high != "":
		if to, w = f.number(text, e.high); w != nil {
			return "", w
		}
		if f.sunday() && to == 0 && from > 0 {
			to = 7 // fri-sun
		}
	case e.step != "" && from <= f.max: // n/step goes up to the last value; Sunday as 7 is alone
		to = f.max
	}
	if from > to {
		example := fmt.Sprintf("%s-%s,%s-%s", e.low, f.like(e.low, f.max), f.like(e.high, f.min), e.high)
		return "", parseErrorf("write the smaller one first, or two ranges such as "+example, "%q runs backwards as %s",
			text, f.name).
			withReason(ReasonCronBackwards, "value", text, "field", f.id(), "example", example)
	}
	if f.sunday() && to == 7 {
		return sundays(from, e.step), nil
	}
	return text, nil
}

// like writes a value as a number, or as a name if that is how another one is written.
func (f *field) like(word string, n int) string {
	if f.names == nil || digits(word) {
		return strconv.Itoa(n)
	}
	return f.names[n-f.min]
}

func (f *field) sunday() bool { return f.name == "day of week" }

// ofDays reports whether the field names days.
func (f *field) ofDays() bool { return f.sunday() || f.name == "day of month" }

func (f *field) checkStep(text, step string) *parseError {
	if step == "" {
		return nil
	}
	n, err := strconv.Atoi(step)
	if err != nil || n < 1 {
		return parseErrorf("write a step of at least 1, such as */10", "%q has no valid step as %s", text, f.name).
			withReason(ReasonCronStep, "value", text, "field", f.id())
	}
	if n > f.max-f.min {
		return parseErrorf(
			"write a smaller step, or @every for a cycle that is not a whole part of the next larger unit",
			"%q: the step %d is beyond the range %d-%d of %s, so that only its first value would count",
			text, n, f.min, f.max, f.name).
			withReason(ReasonCronStepLarge, "value", text, "step", n, "least", f.min, "most", f.max, "field", f.id())
	}
	return nil
}

// number returns the value of a number or name. Sunday may be 7.
func (f *field) number(text, word string) (int, *parseError) {
	if i := slices.Index(f.names, word); i >= 0 {
		return f.min + i, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		if f.names == nil {
			return 0, parseErrorf("write a number", "%q is not known as %s", word, f.name).
				withReason(ReasonCronNumber, "value", word, "field", f.id())
		}
		known := strings.Join(f.names, " ")
		return 0, parseErrorf("write a number or one of "+known, "%q is not known as %s", word, f.name).
			withReason(ReasonCronWord, "value", word, "known", known, "field", f.id())
	}
	if n >= f.min && n <= f.max || f.sunday() && n == 7 {
		return n, nil
	}
	most := f.max
	if f.sunday() {
		most = 7
	}
	return 0, parseErrorf(fmt.Sprintf("write %d to %d", f.min, most), "%q is out of range as %s", text, f.name).
		withReason(ReasonCronRange, "value", text, "least", f.min, "most", most, "field", f.id())
}

// sundays lists the weekdays from to 7 by step, with 7 written as 0.
func sundays(from int, step string) string {
	n, err := strconv.Atoi(step)
	if err != nil {
		n = 1
	}
	var days []string
	for d := from; d <= 7; d += n {
		days = append(days, strconv.Itoa(d%7))
	}
	return strings.Join(days, ",")
}
