package schedule_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

func TestParseCronRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ spec, zone, message, remedy string }{
		"empty":              {"", "", "empty", "write five fields"},
		"blank":              {"  ", "", "empty", "write five fields"},
		"zone without cron":  {"TZ=0", "", "time zone inside", "field timezone"},
		"cron_tz":            {"CRON_TZ=", "", "time zone inside", "field timezone"},
		"zone before cron":   {"TZ=UTC 0 3 * * *", "", "time zone inside", "field timezone"},
		"lower-case zone":    {"tz=UTC 0 3 * * *", "", "time zone inside", "field timezone"},
		"four fields":        {"3 * * *", "", "has 4 fields", "write five fields"},
		"seven fields":       {"0 0 3 * * ? 2030", "", "seven fields", "leave out the year"},
		"eight fields":       {"0 0 3 * * * * *", "", "has 8 fields", "write five fields"},
		"minute 60":          {"60 3 * * *", "", `"60" is out of range as minute`, "write 0 to 59"},
		"hour 24":            {"0 24 * * *", "", "out of range as hour", "write 0 to 23"},
		"day 0":              {"0 3 0 * *", "", "out of range as day of month", "write 1 to 31"},
		"day 32":             {"0 3 32 * *", "", "out of range as day of month", "write 1 to 31"},
		"month 13":           {"0 3 1 13 *", "", "out of range as month", "write 1 to 12"},
		"weekday 8":          {"0 3 * * 8", "", "out of range as day of week", "write 0 to 7"},
		"no such name":       {"0 3 * foo *", "", "not known as month", "jan feb mar"},
		"31 days back":       {"0 3 L-31 * *", "", "before the last one", "L-1 to L-30"},
		"no days back":       {"0 3 L- * *", "", "before the last one", "L-1 to L-30"},
		"last weekday alone": {"0 3 ? * L", "", "names no weekday", "5L for the last Friday"},
		"last weekday 8":     {"0 3 ? * 8L", "", "out of range as day of week", "write 0 to 7"},
		"workday of a range": {"0 3 1-5W * *", "", "no workday of a month", "15W"},
		"workday alone":      {"0 3 W * *", "", "no workday of a month", "15W"},
		"workday 32":         {"0 3 32W * *", "", "out of range as day of month", "write 1 to 31"},
		"workday of a week":  {"0 3 * * 5W", "", "is not valid as day of week", "write *, a number"},
		"sixth tuesday":      {"0 3 ? * 2#6", "", "no weekday of a month", "5#2"},
		"no weekday":         {"0 3 ? * #2", "", "no weekday of a month", "5#2"},
		"weekday 9":          {"0 3 ? * 9#2", "", "out of range as day of week", "write 0 to 7"},
		"rule as hour":       {"0 L * * *", "", "is not valid as hour", "write *, a number"},
		"step of a rule":     {"0 3 L/2 * *", "", "is not valid as day of month", "write *, a number"},
		"? as minute":        {"? 3 * * *", "", "no meaning as minute", "write *"},
		"empty element":      {"1,,2 3 * * *", "", "is not valid as minute", "write *, a number"},
		"only a comma":       {", 3 * * *", "", "is not valid as minute", "write *, a number"},
		"star with end":      {"*-5 3 * * *", "", "is not valid as minute", "write *, a number"},
		"two hyphens":        {"1-2-3 3 * * *", "", "is not valid as minute", "write *, a number"},
		"negative":           {"-1 3 * * *", "", "is not valid as minute", "write *, a number"},
		"step 0":             {"*/0 3 * * *", "", "no valid step", "at least 1"},
		"step beyond":        {"*/90 * * * *", "", "beyond the range 0-59 of minute", "@every"},
		"backwards":          {"0 22-5 * * *", "", "runs backwards", "22-23,0-5"},
		"weekdays backwards": {"0 3 * * FRI-MON", "", "runs backwards", "fri-sat,sun-mon"},
		"months backwards":   {"0 3 1 11-2 *", "", "runs backwards", "11-12,1-2"},
		"huge number":        {"99999999999999999999 3 * * *", "", "is not valid as minute", "write *, a number"},
		"too long":           {strings.Repeat("1,", 400) + "1 3 * * *", "", "longer than", "ranges or steps"},
		"unknown name":       {"@dayly", "", "not a known name", "@daily"},
		"name with more":     {"@daily 3", "", "more than the name", "leave out"},
		"reboot":             {"@reboot", "", "when a machine starts", "by hand or by a cron"},
		"every nothing":      {"@every", "", "no valid period", "@every 10m"},
		"every word":         {"@every day", "", "no valid period", "@every 10m"},
		"every 0":            {"@every 0s", "", "too often", "@every 1s"},
		"every half second":  {"@every 500ms", "", "too often", "@every 1s"},
		"every 1.5 s":        {"@every 1500ms", "", "whole seconds", "@every 10m"},
		"every negative":     {"@every -5m", "", "no valid period", "@every 10m"},
		"zone in wrong case": {"0 3 * * *", "asia/shanghai", "not a known time zone", "did you mean Asia/Shanghai?"},
		"city":               {"0 3 * * *", "Shanghai", "not a known time zone", "did you mean Asia/Shanghai?"},
		"typing error":       {"0 3 * * *", "Europe/Berln", "not a known time zone", "did you mean Europe/Berlin?"},
		"space": {
			"0 3 * * *", "America/New York", "not a known time zone",
			"did you mean America/New_York?",
		},
		"offset":          {"0 3 * * *", "UTC+8", "not a known time zone", "Etc/GMT-8"},
		"plain offset":    {"0 3 * * *", "-05:00", "not a known time zone", "Etc/GMT+5"},
		"local":           {"0 3 * * *", "Local", "depends on the machine", "Europe/Berlin"},
		"path":            {"0 3 * * *", "../../etc/passwd", "not a known time zone", "IANA"},
		"NUL":             {"0 3 * * *", "\x00", "not a known time zone", "IANA"},
		"a zone folder's": {"0 3 * * *", "posix/Europe/Berlin", "not a known time zone", "Europe/Berlin"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseCron(c.spec, c.zone)
			if err == nil {
				t.Fatalf("ParseCron(%q, %q) is accepted", c.spec, c.zone)
			}
			if hive.CodeOf(err) != hive.CodeInvalid {
				t.Errorf("code = %q", hive.CodeOf(err))
			}
			message, remedy, _ := strings.Cut(err.Error(), "; ")
			if !strings.Contains(message, c.message) || !strings.Contains(remedy, c.remedy) {
				t.Errorf("error = %q, want %q … %q", err, c.message, c.remedy)
			}
		})
	}
}

