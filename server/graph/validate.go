package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rprp/hivego/server/hive"
)

// Limits of one definition.
const (
	MaxTasks    = 20_000
	MaxJobs     = 20_000
	MaxTriggers = 200
	MaxTitle    = 200   // characters
	MaxFaults   = 1_000 // of one list; TooManyFaults ends a longer one
	MaxRetry    = 100   // retry.max and onLost.max
	MaxRejects  = 1_000 // reject.max
)

// maxShown is how many characters of a value a fault shows.
const maxShown = 80

// The codes of the faults that Validate finds. They are stable.
const (
	CodeBadAPIVersion   = "bad_api_version"
	CodeBadKind         = "bad_kind"
	CodeBadName         = "bad_name"      // name of the schedule, a param, a group, an executor, a handler, a label
	CodeBadKey          = "bad_key"       // of a job or task
	CodeBadTitle        = "bad_title"     // hidden characters in it
	CodeBadValue        = "bad_value"     // wrong kind of value
	CodeUnknownValue    = "unknown_value" // not one of the allowed values
	CodeOutOfRange      = "out_of_range"
	CodeMissingField    = "missing_field"
	CodeDuplicateKey    = "duplicate_key" // two jobs or two tasks
	CodeDuplicateNeed   = "duplicate_need"
	CodeUnknownNeed     = "unknown_need"
	CodeSelfNeed        = "self_need"
	CodeSameJobNeed     = "same_job_need"
	CodeLaterNeed       = "later_need"
	CodeTooManyJobs     = "too_many_jobs"
	CodeTooManyTriggers = "too_many_triggers"
	CodeBadTrigger      = "bad_trigger" // fields that exclude each other
	CodeTooManyTasks    = "too_many_tasks"
	CodeTooManyHooks    = "too_many_hooks"
	CodeTooManyFaults   = "too_many_faults"
	CodeRedundantNeed   = "redundant_need" // a warning
)

// validation collects the faults of one definition.
type validation struct {
	def       *hive.Definition
	places    map[string]place // of tasks by key
	folded    map[string]place // of tasks by lower-case key
	faults    []hive.Fault
	badTitles int // reported so far
	hints     int // "did you mean" remedies so far, see maxHints
}

// place is a task by its indices, a job (task is -1), or the head of the definition (both are -1). It becomes a path
// text only for a fault, because 20,000 tasks have many fields and few faults.
type place struct{ job, task int }

func head() place { return place{-1, -1} }

func (p place) String() string {
	switch {
	case p.job < 0:
		return ""
	case p.task < 0:
		return fmt.Sprintf("jobs[%d]", p.job)
	default:
		return fmt.Sprintf("jobs[%d].tasks[%d]", p.job, p.task)
	}
}

// field returns the path of a field at the place.
func (p place) field(name string) string {
	if p.job < 0 {
		return name
	}
	return p.String() + "." + name
}

// Validate lists every fault in the structure of def: head, keys, needs, enumerated values, ranges. The faults have
// paths but no lines. Crons, zones, expressions and handlers are checked elsewhere. Validate does not change def.
func Validate(def *hive.Definition) []hive.Fault {
	v := &validation{def: def}
	v.head()
	v.policy()
	v.params()
	v.hooks(head(), def.Hooks())
	if v.size() {
		v.jobs()
		v.needs()
	}
	return v.faults
}

// add records a fault of a field.
func (v *validation) add(at place, field string, f hive.Fault) {
	switch n := len(v.faults); {
	case n < MaxFaults:
		v.faults = append(v.faults, f.At(at.field(field)))
	case n == MaxFaults:
		v.faults = append(v.faults, TooManyFaults())
	}
}

// TooManyFaults returns the fault that ends a list of MaxFaults faults.
func TooManyFaults() hive.Fault {
	return hive.NewFault(CodeTooManyFaults, hive.FaultTooManyFaults, "there are more than ‹high› faults",
		"correct these first", "high", MaxFaults)
}

// ValidateCalendar lists the faults in the head of a calendar: version, kind, name, title. Package calendar checks its
// days.
func ValidateCalendar(def *hive.CalendarDefinition) []hive.Fault {
	return ValidateHead(&hive.Definition{
		APIVersion: def.APIVersion, Kind: def.Kind, Name: def.Name, Title: def.Title,
	}, hive.KindCalendar, `"‹value›" cannot be the name of a calendar`)
}

// ValidateHead lists the faults in the head of a document of a kind: version, kind, name, title. badName is the message
// about a name.
func ValidateHead(def *hive.Definition, kind, badName string) []hive.Fault {
	v := &validation{def: def}
	v.identity(kind, badName)
	return v.faults
}

