package cli_test

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

const mixed = `apiVersion: hivego/v1
kind: Schedule
name: nightly
triggers: [{cron: "0 3 * * *", calendar: {name: china}}]
jobs: [{key: j, tasks: [{key: a, handler: shell, params: {command: "true"}}]}]
---
apiVersion: hivego/v1
kind: Calendar
name: china
holidays: [{from: 2026-10-01, to: 2026-10-07, name: National Day}]
`

// keepCalendar lets the server store one calendar.
func keepCalendar(w *world) *string {
	stored := new(string)
	w.GetCalendarF = func(name string) (hive.CalendarView, error) {
		return hive.CalendarView{}, hive.Errorf(
			hive.CodeNotFound,
			"no",
		).WithReason(
			hive.ErrorNoCalendar,
			"calendar",
			name,
		)
	}
	w.SaveCalendarF = func(r hive.SaveRequest) (hive.SavedCalendar, error) {
		*stored = string(r.Document)
		if !r.Fresh {
			*stored = "not fresh " + *stored
		}
		return hive.SavedCalendar{
			Calendar: hive.Calendar{Name: r.Name}, Revision: hive.CalendarRevision{Number: 1}, Changed: true,
		}, nil
	}
	return stored
}

// TestApplyCalendarsFirst: a schedule may come before the calendar that it names, in one file.
func TestApplyCalendarsFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var saved []string
	w.SaveCalendarF = func(r hive.SaveRequest) (hive.SavedCalendar, error) {
		saved = append(saved, r.Name+" "+r.Note)
		return hive.SavedCalendar{
			Calendar: hive.Calendar{Name: r.Name}, Revision: hive.CalendarRevision{Number: 4}, Changed: true,
		}, nil
	}
	w.SaveF = func(r hive.SaveRequest) (hive.Saved, error) {
		saved = append(saved, r.Name+" "+r.Note)
		return hive.Saved{Schedule: hive.Schedule{Name: r.Name}, Revision: hive.Revision{Number: 9}}, nil
	}
	o := w.hivego("apply", "-f", write(t, "all.yaml", mixed), "--note", "for 2026")
	w.want(o, 0, "china: saved as revision 4\nnightly: unchanged, revision 9\n", "")
	if strings.Join(saved, ", ") != "china for 2026, nightly for 2026" {
		t.Errorf("saved %q", saved)
	}
	bad := strings.Replace(mixed, "2026-10-07", "2026-09-07", 1)
	saved = nil
	w.want(w.hivego("apply", "-f", write(t, "all.yaml", bad)), 2, "", "all.yaml:10:35: error: ")
	if saved != nil {
		t.Errorf("saved %q", saved)
	}
	w.want(w.hivego("validate", "-f", write(t, "all.yaml", mixed)), 0, "valid", "")
	w.want(w.hivego("fmt", "-f", write(t, "all.yaml", mixed)), 0, `- {from: "2026-10-01", to: "2026-10-07"`, "")
}

func TestListExportDeleteCalendars(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.want(w.hivego("calendars"), 0, "china  2         2026 to 2026  7         6        warehouse", "")
	w.want(w.hivego("calendars", "-o", "json"), 0, `"usedBy":`, "")
	w.want(w.hivego("calendar", "export", "china", "--revision", "2"), 0, "kind: Calendar", "")
	w.want(w.hivego("calendars", "delete", "china"), 0, "china is deleted\n", "")
	w.DeleteCalendarF = func(string) error {
		return hive.Errorf(
			hive.CodeConflict,
			"calendar china is used by warehouse; take it out of their triggers first",
		)
	}
	w.want(w.hivego("calendars", "delete", "china"), 2, "", "used by warehouse")
}

func TestImportCalendars(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stored := keepCalendar(w)
	csv := write(t, "days.CSV", "date,name,kind\n2026-10-01,National Day,\n2026-10-10,,workday\n")
	w.want(w.hivego("calendars", "import", csv, "china", "--title", "中国"), 0, "china: saved as revision 1\n", "")
	want := "apiVersion: hivego/v1\nkind: Calendar\nname: china\ntitle: 中国\nholidays:\n" +
		"  - {date: \"2026-10-01\", name: National Day}\nworkdays:\n  - {date: \"2026-10-10\"}\n"
	if *stored != want {
		t.Errorf("stored %s", *stored)
	}
	ics := "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20200101\nRRULE:FREQ=YEARLY\nEND:VEVENT\nBEGIN:VEVENT\n" +
		"DTSTART:20200101T100000\nEND:VEVENT\nEND:VCALENDAR\n"
	o := w.with(
		t.Context(),
		ics,
		"calendar",
		"import",
		"-",
		"china",
		"--format",
		"ics",
		"--first",
		"2026",
		"--last",
		"2027",
		"--dry-run",
	)
	w.want(o, 0, "  - {date: \"2026-01-01\"}\n  - {date: \"2027-01-01\"}\n", "1 event is left out")

	w.want(w.hivego("calendars", "import", write(t, "x.txt", ""), "china"), 2, "", "--format ics or --format csv")
	w.want(w.hivego("calendars", "import", write(t, "x.csv", "date\nx\n"), "china"), 2, "",
		`line 2: x is not a date; write one such as 2026-10-01`)
	w.want(w.hivego("calendars", "import", write(t, "x.csv", "date\n"), "china"), 2, "", "has no whole days")
	w.want(w.hivego("calendars", "import", csv, "china", "--last", "1900"), 2, "", "years from 1970 to 9999")
	w.want(w.hivego("calendars", "import", csv, "No Name"), 2, "", "cannot be the name of a calendar")
}

// TestImportKeepsOtherYears: what a person wrote for other years stays, and the save names the revision that it was
// made from.
func TestImportKeepsOtherYears(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.GetCalendarF = func(string) (hive.CalendarView, error) {
		return hive.CalendarView{
			Calendar: hive.Calendar{Name: "china", Revision: 3},
			Definition: []byte(`{"apiVersion":"hivego/v1","kind":"Calendar","name":"china","weekend":["sun"],` +
				`"holidays":[{"date":"2025-10-01"},{"date":"2026-05-01"}]}`),
		}, nil
	}
	w.SaveCalendarF = func(r hive.SaveRequest) (hive.SavedCalendar, error) {
		if text := string(r.Document); r.Base != 3 || !strings.Contains(text, "weekend: [sun]") ||
			!strings.Contains(text, "2025-10-01") || strings.Contains(text, "2026-05-01") {
			t.Errorf("base %d\n%s", r.Base, text)
		}
		return hive.SavedCalendar{}, nil
	}
	csv := write(t, "x.csv", "date\n2026-10-01\n")
	w.want(w.hivego("calendars", "import", csv, "china"), 0, "", "")
}
