package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Moment is one due moment of a schedule.
type Moment struct {
	At      time.Time // UTC, whole seconds
	Due     time.Time // when it is decided: At, or later by the jitter of the trigger
	Trigger string    // as Trigger.String of package hive; of several that agree, the first of the definition
	Number  int       // of the trigger in the definition, from 0
}

// CheckTriggers lists every fault in the time zone and the triggers of a definition: bad crons, times, zones and dst
// values, upstreams that cannot be waited for, and triggers that never fire. A trigger whose last moment is before now
// has a warning. Paths are timezone and triggers[i].cron, .at, .every, .from, .start, .end, .jitter, .dst.gap,
// .dst.repeat, .after[j].policy, .calendar, .calendar.name, .webhook, .accept.NAME. Without calendars (nil), it does
// not check what depends on them.
func CheckTriggers(def *hive.Definition, now time.Time, calendars Calendars) []hive.Fault {
	zone, w := loadZone(def.Timezone)
	var faults []hive.Fault
	if w != nil {
		faults = append(faults, w.fault(codeBadTimezone, "timezone"))
		zone = time.UTC
	}
	faults = append(faults, checkWebhookNames(def)...)
	delayed := false
	for i := range def.Triggers {
		c := triggerCheck{
			trigger: &def.Triggers[i], path: fmt.Sprintf("triggers[%d]", i), zone: zone, now: now, name: def.Name,
			expire: def.Policy.Expire, params: def.Params, calendars: calendars,
		}
		faults = append(faults, c.run()...)
		if def.Triggers[i].Every != 0 && delayed {
			c.faults = nil
			c.add(codeBadTrigger, "every", parseErrorf("write the shortest of them only",
				"two triggers count from the same end").withReason(ReasonDelayTwice))
			faults = append(faults, c.faults...)
		}
		delayed = delayed || def.Triggers[i].Every != 0
	}
	return faults
}

// triggerCheck finds the faults of one trigger.
type triggerCheck struct {
	trigger *hive.Trigger
	path    string
	zone    *time.Location
	now     time.Time
	name    string         // of the schedule
	expire  hive.Duration  // of the policy
	params  map[string]any // of the schedule
	faults  []hive.Fault

	calendars Calendars
}

func (c *triggerCheck) add(code, field string, w *parseError) {
	c.faults = append(c.faults, w.fault(code, c.path+"."+field))
}

func (c *triggerCheck) warn(code, field string, w *parseError) {
	c.add(code, field, w)
	c.faults[len(c.faults)-1].Warning = true
}

func (c *triggerCheck) run() []hive.Fault {
	if c.checkWebhook() {
		return c.faults
	}
	c.faults = append(c.faults, checkDST(c.trigger.DST, c.path)...)
	if c.trigger.Every != 0 || c.trigger.From != "" {
		c.checkDelay()
		return c.faults
	}
	c.checkAfter()
	if c.trigger.Follows() {
		c.checkFollows()
		return c.faults
	}
	c.checkJitter()
	if c.trigger.At != "" {
		c.checkAt()
		return c.faults
	}
	cron, w := parse(c.trigger.Cron, c.zone)
	if w != nil {
		c.add(codeBadCron, "cron", w)
		cron = nil
	}
	start, startOK := c.point("start", c.trigger.Start)
	end, endOK := c.point("end", c.trigger.End)
	if cron == nil || !startOK || !endOK {
		return c.faults
	}
	cron.dst, cron.first = c.trigger.DST, c.now.Unix()
	if c.trigger.DST != (hive.DST{}) && !cron.fixed {
		c.warn(codeBadDST, "dst", parseErrorf("remove dst, or name the hours",
			"dst has no effect on %q, which follows elapsed time", c.trigger.Cron).
			withReason(ReasonDSTUnused, "value", c.trigger.Cron))
	}
	if !c.checkCalendar(cron) {
		return c.faults
	}
	c.checkMoments(cron, start, end)
	return c.faults
}

// point reads the field start or end; a zero point if it is empty, false if it cannot be read.
func (c *triggerCheck) point(field, text string) (point, bool) {
	if text == "" {
		return point{}, true
	}
	p, w := parsePoint(text, c.zone)
	if w != nil {
		c.add(codeBadPoint, field, w)
	}
	return p, w == nil
}

