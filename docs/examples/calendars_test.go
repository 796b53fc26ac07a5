package examples_test

import (
	"os"
	"reflect"
	"testing"

	"github.com/rprp/hivego/server/calendar/reader"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// The table and the document of the calendar have the same days.
func TestCalendarFilesAgree(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("calendars/china.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, faults := document.ParseCalendar(text, document.Options{})
	if hive.Refused(faults) {
		t.Fatal(faults)
	}
	table, err := os.ReadFile("calendars/china.csv")
	if err != nil {
		t.Fatal(err)
	}
	days, err := reader.CSV(table)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(days.Holidays, doc.Calendar.Holidays) {
		t.Errorf("holidays: %v, want %v", days.Holidays, doc.Calendar.Holidays)
	}
	if !reflect.DeepEqual(days.Workdays, doc.Calendar.Workdays) {
		t.Errorf("workdays: %v, want %v", days.Workdays, doc.Calendar.Workdays)
	}
}
