package document

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// fault turns an innermost error of a validation into faults with HiveGo's own messages.
func (h *handlers) fault(path string, k *handler, params any, e *jsonschema.ValidationError) []hive.Fault {
	at := path + instance(params, e.InstanceLocation)
	var out []hive.Fault
	switch x := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range x.Properties {
			known := properties(k.raw, e.InstanceLocation)
			u := unknown{hive.FaultUnknownParamField, hive.FaultNoParameterNear, "the parameters are ‹known›"}
			f := u.fault(codeUnknownField, "‹value› is not a parameter of this handler", name, known,
				"value", name, "known", strings.Join(known, ", "))
			out = append(out, f.At(at+"."+name))
		}
		return out
	case *kind.Required:
		for _, name := range x.Missing {
			f := hive.NewFault(graph.CodeMissingField, hive.FaultMissingParam, "the parameter ‹value› is missing",
				"give it a value", "value", name)
			out = append(out, f.At(at+"."+name))
		}
		return out
	case *kind.FalseSchema:
		return []hive.Fault{hive.NewFault(codeBadHandlerParams, hive.FaultParametersClash,
			"it does not go together with another parameter that is set here", "leave one of the two out").At(at)}
	}
	f := h.unfit(k, params, e)
	f.Code, f.Path = codeBadHandlerParams, at
	return []hive.Fault{f}
}

// unfit returns the fault of a value that does not match its schema.
func (h *handlers) unfit(k *handler, params any, e *jsonschema.ValidationError) hive.Fault {
	about := aboutRemedy(k.raw, e.InstanceLocation)
	switch x := e.ErrorKind.(type) {
	case *kind.Type:
		return ofType(valueAt(params, e.InstanceLocation), x.Want)
	case *kind.Enum:
		return oneOf(x.Got, x.Want)
	case *kind.Const:
		return oneOf(x.Got, []any{x.Want})
	case *kind.Pattern:
		return patternFault(schemaAt(k.raw, e.InstanceLocation), x, about)
	case *kind.Format:
		return unfit(hive.FaultParamFormat, "%q does not have the format %s", about, "value", show(x.Got), "format",
			clip(x.Want))
	case *kind.UniqueItems:
		return unfit(hive.FaultParamTwice, "entries %s and %s are the same", "keep one of them",
			"one", x.Duplicates[0]+1, "other", x.Duplicates[1]+1)
	case *kind.PropertyNames:
		return unfit(hive.FaultParamName, "%q cannot be a name here", "write another name", "value", clip(x.Property))
	case *kind.Dependency:
		return together(x.Prop, x.Missing)
	case *kind.DependentRequired:
		return together(x.Prop, x.Missing)
	case *kind.OneOf:
		return either(k.raw, e.InstanceLocation, "oneOf", len(x.Subschemas) > 0)
	case *kind.AnyOf:
		return either(k.raw, e.InstanceLocation, "anyOf", false)
	}
	if f, ok := boundFault(e.ErrorKind); ok {
		return f
	}
	return unfit(hive.FaultParamWrong, "the handler does not take it: %s", about, "words",
		e.ErrorKind.LocalizedString(h.printer))
}

// patternFault returns the fault of a text that does not match its pattern. If the schema has an example, the message
// shows the example instead of the pattern, because people do not read patterns.
func patternFault(schema any, x *kind.Pattern, about string) hive.Fault {
	like := exampleOf(schema)
	switch {
	case like == "":
		return unfit(hive.FaultParamPattern, "%q does not have the form %s", about, "value", clip(x.Got), "pattern",
			clip(x.Want))
	case member(schema, "x-unit") == "duration":
		return unfit(hive.FaultParamDuration, "%q is not a duration, such as %s", about, "value", clip(x.Got), "like",
			like)
	}
	return unfit(hive.FaultParamUnlike, "%q does not have the form of %s", about, "value", clip(x.Got), "like", like)
}

// boundFault returns the fault of a value that is too large or too small; false for any other error.
func boundFault(k jsonschema.ErrorKind) (hive.Fault, bool) {
	switch x := k.(type) {
	case *kind.Minimum:
		return unfit(hive.FaultParamLeast, "%s is less than %s", "write "+plain(x.Want)+" or more", "value", x.Got,
			"low",
			x.Want), true
	case *kind.Maximum:
		return unfit(hive.FaultParamMost, "%s is more than %s", "write "+plain(x.Want)+" or less", "value", x.Got,
			"high",
			x.Want), true
	case *kind.ExclusiveMinimum:
		return unfit(hive.FaultParamAbove, "%s is not more than %s", "write more than "+plain(x.Want), "value", x.Got,
			"low",
			x.Want), true
	case *kind.ExclusiveMaximum:
		return unfit(hive.FaultParamBelow, "%s is not less than %s", "write less than "+plain(x.Want), "value", x.Got,
			"high",
			x.Want), true
	case *kind.MultipleOf:
		return unfit(hive.FaultParamStep, "%s is not a multiple of %s", "write a multiple of "+plain(x.Want), "value",
			x.Got,
			"step", x.Want), true
	case *kind.MinLength:
		if x.Got == 0 {
			return unfit(hive.FaultParamEmpty, "this is empty", "write something, or leave it out"), true
		}
		return unfit(hive.FaultParamShort, "this has %s characters, and needs at least %s", "write more", "value",
			x.Got,
			"low", x.Want), true
	case *kind.MaxLength:
		return unfit(hive.FaultParamLong, "this has %s characters, and can have at most %s", "write less", "value",
			x.Got,
			"high", x.Want), true
	case *kind.MinItems:
		return few(x.Got, x.Want), true
	case *kind.MinProperties:
		return few(x.Got, x.Want), true
	case *kind.MaxItems:
		return many(x.Got, x.Want), true
	case *kind.MaxProperties:
		return many(x.Got, x.Want), true
	}
	return hive.Fault{}, false
}

