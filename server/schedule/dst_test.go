package schedule_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// dstCase is the moments of a cron in a stretch of time around a change of the clocks.
type dstCase struct {
	name, zone, cron string
	dst              hive.DST
	after, until     string
	want             []string // in the zone
}

// berlinCases are about a zone whose clocks change by an hour.
func berlinCases() []dstCase {
	return []dstCase{
		// Berlin: on 29 March 2026 02:00 CET is 03:00 CEST; on 25 October 03:00 CEST is 02:00 CET.
		{
			"Berlin gap, run after", "Europe/Berlin", "30 2 * * *",
			hive.DST{},
			"2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
		},
		{
			"Berlin gap, two times run after once", "Europe/Berlin", "10,50 2 * * *",
			hive.DST{Gap: "run-after"},
			"2026-03-29T00:00:00Z", "2026-03-30T00:30:00Z",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:10:00+02:00"},
		},
		{
			"Berlin gap, merged with what is due then", "Europe/Berlin", "0 2,3 * * *",
			hive.DST{},
			"2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z",
			[]string{"2026-03-29T03:00:00+02:00"},
		},
		{
			"Berlin gap, skip", "Europe/Berlin", "30 2 * * *",
			hive.DST{Gap: "skip"},
			"2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-30T02:30:00+02:00"},
		},
		{
			"Berlin repeat, first", "Europe/Berlin", "30 2 * * *",
			hive.DST{},
			"2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		},
		{
			"Berlin repeat, last", "Europe/Berlin", "30 2 * * *",
			hive.DST{Repeat: "last"},
			"2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z",
			[]string{"2026-10-25T02:30:00+01:00", "2026-10-26T02:30:00+01:00"},
		},
		{
			"Berlin repeat, both", "Europe/Berlin", "10,50 2 * * *",
			hive.DST{Repeat: "both"},
			"2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
			[]string{
				"2026-10-25T02:10:00+02:00", "2026-10-25T02:50:00+02:00", "2026-10-25T02:10:00+01:00",
				"2026-10-25T02:50:00+01:00",
			},
		},
		{
			"Berlin, every hour follows elapsed time in spring", "Europe/Berlin", "0 * * * *",
			hive.DST{Gap: "run-after"},
			"2026-03-28T23:30:00Z", "2026-03-29T02:30:00Z",
			[]string{"2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"},
		},
		{
			"Berlin, every hour follows elapsed time in autumn", "Europe/Berlin", "0 * * * *",
			hive.DST{Repeat: "first"},
			"2026-10-24T23:30:00Z", "2026-10-25T02:30:00Z",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T03:00:00+01:00"},
		},
		{
			"Berlin, every other hour", "Europe/Berlin", "0 */2 * * *",
			hive.DST{},
			"2026-10-24T21:30:00Z", "2026-10-25T03:30:00Z",
			[]string{
				"2026-10-25T00:00:00+02:00", "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00",
				"2026-10-25T04:00:00+01:00",
			},
		},
	}
}

