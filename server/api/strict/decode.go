package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// How deeply the values of a JSON body may be nested. A body with a document may be nested more deeply: server/document
// checks the document itself.
const (
	maxDepth         = 16
	maxDocumentDepth = 64
)

// badBody returns the error for a JSON body. The param fault names the kind of fault for programs, and pairs hold more
// params.
func badBody(fault, words string, pairs ...any) error {
	return (&hive.Error{Code: hive.CodeInvalid, Words: words}).WithReason(hive.ErrorBody,
		append([]any{"fault", fault}, pairs...)...)
}

// Decode reads a JSON body into out, which points to a generated model. It accepts only valid UTF-8 with one object,
// without duplicate, unknown or missing keys, and with values that the contract allows. A document is not checked here:
// server/document does it, with line and column.
func (c *Contract) Decode(data []byte, out any) error {
	if raw, ok := out.(*json.RawMessage); ok {
		*raw = bytes.Clone(data)
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return badBody("not_json", "the body is empty, and no JSON; send a JSON object")
	}
	if !utf8.Valid(data) {
		return badBody("utf8", "the body is not valid UTF-8; write it as UTF-8")
	}
	if err := checkJSON(data, depthOf(reflect.TypeOf(out).Elem())); err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil || keys == nil {
		return badBody("object", "the body must be a JSON object")
	}
	if err := checkKeys(keys, reflect.TypeOf(out).Elem()); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return decodeWords(err)
	}
	if err := c.checkBody(reflect.TypeOf(out).Elem().Name(), data); err != nil {
		return err
	}
	if err := checkMoments(keys, reflect.TypeOf(out).Elem()); err != nil {
		return err
	}
	return checkEnums(reflect.ValueOf(out).Elem(), "json")
}

// checkMoments refuses times before 1970: no batch can have one as its moment, and the zero time means that there is
// none.
func checkMoments(keys map[string]json.RawMessage, t reflect.Type) error {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		raw, given := keys[name]
		if !given || f.Type != reflect.TypeFor[wire.Time]() && f.Type != reflect.TypeFor[*wire.Time]() {
			continue
		}
		var at *wire.Time
		if json.Unmarshal(raw, &at) == nil && at != nil && at.Unix() < 0 {
			return hive.Errorf(hive.CodeInvalid, "%s must be a moment of 1970 or later, not %s", name, raw).
				WithReason(hive.ErrorValue, "name", name, "value", strings.Trim(string(raw), `"`))
		}
	}
	return nil
}

// depthOf returns how deeply a body of a type may be nested.
func depthOf(t reflect.Type) int {
	for f := range t.Fields() {
		if f.Type == reflect.TypeFor[json.RawMessage]() || f.Type == reflect.TypeFor[[]json.RawMessage]() {
			return maxDocumentDepth
		}
	}
	return maxDepth
}

// checkKeys compares the keys of an object with the fields of t. Fields without omitempty are required.
func checkKeys(keys map[string]json.RawMessage, t reflect.Type) error {
	known := make([]string, 0, t.NumField())
	var missing []string
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, name)
		if v, ok := keys[name]; !strings.Contains(options, "omitempty") && (!ok || string(v) == "null") {
			missing = append(missing, name)
		}
	}
	slices.Sort(known)
	for key := range keys {
		if !slices.Contains(known, key) {
			words := fmt.Sprintf("the body has an unknown field %.60q; it may have %s", key, strings.Join(known, ", "))
			return badBody("unknown_field", words, "name", key)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		names := strings.Join(missing, ", ")
		return badBody("missing_field", "the body must have the field "+names, "name", names)
	}
	return nil
}

// decodeWords translates an error of encoding/json.
func decodeWords(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		words := fmt.Sprintf("the field %.80q of the body has a value of the wrong kind: %.40s", t.Field, t.Value)
		return badBody("wrong_kind", words, "name", t.Field)
	}
	return badBody("unread", fmt.Sprintf("the body cannot be read: %v", err))
}

// checkEnums checks that every field of a generated enum type, and every item of a list of such a type, has a value of
// the enum.
func checkEnums(v reflect.Value, tag string) error {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Tag.Get(tag)
		if f.Kind() == reflect.Pointer {
			f = f.Elem() // the zero Value for nil
		}
		switch {
		case !f.IsValid():
			continue
		case f.Kind() == reflect.Slice:
			for j := range f.Len() {
				if err := checkEnum(f.Index(j), name); err != nil {
					return err
				}
			}
		case !f.IsZero() || tag != "json":
			if err := checkEnum(f, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkEnum(v reflect.Value, tag string) error {
	e, ok := reflect.TypeAssert[interface{ Valid() bool }](v)
	if !ok || e.Valid() {
		return nil
	}
	name, _, _ := strings.Cut(tag, ",")
	return hive.Errorf(hive.CodeInvalid, "%q is no value of %s; GET "+SpecPath+" lists them", v.Interface(), name).
		WithReason(hive.ErrorValue, "name", name, "value", v.Interface())
}