// nextCase is the moments that follow after; times are RFC 3339. Without a want the cron is never due.
type nextCase struct {
	spec, zone, after string
	want              []string
}

// monday is a Monday.
const monday = "2026-03-02T00:00:00Z"

// fieldCases are crons of five and six fields.
func fieldCases() map[string]nextCase {
	return map[string]nextCase{
		"five fields": {
			"20 3 * * *", "Asia/Shanghai", monday,
			[]string{"2026-03-02T19:20:00Z", "2026-03-03T19:20:00Z", "2026-03-04T19:20:00Z"},
		},
		"six fields": {
			"30 20 3 * * *", "", monday,
			[]string{"2026-03-02T03:20:30Z", "2026-03-03T03:20:30Z", "2026-03-04T03:20:30Z"},
		},
		"not again": {
			"20 3 * * *", "", "2026-03-02T03:20:00Z",
			[]string{"2026-03-03T03:20:00Z", "2026-03-04T03:20:00Z", "2026-03-05T03:20:00Z"},
		},
		"fraction": {
			"20 3 * * *", "", "2026-03-02T03:19:59.999Z",
			[]string{"2026-03-02T03:20:00Z", "2026-03-03T03:20:00Z", "2026-03-04T03:20:00Z"},
		},
		"sunday 7": {
			"0 3 * * 7", "", monday,
			[]string{"2026-03-08T03:00:00Z", "2026-03-15T03:00:00Z", "2026-03-22T03:00:00Z"},
		},
		"to sunday": {
			"0 3 * * 6-7", "", monday,
			[]string{"2026-03-07T03:00:00Z", "2026-03-08T03:00:00Z", "2026-03-14T03:00:00Z"},
		},
		"by name": {
			"0 3 * * FRI-SUN", "", monday,
			[]string{"2026-03-06T03:00:00Z", "2026-03-07T03:00:00Z", "2026-03-08T03:00:00Z"},
		},
		"1-7/3": {
			"0 3 * * 1-7/3", "", monday,
			[]string{"2026-03-02T03:00:00Z", "2026-03-05T03:00:00Z", "2026-03-08T03:00:00Z"},
		},
		"quartz": {
			"0 0 12 ? * MON", "", monday,
			[]string{"2026-03-02T12:00:00Z", "2026-03-09T12:00:00Z", "2026-03-16T12:00:00Z"},
		},
		"either day": {
			"0 3 10 * 0", "", monday,
			[]string{"2026-03-08T03:00:00Z", "2026-03-10T03:00:00Z", "2026-03-15T03:00:00Z"},
		},
		"leap day": {
			"0 3 29 2 *", "", "2096-03-01T00:00:00Z",
			[]string{"2104-02-29T03:00:00Z", "2108-02-29T03:00:00Z", "2112-02-29T03:00:00Z"},
		},
	}
}

