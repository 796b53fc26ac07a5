package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func rangeOf(t *testing.T, r Range, def *hive.Definition, limit int) ([]string, *hive.Error) {
	t.Helper()
	created := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
	now := time.Date(2026, 11, 25, 12, 0, 0, 500e6, time.UTC)
	moments, err := r.Moments(def, created, now, limit, nil)
	if err != nil {
		e, ok := errors.AsType[*hive.Error](err)
		if !ok || e.Code != hive.CodeInvalid || e.Reason != hive.ErrorBackfill || len(e.Faults) == 0 {
			t.Fatalf("error %v, want faults of a backfill", err)
		}
		return nil, e
	}
	out := make([]string, len(moments))
	for i, at := range moments {
		out[i] = at.Format(time.RFC3339)
	}
	return out, nil
}

func nightly(zone string, crons ...string) *hive.Definition {
	def := &hive.Definition{Name: "nightly", Timezone: zone}
	for _, c := range crons {
		def.Triggers = append(def.Triggers, hive.Trigger{Cron: c})
	}
	return def
}

// A range takes the moments of the triggers, in the zone of the schedule, both ends included.
func TestRange(t *testing.T) {
	t.Parallel()
	berlin := nightly("Europe/Berlin", "30 2 * * *")
	for what, c := range map[string]struct {
		r    Range
		def  *hive.Definition
		want string
	}{
		"days": {
			Range{From: "2026-03-28", To: "2026-03-30"},
			berlin,
			"2026-03-28T01:30:00Z 2026-03-29T01:00:00Z 2026-03-30T00:30:00Z",
		},
		"times, both included": {
			Range{From: "2026-06-01T02:30", To: "2026-06-02T00:30:00Z"},
			berlin,
			"2026-06-01T00:30:00Z 2026-06-02T00:30:00Z",
		},
		"up to now": {Range{From: "2026-11-24"}, berlin, "2026-11-24T01:30:00Z 2026-11-25T01:30:00Z"},
		"up to a part of today": {
			Range{From: "2026-11-25", To: "2026-11-25"},
			nightly("UTC", "0 */6 * * *"),
			"2026-11-25T00:00:00Z 2026-11-25T06:00:00Z 2026-11-25T12:00:00Z",
		},
		"two triggers that agree": {
			Range{From: "2026-11-01", To: "2026-11-01"},
			nightly("UTC", "0 3 * * *", "0 3,4 * * *"),
			"2026-11-01T03:00:00Z 2026-11-01T04:00:00Z",
		},
		"a step of days keeps the time of day": {
			Range{From: "2026-03-28T06:00", To: "2026-03-30T06:00", Step: day},
			berlin,
			"2026-03-28T05:00:00Z 2026-03-29T04:00:00Z 2026-03-30T04:00:00Z",
		},
		"a step of hours follows elapsed time": {
			Range{From: "2026-03-29T00:00", To: "2026-03-29T06:00", Step: 2 * time.Hour},
			berlin,
			"2026-03-28T23:00:00Z 2026-03-29T01:00:00Z 2026-03-29T03:00:00Z",
		},
		"a list": {
			Range{List: []string{"2026-03-02T03:00", "2026-03-01T03:00:00Z", "2026-03-02T03:00"}},
			nightly("UTC"),
			"2026-03-01T03:00:00Z 2026-03-02T03:00:00Z",
		},
	} {
		got, err := rangeOf(t, c.r, c.def, 10)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", what, s, c.want)
		}
	}
}

// rangeFault is a range that is refused, with the fault and its place.
type rangeFault struct {
	r      Range
	def    *hive.Definition
	path   string
	reason Reason
}

