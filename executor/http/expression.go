package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/internal/sandbox"
)

// Limits of one expression.
const (
	maxSource = 4 << 10 // bytes
	maxNodes  = 200     // names, values and operators
)

// expression is a compiled expression over an answer.
type expression struct {
	field  string
	source string
	run    *vm.Program
}

// builtins returns the functions that expressions may call. They always end soon, and read nothing but their arguments.
func builtins() []string {
	return []string{
		"all", "none", "any", "one", "filter", "count", "find", "len", "abs", "ceil", "floor", "round", "int", "float",
		"string", "trim", "trimPrefix", "trimSuffix", "upper", "lower", "indexOf", "hasPrefix", "hasSuffix",
		"max", "min", "first", "last", "get",
	}
}

// condition compiles an expression that should yield true or false. The first compilation refuses expressions with
// another static type. The second one is used: it has no check at run time, because holds reports a wrong type with a
// better message.
func condition(field, source string) (*expression, error) {
	if _, err := compileOne(field, source, expr.AsBool()); err != nil {
		return nil, err
	}
	return compileOne(field, source)
}

func compileOne(field, source string, more ...expr.Option) (x *expression, err error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("%s: the expression has more than %d bytes", field, maxSource)
	}
	defer func() {
		if p := recover(); p != nil { // the compiler might panic on a text that it does not expect
			x, err = nil, fmt.Errorf("%s: the expression cannot be read: %v", field, p)
		}
	}()
	guard := sandbox.New(sandbox.Rules{Functions: builtins()}) // the compiler refuses calls of others
	options := []expr.Option{
		expr.Env(answer{}), expr.MaxNodes(maxNodes), expr.Optimize(false), expr.Patch(guard),
		expr.DisableAllBuiltins(),
	}
	for _, name := range builtins() {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(source, append(options, more...)...)
	if refusal := guard.Refusal(); refusal != nil {
		err = errors.New(refusal.Problem)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the expression is wrong: %s; it may name status, headers, body and text", field,
			firstLine(err))
	}
	return &expression{field: field, source: source, run: program}, nil
}

func compileAll(field string, sources map[string]string) (map[string]*expression, error) {
	all := make(map[string]*expression, len(sources))
	var names sdk.Task
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if err := names.Output(name, ""); err != nil {
			return nil, err
		}
		x, err := compileOne(field+"."+name, sources[name])
		if err != nil {
			return nil, err
		}
		all[name] = x
	}
	return all, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return line
}

// eval evaluates the expression for an answer.
func (x *expression) eval(a *answer) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: it cannot be evaluated: %v", x.field, p)
		}
	}()
	if a.tooLarge {
		return nil, fmt.Errorf("%s: the answer has more than %d bytes, too many to look into", x.field, maxBody)
	}
	if value, err = expr.Run(x.run, *a); err != nil {
		return nil, fmt.Errorf("%s: %s (write ?. before what may be missing)%s", x.field, firstLine(err), a.excerpt())
	}
	return value, nil
}

// holds evaluates a condition.
func (x *expression) holds(a *answer) (bool, error) {
	value, err := x.eval(a)
	truth, ok := value.(bool)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %s gives neither true nor false", x.field, x.source)
	}
	return truth, err
}

// evalOutputs evaluates the expressions of outputs. A value that is nil is an error.
func evalOutputs(all map[string]*expression, a *answer) (map[string]any, error) {
	out := make(map[string]any, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, err := all[name].eval(a)
		if err != nil {
			return nil, err
		}
		if value == nil {
			return nil, fmt.Errorf("%s: %s is not in the answer%s", all[name].field, all[name].source, a.excerpt())
		}
		if text, ok := value.(string); ok { // a header may have invalid UTF-8, but an output must not
			value = strings.ToValidUTF8(text, "\ufffd")
		}
		out[name] = value
	}
	return out, nil
}

// outputText formats a value as an output.
func outputText(value any) string {
	switch x := value.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case bool, int:
		return fmt.Sprint(x)
	default:
		data, err := json.Marshal(x)
		if err != nil {
			return fmt.Sprint(x)
		}
		return string(data)
	}
}

// parse parses a JSON body. Integers stay integers, because job ids may have more digits than a float. It returns nil
// if the body is not JSON.
func parse(body []byte) any {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || d.More() {
		return nil
	}
	return numbers(value)
}

// numbers replaces the json.Numbers in a value by int, float64 or, if neither fits, string.
func numbers(value any) any {
	switch x := value.(type) {
	case json.Number:
		if i, err := strconv.Atoi(x.String()); err == nil {
			return i
		}
		if f, err := x.Float64(); err == nil && !math.IsInf(f, 0) {
			return f
		}
		return x.String()
	case []any:
		for i := range x {
			x[i] = numbers(x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = numbers(x[name])
		}
	}
	return value
}
