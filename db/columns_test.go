package db

import (
	"database/sql"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Every field of a run and of an attempt is a column, and is read with the stored value. The test fails for a new field
// without a column.
func TestEveryFieldIsAColumn(t *testing.T) {
	t.Parallel()
	checkColumns(t, runTable(runsTable))
	checkColumns(t, attemptTable())
}

func checkColumns[R any](t *testing.T, declared *table[R]) {
	t.Helper()
	var full, empty, read R
	fill(t, reflect.ValueOf(&full).Elem())
	columns := declared.all()
	names := map[string]bool{}
	for i := range columns {
		c := &columns[i]
		if names[c.name] {
			t.Errorf("%s: column %s is declared twice", declared.what, c.name)
		}
		names[c.name] = true
		if c.blank(&full) != "" || c.str == nil && c.flag == nil && c.blank(&empty) == "" {
			t.Errorf("%s: column %s is blank in the wrong row", declared.what, c.name)
		}
		place, ok := c.place(&read).(sql.Scanner)
		if !ok {
			t.Fatalf("%s: column %s cannot be read", declared.what, c.name)
		}
		if err := place.Scan(c.value(&full)); err != nil {
			t.Errorf("%s: column %s: %v", declared.what, c.name, err)
		}
	}
	for i := range reflect.TypeFor[R]().NumField() {
		stored, back := reflect.ValueOf(full).Field(i).Interface(), reflect.ValueOf(read).Field(i).Interface()
		if !reflect.DeepEqual(stored, back) {
			name := reflect.TypeFor[R]().Field(i).Name
			t.Errorf("%s: %s is %v, and comes back as %v", declared.what, name, stored, back)
		}
	}
}

// fill gives each field of a struct a value of its own that is not its zero value.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		word, number := fmt.Sprint("v", i+1), i+1
		switch f := v.Field(i).Addr().Interface().(type) {
		case *time.Time:
			*f = time.UnixMilli(int64(number)).UTC()
		case **int:
			*f = &number
		case *map[string]string:
			*f = map[string]string{word: word}
		case *[]string:
			*f = []string{word}
		case **hive.TextReason:
			*f = &hive.TextReason{Code: "code", Params: map[string]string{word: word}}
		case **hive.Shard:
			*f = &hive.Shard{Index: number, Total: number, Item: word}
		case **hive.Scheduling:
			*f = &hive.Scheduling{Route: hive.RouteRandom, Considered: []hive.Considered{{Name: word}}}
		case **hive.AttemptReasons:
			*f = &hive.AttemptReasons{Notes: []*hive.TextReason{nil, {Code: "code"}}}
		default:
			switch field := v.Field(i); field.Kind() {
			case reflect.String:
				field.SetString(word)
			case reflect.Int, reflect.Int64:
				field.SetInt(int64(number))
			default:
				t.Fatalf("%s has a type for which there is no column", v.Type().Field(i).Name)
			}
		}
	}
}
