package schedule_test

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// TestTheExamplesOfThePageOnTime checks each row of docs/time.md with a cron, a zone, sometimes daylight saving, a time
// after which to look, and the moments that follow.
func TestTheExamplesOfThePageOnTime(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/time.md")
	if err != nil {
		t.Fatal(err)
	}
	code, rows := regexp.MustCompile("^`(.*)`$"), 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = code.ReplaceAllString(strings.TrimSpace(cells[i]), "$1")
		}
		if len(cells) < 4 || !strings.HasPrefix(cells[len(cells)-2], "20") {
			continue
		}
		rows++
		t.Run(cells[0], func(t *testing.T) {
			t.Parallel()
			checkExample(t, cells)
		})
	}
	if rows < 20 {
		t.Errorf("only %d examples are found", rows)
	}
}

// checkExample checks one row: the trigger, its zone, other settings if there are five cells, after, due.
func checkExample(t *testing.T, cells []string) {
	t.Helper()
	zone, err := time.LoadLocation(cells[1])
	if err != nil {
		t.Fatal(err)
	}
	trigger, created, name := hive.Trigger{Cron: cells[0]}, time.Unix(0, 0), ""
	view := hive.TickView{Schedule: hive.Schedule{Enabled: true}} // what a time after the last batch depends on
	if at, ok := strings.CutPrefix(cells[0], "at: "); ok {
		trigger = hive.Trigger{At: at}
	}
	if every, ok := strings.CutPrefix(cells[0], "every: "); ok {
		trigger = hive.Trigger{From: hive.FromEnd}
		if trigger.Every, err = hive.ParseDuration(every); err != nil {
			t.Fatal(err)
		}
	}
	if len(cells) == 5 && cells[2] != "" {
		for setting := range strings.SplitSeq(cells[2], ", ") {
			field, value, _ := strings.Cut(setting, ": ")
			switch field {
			case "gap":
				trigger.DST.Gap = value
			case "repeat":
				trigger.DST.Repeat = value
			case "start":
				trigger.Start = value
			case "end":
				trigger.End = value
			case "calendar":
				trigger.Calendar.Name = value
			case "on":
				trigger.Calendar.On = hive.CalendarOn(value)
			case "otherwise":
				trigger.Calendar.Otherwise = hive.OtherwiseDo(value)
			case "workday":
				if trigger.Calendar.Workday, err = strconv.Atoi(value); err != nil {
					t.Fatal(err)
				}
			case "jitter":
				if trigger.Jitter, err = hive.ParseDuration(value); err != nil {
					t.Fatal(err)
				}
			case "name":
				name = value
			case "ended":
				view.EndedAt = readExample(t, value, zone)
			case "enabled":
				view.Schedule.EnabledAt = readExample(t, value, zone)
			case "tick":
				view.Schedule.Mark = readExample(t, value, zone)
			case "created":
				created = readExample(t, value, zone)
			default:
				t.Fatalf("%q is no setting", field)
			}
		}
	}
	table, err := schedule.NewTimetable(
		&hive.Definition{Name: name, Timezone: cells[1], Triggers: []hive.Trigger{trigger}}, created, china(t))
	if err != nil {
		t.Fatal(err)
	}
	at, due := readExample(t, cells[len(cells)-2], zone), cells[len(cells)-1]
	for want := range strings.SplitSeq(due, ", ") {
		next, ok := table.Next(at)
		if view.Schedule.CreatedAt = created; table.Delayed() {
			next, ok = table.NextDelayed(&view, at)
		}
		if want == "never" && !ok {
			return
		}
		if at = readExample(t, want, zone); !ok || !next.Due.Equal(at) {
			t.Fatalf("due is %s, not %s", next.Due.In(zone).Format(time.RFC3339Nano), want)
		}
	}
}

// china finds the example calendar.
func china(t *testing.T) schedule.Calendars {
	t.Helper()
	text, err := os.ReadFile("../../docs/examples/calendars/china.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, faults := document.ParseCalendar(text, document.Options{})
	if doc == nil {
		t.Fatal(faults)
	}
	if !bytes.Equal(doc.Canonical, text) {
		t.Errorf("the example is not in canonical form:\n%s", doc.Canonical)
	}
	return func(name string) *calendar.Calendar {
		if name != "china" {
			return nil
		}
		return calendar.New(doc.Calendar)
	}
}

func readExample(t *testing.T, text string, zone *time.Location) time.Time {
	t.Helper()
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
