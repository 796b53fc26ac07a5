package schedule

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

type params = map[string]string

// reasonCase is a definition with one fault.
type reasonCase struct {
	def    hive.Definition
	reason Reason
	params params
}

// timeReasons are faults in the times of triggers.
func timeReasons() []reasonCase {
	trigger := func(t hive.Trigger) hive.Definition { return hive.Definition{Triggers: []hive.Trigger{t}} }
	return []reasonCase{
		{trigger(hive.Trigger{At: "2026-12-01T10:00", DST: hive.DST{Gap: "skip"}}), ReasonDSTAt, nil},
		{trigger(hive.Trigger{At: "tomorrow"}), ReasonPointUnread, params{"value": "tomorrow"}},
		{
			trigger(hive.Trigger{Cron: "@daily", Start: "2026-13-01"}), ReasonPointUnread,
			params{"value": "2026-13-01"},
		},
		{trigger(hive.Trigger{At: "2026-12-01"}), ReasonAtDate, params{"value": "2026-12-01"}},
		{
			hive.Definition{Timezone: "Europe/Berlin", Triggers: []hive.Trigger{{At: "2027-03-28T02:30"}}},
			ReasonAtGap,
			params{"value": "2027-03-28T02:30", "zone": "Europe/Berlin"},
		},
		{trigger(hive.Trigger{At: "2026-10-01T10:00"}), ReasonAtPassed, params{"value": "2026-10-01T10:00"}},
		{
			trigger(hive.Trigger{At: "2026-12-01T10:00", End: "2026-12-02"}), ReasonAtBounds,
			params{"field": "end"},
		},
		{
			trigger(hive.Trigger{Cron: "@daily", Start: "2026-12-02", End: "2026-12-01"}), ReasonEndBeforeStart,
			params{"start": "2026-12-02", "end": "2026-12-01"},
		},
		{
			trigger(hive.Trigger{Cron: "0 3 31 * *", Start: "2027-02-01", End: "2027-02-28"}), ReasonNeverBetween,
			params{"value": "0 3 31 * *", "start": "2027-02-01", "end": "2027-02-28"},
		},
		{trigger(hive.Trigger{Cron: "@daily", End: "2026-10-31"}), ReasonEnded, params{"end": "2026-10-31"}},
		{
			trigger(hive.Trigger{Cron: "@daily", Jitter: hive.Duration(25 * time.Hour)}), ReasonJitterLong,
			params{"value": "25h"},
		},
		{
			hive.Definition{
				Policy:   hive.Policy{Expire: hive.Duration(time.Hour)},
				Triggers: []hive.Trigger{{Cron: "@daily", Jitter: hive.Duration(time.Hour)}},
			},
			ReasonJitterExpire,
			params{"value": "1h", "expire": "1h"},
		},
	}
}

// delayReasons are faults in triggers with every.
func delayReasons() []reasonCase {
	every := func(change func(t *hive.Trigger)) hive.Definition {
		t := hive.Trigger{Every: hive.Duration(time.Minute), From: hive.FromEnd}
		change(&t)
		return hive.Definition{Triggers: []hive.Trigger{t}}
	}
	twice := every(func(*hive.Trigger) {})
	twice.Triggers = append(twice.Triggers, twice.Triggers...)
	return []reasonCase{
		{twice, ReasonDelayTwice, nil},
		{every(func(t *hive.Trigger) { t.Every = 0 }), ReasonFromAlone, nil},
		{every(func(t *hive.Trigger) { t.From = "" }), ReasonFromUnknown, params{"value": "", "every": "1m"}},
		{
			every(func(t *hive.Trigger) { t.From = "start" }), ReasonFromUnknown,
			params{"value": "start", "every": "1m"},
		},
		{every(func(t *hive.Trigger) { t.Every /= 80_000 }), ReasonDelayWhole, params{"value": "750µs"}},
		{every(func(t *hive.Trigger) { t.Cron = "@daily" }), ReasonDelayAlone, params{"field": "cron"}},
		{every(func(t *hive.Trigger) { t.At = "2026-12-01T10:00" }), ReasonDelayAlone, params{"field": "at"}},
		{
			every(func(t *hive.Trigger) { t.Jitter = hive.Duration(time.Second) }), ReasonDelayAlone,
			params{"field": "jitter"},
		},
		{every(func(t *hive.Trigger) { t.DST.Gap = "skip" }), ReasonDelayAlone, params{"field": "dst"}},
		{every(func(t *hive.Trigger) { t.After = []hive.Upstream{{}} }), ReasonDelayAlone, params{"field": "after"}},
		{every(func(t *hive.Trigger) { t.Serial = true }), ReasonDelayAlone, params{"field": "serial"}},
		{every(func(t *hive.Trigger) { t.Calendar.Name = "c" }), ReasonDelayAlone, params{"field": "calendar"}},
		{every(func(t *hive.Trigger) { t.End = "2026-10-31" }), ReasonEnded, params{"end": "2026-10-31"}},
		{every(func(t *hive.Trigger) { t.Start = "x" }), ReasonPointUnread, params{"value": "x"}},
	}
}

