package schedule

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// afterCase is a definition with one fault in what it waits for.
type afterCase struct {
	def    hive.Definition
	reason Reason
	params map[string]string
	find   func(name string) (Known, bool)
}

func (c *afterCase) check(t *testing.T) {
	t.Helper()
	others := Others{Find: c.find, Near: func(string) string { return c.params["near"] }}
	now := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	faults := append(CheckTriggers(&c.def, now, emptyCalendar), CheckUpstreams(&c.def, others, now, nil)...)
	if len(faults) != 1 || faults[0].Reason != hive.FaultReason(c.reason) || !maps.Equal(faults[0].Params, c.params) {
		t.Errorf("%s: %+v", c.reason, faults)
	}
}

// afterCases has a case for each reason of after.
func afterCases() []afterCase {
	type params = map[string]string
	known := func(string) (Known, bool) { return Known{}, true }
	unknown := func(string) (Known, bool) { return Known{}, false }
	at := func(t hive.Trigger) hive.Definition {
		return hive.Definition{Name: "mart", Triggers: []hive.Trigger{t}}
	}
	window := func(text string) hive.Definition {
		return at(hive.Trigger{Cron: "@daily", After: []hive.Upstream{{Schedule: "orders", Window: text}}})
	}
	follow := func(all ...hive.Upstream) hive.Definition { return at(hive.Trigger{After: all}) }
	early, err := NewTimetable(&hive.Definition{Triggers: []hive.Trigger{{Cron: "0 5 * * *"}}}, time.Unix(0, 0), nil)
	if err != nil {
		panic(err)
	}
	many := make([]hive.Upstream, 51)
	for i := range many {
		many[i].Schedule = strings.Repeat("a", i+1)
	}
	return []afterCase{
		{window("yesterday"), ReasonWindowUnread, params{"value": "yesterday"}, known},
		{window("(0h, 2h]"), ReasonWindowFuture, params{"value": "(0h, 2h]"}, known},
		{window("last 0h"), ReasonWindowEmpty, params{"value": "last 0h"}, known},
		{window("(-1h, -3h]"), ReasonWindowEmpty, params{"value": "(-1h, -3h]"}, known},
		{window("last 400d"), ReasonWindowLong, params{"value": "last 400d"}, known},
		{
			follow(hive.Upstream{Schedule: "orders", Window: "last 6h"}), ReasonWindowNoCron,
			params{"value": "last 6h"},
			known,
		},
		{
			follow(hive.Upstream{Schedule: "orders", Window: "same_day"}, hive.Upstream{Schedule: "customers"}),
			ReasonWindowsMixed, nil, known,
		},
		{
			follow(hive.Upstream{Schedule: "orders", Policy: "some"}), ReasonPolicyUnread,
			params{"value": "some", "most": "1000"},
			known,
		},
		{
			follow(hive.Upstream{Schedule: "orders", Policy: "last(2)"}), ReasonPolicyWindow,
			params{"value": "last(2)"},
			known,
		},
		{follow(hive.Upstream{Schedule: "mart"}), ReasonAfterItself, params{"value": "mart"}, known},
		{
			at(hive.Trigger{After: []hive.Upstream{{Schedule: "orders"}}, Jitter: hive.Duration(time.Minute)}),
			ReasonAfterBounds,
			params{"field": "jitter"},
			known,
		},
		{
			follow(hive.Upstream{Schedule: "orders"}, hive.Upstream{Schedule: "orders"}), ReasonAfterTwice,
			params{"value": "orders"},
			known,
		},
		{follow(many...), ReasonAfterMany, params{"value": "51", "most": "50"}, known},
		{
			at(hive.Trigger{At: "2027-01-01T10:00", After: []hive.Upstream{{Schedule: "orders"}}}), ReasonAfterAt, nil,
			known,
		},
		{
			at(hive.Trigger{End: "2027-01-01", After: []hive.Upstream{{Schedule: "orders"}}}), ReasonAfterBounds,
			params{"field": "end"},
			known,
		},
		{follow(hive.Upstream{Schedule: "oders"}), ReasonUnknown, params{"value": "oders"}, unknown},
		{
			follow(hive.Upstream{Schedule: "oders"}), ReasonUnknownNear,
			params{"value": "oders", "near": "orders"},
			unknown,
		},
		{
			follow(hive.Upstream{Schedule: "orders"}), ReasonCircle,
			params{"path": "mart → orders → raw → mart"},
			func(name string) (Known, bool) {
				return Known{After: map[string][]string{"orders": {"other", "raw"}, "raw": {"mart"}}[name]}, true
			},
		},
		{
			follow(hive.Upstream{Schedule: "orders"}), ReasonUpstreamArchived,
			params{"value": "orders"},
			func(string) (Known, bool) { return Known{Archived: true}, true },
		},
		{
			follow(hive.Upstream{Schedule: "orders"}), ReasonUpstreamRenamed,
			params{"value": "orders", "to": "sales"},
			func(string) (Known, bool) { return Known{Renamed: "sales"}, true },
		},
		{
			window("same_hour"), ReasonWindowNothing,
			params{"schedule": "orders", "value": "same_hour"},
			func(string) (Known, bool) { return Known{Times: early}, true },
		},
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ window, zone, at, after, until string }{
		{"same_hour", "UTC", "2026-03-02T10:20:30Z", "2026-03-02T10:00:00Z", "2026-03-02T10:20:30Z"},
		{"same_day", "UTC", "2026-03-02T23:30:00Z", "2026-03-02T00:00:00Z", "2026-03-02T23:30:00Z"},
		{"same_day", "Asia/Shanghai", "2026-03-02T23:30:00Z", "2026-03-02T16:00:00Z", "2026-03-02T23:30:00Z"},
		{"last 6h", "UTC", "2026-03-02T03:00:00Z", "2026-03-01T21:00:00Z", "2026-03-02T03:00:00Z"},
		{"(-3d, -1d]", "UTC", "2026-03-02T03:00:00Z", "2026-02-27T03:00:00Z", "2026-03-01T03:00:00Z"},
		{"(-2h30m, -30m]", "UTC", "2026-03-02T03:00:00Z", "2026-03-02T00:30:00Z", "2026-03-02T02:30:00Z"},
		// A day is a calendar day, whose length daylight saving changes; 24h is not.
		{"last 1d", "Europe/Berlin", "2026-03-29T10:00:00Z", "2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z"},
		{"last 24h", "Europe/Berlin", "2026-03-29T10:00:00Z", "2026-03-28T10:00:00Z", "2026-03-29T10:00:00Z"},
		{"same_day", "Europe/Berlin", "2026-10-25T20:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T20:00:00Z"},
		// 00:00 of this day does not exist in Beirut.
		{"same_day", "Asia/Beirut", "2026-03-29T10:00:00Z", "2026-03-28T22:00:00Z", "2026-03-29T10:00:00Z"},
		{"last 1d", "UTC", "2028-03-01T00:00:00Z", "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"},
	} {
		w, err := parseWindow(c.window)
		if err != nil {
			t.Fatal(err)
		}
		zone, _ := loadZone(c.zone)
		parse := func(text string) time.Time {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		got, after := w.around(parse(c.at), zone), parse(c.after)
		if w.unit != "" {
			after = justBefore(after)
		}
		if !got.after.Equal(after) || !got.until.Equal(parse(c.until)) {
			t.Errorf("%s in %s at %s: after %s, until %s", c.window, c.zone, c.at, got.after, got.until)
		}
	}
}

// The parsers of windows and policies take any text.
func FuzzWindow(f *testing.F) {
	for _, text := range []string{"same_day", "last 6h", "(-3d, 0h]", "last(3)", "(-9999999d, -1ns]", "last -1h"} {
		f.Add(text)
	}
	at := time.Date(2026, time.March, 29, 1, 30, 0, 0, time.UTC)
	zone, _ := loadZone("Europe/Berlin")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = parsePolicy(text)
		w, err := parseWindow(text)
		if err != nil {
			return
		}
		if in := w.around(at, zone); in.until.After(at) || in.until.Before(in.after) {
			t.Errorf("%q is the time after %s until %s", text, in.after, in.until)
		}
	})
}