// identity checks what all kinds of documents begin with.
func (v *validation) identity(kind, badName string) {
	at := head()
	d := v.def
	if d.APIVersion != hive.APIVersion {
		v.add(at, "apiVersion", hive.NewFault(CodeBadAPIVersion, hive.FaultBadAPIVersion,
			`"‹value›" is not a version that this server knows`, "write apiVersion: "+hive.APIVersion,
			"value", hive.Escaped(d.APIVersion, maxShown)))
	}
	if d.Kind != kind {
		v.add(at, "kind", hive.NewFault(CodeBadKind, hive.FaultBadKind,
			`"‹value›" is not a kind of document that this server knows`, "write kind: "+kind,
			"value", hive.Escaped(d.Kind, maxShown)))
	}
	if !isName(d.Name) {
		v.add(at, "name", hive.NewFault(CodeBadName, hive.FaultBadName, badName,
			"use 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen; the title is free text",
			"value", hive.Escaped(d.Name, maxShown)))
	}
	v.title(at, d.Title)
}

func (v *validation) head() {
	v.identity(hive.KindSchedule, `"‹value›" cannot be the name of a schedule`)
	at, d := head(), v.def
	v.labels("tags", d.Tags)
	v.labels("owners", d.Owners)
	oneOf(v, at, "flow", d.Flow, hive.FlowNeeds, hive.FlowStrict)
	if n := len(d.Triggers); n > MaxTriggers {
		v.add(at, "triggers", hive.NewFault(CodeTooManyTriggers, hive.FaultTooManyTriggers,
			"‹value› triggers are more than a schedule can have", "use at most ‹high›", "value", n, "high",
			MaxTriggers))
		return
	}
	for i, t := range d.Triggers {
		path := fmt.Sprintf("triggers[%d]", i)
		switch {
		case t.At != "" && t.Cron != "":
			v.add(at, path+".at", hive.NewFault(CodeBadTrigger, hive.FaultCronAndAt, "the trigger has both cron and at",
				"write two triggers"))
		case !t.HasSource() && strings.TrimSpace(t.Cron) == "":
			v.add(at, path+".cron", hive.NewFault(CodeMissingField, hive.FaultNoCron, "the trigger has no time",
				`write a cron such as "20 3 * * *" or "@daily", a date and time as at, other schedules as after, or `+
					"a webhook"))
		}
		for j := range t.After {
			name, field := t.After[j].Schedule, fmt.Sprintf("%s.after[%d].schedule", path, j)
			switch {
			case name == "":
				v.add(at, field, hive.NewFault(CodeMissingField, hive.FaultMissingUpstream,
					"the field ‹value› is missing", "name the schedule to wait for", "value", "schedule"))
			case !isName(name):
				v.add(at, field, hive.NewFault(CodeBadName, hive.FaultBadName,
					`"‹value›" cannot be the name of a schedule`,
					"use 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen",
					"value", hive.Escaped(name, maxShown)))
			}
		}
		v.notNegative(at, path+".every", t.Every)
		v.notNegative(at, path+".jitter", t.Jitter)
		oneOf(v, at, path+".dst.gap", t.DST.Gap, "run-after", "skip")
		oneOf(v, at, path+".dst.repeat", t.DST.Repeat, "first", "last", "both")
		v.triggerCalendar(path+".calendar", &t.Calendar)
	}
}

// Limits of tags and owners.
const (
	maxLabels      = 50
	maxLabelLength = 100 // characters
)

// labels checks a list of tags or owners.
func (v *validation) labels(field string, list []string) {
	at := head()
	if len(list) > maxLabels {
		v.add(at, field, hive.NewFault(CodeOutOfRange, hive.FaultOutOfRange, "‹value› is not between ‹low› and ‹high›",
			"remove some of them", "value", len(list), "low", 0, "high", maxLabels))
		return
	}
	for i, label := range list {
		path := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case label == "" || strings.TrimSpace(label) != label || utf8.RuneCountInString(label) > maxLabelLength ||
			strings.ContainsFunc(label, func(r rune) bool { return unicode.IsControl(r) || turnsText(r) }):
			v.add(at, path, hive.NewFault(CodeBadName, hive.FaultBadLabel, `"‹value›" cannot stand here`,
				"write 1 to ‹high› characters on one line, without spaces around them",
				"value", hive.Escaped(label, maxShown), "high", maxLabelLength))
		case slices.Index(list, label) < i:
			v.add(at, path, hive.NewFault(CodeDuplicateKey, hive.FaultListedTwice, "‹value› is listed twice",
				"remove one of them", "value", hive.Escaped(label, maxShown)))
		}
	}
}

func (v *validation) triggerCalendar(path string, c *hive.TriggerCalendar) {
	at := head()
	oneOf(v, at, path+".on", c.On, hive.OnWorkdays, hive.OnHolidays, hive.OnAll)
	oneOf(v, at, path+".otherwise", c.Otherwise, hive.OtherwiseSkip, hive.OtherwiseNext, hive.OtherwisePrevious)
	if n := c.Workday; n < -hive.MostWorkdays || n > hive.MostWorkdays {
		v.add(at, path+".workday", hive.NewFault(CodeOutOfRange, hive.FaultOutOfRange,
			"‹value› is not between ‹low› and ‹high›", "write 1 for the first workday of the month, or -1 for the last",
			"value", n, "low", -hive.MostWorkdays, "high", hive.MostWorkdays))
	}
	if c.Workday != 0 && (c.On != "" || c.Otherwise != "") {
		v.add(at, path+".workday", hive.NewFault(CodeBadTrigger, hive.FaultWorkdayAlone,
			"workday already says the day", "remove on and otherwise"))
	}
}

