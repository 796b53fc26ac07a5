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
	Trigger string    // the cron as written; of several that agree, the first of the definition
}

// CheckTriggers lists every fault in the time zone and the triggers of a definition: bad crons, zones and dst values,
// and triggers that never fire after now. Paths are timezone and triggers[i].cron, .dst.gap, .dst.repeat.
func CheckTriggers(def *hive.Definition, now time.Time) []hive.Fault {
	zone, w := loadZone(def.Timezone)
	var faults []hive.Fault
	if w != nil {
		faults = append(faults, w.fault(codeBadTimezone, "timezone"))
		zone = time.UTC
	}
	for i := range def.Triggers {
		t := &def.Triggers[i]
		path := fmt.Sprintf("triggers[%d]", i)
		faults = append(faults, checkDST(t.DST, path)...)
		c, w := parse(t.Cron, zone)
		if w != nil {
			faults = append(faults, w.fault(codeBadCron, path+".cron"))
			continue
		}
		c.dst = t.DST
		if _, ok := c.Next(now); !ok {
			w := parseErrorf("write a day that the month has, or remove the trigger", "%q never fires", t.Cron).
				withReason(ReasonCronNever, "value", t.Cron)
			faults = append(faults, w.fault(codeNeverFires, path+".cron"))
		}
		if t.DST != (hive.DST{}) && !c.fixed {
			w := parseErrorf("remove dst, or name the hours",
				"dst has no effect on %q, which follows elapsed time", t.Cron).
				withReason(ReasonDSTUnused, "value", t.Cron)
			f := w.fault(codeBadDST, path+".dst")
			f.Warning = true
			faults = append(faults, f)
		}
	}
	return faults
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
	entries []timetableEntry
}

type timetableEntry struct {
	trigger string
	cron    *Cron
}

// NewTimetable parses the triggers of a definition. Triggers that cannot be read are left out and named in the error;
// the others stay. A stored definition was checked, but a later version of HiveGo may have written it.
func NewTimetable(def *hive.Definition) (*Timetable, error) {
	return parseTimetable(def, loadZone)
}

func parseTimetable(def *hive.Definition, load func(string) (*time.Location, *parseError)) (*Timetable, error) {
	t := &Timetable{}
	if len(def.Triggers) == 0 {
		return t, nil
	}
	zone, w := load(def.Timezone)
	if w != nil {
		return t, hive.Errorf(hive.CodeInvalid, "timezone: %s", w.Error())
	}
	var bad error
	for i := range def.Triggers {
		c, w := parse(def.Triggers[i].Cron, zone)
		if w != nil {
			bad = hive.Errorf(hive.CodeInvalid, "triggers[%d].cron: %s", i, w.Error())
			continue
		}
		c.dst = def.Triggers[i].DST
		t.entries = append(t.entries, timetableEntry{trigger: def.Triggers[i].Cron, cron: c})
	}
	return t, bad
}

// Next returns the first due moment after the given time; false if there is none.
func (t *Timetable) Next(after time.Time) (Moment, bool) {
	var best Moment
	found := false
	for _, e := range t.entries {
		if at, ok := e.cron.Next(after); ok && (!found || at.Before(best.At)) {
			best, found = Moment{At: at, Trigger: e.trigger}, true
		}
	}
	return best, found
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

// Due lists the due moments of a definition after one time and up to another, oldest first, at most limit of them; more
// says that there are others. A moment of several triggers is listed once. Triggers that cannot be read have no
// moments: see CheckTriggers.
func Due(def *hive.Definition, after, until time.Time, limit int) (due []Moment, more bool) {
	t, _ := NewTimetable(def)
	return t.Due(after, until, limit)
}

// Forecast returns the next n due moments of a definition after a time.
func Forecast(def *hive.Definition, from time.Time, n int) []Moment {
	due, _ := Due(def, from, time.Date(lastYear, time.December, 31, 23, 59, 59, 0, time.UTC), n)
	return due
}
