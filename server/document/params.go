package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// maxParam is how many bytes the text of a param may have, because it becomes an environment variable.
const maxParam = 64 << 10

// Params checks the given params of a batch against the declarations of its definition, and converts texts to the
// declared types. Its error is a *hive.Error of CodeInvalid with all faults, by params.NAME.
func Params(def *hive.Definition, given map[string]any) (map[string]any, error) {
	var faults []hive.Fault
	out := make(map[string]any, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		declared, ok := def.Params[name]
		if !ok {
			faults = append(faults, unknownParam(def, name))
			continue
		}
		v, err := paramAs(declared, given[name])
		if err != nil {
			faults = append(faults, hive.FaultOf(err, "bad_param").At("params."+name))
			continue
		}
		out[name] = v
	}
	if len(faults) > 0 {
		return nil, &hive.Error{
			Code: hive.CodeInvalid, Words: fmt.Sprintf("params that schedule %q cannot take", def.Name), Faults: faults,
			Reason: hive.ErrorParams, Params: map[string]string{"schedule": def.Name},
		}
	}
	return out, nil
}

func unknownParam(def *hive.Definition, name string) hive.Fault {
	const message = "the schedule declares no such param"
	names := slices.Sorted(maps.Keys(def.Params))
	if len(names) == 0 {
		return hive.NewFault("unknown_param", hive.FaultNoParams, message,
			"declare it under params in the document first", "value", name).At("params." + name)
	}
	return hive.NewFault("unknown_param", hive.FaultOtherParams, message, "it declares ‹known›",
		"value", name, "known", strings.Join(names, ", ")).At("params." + name)
}

// unfitParam returns the error of a value that a param cannot have.
func unfitParam(reason hive.FaultReason, message string, params ...any) error {
	return &hive.FaultError{Fault: hive.NewFault("", reason, message, "give a value of the declared kind", params...)}
}

// paramAs converts given to the kind of declared. Its error is a *hive.FaultError.
func paramAs(declared, given any) (any, error) {
	given, err := paramValue(given)
	if err != nil {
		return nil, err
	}
	switch reflect.ValueOf(declared).Kind() {
	case reflect.Bool:
		return paramBool(given)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return paramNumber(given)
	case reflect.String:
		if _, ok := declared.(json.Number); ok {
			return paramNumber(given)
		}
		return fmt.Sprint(given), nil
	default: // declared without a value: any kind is allowed
		return given, nil
	}
}

// paramValue converts a value to string, bool, int64 or float64.
func paramValue(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if len(v) > maxParam {
			return nil, unfitParam(hive.FaultValueLong, "the text has ‹value› bytes, more than ‹most›",
				"value", len(v), "most", maxParam)
		}
		if strings.ContainsRune(v, 0) {
			return nil, unfitParam(hive.FaultValueNUL, "the text holds a NUL character")
		}
		return v, nil
	case bool, int64:
		return v, nil
	case int:
		return int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, unfitParam(hive.FaultValueNumber, "‹value› is no number", "value", v)
		}
		return v, nil
	case json.Number:
		return paramNumber(v.String())
	default:
		return nil, unfitParam(hive.FaultValueKind, "a param is a text, a number, true or false")
	}
}

func paramBool(given any) (any, error) {
	switch given {
	case true, "true":
		return true, nil
	case false, "false":
		return false, nil
	default:
		return nil, unfitParam(hive.FaultValueBool, `"‹value›" is neither true nor false`,
			"value", hive.Escaped(fmt.Sprint(given), 60))
	}
}

func paramNumber(given any) (any, error) {
	s, ok := given.(string)
	if !ok {
		if _, ok := given.(bool); ok {
			return nil, unfitParam(hive.FaultValueNumber, "‹value› is not a number", "value", given)
		}
		return given, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, unfitParam(hive.FaultValueNumber, `"‹value›" is not a number`, "value", hive.Escaped(s, 60))
	}
	return f, nil
}
