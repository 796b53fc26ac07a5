// Package expression evaluates the small expressions of definitions: the condition `when` of a task and the
// `${{ … }}` parts of rendered parameters. The language is a subset of expr-lang. Expressions are pure, deterministic,
// and bounded in time and memory: they have no clock, no files, and no nested loops.
package expression

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/rprp/hivego/internal/sandbox"
	"github.com/rprp/hivego/server/hive"
)

// Limits of one expression.
const (
	MaxSource = 4 << 10  // bytes of one expression
	MaxNodes  = 200      // names, values and operators in it
	MaxParts  = 1_000    // in a result of split
	MaxResult = 64 << 10 // bytes of a value in a template, and of a result of join and replace
)

// Tick is `tick`: the logical time of the batch, in the schedule's time zone.
type Tick struct {
	Moment  time.Time `expr:"moment"`
	Date    string    `expr:"date"`    // 2006-01-02
	Time    string    `expr:"time"`    // 15:04:05
	Year    int       `expr:"year"`    //
	Month   int       `expr:"month"`   // 1 to 12
	Day     int       `expr:"day"`     // 1 to 31
	Hour    int       `expr:"hour"`    // 0 to 23
	Minute  int       `expr:"minute"`  // 0 to 59
	Weekday int       `expr:"weekday"` // 1 is Monday, 7 is Sunday
	Unix    int64     `expr:"unix"`    // seconds since 1970 UTC
}

// Batch is `batch`: the kind of the batch, and its round.
type Batch struct {
	Kind  string `expr:"kind"`
	Round int    `expr:"round"`
}

// Day is `calendar.NAME`: what the logical date of the batch is by a calendar.
type Day struct {
	Workday bool `expr:"workday"`
}

// Event is `event`: the end that a hook follows. It is empty outside hooks.
type Event struct {
	State string `expr:"state"` // succeeded, failed or canceled
	Error string `expr:"error"`
	Task  string `expr:"task"` // the task itself, or the first one that failed
	Batch int64  `expr:"batch"`
	Round int    `expr:"round"`
}

// EventOf returns `event` for a hook; an empty one for nil.
func EventOf(e *hive.HookEvent) Event {
	if e == nil {
		return Event{}
	}
	return Event{State: string(e.State), Error: e.Error, Task: e.Task, Batch: e.Batch, Round: e.Round}
}

// Outcome is `outcome`: the failed attempt about which retry.when decides. It is empty elsewhere.
type Outcome struct {
	Reason   string         `expr:"reason"`   // failure, timeout or killed
	ExitCode any            `expr:"exitCode"` // null without a process
	Error    string         `expr:"error"`
	Outputs  map[string]any `expr:"outputs"`  // by name; any other output is null
	Attempt  int            `expr:"attempt"`  // number of the attempt, as people see it; it counts on in later rounds
	Failures int            `expr:"failures"` // of the task or shard in this round, with this one
	Seconds  float64        `expr:"seconds"`  // that the attempt took
}

// OutcomeOf returns `outcome` for a failed attempt. failures is how often the run failed in this round,
// this failure included.
func OutcomeOf(a *hive.Attempt, failures int) Outcome {
	out := Outcome{
		Reason: string(a.Outcome), Error: a.Error, Outputs: make(map[string]any, len(a.Outputs)), Attempt: a.Number,
		Failures: failures,
	}
	if a.ExitCode != nil {
		out.ExitCode = *a.ExitCode
	}
	if !a.StartedAt.IsZero() {
		out.Seconds = a.FinishedAt.Sub(a.StartedAt).Seconds()
	}
	for name, value := range a.Outputs {
		out.Outputs[name] = value
	}
	return out
}

// Days returns what the date of a moment is by each calendar. A nil zone means UTC.
func Days(calendars map[string]hive.Workdays, moment time.Time, zone *time.Location) map[string]Day {
	if len(calendars) == 0 {
		return nil
	}
	if zone == nil {
		zone = time.UTC
	}
	days := make(map[string]Day, len(calendars))
	for name, c := range calendars {
		days[name] = Day{Workday: c.IsWorkday(moment.In(zone))}
	}
	return days
}