// webhookReasons are faults of webhooks.
func webhookReasons() []reasonCase {
	trigger := func(t ...hive.Trigger) hive.Definition {
		return hive.Definition{Params: map[string]any{"region": "east"}, Triggers: t}
	}
	accept := func(name, pointer string) map[string]string { return map[string]string{name: pointer} }
	return []reasonCase{
		{trigger(hive.Trigger{Webhook: "Files"}), ReasonWebhookName, params{"value": "Files"}},
		{
			trigger(hive.Trigger{Webhook: "files"}, hive.Trigger{Webhook: "files"}), ReasonWebhookTwice,
			params{"value": "files"},
		},
		{trigger(hive.Trigger{Webhook: "files", Start: "2027-01-01"}), ReasonWebhookField, params{"field": "start"}},
		{trigger(hive.Trigger{Cron: "@daily", Accept: accept("region", "/r")}), ReasonAcceptUnused, nil},
		{
			trigger(hive.Trigger{Webhook: "files", Accept: accept("zone", "/z")}), ReasonAcceptUnknown,
			params{"value": "zone"},
		},
		{
			trigger(hive.Trigger{Webhook: "files", Accept: accept("region", "region")}), ReasonAcceptPointer,
			params{"value": "region"},
		},
	}
}

// emptyCalendar finds a calendar without entries, under the name c.
func emptyCalendar(name string) *calendar.Calendar {
	if name != "c" {
		return nil
	}
	return calendar.New(&hive.CalendarDefinition{})
}

func calendarFaults() []reasonCase {
	at := func(name string, t hive.Trigger) hive.Definition {
		t.Calendar = hive.TriggerCalendar{Name: name}
		return hive.Definition{Triggers: []hive.Trigger{t}}
	}
	return []reasonCase{
		{at("x", hive.Trigger{Cron: "0 3 * * *"}), ReasonNoCalendar, params{"value": "x"}},
		{
			at("c", hive.Trigger{Cron: "0 3 * * SAT"}), ReasonCalendarNever,
			params{"value": "0 3 * * SAT", "calendar": "c"},
		},
		{
			at("c", hive.Trigger{Cron: "@every 10m"}), ReasonCalendarEvery,
			params{"value": "@every 10m"},
		},
		{at("c", hive.Trigger{At: "2027-01-01T03:00"}), ReasonAtCalendar, nil},
	}
}