// otherZoneCases are about zones with other changes than Berlin's.
func otherZoneCases() []dstCase {
	return []dstCase{
		// New York: 8 March and 1 November 2026, both at 02:00.
		{
			"New York gap", "America/New_York", "15 2 * * *",
			hive.DST{},
			"2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:15:00-04:00"},
		},
		{
			"New York repeat", "America/New_York", "15 1 * * *",
			hive.DST{Repeat: "both"},
			"2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z",
			[]string{"2026-11-01T01:15:00-04:00", "2026-11-01T01:15:00-05:00", "2026-11-02T01:15:00-05:00"},
		},
		{
			"New York, 2 o'clock is there once", "America/New_York", "0 2 * * *",
			hive.DST{Repeat: "both"},
			"2026-10-31T12:00:00Z", "2026-11-02T00:00:00Z",
			[]string{"2026-11-01T02:00:00-05:00"},
		},
		// Shanghai has no daylight saving now, and had it until 1991: 14 April, 02:00; 15 September, 02:00.
		{
			"Shanghai now", "Asia/Shanghai", "20 3 * * *",
			hive.DST{},
			"2026-03-28T00:00:00Z", "2026-03-30T00:00:00Z",
			[]string{"2026-03-29T03:20:00+08:00", "2026-03-30T03:20:00+08:00"},
		},
		{
			"Shanghai 1991", "Asia/Shanghai", "20 2 * * *",
			hive.DST{},
			"1991-04-13T00:00:00Z", "1991-04-15T00:00:00Z",
			[]string{"1991-04-14T03:00:00+09:00", "1991-04-15T02:20:00+09:00"},
		},
		// Lord Howe moves by half an hour: 4 October 2026 at 02:00 to 02:30, 5 April at 02:00 to 01:30.
		{
			"Lord Howe gap", "Australia/Lord_Howe", "15 2 * * *",
			hive.DST{},
			"2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z",
			[]string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"},
		},
		{
			"Lord Howe beside the gap", "Australia/Lord_Howe", "45 2 * * *",
			hive.DST{},
			"2026-10-03T00:00:00Z", "2026-10-04T00:00:00Z",
			[]string{"2026-10-04T02:45:00+11:00"},
		},
		{
			"Lord Howe repeat", "Australia/Lord_Howe", "15,45 1 * * *",
			hive.DST{Repeat: "both"},
			"2026-04-04T00:00:00Z", "2026-04-05T00:00:00Z",
			[]string{"2026-04-05T01:15:00+11:00", "2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30"},
		},
		{
			"Lord Howe every hour", "Australia/Lord_Howe", "0 * * * *",
			hive.DST{},
			"2026-10-03T14:15:00Z", "2026-10-03T17:00:00Z",
			[]string{"2026-10-04T01:00:00+10:30", "2026-10-04T03:00:00+11:00", "2026-10-04T04:00:00+11:00"},
		},
		// Midnight itself: Santiago skips it on 6 September 2026; Samoa skipped all of 30 December 2011.
		{
			"Santiago midnight", "America/Santiago", "@daily",
			hive.DST{},
			"2026-09-05T12:00:00Z", "2026-09-07T12:00:00Z",
			[]string{"2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"},
		},
		{
			"Samoa, a day that never was", "Pacific/Apia", "20 3 * * *",
			hive.DST{},
			"2011-12-29T00:00:00Z", "2011-12-31T12:00:00Z",
			[]string{"2011-12-29T03:20:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T03:20:00+14:00"},
		},
	}
}

