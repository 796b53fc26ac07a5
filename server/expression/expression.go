// Package expression evaluates the small expressions of definitions: the condition `when` of a task and the
// `${{ … }}` parts of rendered parameters. The language is expr-lang, narrowed to what is pure, bounded in time and
// memory, and gives the same result whenever it is asked again: no clock, no file, no loop within a loop.
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
	MaxParts  = 1_000    // that split makes
	MaxResult = 64 << 10 // bytes of what one expression gives in a template, and of what join and replace give
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

// Batch is `batch`: what kind of batch this is, and its round.
type Batch struct {
	Kind  string `expr:"kind"`
	Round int    `expr:"round"`
}

// Env is what expressions may name: params, tick, batch, outputs. outputs holds those of tasks that succeeded; of all
// others every output is null. zone nil is UTC.
func Env(params map[string]any, moment time.Time, zone *time.Location, kind string, round int,
	outputs map[string]map[string]string,
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
		"batch":   Batch{Kind: kind, Round: round},
		"outputs": byTask,
	}
}

// Check says whether src is a condition: an expression that gives true or false. Its error is one sentence with the
// remedy. What params and outputs hold is known only when it runs; see References.
func Check(src string) error {
	_, _, err := compile(src, expr.AsBool())
	return err
}

// References is what an expression or template names.
type References struct {
	Params  []string    // names after params
	Outputs []OutputRef // names after outputs
}

// OutputRef is outputs.TASK.NAME. Name is empty where only the task is named.
type OutputRef struct{ Task, Name string }

// Refer lists what the expression src names by fixed names.
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
	guarded, named := sandbox.New(rules()), &referrer{}
	options := append([]expr.Option{
		expr.Env(Env(nil, time.Time{}, nil, "", 0, nil)),
		expr.MaxNodes(MaxNodes),
		expr.Optimize(false), // it would fold what the sandbox has refused
		expr.Patch(guarded),
		expr.Patch(named),
		expr.Function("split", split, new(func(text, separator string) []string),
			new(func(text, separator any) []string)),
		expr.Function("join", join, new(func(parts []any, separator string) string),
			new(func(parts []string, separator string) string)),
		expr.Function("replace", replace, new(func(text, old, with string) string),
			new(func(text, old, with any) string)),
	}, more...)
	program, err := guard(func() (*vm.Program, error) { return expr.Compile(src, options...) })
	if no := guarded.Refusal(); no != nil {
		return nil, References{}, refused(no)
	}
	if err != nil {
		return nil, References{}, explain(err)
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

// guard turns a panic of the expression library, which reads text from outside, into an error.
func guard[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be evaluated: %v", p)
		}
	}()
	return f()
}

// refuse makes the error of an expression: what is wrong, and the remedy. It carries a hive.Fault.
func refuse(reason hive.FaultReason, message, remedy string, params ...any) error {
	return hive.Invalid(hive.NewFault("", reason, message, remedy, params...))
}

// inTask is the remedy for what is too much for an expression.
const inTask = "compute it in a task and read its output"

// explain turns an error of the expression library into one sentence with a remedy.
func explain(err error) error {
	words, at := strings.TrimSpace(err.Error()), 0
	if fault, ok := errors.AsType[*file.Error](err); ok {
		words = strings.TrimSpace(fault.Message)
		at = fault.From + 1
	}
	words, _, _ = strings.Cut(words, "\n")
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

// explanation is what to tell of an error of the expression library: the reason without and with the place of the
// error, and the remedy.
type explanation struct {
	reason, reasonAt hive.FaultReason
	remedy           string
}

// explanationOf fits an explanation to the words of the expression library.
func explanationOf(words string) explanation {
	switch {
	case strings.Contains(words, "unknown name"):
		return explanation{
			hive.FaultWhenUnknownName, hive.FaultWhenUnknownNameAt,
			"the names are params, tick, batch and outputs; put texts in quotes, " +
				`and keys with a hyphen as in outputs["my-task"].rows`,
		}
	case strings.Contains(words, "has no field"), strings.Contains(words, "has no method"):
		return explanation{
			hive.FaultWhenNoField, hive.FaultWhenNoFieldAt,
			"tick has moment, date, time, year, month, day, hour, minute, weekday and unix; batch has kind and round",
		}
	case strings.Contains(words, "expected bool"):
		return explanation{
			hive.FaultWhenBool, hive.FaultWhenBoolAt,
			`write a comparison, such as params.x == "y"`,
		}
	case strings.Contains(words, "memory budget"), strings.Contains(words, "maximum allowed nodes"):
		return explanation{hive.FaultWhenBig, hive.FaultWhenBigAt, "make it smaller, or " + inTask}
	case strings.Contains(words, "mismatched types"), strings.Contains(words, "invalid operation"):
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