// unfit makes a fault. The params are pairs of a name and a value (text, int, *big.Rat). The values replace the verbs
// of the message in their order.
func unfit(reason hive.FaultReason, message, remedy string, params ...any) hive.Fault {
	f := hive.Fault{Reason: reason, Remedy: remedy, Params: map[string]string{}}
	values := make([]any, 0, len(params)/2)
	for pair := range slices.Chunk(params, 2) {
		text := fmt.Sprint(pair[1])
		if r, ok := pair[1].(*big.Rat); ok {
			text = plain(r)
		}
		f.Params[fmt.Sprint(pair[0])] = text
		values = append(values, text)
	}
	f.Message = fmt.Sprintf(message, values...)
	return f
}

// typeFault describes a type of JSON Schema as decoder does: reason, name and remedy.
func typeFault(name string) (reason hive.FaultReason, title, remedy string) {
	switch name {
	case "string":
		return hive.FaultWantText, "a text", "write a single value, in quotes where it looks like a number"
	case "integer":
		return hive.FaultWantWhole, "a whole number", "write one such as 3, without quotes"
	case "number":
		return hive.FaultWantNumber, "a number", "write one such as 1.5, without quotes"
	case "boolean":
		return hive.FaultWantBool, "true or false", "write true or false, without quotes"
	case "array":
		return hive.FaultWantList, "a list", "write the items in brackets, or on lines of their own that begin with -"
	case "object":
		return hive.FaultWantNames, "a map of names to values", "write them as {name: value}"
	default:
		return hive.FaultParamTypes, name, "see what the handler takes"
	}
}

func ofType(value any, want []string) hive.Fault {
	got, actual := "number", "the number "+show(value)
	switch v := value.(type) {
	case nil:
		got, actual = "nothing", "nothing"
	case bool:
		got, actual = "bool", show(v)
	case string:
		got, actual = "text", fmt.Sprintf("the text %q", clip(v))
	case []any:
		got, actual = "list", "a list"
	case map[string]any:
		got, actual = "map", "a map"
	}
	reason, what, remedy := hive.FaultParamTypes, strings.Join(want, " or "), "see what the handler takes"
	if len(want) == 1 {
		reason, what, remedy = typeFault(want[0])
	}
	return hive.Fault{
		Reason: reason, Message: "this must be " + what + ", not " + actual, Remedy: remedy,
		Params: map[string]string{"got": got, "value": show(value), "types": strings.Join(want, ", ")},
	}
}

func oneOf(got any, want []any) hive.Fault {
	known := make([]string, len(want))
	for i, one := range want {
		known[i] = show(one)
	}
	f := unfit(hive.FaultUnknownValue, "%q is not known here", "use one of "+strings.Join(known, ", "), "value",
		show(got))
	f.Params["known"] = strings.Join(known, ", ")
	return f
}

func together(of string, missing []string) hive.Fault {
	return unfit(hive.FaultParamWith, "%s needs %s too", "give both, or leave both out", "value", of, "names",
		strings.Join(missing, ", "))
}

func few(got, want int) hive.Fault {
	return unfit(hive.FaultParamFew, "this has %s entries, and needs at least %s", "add some", "value", got, "low",
		want)
}

func many(got, want int) hive.Fault {
	return unfit(hive.FaultParamMany, "this has %s entries, and can have at most %s", "take some out", "value", got,
		"high",
		want)
}

// either returns the fault of parameters if the schema requires exactly one of several, and none or several are given.
func either(schema any, location []string, keyword string, several bool) hive.Fault {
	about := aboutRemedy(schema, location)
	for _, part := range location {
		schema = inside(schema, part)
	}
	forms, _ := member(schema, keyword).([]any)
	var names []string
	for _, form := range forms {
		required, _ := member(form, "required").([]any)
		for _, name := range required {
			names = append(names, show(name))
		}
	}
	known := strings.Join(names, ", ")
	switch {
	case known == "":
		return unfit(hive.FaultParamForm, "it does not have a form that the handler takes", about)
	case several:
		return unfit(hive.FaultParamSingle, "only one of %s can be given", "leave the others out", "names", known)
	default:
		return unfit(hive.FaultParamOneOf, "one of %s is needed", "give one of them", "names", known)
	}
}

// valueAt returns the value at a location in params, or nil if there is none.
func valueAt(params any, location []string) any {
	for _, part := range location {
		switch at := params.(type) {
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			params = at[i]
		case map[string]any:
			params = at[part]
		default:
			return nil
		}
	}
	return params
}

// show formats a value for people, shortened.
func show(value any) string {
	if text, ok := value.(string); ok {
		return clip(text)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return clip(fmt.Sprint(value))
	}
	return clip(string(text))
}

func clip(text string) string { return hive.Clean(text, 40) }

func plain(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
