package schedule

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Which moments of a dependant refer to 03:00 of an upstream, by the window. Referring must never leave one out.
func TestRefers(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, time.March, 19, 0, 0, 0, 0, time.UTC)
	moment := day.Add(3 * time.Hour)
	up := func(policy, window string) []hive.Upstream {
		return []hive.Upstream{{Schedule: "orders", Policy: policy, Window: window}}
	}
	at := func(h, m int) time.Time { return day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute) }
	for name, c := range map[string]struct {
		trigger hive.Trigger
		zone    string
		yes, no []time.Time
		picks   bool
	}{
		"all of the day, by a cron": {
			trigger: hive.Trigger{Cron: "30 23 * * *", After: up("", "same_day")},
			yes:     []time.Time{at(23, 30)}, no: []time.Time{at(-1, 30), at(47, 30), at(23, 31)},
		},
		"all of the day, in another zone": {
			trigger: hive.Trigger{Cron: "30 23 * * *", After: up("", "same_day")}, zone: "Asia/Shanghai",
			yes: []time.Time{at(15, 30)}, no: []time.Time{at(-9, 30), at(23, 30)},
		},
		"the day as a whole": {
			trigger: hive.Trigger{After: up("", "same_day")},
			yes:     []time.Time{day}, no: []time.Time{at(24, 0), at(3, 0)},
		},
		"the hour as a whole": {
			trigger: hive.Trigger{After: up("", "same_hour")},
			yes:     []time.Time{at(3, 0)}, no: []time.Time{at(4, 0)},
		},
		"each moment": {
			trigger: hive.Trigger{After: up("", "")},
			yes:     []time.Time{at(3, 0)}, no: []time.Time{at(4, 0)},
		},
		"each success": {
			trigger: hive.Trigger{After: up("any", "")},
			yes:     []time.Time{at(3, 0)}, no: []time.Time{at(4, 0)},
		},
		"since the moment before": {
			trigger: hive.Trigger{Cron: "0 */6 * * *", After: up("", "")}, yes: []time.Time{at(6, 0)},
			no: []time.Time{at(0, 0), at(12, 0)},
		},
		"six hours back": {
			trigger: hive.Trigger{Cron: "0 * * * *", After: up("", "last 6h")}, yes: []time.Time{at(3, 0), at(8, 0)},
			no: []time.Time{at(2, 0), at(9, 0)},
		},
		"the day before yesterday": {
			trigger: hive.Trigger{Cron: "0 5 * * *", After: up("", "(-3d, -2d]")}, yes: []time.Time{at(53, 0)},
			no: []time.Time{at(5, 0), at(29, 0), at(77, 0)},
		},
		"a policy that picks, from the batches alone": {
			trigger: hive.Trigger{Cron: "30 23 * * *", After: up("last(2)", "same_day")}, no: []time.Time{at(23, 30)},
		},
		"a policy that picks, while its tick waits": {
			trigger: hive.Trigger{Cron: "30 23 * * *", After: up("last(2)", "same_day")}, picks: true,
			yes: []time.Time{at(23, 30)},
		},
		"another upstream": {
			trigger: hive.Trigger{Cron: "30 23 * * *", After: []hive.Upstream{{Schedule: "other", Window: "same_day"}}},
			no:      []time.Time{at(23, 30)},
		},
		"no upstream": {trigger: hive.Trigger{Cron: "30 23 * * *"}, no: []time.Time{at(23, 30)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			def := &hive.Definition{Name: "mart", Timezone: c.zone, Triggers: []hive.Trigger{c.trigger}}
			times, err := NewTimetable(def, day.AddDate(0, -1, 0), nil)
			if err != nil {
				t.Fatal(err)
			}
			after, until, ok := times.Referring("orders", moment)
			for _, at := range c.yes {
				if !times.Refers(at, "orders", moment, c.picks) {
					t.Errorf("%s does not refer to it", at)
				}
				if !ok || !at.After(after) || at.After(until) {
					t.Errorf("%s is not in (%s, %s]", at, after, until)
				}
			}
			for _, at := range c.no {
				if times.Refers(at, "orders", moment, c.picks) {
					t.Errorf("%s refers to it", at)
				}
			}
		})
	}
}
