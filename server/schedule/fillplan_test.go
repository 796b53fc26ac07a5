package schedule

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// fillDay is the first day of the tests of plans.
func fillDay() time.Time { return time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC) }

func fillMember(t *testing.T, id int64, name, zone string, triggers ...hive.Trigger) FillMember {
	t.Helper()
	def := &hive.Definition{Name: name, Timezone: zone, Triggers: triggers}
	times, err := NewTimetable(def, fillDay().AddDate(-1, 0, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := FillMember{Schedule: hive.Schedule{ID: id, Name: name, Enabled: true}, Times: times}
	for i := range triggers {
		for j := range triggers[i].After {
			m.After = append(m.After, triggers[i].After[j].Schedule)
		}
	}
	return m
}

func after(schedule, policy, window string) []hive.Upstream {
	return []hive.Upstream{{Schedule: schedule, Policy: policy, Window: window}}
}

// words writes a plan: each schedule with its moments, and of each what it reads.
func words(p FillPlan) string {
	names := map[int64]string{}
	for _, part := range p.Parts {
		names[part.Schedule.ID] = part.Schedule.Name
	}
	var out []string
	const form = "02T15:04"
	for _, part := range p.Parts[1:] {
		for _, m := range part.Moments {
			line := part.Schedule.Name + " " + m.At.Format(form) + ":"
			for _, n := range m.Needs {
				line += fmt.Sprintf(" %s %s-%s", names[n.ScheduleID], n.First.Format(form), n.Last.Format(form))
				if n.Any {
					line += " any"
				}
			}
			out = append(out, line)
		}
	}
	for _, l := range p.LeftOut {
		out = append(out, fmt.Sprintf("%s is left out: %s", l.Schedule, l.Reason))
	}
	return strings.Join(out, "; ")
}

func hours(from, to int) []time.Time {
	var out []time.Time
	for h := from; h <= to; h++ {
		out = append(out, fillDay().Add(time.Duration(h)*time.Hour))
	}
	return out
}

// planCase is a plan of a backfill of orders, which is due each hour.
type planCase struct {
	members []FillMember
	moments []time.Time
	now     time.Time
	want    string
}

func planCases(t *testing.T) map[string]planCase {
	t.Helper()
	daily := hive.Trigger{Cron: "30 23 * * *", After: after("orders", "", "same_day")}
	off := fillMember(t, 3, "report", "", hive.Trigger{After: after("mart", "", "")})
	off.Schedule.Enabled = false
	archived := fillMember(t, 3, "report", "", hive.Trigger{After: after("mart", "", "")})
	archived.Schedule.ArchivedAt = fillDay()
	return map[string]planCase{
		"a day of hours": {
			members: []FillMember{fillMember(t, 2, "mart", "", daily)}, moments: hours(22, 26),
			want: "mart 02T23:30: orders 02T22:00-02T23:00; mart 03T23:30: orders 03T00:00-03T02:00",
		},
		"the day is not over": {
			members: []FillMember{fillMember(t, 2, "mart", "", daily)}, moments: hours(22, 26), now: hours(28, 28)[0],
			want: "mart 02T23:30: orders 02T22:00-02T23:00",
		},
		"the whole day is not over": {
			members: []FillMember{fillMember(t, 2, "mart", "", hive.Trigger{After: after("orders", "", "same_day")})},
			moments: hours(22, 26), now: hours(28, 28)[0], want: "mart 02T00:00: orders 02T22:00-02T23:00",
		},
		"in another zone": {
			members: []FillMember{fillMember(t, 2, "mart", "Asia/Shanghai", daily)}, moments: hours(14, 16),
			want: "mart 02T15:30: orders 02T14:00-02T15:00; mart 03T15:30: orders 02T16:00-02T16:00",
		},
		"each moment, and through it": {
			members: []FillMember{
				fillMember(t, 3, "report", "", hive.Trigger{
					Cron: "0 6 * * *", After: after("mart", "any", "last 24h"),
				}),
				fillMember(t, 2, "mart", "", hive.Trigger{After: after("orders", "", "")}),
			},
			moments: hours(5, 7),
			want: "mart 02T05:00: orders 02T05:00-02T05:00; mart 02T06:00: orders 02T06:00-02T06:00; " +
				"mart 02T07:00: orders 02T07:00-02T07:00; report 02T06:00: mart 02T05:00-02T06:00 any; " +
				"report 03T06:00: mart 02T07:00-02T07:00 any",
		},
		"the last two of the day are not filled": {
			members: []FillMember{fillMember(t, 2, "mart", "", hive.Trigger{
				Cron: "30 23 * * *", After: after("orders", "last(2)", "same_day"),
			})},
			moments: hours(3, 5), want: "mart is left out: nothing",
		},
		"the last two of the day": {
			members: []FillMember{fillMember(t, 2, "mart", "", hive.Trigger{
				Cron: "30 23 * * *", After: after("orders", "last(2)", "same_day"),
			})},
			moments: hours(3, 22), want: "mart 02T23:30: orders 02T22:00-02T22:00",
		},
		"the first of the day": {
			members: []FillMember{fillMember(t, 2, "mart", "", hive.Trigger{
				Cron: "30 23 * * *", After: after("orders", "first(1)", "same_day"),
			})},
			moments: hours(0, 22), want: "mart 02T23:30: orders 02T00:00-02T00:00",
		},
		"two ways": {
			members: []FillMember{
				fillMember(t, 3, "report", "", hive.Trigger{Cron: "0 6 * * *", After: slices.Concat(
					after("mart", "", "same_day"), after("orders", "", "last 2h"))}),
				fillMember(t, 2, "mart", "", hive.Trigger{After: after("orders", "", "same_hour")}),
			},
			moments: hours(4, 5),
			want: "mart 02T04:00: orders 02T04:00-02T04:00; mart 02T05:00: orders 02T05:00-02T05:00; " +
				"report 02T06:00: mart 02T04:00-02T05:00 orders 02T05:00-02T05:00",
		},
		"left out": {
			members: []FillMember{
				fillMember(t, 2, "mart", "", hive.Trigger{Cron: "0 5 * * *", After: after("orders", "", "(-5d, -4d]")}),
				fillMember(t, 4, "join", "", hive.Trigger{After: slices.Concat(
					after("orders", "", ""), after("other", "", ""))}),
				off, fillMember(t, 5, "mail", "", hive.Trigger{After: after("report", "", "")}),
			},
			moments: hours(5, 7), now: hours(48, 48)[0],
			want: "mart is left out: nothing; report is left out: disabled; join is left out: joins; " +
				"mail is left out: upstream",
		},
		"archived": {
			members: []FillMember{fillMember(t, 2, "mart", "", daily), archived}, moments: hours(5, 5),
			want: "mart 02T23:30: orders 02T05:00-02T05:00; report is left out: archived",
		},
		"a circle": {
			members: []FillMember{
				fillMember(t, 2, "a", "", hive.Trigger{After: slices.Concat(
					after("orders", "", "same_day"), after("b", "", "same_day"))}),
				fillMember(t, 3, "b", "", hive.Trigger{After: after("a", "", "")}),
			},
			moments: hours(5, 5), want: "a is left out: circle; b is left out: circle",
		},
	}
}

func TestPlanFill(t *testing.T) {
	t.Parallel()
	hourly := hive.Trigger{Cron: "0 * * * *"}
	for name, c := range planCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.now.IsZero() {
				c.now = fillDay().AddDate(0, 1, 0)
			}
			members := append([]FillMember{fillMember(t, 1, "orders", "", hourly)}, c.members...)
			p, err := PlanFill(members, c.moments, c.now, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if got := words(p); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// The moments of all schedules together are limited.
func TestPlanFillLimit(t *testing.T) {
	t.Parallel()
	members := []FillMember{
		fillMember(t, 1, "orders", "", hive.Trigger{Cron: "0 * * * *"}),
		fillMember(t, 2, "mart", "", hive.Trigger{Cron: "*/10 * * * *", After: after("orders", "", "last 1h")}),
	}
	now := fillDay().AddDate(0, 1, 0)
	if p, err := PlanFill(members, hours(1, 10), now, 70); err != nil || len(p.Parts[1].Moments) != 60 {
		t.Fatalf("%v, %v", p, err)
	}
	_, err := PlanFill(members, hours(1, 10), now, 69)
	e, ok := errors.AsType[*hive.Error](err)
	if !ok || e.Reason != hive.ErrorBackfill || e.Faults[0].Path != "withDependants" ||
		e.Faults[0].Reason != hive.FaultReason(ReasonRangeMany) || e.Faults[0].Params["count"] != "70" ||
		e.Faults[0].Params["most"] != "69" {
		t.Fatalf("%+v", e)
	}
}

// The moments of a plan, and what they read, are those that waits say, for random windows and random moments.
func TestPlanFillAgreesWithWaits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 40 {
		trigger := hive.Trigger{
			Cron: one("30 23 * * *", "0 */6 * * *", "15 * * * *", "0 5 * * 1", ""),
			After: after("orders", one("", "any"),
				one("same_day", "same_hour", "last 6h", "last 1d", "(-3d, -1d]", "")),
		}
		if trigger.Cron == "" {
			trigger.After[0].Window = one("same_day", "same_hour", "")
		}
		zone := one("UTC", "Asia/Shanghai", "Europe/Berlin", "Asia/Kolkata")
		orders := fillMember(t, 1, "orders", "", hive.Trigger{Cron: "0 * * * *"})
		mart := fillMember(t, 2, "mart", zone, trigger)
		start := time.Date(2026, time.March, 26, 0, 0, 0, 0, time.UTC) // the clocks of Berlin change on the 29th
		var filled []time.Time
		for h := range 120 {
			if r.IntN(4) == 0 || len(filled) == 0 {
				filled = append(filled, start.Add(time.Duration(h)*time.Hour))
			}
		}
		p, err := PlanFill([]FillMember{orders, mart}, filled, start.AddDate(0, 1, 0), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		if len(p.Parts) > 1 {
			for _, m := range p.Parts[1].Moments {
				for _, at := range filled {
					if n := m.Needs[0]; !at.Before(n.First) && !at.After(n.Last) {
						got[m.At.String()+" reads "+at.String()] = true
					}
				}
			}
		}
		var moments []time.Time
		due, _ := mart.Times.Due(start.AddDate(0, 0, -4), start.AddDate(0, 0, 12), 10_000)
		for i := range due {
			moments = append(moments, due[i].At)
		}
		if trigger.Cron == "" {
			for m := range 4 * 24 * 12 {
				moments = append(moments, start.AddDate(0, 0, -4).Add(time.Duration(m)*15*time.Minute))
			}
		}
		for _, at := range moments {
			for _, m := range filled {
				key := at.String() + " reads " + m.String()
				if mart.Times.Refers(at, "orders", m, true) != got[key] {
					t.Fatalf("%+v in %s: %s: %v", trigger, zone, key, got[key])
				}
				delete(got, key)
			}
		}
		if len(got) > 0 {
			t.Fatalf("%+v in %s: moments that are none: %v", trigger, zone, got)
		}
	}
}