// Env returns the environment of expressions: params, tick, batch, outputs, calendar, event, shard, outcome. A hook
// replaces the event, a shard the shard, and retry.when the outcome, which are empty. outputs has the outputs of
// succeeded tasks; any other output is null. A nil zone means UTC.
func Env(params map[string]any, moment time.Time, zone *time.Location, kind string, round int,
	outputs map[string]map[string]string, days map[string]Day,
) map[string]any {
	if zone == nil {
		zone = time.UTC
	}
	at := moment.In(zone)
	weekday := int(at.Weekday())
	if weekday == 0 {
		weekday = 7
	}
	byTask := make(map[string]map[string]any, len(outputs))
	for task, values := range outputs {
		byName := make(map[string]any, len(values))
		for name, value := range values {
			byName[name] = value
		}
		byTask[task] = byName
	}
	if params == nil {
		params = map[string]any{}
	}
	return map[string]any{
		"params": params,
		"tick": Tick{
			Moment: at, Date: at.Format(time.DateOnly), Time: at.Format(time.TimeOnly), Year: at.Year(),
			Month: int(at.Month()), Day: at.Day(), Hour: at.Hour(), Minute: at.Minute(), Weekday: weekday,
			Unix: at.Unix(),
		},
		"batch":    Batch{Kind: kind, Round: round},
		"outputs":  byTask,
		"calendar": days,
		"event":    Event{},
		"shard":    Shard{},
		"outcome":  Outcome{},
	}
}

// Check reports whether src is a valid condition: an expression with the result true or false. Its error is one
// sentence with a remedy. The types of params and outputs are only known at run time; see References.
func Check(src string) error {
	_, _, err := compile(src, expr.AsBool())
	return err
}

// References lists the params, outputs, calendars and secrets that an expression or template uses.
type References struct {
	Params    []string    // names after params
	Outputs   []OutputRef // names after outputs
	Calendars []string    // names after calendar
	Secrets   []string    // names of secrets, only in a template
	Event     bool        // event is used
	Shard     bool        // shard is used
	Outcome   bool        // outcome is used
}

// OutputRef is outputs.TASK.NAME. Name is empty if the expression has only outputs.TASK.
type OutputRef struct{ Task, Name string }

// Refer lists the references of the expression src that have constant names.
func Refer(src string) (References, error) {
	_, refs, err := compile(src)
	return refs, err
}

// compile parses, narrows and type-checks one expression.
func compile(src string, more ...expr.Option) (*vm.Program, References, error) {
	if strings.TrimSpace(src) == "" {
		return nil, References{}, refuse(hive.FaultWhenEmpty, "the expression is empty",
			"write a condition, or take it out")
	}
	if len(src) > MaxSource {
		return nil, References{}, refuse(hive.FaultWhenLong, "the expression has ‹value› bytes, more than ‹most›",
			inTask, "value", len(src), "most", MaxSource)
	}
	guarded, named, dates := sandbox.New(rules()), &referrer{}, &dateChecker{}
	options := append([]expr.Option{
		expr.Env(Env(nil, time.Time{}, nil, "", 0, nil, nil)),
		expr.MaxNodes(MaxNodes),
		expr.Optimize(false), // constant folding would evaluate calls that the sandbox refuses
		expr.Patch(guarded),
		expr.Patch(named),
		expr.Patch(dates),
		expr.Function("split", split, new(func(text, separator string) []string),
			new(func(text, separator any) []string)),
		expr.Function("join", join, new(func(parts []any, separator string) string),
			new(func(parts []string, separator string) string)),
		expr.Function("replace", replace, new(func(text, old, with string) string),
			new(func(text, old, with any) string)),
		expr.Function("date", date, new(func(at any, offset, format string) string),
			new(func(at, offset, format any) string)),
	}, more...)
	program, err := guard(func() (*vm.Program, error) { return expr.Compile(src, options...) })
	if no := guarded.Refusal(); no != nil {
		return nil, References{}, refused(no)
	}
	if dates.err != nil {
		return nil, References{}, dates.err.explain(dates.at)
	}
	if err != nil {
		return nil, References{}, explain(err)
	}
	if named.loose {
		return nil, References{}, refuse(hive.FaultCalendarLoose, "the expression does not name its calendar",
			`write calendar and its name, such as calendar.china.workday or calendar["berlin-warehouse"].workday`)
	}
	return program, named.refs, nil
}

