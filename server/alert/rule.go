// Package alert has the pure rules of alerts: checks of their documents, whom an event concerns and when, and the texts
// of messages. It has no clock and no I/O.
package alert

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The codes of the faults of rules and channels.
const (
	codeMissing   = "missing_field"
	codeUnknown   = "unknown_value"
	codeTwice     = "listed_twice"
	codeBadKind   = "bad_event"
	codeUnused    = "unused_field"
	codeBadTime   = "bad_time"
	codeBadZone   = "bad_zone"
	codeRange     = "out_of_range"
	codeNoChannel = "unknown_channel"

	codeNoSchedule = "unknown_schedule"
)

// MaxNames limits each list of a rule.
const MaxNames = 500

// checker collects the faults of one document.
type checker struct{ faults []hive.Fault }

func (c *checker) add(path, code string, reason hive.FaultReason, message, remedy string, params ...any) {
	c.faults = append(c.faults, hive.NewFault(code, reason, message, remedy, params...).At(path))
}

// Known are the names that a rule may name. Lists that are nil are not checked.
type Known struct {
	Channels  []string
	Schedules []string // with former names
}

// CheckRule lists the faults of a rule, apart from its head.
func CheckRule(def *hive.AlertDefinition, known Known) []hive.Fault {
	c := &checker{}
	c.kinds(def)
	if len(def.Channels) == 0 {
		c.add("channels", codeMissing, hive.FaultAlertChannels, "the rule names no channel",
			"write the names of channels, such as [ops-mail]")
	}
	lists := []struct {
		path  string
		names []string
	}{{"channels", def.Channels}, {"schedules", def.Schedules}, {"tags", def.Tags}}
	for _, l := range lists {
		c.unique(l.path, l.names)
	}
	c.channels("channels", def.Channels, known.Channels)
	c.escalate(def, known.Channels)
	c.schedules(def.Schedules, known.Schedules)
	if !validZone(def.Timezone) {
		c.add("timezone", codeBadZone, hive.FaultAlertZone, `"‹value›" is not a time zone`,
			"write one such as Asia/Shanghai", "value", hive.Clean(def.Timezone, 80))
	}
	if def.Deadline != "" {
		c.timeOfDay("deadline", def.Deadline)
	}
	c.used(def)
	for path, d := range map[string]hive.Duration{"wait": def.Wait, "repeat": def.Repeat, "group": group(def)} {
		if d < 0 {
			c.add(path, codeRange, hive.FaultNegativeTime, "‹value› is negative",
				"write a duration such as 30s, 10m, 2h or 1d", "value", d)
		}
	}
	for i := range def.Quiet {
		c.quiet(fmt.Sprintf("quiet[%d]", i), &def.Quiet[i])
	}
	return c.faults
}

func (c *checker) channels(path string, names, known []string) {
	for i, name := range names {
		if known != nil && !slices.Contains(known, name) {
			c.add(fmt.Sprintf("%s[%d]", path, i), codeNoChannel, hive.FaultUnknownChannel,
				"there is no channel ‹value›", "write the name of one, or make it first", "value", hive.Clean(name, 80))
		}
	}
}

func (c *checker) escalate(def *hive.AlertDefinition, channels []string) {
	if !def.Escalate.Set() {
		return
	}
	if def.Escalate.After <= 0 {
		c.add("escalate.after", codeRange, hive.FaultAlertEscalation, "the escalation has no time",
			"write a duration after which it follows, such as 15m")
	}
	if len(def.Escalate.To) == 0 {
		c.add("escalate.to", codeMissing, hive.FaultAlertChannels, "the rule names no channel",
			"write the names of channels, such as [ops-mail]")
	}
	c.unique("escalate.to", def.Escalate.To)
	c.channels("escalate.to", def.Escalate.To, channels)
}

// schedules warns of names without a schedule: the rule may be older than the schedule, but the name may also be
// misspelt, and then nobody would ever be notified.
func (c *checker) schedules(names, known []string) {
	for i, name := range names {
		if known != nil && !slices.Contains(known, name) {
			c.add(fmt.Sprintf("schedules[%d]", i), codeNoSchedule, hive.FaultAlertSchedule,
				"there is no schedule ‹value› yet", "create it, or correct the name", "value", hive.Clean(name, 80))
			c.faults[len(c.faults)-1].Warning = true
		}
	}
}