func (v *validation) policy() {
	at := head()
	p := v.def.Policy
	v.notNegative(at, "policy.timeout", p.Timeout)
	v.notNegative(at, "policy.expire", p.Expire)
	oneOf(v, at, "policy.overlap", p.Overlap, hive.OverlapAllow, hive.OverlapSkip, hive.OverlapQueue,
		hive.OverlapReplace)
	oneOf(v, at, "policy.catchUp.mode", p.CatchUp.Mode, hive.CatchUpAll, hive.CatchUpLatest, hive.CatchUpNone)
	if p.CatchUp.Grace != nil {
		v.notNegative(at, "policy.catchUp.grace", *p.CatchUp.Grace)
	}
	if p.MaxBatches < 0 {
		v.add(at, "policy.maxBatches", hive.NewFault(CodeOutOfRange, hive.FaultNegativeBatches, "‹value› is negative",
			"write how many batches the schedule may make, or 0 for no end", "value", p.MaxBatches))
	}
	oneOf(v, at, "policy.route", p.Route, hive.Routes()...)
	if p.Priority != 0 {
		v.between(at, "policy.priority", p.Priority, 1, 10, "; 10 goes first, 5 is the default")
	}
	v.keep("policy.keep.batches", p.Keep.Batches, hive.MostKeptBatches)
	v.keep("policy.keep.days", p.Keep.Days, hive.MostKeptDays)
	v.keep("policy.keep.logs", p.Keep.Logs, hive.MostKeptDays)
}

func (v *validation) keep(path string, limit *int, high int) {
	if limit != nil && (*limit < 0 || *limit > high) {
		v.add(head(), path, hive.NewFault(CodeOutOfRange, hive.FaultOutOfRange,
			"‹value› is not between ‹low› and ‹high›", "write a whole number, or 0 for no limit; "+
				"without the field the limit of the server holds", "value", *limit, "low", 0, "high", high))
	}
}

// size refuses definitions that are too large for the other checks.
func (v *validation) size() bool {
	tasks := 0
	for i := range v.def.Jobs {
		tasks += len(v.def.Jobs[i].Tasks)
	}
	if n := len(v.def.Jobs); n > MaxJobs {
		v.add(head(), "jobs", hive.NewFault(CodeTooManyJobs, hive.FaultTooManyJobs,
			"‹value› jobs are more than a schedule can have", "use at most ‹high›", "value", n, "high", MaxJobs))
	}
	if tasks > MaxTasks {
		v.add(head(), "jobs", hive.NewFault(CodeTooManyTasks, hive.FaultTooManyTasks,
			"‹value› tasks are more than a schedule can have",
			"use at most ‹high›; split the rest into a schedule of its own", "value", tasks, "high", MaxTasks))
	}
	return len(v.def.Jobs) <= MaxJobs && tasks <= MaxTasks
}

// maxBadTitles is how many bad titles are reported. A stored definition may have any number of them, and they must not
// use up MaxFaults.
const maxBadTitles = 100

func (v *validation) title(at place, title string) {
	if utf8.RuneCountInString(title) > MaxTitle {
		v.add(at, "title", hive.NewFault(CodeOutOfRange, hive.FaultTitleTooLong,
			"the title is longer than ‹high› characters", "move the rest to the description", "high", MaxTitle))
	}
	if i := strings.IndexFunc(title, turnsText); i >= 0 && v.badTitles < maxBadTitles {
		v.badTitles++
		char, _ := utf8.DecodeRuneInString(title[i:])
		v.add(at, "title", hive.NewFault(CodeBadTitle, hive.FaultTitleDirection,
			"the title has the hidden character ‹char›, which turns the direction of text",
			"take it out; letters that are read from the right need none", "char", fmt.Sprintf("%U", char)))
	}
}

// turnsText reports whether a character changes the direction of the text around it. With one a title could look like
// another title, and garble its neighbors in a list.
func turnsText(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

func (v *validation) notNegative(at place, field string, d hive.Duration) {
	if d < 0 {
		v.add(at, field, hive.NewFault(CodeOutOfRange, hive.FaultNegativeTime, "‹value› is negative",
			"write a duration such as 30s, 10m, 2h or 1d", "value", d))
	}
}

// oneOf refuses a value that is neither empty nor in known.
func oneOf[T ~string](v *validation, at place, field string, value T, known ...T) {
	if value == "" || slices.Contains(known, value) {
		return
	}
	texts := make([]string, 0, len(known))
	for _, k := range known {
		texts = append(texts, string(k))
	}
	const message = `"‹value›" is not known here`
	params := []any{"value", hive.Escaped(string(value), maxShown), "known", strings.Join(texts, ", ")}
	f := hive.NewFault(CodeUnknownValue, hive.FaultUnknownValue, message, "use one of ‹known›", params...)
	if near := hive.Nearest(string(value), texts); near != "" {
		f = hive.NewFault(CodeUnknownValue, hive.FaultUnknownValue, message,
			"did you mean ‹near›? Use one of ‹known›", append(params, "near", near)...)
	}
	v.add(at, field, f)
}