func rangeFaults() map[string]rangeFault {
	daily := nightly("UTC", "0 3 * * *")
	return map[string]rangeFault{
		"no start":     {Range{To: "2026-01-01"}, daily, "from", ReasonRangeOpen},
		"no time":      {Range{From: "yesterday"}, daily, "from", ReasonPointUnread},
		"backwards":    {Range{From: "2026-02-01", To: "2026-01-01"}, daily, "to", ReasonRangeBackwards},
		"future":       {Range{From: "2026-02-01", To: "2026-12-01"}, daily, "to", ReasonRangeFuture},
		"future start": {Range{From: "2026-12-01"}, daily, "from", ReasonRangeFuture},
		"part of a second": {
			Range{From: "2026-02-01", Step: 1500 * time.Millisecond}, daily, "step", ReasonRangeStep,
		},
		"negative step": {Range{From: "2026-02-01", Step: -time.Hour}, daily, "step", ReasonRangeStep},
		"no triggers":   {Range{From: "2026-02-01"}, nightly("UTC"), "step", ReasonRangeNoTriggers},
		"no moment":     {Range{From: "2026-02-01", To: "2026-02-01T02:00"}, daily, "from", ReasonRangeEmpty},
		"list and range": {
			Range{From: "2026-02-01", List: []string{"x"}}, daily, "moments", ReasonRangeAndList,
		},
		"date in a list":     {Range{List: []string{"2026-02-01"}}, daily, "moments[0]", ReasonAtDate},
		"future in a list":   {Range{List: []string{"2027-02-01T03:00"}}, daily, "moments[0]", ReasonRangeFuture},
		"too many in a list": {Range{List: make([]string, 11)}, daily, "moments", ReasonRangeMany},
		"too many of a step": {Range{From: "2026-02-01", Step: time.Hour}, daily, "step", ReasonRangeMany},
		"one too many of days": {
			Range{From: "2026-02-01", To: "2026-02-11", Step: day}, daily, "step", ReasonRangeMany,
		},
	}
}

func reasonsOfRanges() (all []string) {
	for _, c := range rangeFaults() {
		all = append(all, string(c.reason))
	}
	return all
}

// Each fault names its place.
func TestRangeFaults(t *testing.T) {
	t.Parallel()
	for what, c := range rangeFaults() {
		_, err := rangeOf(t, c.r, c.def, 10)
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		if f := err.Faults[0]; f.Path != c.path || f.Reason != hive.FaultReason(c.reason) || f.Remedy == "" {
			t.Errorf("%s: %s at %s (%q), want %s at %s", what, f.Reason, f.Path, f.Remedy, c.reason, c.path)
		}
	}
	skipped := Range{List: []string{"2026-03-29T02:30"}}
	if _, err := rangeOf(t, skipped, nightly("Europe/Berlin"), 10); err == nil ||
		err.Faults[0].Reason != hive.FaultReason(ReasonAtGap) {
		t.Errorf("a time that is skipped: %v", err)
	}
}

// A range with very many moments is refused quickly, with the count and the limit.
func TestRangeOfMillions(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	for what, c := range map[string]struct {
		r     Range
		cron  string
		count string
	}{
		"a year of seconds":  {Range{From: "2025-01-01", To: "2025-12-31"}, "* * * * * *", "31536000"},
		"decades of seconds": {Range{From: "1971-01-01", To: "2026-01-01"}, "* * * * * *", "31622401"},
		"a year of minutes":  {Range{From: "2025-01-01", To: "2025-12-31"}, "* * * * *", "525600"},
		"a step of a second": {
			Range{From: "2025-01-01", To: "2025-12-31", Step: time.Second}, "0 3 * * *", "31536000",
		},
		"one more than there": {Range{From: "2025-01-01", To: "2025-01-07T22:40"}, "* * * * *", "10001"},
	} {
		_, err := rangeOf(t, c.r, nightly("Europe/Berlin", c.cron), 10_000)
		if err == nil {
			t.Errorf("%s: accepted", what)
			continue
		}
		if p := err.Faults[0].Params; p["count"] != c.count || p["most"] != "10000" {
			t.Errorf("%s: %v, want %s", what, p, c.count)
		}
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("refused after %s", took)
	}
}