func (c *checker) kinds(def *hive.AlertDefinition) {
	if len(def.On) == 0 {
		c.add("on", codeMissing, hive.FaultAlertKinds, "the rule names no event", "write some of ‹known›",
			"known", join(hive.AlertKinds()))
	}
	c.unique("on", texts(def.On))
	for i, kind := range def.On {
		path := fmt.Sprintf("on[%d]", i)
		if c.oneOf(path, string(kind), texts(hive.AlertKinds())) && kind.OfServer() &&
			len(def.Schedules)+len(def.Tags) > 0 {
			c.add(path, codeBadKind, hive.FaultAlertServerKind, "‹value› is about no schedule",
				"remove it here, and write a rule without schedules and tags for it", "value", kind)
		}
	}
}

// used refuses fields that only have an effect with an event that the rule does not have.
func (c *checker) used(def *hive.AlertDefinition) {
	if def.Skips < 0 || def.Skips > 1000 {
		c.add("skips", codeRange, hive.FaultOutOfRange, "‹value› is not between ‹low› and ‹high›",
			"write how many moments in a row are too many", "value", def.Skips, "low", 1, "high", 1000)
	}
	for _, f := range []struct {
		path  string
		set   bool
		kinds []hive.AlertKind
	}{
		{"deadline", def.Deadline != "", []hive.AlertKind{hive.AlertLate}},
		{"wait", def.Wait != 0, []hive.AlertKind{hive.AlertNotStarted, hive.AlertExecutorFull}},
		{"skips", def.Skips != 0, []hive.AlertKind{hive.AlertSkipped}},
	} {
		if f.set && !slices.ContainsFunc(f.kinds, func(k hive.AlertKind) bool { return slices.Contains(def.On, k) }) {
			c.add(f.path, codeUnused, hive.FaultAlertUnused, "‹value› has no effect without ‹kind›",
				"add ‹kind› to on, or remove ‹value›", "value", f.path, "kind", f.kinds[0])
		}
	}
}

func (c *checker) unique(path string, names []string) {
	if len(names) > MaxNames {
		c.add(path, codeRange, hive.FaultOutOfRange, "‹value› is not between ‹low› and ‹high›",
			"write a rule for each part of them", "value", len(names), "low", 0, "high", MaxNames)
		return
	}
	for i, name := range names {
		if slices.Index(names, name) < i {
			c.add(fmt.Sprintf("%s[%d]", path, i), codeTwice, hive.FaultListedTwice, "‹value› is listed twice",
				"remove one of them", "value", hive.Clean(name, 80))
		}
	}
}

// oneOf refuses a value that is not known.
func (c *checker) oneOf(path, value string, known []string) bool {
	if slices.Contains(known, value) {
		return true
	}
	const message = `"‹value›" is not known here`
	params := []any{"value", hive.Clean(value, 80), "known", strings.Join(known, ", ")}
	if near := hive.Nearest(value, known); near != "" {
		c.add(path, codeUnknown, hive.FaultUnknownValue, message, "did you mean ‹near›? Use one of ‹known›",
			append(params, "near", near)...)
		return false
	}
	c.add(path, codeUnknown, hive.FaultUnknownValue, message, "use one of ‹known›", params...)
	return false
}

func (c *checker) timeOfDay(path, text string) {
	if _, err := parseTimeOfDay(text); err != nil {
		c.add(path, codeBadTime, hive.FaultTimeOfDay, `"‹value›" is not a time of day`, "write one such as 06:00",
			"value", hive.Clean(text, 40))
	}
}

func (c *checker) quiet(path string, q *hive.Quiet) {
	c.timeOfDay(path+".from", q.From)
	c.timeOfDay(path+".to", q.To)
	for i, day := range q.Days {
		if !slices.Contains(weekdays(), day) {
			c.add(fmt.Sprintf("%s.days[%d]", path, i), codeBadTime, hive.FaultWeekday, "‹value› is not a weekday",
				"write some of ‹known›", "value", hive.Clean(day, 40), "known", strings.Join(weekdays(), ", "))
		}
	}
}

func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// parseTimeOfDay reads a time such as 06:00 as the time since midnight.
func parseTimeOfDay(text string) (time.Duration, error) {
	at, err := time.Parse("15:04", text)
	if err != nil {
		return 0, err
	}
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, nil
}

func validZone(name string) bool {
	if name == "Local" {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

func group(def *hive.AlertDefinition) hive.Duration {
	if def.Group == nil {
		return hive.DefaultAlertGroup
	}
	return *def.Group
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func join[T ~string](list []T) string { return strings.Join(texts(list), ", ") }