// checkMoments finds triggers that have no moments.
func (c *triggerCheck) checkMoments(cron *Cron, start, end point) {
	t := c.trigger
	if _, ok := cron.Next(c.now); !ok {
		c.add(codeNeverFires, "cron", parseErrorf("write a day that the month has, or remove the trigger",
			"%q never fires", t.Cron).withReason(ReasonCronNever, "value", t.Cron))
		return
	}
	if t.End == "" {
		return
	}
	if t.Start != "" && end.last.Before(start.first) {
		c.endsEarly()
		return
	}
	if t.Start != "" && cron.every == 0 { // the moments of @every depend on when the schedule is created
		if _, ok := (&bounded{series: cron, start: start.first, end: end.last}).Next(time.Time{}); !ok {
			c.add(codeNeverFires, "end", parseErrorf("write a later end, or an earlier start",
				"%q has no moment between its start and its end", t.Cron).
				withReason(ReasonNeverBetween, "value", t.Cron, "start", t.Start, "end", t.End))
			return
		}
	}
	if _, ok := (&bounded{series: cron, start: start.first, end: end.last}).Next(c.now); !ok {
		c.ended()
	}
}

func (c *triggerCheck) endsEarly() {
	c.add(codeNeverFires, "end", parseErrorf("write an end after the start",
		"the trigger never fires: it ends before it starts").
		withReason(ReasonEndBeforeStart, "start", c.trigger.Start, "end", c.trigger.End))
}

func (c *triggerCheck) ended() {
	c.warn(codeEnded, "end", parseErrorf("write a later end, or remove the trigger",
		"the trigger does not fire any more: its last moment was before its end %s", c.trigger.End).
		withReason(ReasonEnded, "end", c.trigger.End))
}

// checkAt checks a trigger with one moment.
func (c *triggerCheck) checkAt() {
	t := c.trigger
	p, w := parsePoint(t.At, c.zone)
	switch {
	case w != nil:
		c.add(codeBadPoint, "at", w)
	case p.date:
		c.add(codeBadPoint, "at", parseErrorf("add the time of day, such as "+t.At+"T18:00",
			"%q has no time of day", t.At).withReason(ReasonAtDate, "value", t.At))
	case p.gap:
		c.add(codeNeverFires, "at", parseErrorf("write a time that exists",
			"%q does not exist in %s: daylight saving skips it", t.At, c.zone).
			withReason(ReasonAtGap, "value", t.At, "zone", c.zone))
	case !p.first.After(c.now):
		c.warn(codeEnded, "at", parseErrorf("write a later time, or remove the trigger",
			"the trigger does not fire any more: %s has passed", t.At).withReason(ReasonAtPassed, "value", t.At))
	}
	for _, f := range []struct{ name, value string }{{"start", t.Start}, {"end", t.End}} {
		if f.value != "" {
			c.add(codeBadTrigger, f.name, parseErrorf("remove it", "a trigger with at has no %s", f.name).
				withReason(ReasonAtBounds, "field", f.name))
		}
	}
	if t.Calendar != (hive.TriggerCalendar{}) {
		c.add(codeBadTrigger, "calendar", parseErrorf("remove it", "a trigger with at follows no calendar").
			withReason(ReasonAtCalendar))
	}
	if t.DST != (hive.DST{}) {
		c.warn(codeBadDST, "dst", parseErrorf("remove dst; of a time that a clock shows twice, at is the first",
			"dst has no effect on at").withReason(ReasonDSTAt))
	}
}

func (w *parseError) fault(code, path string) hive.Fault {
	return hive.Fault{
		Code: code, Path: path, Message: w.message, Remedy: w.remedy,
		Reason: hive.FaultReason(w.reason), Params: w.params,
	}
}

func checkDST(d hive.DST, path string) []hive.Fault {
	var faults []hive.Fault
	check := func(name, value string, known ...string) {
		if value != "" && !slices.Contains(known, value) {
			w := parseErrorf(fmt.Sprintf("write one of %v", known), "%.80q is not known", value).
				withReason(ReasonDSTUnknown, "value", hive.Clean(value, 80), "known", strings.Join(known, ", "))
			faults = append(faults, w.fault(codeBadDST, path+".dst."+name))
		}
	}
	check("gap", d.Gap, gapRunAfter, gapSkip)
	check("repeat", d.Repeat, repeatFirst, repeatLast, repeatBoth)
	return faults
}

// Timetable is the parsed triggers of one definition.
type Timetable struct {
	schedule string // its name
	entries  []timetableEntry
	follows  []*gate     // of the triggers that follow other schedules
	delay    *fixedDelay // nil: none
	called   bool        // a trigger is a webhook
}

type timetableEntry struct {
	trigger string
	number  int // of the trigger in the definition
	series  series
	gate    *gate // what its moments wait for; nil: nothing
	jitter  time.Duration
}

// Follows reports whether moments come from other schedules, so that Next does not know them.
func (t *Timetable) Follows() bool { return len(t.follows) > 0 }

// NewTimetable parses the triggers of a definition of a schedule that was created at the given time. Triggers that
// cannot be read are left out and named in the error; the others stay. A stored definition was checked, but a later
// version of HiveGo may have written it.
func NewTimetable(def *hive.Definition, created time.Time, calendars Calendars) (*Timetable, error) {
	return parseTimetable(def, created, loadZone, calendars)
}

