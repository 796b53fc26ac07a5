package schedule

import (
	"cmp"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Codes of the faults that only upstreams can have.
const (
	codeCircle           = "schedule_circle"
	codeUnknownUpstream  = "unknown_schedule"  // a warning
	codeArchivedUpstream = "archived_schedule" // a warning
	codeRenamedUpstream  = "renamed_schedule"  // a warning
	codeEmptyWindow      = "empty_window"      // a warning
)

// checkAfter checks the upstreams of a trigger one by one.
func (c *triggerCheck) checkAfter() {
	t := c.trigger
	if t.At != "" && len(t.After) > 0 {
		c.add(codeBadTrigger, "after", parseErrorf("write a cron with an end instead, or remove after",
			"a trigger with at has no after").withReason(ReasonAfterAt))
	}
	if len(t.After) > mostUpstreams {
		c.add(codeBadTrigger, "after", parseErrorf("let one schedule wait for some of them, and this one for that",
			"%d schedules are more than a trigger can wait for", len(t.After)).
			withReason(ReasonAfterMany, "value", len(t.After), "most", mostUpstreams))
		return
	}
	seen := map[hive.Upstream]bool{}
	for i := range t.After {
		u := &t.After[i]
		field := fmt.Sprintf("after[%d]", i)
		if u.Schedule == c.name {
			c.add(codeBadTrigger, field+".schedule", parseErrorf(
				"remove it, or write serial: true to wait for the moment before",
				"the schedule waits for itself").withReason(ReasonAfterItself, "value", u.Schedule))
		}
		if seen[*u] {
			c.add(codeBadTrigger, field, parseErrorf("remove one of them", "%q stands here twice", u.Schedule).
				withReason(ReasonAfterTwice, "value", u.Schedule))
		}
		seen[*u] = true
		if _, w := parsePolicy(u.Policy); w != nil {
			c.add(codeBadTrigger, field+".policy", w)
		}
		if u.Window != "" {
			if _, w := parseWindow(u.Window); w != nil {
				c.add(codeBadTrigger, field+".window", w)
			}
		}
	}
}

// checkFollows checks a trigger whose moments come from its upstreams.
func (c *triggerCheck) checkFollows() {
	t := c.trigger
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"start", t.Start != ""},
		{"end", t.End != ""},
		{"jitter", t.Jitter != 0},
		{"dst", t.DST != (hive.DST{})},
		{"calendar", t.Calendar != (hive.TriggerCalendar{})},
	} {
		if f.set {
			c.add(codeBadTrigger, f.name, parseErrorf("add a cron, or remove it",
				"after without a cron has no %s", f.name).withReason(ReasonAfterBounds, "field", f.name))
		}
	}
	for i := range t.After {
		u := &t.After[i]
		field := fmt.Sprintf("after[%d]", i)
		p, _ := parsePolicy(u.Policy)
		switch {
		case u.Window != t.After[0].Window:
			c.add(codeBadTrigger, field+".window", parseErrorf("write one window for all of them, or add a cron",
				"without a cron, the upstreams have one window").withReason(ReasonWindowsMixed))
		case u.Window != "" && u.Window != hive.WindowSameHour && u.Window != hive.WindowSameDay:
			c.add(codeBadTrigger, field+".window", parseErrorf("write same_hour or same_day, or add a cron",
				"without a cron, the window %q has no end", hive.Clean(u.Window, longestPoint)).
				withReason(ReasonWindowNoCron, "value", hive.Clean(u.Window, longestPoint)))
		case u.Window == "" && p.n > 0:
			c.add(codeBadTrigger, field+".policy", parseErrorf("write a window, or the policy all or any",
				"%q needs a window", hive.Clean(u.Policy, longestPoint)).
				withReason(ReasonPolicyWindow, "value", hive.Clean(u.Policy, longestPoint)))
		}
	}
}

// Known is what the check of a definition must know of another schedule.
type Known struct {
	After []string // the schedules that it waits for
	Times *Timetable

	Archived bool
	Renamed  string // its present name, if it was looked for by a former one
}

// Others finds other schedules by their names.
type Others struct {
	Find func(name string) (Known, bool)
	Near func(name string) string // the name that was probably meant; empty if there is none
}

