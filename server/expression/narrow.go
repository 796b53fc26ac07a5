package expression

import (
	"fmt"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/rprp/hivego/internal/sandbox"
	"github.com/rprp/hivego/server/hive"
)

// functions lists the functions that expressions may call. This package defines split, join, replace and date. The
// library's other functions read a clock or a file (now, timezone), or have unbounded results (repeat, map, reduce, ..
// and others).
func functions() []string {
	return []string{
		"all", "none", "any", "one", "filter", "count", "find", "len", "abs", "ceil", "floor", "round", "int", "float",
		"string", "trim", "trimPrefix", "trimSuffix", "upper", "lower", "indexOf", "lastIndexOf", "hasPrefix",
		"hasSuffix",
		"max", "min", "first", "last", "get", "duration", "split", "join", "replace", "date",
	}
}

// methods lists the methods of tick.moment and of durations that expressions may call.
func methods() []string {
	return []string{
		"Format", "AddDate", "Add", "Sub", "Truncate", "UTC", "Before", "After", "Equal", "Year", "Month", "Day",
		"Hour",
		"Minute", "Second", "Weekday", "YearDay", "Unix", "UnixMilli", "Hours", "Minutes", "Seconds", "String",
	}
}

// rules returns the sandbox rules of conditions and templates.
func rules() sandbox.Rules {
	return sandbox.Rules{
		CheckCalls: true, Functions: functions(), Methods: methods(), NoLet: true, NoDollar: true,
	}
}

// refused turns a refusal of the sandbox into an error.
func refused(no *sandbox.Refusal) error {
	if no.Kind == sandbox.KindFunction {
		return refuse(hive.FaultWhenFunction,
			"the expression is wrong at character ‹at›: ‹name› is a function, and it is not called",
			"write ‹name›(…) to call it, or the whole name of a value, such as batch.round or tick.date",
			"at", no.At, "name", no.Name)
	}
	reasons := map[sandbox.Kind]hive.FaultReason{
		sandbox.KindCall: hive.FaultWhenCall, sandbox.KindCallee: hive.FaultWhenCallKind,
		sandbox.KindName: hive.FaultWhenName, sandbox.KindRange: hive.FaultWhenRanges,
		sandbox.KindLet: hive.FaultWhenLet, sandbox.KindLoop: hive.FaultWhenLoops,
	}
	var params []any
	if no.Name != "" {
		params = append(params, "name", no.Name)
	}
	if len(no.Known) > 0 {
		params = append(params, "known", strings.Join(no.Known, ", "))
	}
	return refuse(reasons[no.Kind], "the expression is wrong: "+no.Problem, no.Remedy, params...)
}

// referrer collects the references of an expression. It visits every node, children first.
type referrer struct {
	refs  References
	loose bool // calendar is used otherwise than with the name of one
	bare  int  // uses of calendar that no name has followed yet
}

// Visit implements ast.Visitor.
func (r *referrer) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "calendar":
			r.bare++
		case "event":
			r.refs.Event = true
		case "shard":
			r.refs.Shard = true
		case "outcome":
			r.refs.Outcome = true
		}
	case *ast.MemberNode:
		r.member(n)
	}
	r.loose = r.bare > 0
}

// member records params.NAME, outputs.TASK and outputs.TASK.NAME.
func (r *referrer) member(m *ast.MemberNode) {
	switch of := m.Node.(type) {
	case *ast.IdentifierNode:
		switch key := sandbox.Name(m.Property); {
		case key == "":
		case of.Value == "params":
			r.refs.Params = append(r.refs.Params, key)
		case of.Value == "outputs":
			r.refs.Outputs = append(r.refs.Outputs, OutputRef{Task: key})
		case of.Value == "calendar":
			r.refs.Calendars = append(r.refs.Calendars, key)
			r.bare--
		}
	case *ast.MemberNode:
		if root, ok := of.Node.(*ast.IdentifierNode); ok && root.Value == "outputs" && sandbox.Name(of.Property) != "" {
			r.refs.Outputs = append(r.refs.Outputs, OutputRef{
				Task: sandbox.Name(of.Property),
				Name: sandbox.Name(m.Property),
			})
		}
	}
}

// split, join and replace override the functions of the library, which do not bound their results.

func split(args ...any) (any, error) {
	text, separator, err := twoTexts("split", args)
	if err != nil {
		return nil, err
	}
	parts := strings.SplitN(text, separator, MaxParts+1)
	if len(parts) > MaxParts {
		return nil, fmt.Errorf("split makes more than %d parts", MaxParts)
	}
	return parts, nil
}

func join(args ...any) (any, error) {
	var parts []string
	switch list := args[0].(type) {
	case []string:
		parts = list
	case []any:
		for _, item := range list {
			parts = append(parts, text(item))
		}
	default:
		return nil, fmt.Errorf("join needs a list, and got %s", describe(list))
	}
	separator, ok := args[1].(string)
	if !ok {
		return nil, fmt.Errorf("join needs a text between the parts, and got %s", describe(args[1]))
	}
	size := len(separator) * len(parts)
	for _, part := range parts {
		size += len(part)
	}
	if size > MaxResult {
		return nil, fmt.Errorf("join makes a text of more than %d bytes", MaxResult)
	}
	return strings.Join(parts, separator), nil
}

func replace(args ...any) (any, error) {
	text, old, err := twoTexts("replace", args)
	if err != nil {
		return nil, err
	}
	with, ok := args[2].(string)
	if !ok {
		return nil, fmt.Errorf("replace needs texts, and got %s", describe(args[2]))
	}
	if grown := len(with) - len(old); grown > 0 && len(text)+strings.Count(text, old)*grown > MaxResult {
		return nil, fmt.Errorf("replace makes a text of more than %d bytes", MaxResult)
	}
	return strings.ReplaceAll(text, old, with), nil
}

func twoTexts(name string, args []any) (a, b string, err error) {
	a, okA := args[0].(string)
	b, okB := args[1].(string)
	switch {
	case !okA:
		return "", "", fmt.Errorf("%s needs a text, and got %s", name, describe(args[0]))
	case !okB:
		return "", "", fmt.Errorf("%s needs a text, and got %s", name, describe(args[1]))
	}
	return a, b, nil
}

// describe names the kind of a value for people.
func describe(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a text"
	case int, int64, uint64, float64:
		return "a number"
	case time.Time:
		return "a moment"
	case time.Duration:
		return "a duration"
	case []any, []string:
		return "a list"
	default:
		return "a map"
	}
}
