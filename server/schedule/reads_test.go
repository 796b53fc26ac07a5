package schedule

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

func readerOf(triggers ...hive.Trigger) *Reader {
	return NewReader(&hive.Definition{Name: "mart", Timezone: "Europe/Berlin", Triggers: triggers},
		time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
}

// TestReads states how far the decisions of some schedules look back.
func TestReads(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	after := func(schedule, window string) []hive.Upstream {
		return []hive.Upstream{{Schedule: schedule, Window: window}}
	}
	for name, c := range map[string]struct {
		triggers []hive.Trigger
		waiting  time.Time
		want     map[string]time.Duration // how far before now at least, and at most 5 days more
		serial   bool
	}{
		"nothing": {triggers: []hive.Trigger{{Cron: "0 3 * * *"}}},
		"a window": {
			[]hive.Trigger{{Cron: "0 3 * * *", After: after("orders", "(-30d, 0h]")}},
			time.Time{},
			map[string]time.Duration{"orders": 30 * day},
			false,
		},
		"no window": {
			[]hive.Trigger{{Cron: "0 3 * * 0", After: after("orders", "")}},
			time.Time{},
			map[string]time.Duration{"orders": 3 * day},
			false,
		},
		"a waiting tick": {
			[]hive.Trigger{{Cron: "0 3 * * *", After: after("orders", "same_day")}},
			now.Add(-90 * day),
			map[string]time.Duration{"orders": 90 * day},
			false,
		},
		"a calendar": {[]hive.Trigger{{
			Cron: "0 3 * * *", After: after("orders", ""), Calendar: hive.TriggerCalendar{Name: "china"},
		}}, time.Time{}, map[string]time.Duration{"orders": 366 * day}, false},
		"it follows": {
			[]hive.Trigger{{After: after("orders", "")}},
			time.Time{},
			map[string]time.Duration{"orders": 32 * day, "mart": 32 * day},
			false,
		},
		"serial": {[]hive.Trigger{{Cron: "0 3 * * *", Serial: true}}, time.Time{}, map[string]time.Duration{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readerOf(c.triggers...).Reads(now.Add(-time.Minute), now, c.waiting)
			if len(got.After) != len(c.want) || got.Serial != c.serial {
				t.Fatalf("reads %v, serial %v", got.After, got.Serial)
			}
			for schedule, back := range c.want {
				if far := now.Sub(got.After[schedule]); far < back || far > back+5*day {
					t.Errorf("%s is read %s back, want about %s", schedule, far, back)
				}
			}
		})
	}
	got := readerOf(hive.Trigger{Cron: "no cron", After: after("orders", "")}).Reads(now, now, time.Time{})
	if at, ok := got.After["orders"]; !ok || !at.IsZero() {
		t.Errorf("a trigger that cannot be read reads %v", got.After)
	}
	weekly := readerOf(hive.Trigger{Cron: "0 3 * * 0", Serial: true})
	if got := weekly.Reads(now.Add(-3*day), now, time.Time{}); !got.Oldest.Equal(now.Add(-3*day).UTC()) &&
		!got.Oldest.Equal(now) {
		t.Errorf("the oldest moment is %s", got.Oldest)
	}
}

// TestReadsHoldsEachSpan draws triggers, and compares what each moment after the mark refers to with what the reader
// has told before.
func TestReadsHoldsEachSpan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).
			Add(time.Duration(rapid.IntRange(0, 365*24*60).Draw(rt, "now")) * time.Minute)
		late := time.Duration(rapid.IntRange(0, 20*24).Draw(rt, "late")) * time.Hour
		mark := now.Add(-late)
		cron := rapid.SampledFrom([]string{"*/10 * * * *", "0 3 * * *", "30 2 * * 0", "0 0 1 * *"}).
			Draw(rt, "cron")
		window := rapid.SampledFrom([]string{"", "same_hour", "same_day", "last 6h", "(-3d, 0h]", "(-40d, -2d]"}).
			Draw(rt, "window")
		follows := rapid.Bool().Draw(rt, "follows")
		trigger := hive.Trigger{Cron: cron, After: []hive.Upstream{{Schedule: "orders", Window: window}}}
		if follows {
			trigger.Cron = ""
			trigger.After[0].Window = rapid.SampledFrom([]string{"", "same_hour", "same_day"}).Draw(rt, "unit")
		}
		r := readerOf(trigger)
		floor := r.Reads(mark, now, time.Time{}).After["orders"]
		rule := r.rules[0]
		at := mark
		if follows {
			at = now.Add(-followBack) // older moments are not followed
		}
		for i := range 8 {
			if rule.series == nil {
				at = at.Add(time.Hour)
			} else {
				next, ok := rule.series.Next(at)
				if !ok {
					break
				}
				at = next
			}
			moment := at
			if follows {
				moment = rule.gate.momentOf(at)
			}
			read := rule.gate.span(&rule.gate.after[0], moment, beforeOf(rule.series, moment))
			if read.after.Before(floor) {
				rt.Fatal(fmt.Sprintf("moment %d at %s reads from %s, and the floor is %s", i, at, read.after, floor))
			}
		}
	})
}