// CheckUpstreams checks the upstreams of a definition against the schedules of the server. An unknown name has a
// warning, and so have a former name, an archived schedule and a window that never holds a moment; a circle refuses the
// definition.
func CheckUpstreams(def *hive.Definition, others Others, now time.Time, calendars Calendars) []hive.Fault {
	var faults []hive.Fault
	for i := range def.Triggers {
		t := &def.Triggers[i]
		for j := range t.After {
			name := t.After[j].Schedule
			if name == def.Name || name == "" {
				continue
			}
			path := fmt.Sprintf("triggers[%d].after[%d]", i, j)
			other, found := others.Find(name)
			if !found {
				faults = append(faults, unknownUpstream(name, others.Near(name), path+".schedule"))
				continue
			}
			circle := circleFrom(cmp.Or(other.Renamed, name), def.Name, others)
			switch {
			case circle != "":
				circle = def.Name + " → " + circle
				faults = append(faults, parseErrorf("remove one of these waits",
					"the schedules would wait for each other: %s", circle).
					withReason(ReasonCircle, "path", circle).fault(codeCircle, path+".schedule"))
			case other.Archived:
				f := parseErrorf("unarchive it, or remove the wait",
					"%q is archived, and nobody waits for an archived schedule", name).
					withReason(ReasonUpstreamArchived, "value", name).fault(codeArchivedUpstream, path+".schedule")
				f.Warning = true
				faults = append(faults, f)
			case other.Renamed != "":
				f := parseErrorf("write the present name", "schedule %q was renamed to %q", name, other.Renamed).
					withReason(ReasonUpstreamRenamed, "value", name, "to", other.Renamed).
					fault(codeRenamedUpstream, path+".schedule")
				f.Warning = true
				faults = append(faults, f)
			case holdsNothing(def, t, j, other.Times, now, calendars):
				text := t.After[j].Window
				f := parseErrorf("write a longer window", "no moment of %q lies in the window %q", name, text).
					withReason(ReasonWindowNothing, "schedule", name, "value", text).
					fault(codeEmptyWindow, path+".window")
				f.Warning = true
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// windowsLooked is how many of the coming moments are looked at for a window that holds something.
const windowsLooked = 60

// holdsNothing reports whether no window of the coming moments of a trigger holds a moment of the upstream, as far as
// the triggers of both tell.
func holdsNothing(
	def *hive.Definition, t *hive.Trigger, j int, times *Timetable, now time.Time, calendars Calendars,
) bool {
	if t.Cron == "" || t.After[j].Window == "" || times == nil || times.Follows() || times.Delayed() ||
		times.called || len(times.entries) == 0 {
		return false
	}
	own, err := NewTimetable(&hive.Definition{Timezone: def.Timezone, Triggers: []hive.Trigger{*t}}, now, calendars)
	if err != nil {
		return false
	}
	moments := own.Forecast(now, now, windowsLooked)
	for _, m := range moments {
		g := own.entries[0].gate
		in := g.span(&g.after[j], m.At, time.Time{})
		if due, _ := times.Due(in.after, in.until, 1); len(due) > 0 {
			return false
		}
	}
	return len(moments) > 0
}

func unknownUpstream(name, near, path string) hive.Fault {
	const words = "there is no schedule %.80q yet; the wait lasts until there is one"
	w := parseErrorf("create it, or correct the name", words, name).
		withReason(ReasonUnknown, "value", hive.Clean(name, 80))
	if near != "" {
		w = parseErrorf("did you mean "+near+"?", words, name).
			withReason(ReasonUnknownNear, "value", hive.Clean(name, 80), "near", near)
	}
	f := w.fault(codeUnknownUpstream, path)
	f.Warning = true
	return f
}

// circleFrom looks for the path from one schedule to another along upstreams; empty if there is none.
func circleFrom(from, to string, others Others) string {
	seen := map[string]bool{}
	var walk func(name string) string
	walk = func(name string) string {
		if name == to {
			return name
		}
		if seen[name] {
			return ""
		}
		seen[name] = true
		known, _ := others.Find(name)
		for _, next := range known.After {
			if path := walk(next); path != "" {
				return name + " → " + path
			}
		}
		return ""
	}
	return walk(from)
}
