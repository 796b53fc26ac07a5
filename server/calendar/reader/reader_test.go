package reader

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

func years() Options { return Options{FirstYear: 2026, LastYear: 2028} }

// ics is a calendar with these lines in its events.
func ics(events ...string) string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")
	for i, e := range events {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d\r\n%s\r\nEND:VEVENT\r\n", i, strings.ReplaceAll(e, "\n", "\r\n"))
	}
	b.WriteString("END:VCALENDAR\r\n")
	return b.String()
}

func TestICS(t *testing.T) {
	t.Parallel()
	type days = []hive.CalendarDays
	for name, c := range map[string]struct {
		text     string
		holidays days
		workdays days
	}{
		"one day": {
			ics("DTSTART;VALUE=DATE:20260101\nSUMMARY:New Year"), days{{Date: "2026-01-01", Name: "New Year"}}, nil,
		},
		"until, before": {ics("DTSTART:20260215\nDTEND:20260224"), days{{From: "2026-02-15", To: "2026-02-23"}}, nil},
		"duration":      {ics("DTSTART:20260215\nDURATION:P1W"), days{{From: "2026-02-15", To: "2026-02-21"}}, nil},
		"folded": {
			ics("DTSTART:2026\n 0101\nSUMMARY:a\\, b\n  c"), days{{Date: "2026-01-01", Name: "a, b c"}}, nil,
		},
		"a quoted colon": {
			ics(`DTSTART;X="a:b":20260101`), days{{Date: "2026-01-01"}}, nil,
		},
		"every year": {
			ics("DTSTART:20101225\nRRULE:FREQ=YEARLY\nSUMMARY:x"),
			days{{Date: "2026-12-25", Name: "x"}, {Date: "2027-12-25", Name: "x"}, {Date: "2028-12-25", Name: "x"}},
			nil,
		},
		"29 February": {ics("DTSTART:20240229\nRRULE:FREQ=YEARLY"), days{{Date: "2028-02-29"}}, nil},
		"fourth Thursday": {
			ics("DTSTART:20201126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;UNTIL=20271231"),
			days{{Date: "2026-11-26"}, {Date: "2027-11-25"}},
			nil,
		},
		"without some, with others": {
			ics("DTSTART:20260101\nRRULE:FREQ=YEARLY;COUNT=3\nEXDATE:20270101\nRDATE:20260601,20270601"),
			days{{Date: "2026-01-01"}, {Date: "2026-06-01"}, {Date: "2027-06-01"}, {Date: "2028-01-01"}},
			nil,
		},
		"one instance moved": {
			strings.ReplaceAll(ics("DTSTART:20260101\nRRULE:FREQ=YEARLY;COUNT=2",
				"RECURRENCE-ID:20270101\nDTSTART:20270104"), "UID:1", "UID:0"),
			days{{Date: "2026-01-01"}, {Date: "2027-01-04"}},
			nil,
		},
		"one instance canceled": {
			strings.ReplaceAll(ics("DTSTART:20260101\nRRULE:FREQ=YEARLY;COUNT=2",
				"RECURRENCE-ID:20270101\nDTSTART:20270101\nSTATUS:CANCELLED"), "UID:1", "UID:0"),
			days{{Date: "2026-01-01"}},
			nil,
		},
		"make-up days": {
			ics("DTSTART:20260214\nSUMMARY:春节（班）", "DTSTART:20260228\nX-APPLE-SPECIAL-DAY:ALTERNATE-WORKDAY"),
			nil,
			days{{Date: "2026-02-14", Name: "春节（班）"}, {Date: "2026-02-28"}},
		},
		"two holidays of one day": {
			ics("DTSTART:20260501\nSUMMARY:a", "DTSTART:20260501\nSUMMARY:b"),
			days{{Date: "2026-05-01", Name: "a, b"}},
			nil,
		},
		"nested parts": {
			ics("BEGIN:VALARM\nDTSTART:nonsense\nEND:VALARM\nDTSTART:20260101"), days{{Date: "2026-01-01"}}, nil,
		},
		"an event of an hour": {ics("DTSTART:20260101T100000Z\nDTEND:20260101T110000Z"), nil, nil},
	} {
		got, err := ICS([]byte(c.text), years())
		if err != nil || !reflect.DeepEqual(got.Holidays, c.holidays) || !reflect.DeepEqual(got.Workdays, c.workdays) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if want := strings.Count(c.text, "T100000"); got.Left != want {
			t.Errorf("%s: %d left out, not %d", name, got.Left, want)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"commas": "date,name,kind\n2026-01-01,\"New, Year\",holiday\n2026-01-02,\"New, Year\",\n" +
			"2026-01-04,,workday\n",
		"semicolons": "from;to;name;kind\n2026/1/1;2026/1/2;New, Year;休\n2026/1/4;2026/1/4;;班\n",
		"a mark":     "\uFEFFdate\tname\tkind\r\n20260101\tNew, Year\r\n20260102\tNew, Year\r\n20260104\t\tWorkday\r\n",
	} {
		got, err := CSV([]byte(text))
		want := Days{
			Holidays: []hive.CalendarDays{{From: "2026-01-01", To: "2026-01-02", Name: "New, Year"}},
			Workdays: []hive.CalendarDays{{Date: "2026-01-04"}},
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestMistakesNameTheirLine(t *testing.T) {
	t.Parallel()
	readICS := func(text string) error { _, err := ICS([]byte(text), years()); return err }
	readCSV := func(text string) error { _, err := CSV([]byte(text)); return err }
	for _, c := range []struct {
		read  func(string) error
		text  string
		line  int
		words string
	}{
		{readICS, "", 1, "no BEGIN:VCALENDAR"},
		{readICS, "<html>", 1, "not a line of iCalendar"},
		{readICS, "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101\n", 3, "BEGIN:VEVENT does not end"},
		{readICS, "BEGIN:VCALENDAR\nEND:VEVENT", 2, "END:VEVENT ends nothing"},
		{readICS, strings.Repeat("BEGIN:A\n", 20), 11, "nested too deep"},
		{readICS, ics("SUMMARY:x"), 3, "no first day"},
		{readICS, ics("DTSTART:20260230"), 5, "not a date"},
		{readICS, ics("DTSTART:20260101\nDTEND:20250101"), 3, "days"},
		{readICS, ics("DTSTART:20260101\nDTEND:20290101"), 3, "days"},
		{readICS, ics("DTSTART:20260101\nDURATION:P1Y"), 6, "not a number of days"},
		{readICS, ics("DTSTART:20260101\nRRULE:FREQ=NEVER"), 6, "cannot be read"},
		{readICS, ics("DTSTART:20260101\nRRULE:FREQ=SECONDLY"), 6, "within a day"},
		{readICS, ics("DTSTART:20260101\nRRULE:FREQ=DAILY;BYHOUR=1,2"), 6, "within a day"},
		{readICS, ics("DTSTART:20260101\nRRULE:FREQ=DAILY;COUNT=99999999"), 6, "counts more than"},
		{readICS, ics("DTSTART:20260101", "DTSTART:20260101\nSUMMARY:班"), 7, "a holiday and a workday"},
		{readICS, ics("DTSTART:20260101\nSUMMARY:" + strings.Repeat("x", maxLine)), 6, "longer than"},
		{readICS, ics("DTSTART:20260101\nSUMMARY:\xff"), 6, "not text"},
		{readICS, ics(make([]string, maxEvents+1)...), 3, "no first day"},
		{readICS, ics(repeat("DTSTART:20260101", maxEvents+1)...), 80006, "more than 20000 events"},
		{readICS, ics(repeat("DTSTART:20260101\nRRULE:FREQ=YEARLY", maxRules+1)...), 1003, "more than 200 rules"},
		{readICS, strings.Repeat("x", MaxSize+1), 0, "more than"},
		{readCSV, "", 0, "empty"},
		{readCSV, "name,day\n", 1, "not the name of a column"},
		{readCSV, "name,kind\n", 1, "no column for days"},
		{readCSV, "date,from,to\n", 1, "no column for days"},
		{readCSV, "date\n\n1.1.2026\n", 3, "not a date"},
		{readCSV, "date,kind\n2026-01-01,x\n", 2, "not a kind of day"},
		{readCSV, "date\n2026-01-01,x\n", 2, "has 2 fields"},
		{readCSV, "from,to\n2026-01-02,2026-01-01\n", 2, "not a range of days"},
		{readCSV, "from,to\n2026-01-02,2029-01-01\n", 2, "not a range of days"},
		{readCSV, "date,name\n2026-01-01,\"x\n", 2, "not CSV"},
	} {
		err := c.read(c.text)
		wrong, ok := err.(*Error) //nolint:errorlint // readers return it as it is
		if !ok || wrong.Fault.Line != c.line || !strings.Contains(wrong.Fault.Message, c.words) ||
			wrong.Fault.Remedy == "" || wrong.Fault.Reason == "" {
			t.Errorf("%.80q: %v, want line %d: %s", c.text, err, c.line, c.words)
		}
	}
}

func repeat(event string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = event
	}
	return out
}

// TestEndlessRules: rules without an end, and rules that match no day, end.
func TestEndlessRules(t *testing.T) {
	t.Parallel()
	got, err := ICS([]byte(ics("DTSTART:20000101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30")), years())
	if err != nil || len(got.Holidays) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
	o := Options{FirstYear: 2000, LastYear: 9999}
	if _, err := ICS([]byte(ics("DTSTART:20000101\nRRULE:FREQ=DAILY")), o); err == nil ||
		!strings.Contains(err.Error(), "more than 5000 days") {
		t.Errorf("%v", err)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	def := hive.CalendarDefinition{
		Title:    "China",
		Holidays: []hive.CalendarDays{{Date: "2025-10-01"}, {From: "2026-01-01", To: "2026-01-03"}},
		Workdays: []hive.CalendarDays{{Date: "2026-01-04"}, {Date: "2027-01-03"}},
	}
	got := Merge(def, Days{Holidays: []hive.CalendarDays{{Date: "2026-05-01"}}})
	want := hive.CalendarDefinition{
		Title:    "China",
		Holidays: []hive.CalendarDays{{Date: "2025-10-01"}, {Date: "2026-05-01"}},
		Workdays: []hive.CalendarDays{{Date: "2027-01-03"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// fuzz checks that a file that is read makes a calendar without faults.
func fuzz(t *testing.T, days Days, err error) {
	t.Helper()
	if err != nil {
		wrong, ok := err.(*Error) //nolint:errorlint // as above
		if !ok || wrong.Fault.Message == "" || wrong.Fault.Remedy == "" {
			t.Errorf("%v", err)
		}
		return
	}
	def := Merge(hive.CalendarDefinition{}, days)
	if faults := calendar.Check(&def); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
}

func FuzzICS(f *testing.F) {
	for _, seed := range []string{
		"", ics(""), ics("DTSTART:20260101\nDTEND:20260103\nSUMMARY:a\\n"),
		ics("DTSTART;VALUE=DATE:20260101\nDURATION:P2W"),
		ics("DTSTART:20200101\nRRULE:FREQ=MONTHLY;BYDAY=-1FR;BYSETPOS=1;WKST=SU\nEXDATE:20260130,20270129"),
		ics("DTSTART:20200101\nRRULE:FREQ=WEEKLY;INTERVAL=3;UNTIL=20271231T000000Z",
			"RECURRENCE-ID:20260107\nDTSTART:20260108"),
		"BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nBEGIN:STANDARD\nDTSTART:19701025T030000\n" +
			"END:STANDARD\nEND:VTIMEZONE\nEND:VCALENDAR",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		days, err := ICS(src, years())
		fuzz(t, days, err)
	})
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"", "date,name,kind\n2026-01-01,x,班\n", "from;to\n20260101;2026/1/3\n", "date\n\"\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		days, err := CSV(src)
		fuzz(t, days, err)
	})
}
