package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// maxParam is how many bytes the text of a param may have: it becomes an environment variable.
const maxParam = 64 << 10

// Params checks what is given for a batch against what its definition declares, and reads texts as the declared type.
// Its error is a *hive.Error of CodeInvalid with all faults, by params.NAME.
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
			faults = append(faults, hive.Fault{
				Code: "bad_param", Path: "params." +
					name, Message: err.Error(), Remedy: "give a value of the declared kind",
			})
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
	f := hive.Fault{Code: "unknown_param", Path: "params." + name, Message: "the schedule declares no such param"}
	if names := slices.Sorted(maps.Keys(def.Params)); len(names) > 0 {
		f.Remedy = "it declares " + strings.Join(names, ", ")
	} else {
		f.Remedy = "declare it under params in the document first"
	}
	return f
}

// paramAs is given as a value of the kind of declared.
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
	default: // declared without a value: whatever is given
		return given, nil
	}
}

// paramValue is one of string, bool, int64, float64.
func paramValue(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if len(v) > maxParam {
			return nil, fmt.Errorf("the text has %d bytes, more than %d", len(v), maxParam)
		}
		if strings.ContainsRune(v, 0) {
			return nil, errors.New("the text holds a NUL character")
		}
		return v, nil
	case bool, int64:
		return v, nil
	case int:
		return int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is no number", v)
		}
		return v, nil
	case json.Number:
		return paramNumber(v.String())
	default:
		return nil, errors.New("a param is a text, a number, true or false")
	}
}

func paramBool(given any) (any, error) {
	switch given {
	case true, "true":
		return true, nil
	case false, "false":
		return false, nil
	default:
		return nil, fmt.Errorf("%.60q is neither true nor false", fmt.Sprint(given))
	}
}

func paramNumber(given any) (any, error) {
	s, ok := given.(string)
	if !ok {
		if _, ok := given.(bool); ok {
			return nil, fmt.Errorf("%v is not a number", given)
		}
		return given, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%.60q is not a number", s)
	}
	return f, nil
}
