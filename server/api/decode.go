package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rprp/hivego/server/hive"
)

// How deep the values of a JSON body may be nested; those of one that holds a document, which is looked at by others.
const (
	maxDepth         = 16
	maxDocumentDepth = 64
)

// decode reads a JSON body strictly: valid UTF-8, one object, no duplicate or unknown keys, no missing required ones, no
// value outside its enum. Documents are only handed on: server/document reads them, with line and column.
func decode(data []byte, out any) error {
	if raw, ok := out.(*json.RawMessage); ok {
		*raw = bytes.Clone(data)
		return nil
	}
	if !utf8.Valid(data) {
		return errors.New("the body is not valid UTF-8")
	}
	if err := scan(json.NewDecoder(bytes.NewReader(data)), depthOf(reflect.TypeOf(out).Elem())); err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil || keys == nil {
		return errors.New("the body must be a JSON object")
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
	return checkEnums(reflect.ValueOf(out).Elem(), "json")
}

// depthOf is how deep a body of a type may be nested.
func depthOf(t reflect.Type) int {
	for f := range t.Fields() {
		if f.Type == reflect.TypeFor[json.RawMessage]() || f.Type == reflect.TypeFor[[]json.RawMessage]() {
			return maxDocumentDepth
		}
	}
	return maxDepth
}

// scan walks over all tokens of one JSON value: its depth, duplicate keys, NUL, and that nothing follows it.
func scan(d *json.Decoder, depth int) error {
	d.UseNumber()
	if err := scanValue(d, depth); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object in the body")
	}
	return nil
}

// scanValue walks over a value that may be nested so deep.
func scanValue(d *json.Decoder, depth int) error {
	if depth < 1 {
		return errors.New("the body is nested deeper than it may be")
	}
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	switch v := t.(type) {
	case string:
		return noNUL(v)
	case json.Delim:
		keys := map[string]bool{}
		for d.More() {
			if v == '{' {
				if err := scanKey(d, keys); err != nil {
					return err
				}
			}
			if err := scanValue(d, depth-1); err != nil {
				return err
			}
		}
		_, err := d.Token()
		if err != nil {
			return fmt.Errorf("the body is not JSON: %w", err)
		}
	}
	return nil
}

func scanKey(d *json.Decoder, seen map[string]bool) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	key, _ := t.(string)
	if seen[key] {
		return fmt.Errorf("the key %.60q stands twice in the same object of the body", key)
	}
	seen[key] = true
	return noNUL(key)
}

func noNUL(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("a text in the body holds a NUL character")
	}
	return nil
}

// checkKeys compares the keys of an object with the fields of t: those without omitempty are required.
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
			return fmt.Errorf("the body has an unknown field %.60q; it may have %s", key, strings.Join(known, ", "))
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("the body must have the field %s", strings.Join(missing, ", "))
	}
	return nil
}

// decodeWords says in words what encoding/json found.
func decodeWords(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("the field %q of the body has a value of the wrong kind: %s", t.Field, t.Value)
	}
	return fmt.Errorf("the body cannot be read: %w", err)
}

// checkEnums asks every field of a generated enum type, and every item of a list of them, whether its value is one of those
// that openapi.yaml lists.
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
	return hive.Errorf(hive.CodeInvalid, "%q is no value of %s; the API reference lists them", v.Interface(), name).
		Because(hive.RefusedValue, "name", name, "value", v.Interface())
}