// run evaluates a compiled expression.
func run(program *vm.Program, env map[string]any) (any, error) {
	value, err := guard(func() (any, error) { return expr.Run(program, env) })
	if err != nil {
		return nil, explain(err)
	}
	return value, nil
}

// guard turns a panic of the expression library into an error, because the library parses user text.
func guard[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be evaluated: %v", p)
		}
	}()
	return f()
}

// refuse makes the error of an expression from a message and a remedy. The error carries a hive.Fault.
func refuse(reason hive.FaultReason, message, remedy string, params ...any) error {
	return hive.Invalid(hive.NewFault("", reason, message, remedy, params...))
}

// inTask is the remedy for an expression that exceeds a limit.
const inTask = "compute it in a task and read its output"

// nilValue are the words for a function that has nothing to compute with.
const nilValue = "a value is null"

// explain turns an error of the expression library into one sentence with a remedy.
func explain(err error) error {
	words, at := strings.TrimSpace(err.Error()), 0
	if fault, ok := errors.AsType[*file.Error](err); ok {
		words = strings.TrimSpace(fault.Message)
		at = fault.From + 1
	}
	if wrong, ok := errors.AsType[*dateError](err); ok {
		return wrong.explain(at)
	}
	words, _, _ = strings.Cut(words, "\n")
	if strings.HasPrefix(words, "reflect: ") { // a function of the library got nil, and does not say so
		words = nilValue
	}
	r := explanationOf(words)
	params := []any{"words", hive.Clean(words, 300)}
	if name, ok := strings.CutPrefix(words, "unknown name "); ok {
		params = append(params, "name", name)
	}
	if kind, ok := strings.CutPrefix(words, "expected bool, but got "); ok {
		params = append(params, "kind", kind)
	}
	if at == 0 {
		return refuse(r.reason, "the expression is wrong: ‹words›", r.remedy, params...)
	}
	return refuse(r.reasonAt, "the expression is wrong at character ‹at›: ‹words›", r.remedy,
		append(params, "at", at)...)
}

// explanation describes an error of the expression library: its reason without and with the position of the error, and
// its remedy.
type explanation struct {
	reason, reasonAt hive.FaultReason
	remedy           string
}

// explanationOf chooses the explanation by the message of the expression library.
func explanationOf(words string) explanation {
	switch {
	case strings.Contains(words, "unknown name"):
		return explanation{
			hive.FaultWhenUnknownName, hive.FaultWhenUnknownNameAt,
			"the names are params, tick, batch, outputs and calendar; put texts in quotes, " +
				`and keys with a hyphen as in outputs["my-task"].rows`,
		}
	case strings.Contains(words, "has no field"), strings.Contains(words, "has no method"):
		return explanation{
			hive.FaultWhenNoField,
			hive.FaultWhenNoFieldAt,
			"tick has moment, date, time, year, month, day, hour, minute, weekday and unix; " +
				"batch has kind and round; " +
				"event has state, error, task, batch and round; " +
				"shard has index, total and item; " +
				"outcome has reason, exitCode, error, outputs, attempt, failures and seconds; " +
				"a calendar has workday",
		}
	case strings.Contains(words, "expected bool"):
		return explanation{
			hive.FaultWhenBool, hive.FaultWhenBoolAt,
			`write a comparison, such as params.x == "y"`,
		}
	case strings.Contains(words, "memory budget"), strings.Contains(words, "maximum allowed nodes"):
		return explanation{hive.FaultWhenBig, hive.FaultWhenBigAt, "make it smaller, or " + inTask}
	case strings.Contains(words, "mismatched types"), strings.Contains(words, "invalid operation"),
		words == nilValue:
		return explanation{
			hive.FaultWhenTypes, hive.FaultWhenTypesAt,
			`outputs are texts: compare them with int(…) or float(…), and write ?? "…" for those that may be null`,
		}
	default:
		return explanation{
			hive.FaultWhenWrong, hive.FaultWhenWrongAt,
			`write one such as params.region == "east" and tick.weekday <= 5`,
		}
	}
}