// nameCases are crons that are names, and crons that are never due.
func nameCases() map[string]nextCase {
	return map[string]nextCase{
		"yearly": {
			"@yearly", "", monday,
			[]string{"2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z", "2029-01-01T00:00:00Z"},
		},
		"monthly": {
			"@monthly", "", monday,
			[]string{"2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"},
		},
		"weekly": {
			"@weekly", "", monday,
			[]string{"2026-03-08T00:00:00Z", "2026-03-15T00:00:00Z", "2026-03-22T00:00:00Z"},
		},
		"daily": {
			"@Daily", "Asia/Shanghai", monday,
			[]string{"2026-03-02T16:00:00Z", "2026-03-03T16:00:00Z", "2026-03-04T16:00:00Z"},
		},
		"hourly": {
			"@hourly", "", monday,
			[]string{"2026-03-02T01:00:00Z", "2026-03-02T02:00:00Z", "2026-03-02T03:00:00Z"},
		},
		"every": {
			"@every 10m", "", "2026-03-02T00:04:31Z",
			[]string{"2026-03-02T00:10:00Z", "2026-03-02T00:20:00Z", "2026-03-02T00:30:00Z"},
		},
		"every day": {
			"@every 1d", "Asia/Shanghai", monday,
			[]string{"2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z", "2026-03-05T00:00:00Z"},
		},
		"before 1970": {
			"@every 1h", "", "1969-12-31T22:30:00.5Z",
			[]string{"1969-12-31T23:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T01:00:00Z"},
		},
		"never": {"0 3 31 2 *", "", monday, nil},
		"never, twice": {
			"0 3 30-31 2 ?", "Europe/Berlin", monday, nil,
		},
	}
}

// TestNext checks the moments that follow after one.
func TestNext(t *testing.T) {
	t.Parallel()
	cases := fieldCases()
	maps.Copy(cases, nameCases())
	maps.Copy(cases, ruleCases())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cron := mustParse(t, c.spec, c.zone)
			at := moment(t, c.after)
			for _, want := range c.want {
				next, ok := cron.Next(at)
				if !ok || !next.Equal(moment(t, want)) {
					t.Fatalf("Next(%s) = %s, %t; want %s", at, next, ok, want)
				}
				at = next
			}
			if next, ok := cron.Next(at); ok && c.want == nil {
				t.Errorf("Next = %s, want never", next)
			}
		})
	}
}

func FuzzParseCron(f *testing.F) {
	for _, spec := range []string{
		"TZ=0", "CRON_TZ=", "20 3 * * *", "0 0 31 2 *", "* * * * * *", "@every 1s", "@daily", "0 3 L * *",
		"1-7/3 * * * 7", ",", "\x00 * * * *", "0 3 LW,15W,L-3 * 5#2,5L", "@every 100000000h", "0 0 29 2 ?",
		"0/5 14,18 * * ?",
	} {
		f.Add(spec, "UTC")
		f.Add(spec, "Australia/Lord_Howe")
	}
	f.Add("0 3 * * *", "TZ=0")
	now := time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, spec, zone string) {
		c, err := parseCron(spec, zone)
		if err != nil {
			if !strings.Contains(err.Error(), "; ") {
				t.Errorf("no remedy in %q", err)
			}
			return
		}
		if next, ok := c.Next(now); ok && !next.After(now) {
			t.Errorf("Next(%s) of %q = %s", now, spec, next)
		}
	})
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// timetable is the moments of one cron.
type timetable struct{ *schedule.Timetable }

// Next returns the first moment after a time; false if there is none.
func (t timetable) Next(after time.Time) (time.Time, bool) {
	m, ok := t.Timetable.Next(after)
	return m.At, ok
}

// parseCron reads a cron in a time zone.
func parseCron(spec, zone string) (timetable, error) {
	t, err := schedule.NewTimetable(&hive.Definition{Timezone: zone, Triggers: []hive.Trigger{{Cron: spec}}},
		time.Unix(0, 0), nil)
	return timetable{t}, err
}

func mustParse(tb failer, spec, zone string) timetable {
	tb.Helper()
	c, err := parseCron(spec, zone)
	if err != nil {
		tb.Fatalf("ParseCron(%q, %q): %v", spec, zone, err)
	}
	return c
}

func moment(tb failer, s string) time.Time {
	tb.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return at.UTC()
}
