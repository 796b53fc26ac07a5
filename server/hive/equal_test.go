package hive_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Two runs that differ in any single field are not equal.
func TestEqualComparesEveryField(t *testing.T) {
	t.Parallel()
	one := 1
	view := hive.RunView{Run: hive.Run{ExitCode: &one, Outputs: map[string]string{"k": "v"}}}
	if !view.Equal(&view) {
		t.Error("a run is not equal to itself")
	}
	other := 1
	same := view
	if same.ExitCode = &other; !view.Equal(&same) {
		t.Error("the same exit code behind another pointer is not equal")
	}
	fields := append(fieldsOf(reflect.TypeFor[hive.Run](), 0), fieldsOf(reflect.TypeFor[hive.RunView]())...)
	for _, path := range fields {
		changed := view
		field := reflect.ValueOf(&changed).Elem().FieldByIndex(path)
		change(t, field)
		if view.Equal(&changed) {
			t.Errorf("Equal does not look at %v", reflect.TypeFor[hive.RunView]().FieldByIndex(path).Name)
		}
	}
}

// fieldsOf lists the fields of a struct that are not embedded, by their index below a prefix.
func fieldsOf(s reflect.Type, prefix ...int) (paths [][]int) {
	for i := range s.NumField() {
		if !s.Field(i).Anonymous {
			paths = append(paths, append(slices.Clip(prefix), i))
		}
	}
	return paths
}

// change sets a field to another value.
func change(t *testing.T, field reflect.Value) {
	t.Helper()
	number, part := 7, 0.5
	switch f := field.Addr().Interface().(type) {
	case *time.Time:
		*f = time.UnixMilli(1)
	case **int:
		*f = &number
	case **float64:
		*f = &part
	case **hive.TextReason:
		*f = &hive.TextReason{Code: "other", Params: map[string]string{"k": "other"}}
	case **hive.Shard:
		*f = &hive.Shard{Total: 7}
	case *map[string]string:
		*f = map[string]string{"k": "other"}
	default:
		switch field.Kind() {
		case reflect.String:
			field.SetString("other")
		case reflect.Int, reflect.Int64:
			field.SetInt(7)
		default:
			t.Fatalf("a field of type %s", field.Type())
		}
	}
}