func parseTimetable(
	def *hive.Definition, created time.Time, load func(string) (*time.Location, *parseError), calendars Calendars,
) (*Timetable, error) {
	t := &Timetable{schedule: def.Name}
	if len(def.Triggers) == 0 {
		return t, nil
	}
	zone, w := load(def.Timezone)
	if w != nil {
		return t, hive.Errorf(hive.CodeInvalid, "timezone: %s", w.Error())
	}
	var bad error
	for i := range def.Triggers {
		if err := t.add(i, &def.Triggers[i], zone, created, calendars); err != nil {
			bad = hive.Errorf(hive.CodeInvalid, "triggers[%d]: %s", i, err.Error())
		}
	}
	return t, bad
}

// add parses one trigger of a schedule that was created at the given time.
func (t *Timetable) add(
	number int, trigger *hive.Trigger, zone *time.Location, created time.Time, calendars Calendars,
) *parseError {
	if trigger.Every != 0 {
		f, w := parseDelay(number, trigger, zone)
		if w == nil {
			t.delay = f
		}
		return w
	}
	if trigger.Webhook != "" {
		t.called = true
		return nil
	}
	g, w := newGate(trigger, zone)
	if w != nil {
		return w
	}
	if trigger.Follows() {
		t.follows = append(t.follows, g)
		return nil
	}
	moments, w := parseTrigger(trigger, zone, created, calendars)
	if w == nil {
		t.entries = append(t.entries, timetableEntry{
			trigger: trigger.String(), number: number, series: moments, gate: g, jitter: trigger.Jitter.Std(),
		})
	}
	return w
}

// parseTrigger reads one trigger of a schedule that was created at the given time.
func parseTrigger(
	t *hive.Trigger, zone *time.Location, created time.Time, calendars Calendars,
) (series, *parseError) {
	if t.At != "" {
		p, w := parsePoint(t.At, zone)
		return single(p.first), w
	}
	c, w := parse(t.Cron, zone)
	if w != nil {
		return nil, w
	}
	c.dst, c.first = t.DST, created.Unix()
	if t.Calendar != (hive.TriggerCalendar{}) && c.every == 0 {
		cal := calendars.find(t.Calendar.Name)
		if cal == nil {
			return nil, noCalendar(t.Calendar.Name)
		}
		c.withCalendar(cal, t.Calendar)
	}
	if t.Start == "" && t.End == "" {
		return c, nil
	}
	b, w := parseBounds(t, zone)
	b.series = c
	return b, w
}

// parseBounds reads the start and the end of a trigger.
func parseBounds(t *hive.Trigger, zone *time.Location) (*bounded, *parseError) {
	b := &bounded{}
	if t.Start != "" {
		p, w := parsePoint(t.Start, zone)
		if w != nil {
			return b, w
		}
		b.start = p.first
	}
	if t.End != "" {
		p, w := parsePoint(t.End, zone)
		if w != nil {
			return b, w
		}
		b.end = p.last
	}
	return b, nil
}

// Next returns the first due moment after the given time; false if there is none.
func (t *Timetable) Next(after time.Time) (Moment, bool) {
	e, at := t.next(after)
	if e == nil {
		return Moment{}, false
	}
	return t.moment(e, at), true
}

// next returns the first moment after the given time, and its trigger; nil if there is none.
func (t *Timetable) next(after time.Time) (*timetableEntry, time.Time) {
	var best *timetableEntry
	var first time.Time
	for i := range t.entries {
		if at, ok := t.entries[i].series.Next(after); ok && (best == nil || at.Before(first)) {
			best, first = &t.entries[i], at
		}
	}
	return best, first
}

func (t *Timetable) moment(e *timetableEntry, at time.Time) Moment {
	return Moment{At: at, Due: t.due(e, at), Trigger: e.trigger, Number: e.number}
}

// Due lists the moments after one time and up to another, oldest first, at most limit of them; more says that there are
// others. A moment of several triggers is listed once.
func (t *Timetable) Due(after, until time.Time, limit int) (due []Moment, more bool) {
	for m, ok := t.Next(after); ok && !m.At.After(until); m, ok = t.Next(m.At) {
		if len(due) >= limit {
			return due, true
		}
		due = append(due, m)
	}
	return due, false
}

// Forecast returns the first n moments that are due after a time. Moments up to since are left out: the triggers are
// not older.
func (t *Timetable) Forecast(since, from time.Time, n int) []Moment {
	var out []Moment
	if m, ok := t.pending(from); ok && m.At.After(since) && n > 0 {
		out = append(out, m)
	}
	due, _ := t.Due(from, time.Date(lastYear, time.December, 31, 23, 59, 59, 0, time.UTC), n-len(out))
	return append(out, due...)
}
