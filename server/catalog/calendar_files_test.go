package catalog

import (
	"reflect"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestReadCalendarFile(t *testing.T) {
	t.Parallel()
	days := []hive.CalendarDays{{Date: "2026-05-09", Name: "班"}}
	for name, c := range map[string]struct {
		file  hive.CalendarFile
		want  hive.CalendarFileDays
		fault hive.FaultReason
		line  int
	}{
		"CSV": {
			file: hive.CalendarFile{Format: hive.FormatCSV, Text: []byte("date,name,kind\n2026-05-09,班,班\n")},
			want: hive.CalendarFileDays{Workdays: days},
		},
		"ICS, with an event at a time of day": {
			file: hive.CalendarFile{Format: hive.FormatICS, Text: []byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\n" +
				"DTSTART:20260509\nSUMMARY:班\nEND:VEVENT\nBEGIN:VEVENT\nDTSTART:20260510T080000\nEND:VEVENT\n" +
				"END:VCALENDAR\n")},
			want: hive.CalendarFileDays{Workdays: days, Left: 1},
		},
		"a recurrence in some years": {
			file: hive.CalendarFile{
				Format: hive.FormatICS, FirstYear: 2030, LastYear: 2031,
				Text: []byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101\nRRULE:FREQ=YEARLY\n" +
					"END:VEVENT\nEND:VCALENDAR\n"),
			},
			want: hive.CalendarFileDays{Holidays: []hive.CalendarDays{{Date: "2030-01-01"}, {Date: "2031-01-01"}}},
		},
		"YAML": {
			file: hive.CalendarFile{Format: hive.FormatYAML, Text: []byte("apiVersion: hivego/v1\nkind: Calendar\n" +
				"name: china\nworkdays:\n  - {date: 2026-05-09, name: 班}\n")},
			want: hive.CalendarFileDays{Workdays: days},
		},
		"YAML with a fault": {
			file: hive.CalendarFile{Format: hive.FormatYAML, Text: []byte("apiVersion: hivego/v1\nkind: Calendar\n" +
				"name: china\nworkdays:\n  - {date: 2026-05-32}\n")},
			fault: hive.FaultDate, line: 5,
		},
		"CSV with a fault": {
			file:  hive.CalendarFile{Format: hive.FormatCSV, Text: []byte("date\n2026-01-01\n2026-13-01\n")},
			fault: hive.FaultDate, line: 3,
		},
		"no days": {
			file:  hive.CalendarFile{Format: hive.FormatICS, Text: []byte("BEGIN:VCALENDAR\nEND:VCALENDAR\n")},
			fault: hive.FaultFileNone,
		},
	} {
		got, err := newWorld(t).ReadCalendarFile(t.Context(), c.file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.fault != "" {
			if len(got.Faults) != 1 || got.Faults[0].Reason != c.fault || got.Faults[0].Line != c.line ||
				len(got.Holidays)+len(got.Workdays) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