// TestEveryFaultHasItsReason compares what each fault tells programs with what it tells people, and that no reason is
// left without a fault.
func TestEveryFaultHasItsReason(t *testing.T) {
	t.Parallel()
	cron := func(text string) hive.Definition { return hive.Definition{Triggers: []hive.Trigger{{Cron: text}}} }
	zone := func(name string) hive.Definition { return hive.Definition{Timezone: name} }
	dst := func(text string, d hive.DST) hive.Definition {
		return hive.Definition{Triggers: []hive.Trigger{{Cron: text, DST: d}}}
	}
	const months = "jan feb mar apr may jun jul aug sep oct nov dec"
	cases := []reasonCase{
		{cron(" "), ReasonCronEmpty, nil},
		{cron(strings.Repeat("1", 600)), ReasonCronLong, params{"most": "512"}},
		{cron("TZ=UTC 0 3 * * *"), ReasonCronZone, params{"value": "TZ=UTC 0 3 * * *"}},
		{cron("@reboot"), ReasonCronReboot, params{"value": "@reboot"}},
		{cron("@fortnightly"), ReasonCronName, params{"value": "@fortnightly"}},
		{cron("@daily 3"), ReasonCronMore, params{"value": "@daily 3"}},
		{cron("0 0 3 * * ? 2026"), ReasonCronYear, params{"value": "0 0 3 * * ? 2026"}},
		{cron("3 *"), ReasonCronFields, params{"value": "3 *", "count": "2"}},
		{cron("a-b-c 3 * * *"), ReasonCronPart, params{"value": "a-b-c", "field": "minute"}},
		{cron("? 3 * * *"), ReasonCronQuestion, params{"field": "minute"}},
		{cron("0 3 * * 1#6"), ReasonCronNth, params{"value": "1#6"}},
		{cron("0 3 1-5w * *"), ReasonCronWorkday, params{"value": "1-5w"}},
		{cron("0 3 l-31 * *"), ReasonCronLast, params{"value": "l-31"}},
		{cron("0 3 * * l"), ReasonCronLastWeekday, params{"value": "l"}},
		{cron("0 20-4 * * *"), ReasonCronBackwards, params{"value": "20-4", "field": "hour", "example": "20-23,0-4"}},
		{
			cron("0 3 * * FRI-MON"), ReasonCronBackwards,
			params{"value": "fri-mon", "field": "day_of_week", "example": "fri-sat,sun-mon"},
		},
		{cron("0 3 * * 9"), ReasonCronRange, params{"value": "9", "least": "0", "most": "7", "field": "day_of_week"}},
		{cron("*/0 3 * * *"), ReasonCronStep, params{"value": "*/0", "field": "minute"}},
		{
			cron("*/90 * * * *"), ReasonCronStepLarge,
			params{"value": "*/90", "step": "90", "least": "0", "most": "59", "field": "minute"},
		},
		{cron("0 abc * * *"), ReasonCronNumber, params{"value": "abc", "field": "hour"}},
		{cron("0 3 * abc *"), ReasonCronWord, params{"value": "abc", "known": months, "field": "month"}},
		{
			cron("0 3 32 * *"), ReasonCronRange,
			params{"value": "32", "least": "1", "most": "31", "field": "day_of_month"},
		},
		{cron("0 3 31 2 *"), ReasonCronNever, params{"value": "0 3 31 2 *"}},
		{cron("0 3 30W 2 *"), ReasonCronNever, params{"value": "0 3 30W 2 *"}},
		{cron("@every often"), ReasonEveryPeriod, params{"value": "@every often"}},
		{cron("@every 10ms"), ReasonEveryOften, params{"value": "@every 10ms"}},
		{cron("@every 1500ms"), ReasonEveryWhole, params{"value": "@every 1500ms"}},
		{zone(strings.Repeat("A", 65)), ReasonZoneLong, params{"most": "64"}},
		{zone("Local"), ReasonZoneLocal, params{"value": "Local"}},
		{zone("UTC+8"), ReasonZoneOffset, params{"value": "UTC+8", "zone": "Etc/GMT-8"}},
		{zone("Asia/Shangai"), ReasonZoneNear, params{"value": "Asia/Shangai", "near": "Asia/Shanghai"}},
		{zone("Moonbase/Alpha/Sector-9"), ReasonZoneUnknown, params{"value": "Moonbase/Alpha/Sector-9"}},
		{
			dst("0 3 * * *", hive.DST{Gap: "jump"}), ReasonDSTUnknown,
			params{"value": "jump", "known": "run-after, skip"},
		},
		{dst("@hourly", hive.DST{Gap: "skip"}), ReasonDSTUnused, params{"value": "@hourly"}},
	}
	cases = append(cases, calendarFaults()...)
	reported := []string{string(ReasonCronUnread)} // what only the parser behind ours would refuse: nothing known
	for _, c := range slices.Concat(cases, timeReasons(), delayReasons(), webhookReasons()) {
		faults := CheckTriggers(&c.def, time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC), emptyCalendar)
		if len(faults) != 1 || faults[0].Reason != hive.FaultReason(c.reason) ||
			!maps.Equal(faults[0].Params, c.params) || strings.Contains(faults[0].Remedy, "%") {
			t.Errorf("%s: %+v", c.reason, faults)
		}
		reported = append(reported, string(c.reason))
	}
	reported = append(reported, reasonsOfRanges()...)
	for _, c := range afterCases() {
		c.check(t)
		reported = append(reported, string(c.reason))
	}
	for _, reason := range allReasons(t) {
		if !slices.Contains(reported, reason) {
			t.Errorf("no fault has the reason %s", reason)
		}
	}
}

// allReasons lists the reasons of this package.
func allReasons(t *testing.T) (reasons []string) {
	t.Helper()
	source, err := os.ReadFile("reasons.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Reason = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		reasons = append(reasons, m[1])
	}
	return reasons
}