func TestDaylightSaving(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(berlinCases(), otherZoneCases()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			def := &hive.Definition{Timezone: c.zone, Triggers: []hive.Trigger{{Cron: c.cron, DST: c.dst}}}
			table, err := schedule.NewTimetable(def, time.Unix(0, 0), nil)
			if err != nil {
				t.Fatal(err)
			}
			due, more := table.Due(moment(t, c.after), moment(t, c.until), 100)
			if more {
				t.Fatal("more than 100 moments")
			}
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range due {
				got = append(got, m.At.In(zone).Format(time.RFC3339))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("due:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// fields are the minutes and hours of a cron for every day.
type fields struct {
	minutes, hours []int
	cycle          bool // written as */n: follows elapsed time
	text           string
}

func drawFields(t *rapid.T) fields {
	var f fields
	f.minutes = sortedSet(t, "minutes", 0, 59)
	var hours string
	if step := rapid.IntRange(0, 5).Draw(t, "hour step"); step > 0 {
		f.cycle = true
		hours = fmt.Sprintf("*/%d", step)
		for h := 0; h < 24; h += step {
			f.hours = append(f.hours, h)
		}
	} else {
		f.hours = sortedSet(t, "hours", 0, 5)
		hours = list(f.hours)
	}
	f.text = list(f.minutes) + " " + hours + " * * *"
	return f
}

func sortedSet(t *rapid.T, name string, low, high int) []int {
	s := rapid.SliceOfNDistinct(rapid.IntRange(low, high), 1, 4, rapid.ID[int]).Draw(t, name)
	slices.Sort(s)
	return s
}

func list(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}

// slowly finds the moments of f after the first and up to the second time by looking at every minute, in the zone and
// on the wall. Both times must be far from what daylight saving changes.
func slowly(f fields, dst hive.DST, zone *time.Location, after, until time.Time) []int64 {
	const civil = "2006-01-02 15:04"
	moments := map[string][]time.Time{}
	for at := after; !at.After(until); at = at.Add(time.Minute) {
		w := at.In(zone).Format(civil)
		moments[w] = append(moments[w], at)
	}
	found := map[int64]bool{}
	var previous time.Time
	end, _ := time.Parse(civil, until.In(zone).Format(civil))
	w, _ := time.Parse(civil, after.In(zone).Format(civil))
	for ; !w.After(end); w = w.Add(time.Minute) {
		here := moments[w.Format(civil)]
		for _, at := range here {
			if at.After(previous) {
				previous = at
			}
		}
		if !slices.Contains(f.minutes, w.Minute()) || !slices.Contains(f.hours, w.Hour()) {
			continue
		}
		switch {
		case len(here) == 0 && !f.cycle && dst.Gap != "skip":
			found[previous.Add(time.Minute).Unix()] = true
		case len(here) == 0:
		case f.cycle || dst.Repeat == "both":
			for _, at := range here {
				found[at.Unix()] = true
			}
		case dst.Repeat == "last":
			found[here[len(here)-1].Unix()] = true
		default:
			found[here[0].Unix()] = true
		}
	}
	delete(found, after.Unix())
	return slices.Sorted(maps.Keys(found))
}

// TestDueIsWhatASlowSearchFinds compares Due and Count with a search that looks at every minute of days around a
// change of the clocks.
func TestDueIsWhatASlowSearchFinds(t *testing.T) {
	t.Parallel()
	changes := map[string][]string{
		"Europe/Berlin":       {"2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"},
		"America/New_York":    {"2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"},
		"Asia/Shanghai":       {"2026-05-01T00:00:00Z", "1991-09-14T17:00:00Z"},
		"Australia/Lord_Howe": {"2026-10-03T15:30:00Z", "2026-04-04T15:00:00Z"},
		"America/Santiago":    {"2026-09-06T04:00:00Z", "2026-04-05T03:00:00Z"},
		"Africa/Casablanca":   {"2026-02-15T02:00:00Z", "2026-03-22T02:00:00Z"},
		"UTC":                 {"2026-01-01T00:00:00Z"},
	}
	zones := slices.Sorted(maps.Keys(changes))
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(zones).Draw(rt, "zone")
		zone, err := time.LoadLocation(name)
		if err != nil {
			rt.Fatal(err)
		}
		change := moment(t, rapid.SampledFrom(changes[name]).Draw(rt, "change"))
		dst := hive.DST{
			Gap: rapid.SampledFrom([]string{"", "skip"}).Draw(rt,
				"gap"), Repeat: rapid.SampledFrom([]string{"", "last", "both"}).Draw(rt, "repeat"),
		}
		f := drawFields(rt)
		after := change.Add(-time.Duration(rapid.IntRange(13, 60).Draw(rt, "before")) * time.Hour)
		until := change.Add(time.Duration(rapid.IntRange(13, 60).Draw(rt, "behind")) * time.Hour)
		def := &hive.Definition{Timezone: name, Triggers: []hive.Trigger{{Cron: f.text, DST: dst}}}
		table, _ := schedule.NewTimetable(def, time.Unix(0, 0), nil)
		due, _ := table.Due(after, until, 100_000)
		var got []int64
		for _, m := range due {
			got = append(got, m.At.Unix())
		}
		if want := slowly(f, dst, zone, after, until); !slices.Equal(got, want) {
			rt.Fatalf("%q in %s, %+v: due %v, want %v", f.text, name, dst, got, want)
		}
	})
}

// TestTheLedgerCountsEveryMoment compares how many ticks are decided with a visit of every moment: beyond the newest
// ones of a trigger they are only counted.
func TestTheLedgerCountsEveryMoment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		cron := rapid.SampledFrom([]string{
			"*/7 1-4 * * *", "0 * * * *", "30 2 * * 0", "0 0 1,15 * 3", "*/20 */6 29 2 ?", "@every 17m", "0 0 * * *",
			"5 2 * mar,oct *", "*/7 1-4 L,15W * *", "0 * ? * 5#2,1L", "30 2 LW 3,10 0",
		}).Draw(rt, "cron")
		zone := rapid.SampledFrom([]string{"", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"}).Draw(rt, "zone")
		after := time.Unix(rapid.Int64Range(1_293_840_000, 1_800_000_000).Draw(rt, "after"),
			rapid.Int64Range(0, 999).Draw(rt, "ns")*1e6)
		until := after.Add(time.Duration(rapid.IntRange(0, 40*86_400).Draw(rt, "seconds")) * time.Second)
		c, want := mustParse(rt, cron, zone), 0
		for at, ok := c.Next(after); ok && !at.After(until); at, ok = c.Next(at) {
			want++
		}
		v := hive.TickView{Schedule: hive.Schedule{Enabled: true, Mark: after}}
		def, got := &hive.Definition{Timezone: zone, Triggers: []hive.Trigger{{Cron: cron}}}, 0
		for _, w := range schedule.Decide(v, only(v, def), until) {
			got += w.Tick.Count
		}
		if got != want {
			rt.Fatalf("%d ticks of %q are decided between %s and %s, want %d", got, cron, after, until, want)
		}
	})
}
