package schedule_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// monthOf counts the month of schedules; each is a trigger by its name. The zone is that of the schedules.
func monthOf(
	t *testing.T, first time.Time, down []hive.Span, now time.Time, triggers map[string]hive.Trigger,
) hive.ForecastMonth {
	t.Helper()
	var all []schedule.MonthSchedule
	china := calendar.New(&hive.CalendarDefinition{
		Holidays: []hive.CalendarDays{{From: "2026-02-15", To: "2026-02-23", Name: "Spring Festival"}},
		Workdays: []hive.CalendarDays{{Date: "2026-02-14"}, {Date: "2026-02-28"}},
	})
	for name, trigger := range triggers {
		def := hive.Definition{Timezone: "Asia/Shanghai", Triggers: []hive.Trigger{trigger}}
		times, err := schedule.NewTimetable(&def, now, func(string) *calendar.Calendar { return china })
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, schedule.MonthSchedule{Name: name, Enabled: name != "off", Times: times})
	}
	return schedule.Month(all, first, down, now)
}

func items(m *hive.ForecastMonth) []string {
	var lines []string
	for i := range m.Days {
		for _, item := range m.Days[i].Items {
			zone := time.FixedZone("", 8*3600)
			line := fmt.Sprintf("%s %s %s", item.At.In(zone).Format("01-02 15:04"), item.Kind, item.Schedule)
			if item.Count != 1 {
				line += fmt.Sprintf(" ×%d", item.Count)
			}
			if !item.From.IsZero() {
				line += " from " + item.From.Format("01-02")
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func TestMonthListsWhatDiffers(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	february := time.Date(2026, 2, 1, 0, 0, 0, 0, zone)
	on := hive.TriggerCalendar{Name: "china"}
	next, last := on, on
	next.Otherwise, last.Workday = hive.OtherwiseNext, -1
	m := monthOf(t, february, nil, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), map[string]hive.Trigger{
		"daily":   {Cron: "0 2 * * *"},
		"office":  {Cron: "0/20 9 * * *", Calendar: on},
		"monthly": {Cron: "0 7 16 * *", Calendar: next},
		"end":     {Cron: "0 19 * * *", Calendar: last},
		"weekly":  {Cron: "0 22 ? * FRI"},
		"once":    {At: "2026-02-03T10:00"},
		"off":     {Cron: "0 3 * * *"},
		"after":   {After: []hive.Upstream{{Schedule: "daily"}}},
	})
	want := []string{
		"01-30 19:00 due end", "01-30 22:00 due weekly", "02-03 10:00 due once", "02-06 22:00 due weekly",
		"02-13 22:00 due weekly", "02-14 09:00 added office ×3",
	}
	for day := 16; day <= 20; day++ { // Monday to Friday
		want = append(want, fmt.Sprintf("02-%d 09:00 left_out office ×3", day))
	}
	want = append(want,
		"02-20 22:00 due weekly", "02-23 09:00 left_out office ×3", "02-24 07:00 moved monthly from 02-16",
		"02-27 22:00 due weekly", "02-28 19:00 moved end from 02-27", "02-28 09:00 added office ×3")
	if got := items(&m); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if m.Schedules != 6 || m.Disabled != 1 || m.Following != 1 || m.Uncounted != 0 || len(m.Days) != 35 {
		t.Errorf("%d schedules, %d, %d, %d, %d days", m.Schedules, m.Disabled, m.Following, m.Uncounted, len(m.Days))
	}
	if e := m.Days[20].Entries; len(e) != 1 || !e[0].Holiday || e[0].Name != "Spring Festival" {
		t.Errorf("15 February: %v", e)
	}
	if d := m.Days[19]; d.Ticks != 4 || d.Hours[9] != 3 || d.Hours[2] != 1 || d.Entries[0].Holiday {
		t.Errorf("14 February: %+v", d)
	}
}

// TestMonthCountsMoments compares the counts with the moments one by one, in zones with changes of clocks.
func TestMonthCountsMoments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cron, own, shown string }{
		{"*/7 1-3 * * *", "Europe/Berlin", "Europe/Berlin"},
		{"30 2 * * *", "Europe/Berlin", "Europe/Berlin"},
		{"0 * * * *", "Australia/Lord_Howe", "Australia/Lord_Howe"},
		{"0 9 ? * MON-FRI", "Asia/Shanghai", "Europe/Berlin"},
		{"@every 7h", "UTC", "Asia/Kolkata"},
	} {
		for _, month := range []time.Month{time.March, time.April, time.October} {
			zone, err := time.LoadLocation(c.shown)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Date(2026, 3, 20, 1, 30, 0, 0, time.UTC)
			def := hive.Definition{Timezone: c.own, Triggers: []hive.Trigger{{Cron: c.cron}}}
			times, err := schedule.NewTimetable(&def, now, nil)
			if err != nil {
				t.Fatal(err)
			}
			down := []hive.Span(nil)
			if month == time.April {
				down = []hive.Span{{From: now.AddDate(0, 1, 0), To: now.AddDate(0, 1, 1)}}
			}
			m := schedule.Month([]schedule.MonthSchedule{{Name: "s", Enabled: true, Times: times}},
				time.Date(2026, month, 1, 0, 0, 0, 0, zone), down, now)
			for i := range m.Days {
				day := &m.Days[i]
				date := day.Date.Format(time.DateOnly)
				due, _ := times.Due(day.Date.Add(-1), day.Date.Add(30*time.Hour), 10_000)
				var hours [24]int
				n := 0
				for _, at := range due {
					if at := at.At.In(zone); at.After(now) && at.Format(time.DateOnly) == date {
						hours[at.Hour()]++
						n++
					}
				}
				if day.Ticks != n || day.Hours != hours {
					t.Errorf("%s in %s, %s: %d %v, want %d %v", c.cron, c.shown, date, day.Ticks, day.Hours, n, hours)
				}
			}
		}
	}
}

func TestMonthCountsTheTicksWithoutAServer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	down := []hive.Span{{From: now.Add(30 * time.Hour), To: now.Add(33 * time.Hour)}}
	m := monthOf(t, now, down, now, map[string]hive.Trigger{"hourly": {Cron: "0 * * * *"}})
	if d := m.Days[7]; d.Ticks != 24 || d.Down != 3 { // the month begins on a Sunday
		t.Errorf("%+v", d)
	}
}

// TestMonthIsBounded has more moments and items than a month lists.
func TestMonthIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	triggers := map[string]hive.Trigger{"seconds": {Cron: "* * * * * *", End: "2027-01-01"}}
	for i := range 30 {
		triggers[fmt.Sprintf("weekly%d", i)] = hive.Trigger{Cron: "0 3 ? * MON"}
	}
	m := monthOf(t, now, nil, now, triggers)
	if m.Uncounted != 1 || m.Schedules != 30 {
		t.Errorf("%d of %d are not counted", m.Uncounted, m.Schedules)
	}
	if d := m.Days[13]; len(d.Items) != 24 || d.More != 6 || d.Ticks != 30 { // 9 March in Shanghai
		t.Errorf("%d items and %d more of %d ticks", len(d.Items), d.More, d.Ticks)
	}
}
