package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// chainDay is the day of the stories, a Tuesday.
func chainDay() time.Time { return time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC) }

// clock reads a time of the day of the stories; "-03:00" is on the day before.
func clock(text string) time.Time {
	day := chainDay()
	if rest, before := strings.CutPrefix(text, "-"); before {
		day, text = day.AddDate(0, 0, -1), rest
	}
	at, err := time.Parse("15:04", text)
	if err != nil {
		panic(err)
	}
	return day.Add(time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute)
}

// chainStory builds the members of a chain.
type chainStory struct {
	members []schedule.ChainMember
	batches int64
}

// part is one schedule of a story.
type part struct {
	name     string
	triggers []hive.Trigger
	policy   hive.Policy
	usual    time.Duration // 0: unknown
	off      bool
	batches  []string // "MOMENT STATE FROM TO", such as "03:20 failed 03:20 03:58"; TO is - while live
	waiting  []string // moments
	counts   hive.Counts
	mark     string // up to here its ticks are decided; the time of the story if empty
}

func (s *chainStory) add(t *testing.T, now time.Time, p part) {
	t.Helper()
	def := &hive.Definition{Name: p.name, Triggers: p.triggers}
	times, err := schedule.NewTimetable(def, chainDay().AddDate(0, 0, -30), nil)
	if err != nil {
		t.Fatal(err)
	}
	id := int64(len(s.members) + 1)
	m := schedule.ChainMember{
		Schedule: hive.Schedule{
			ID: id, Name: p.name, Enabled: !p.off, Mark: now, CreatedAt: chainDay().AddDate(0, 0, -30),
		},
		Triggers: p.triggers, Policy: p.policy, Times: times, Published: chainDay().AddDate(0, 0, -30),
		Usual: p.usual, UsualKnown: p.usual > 0,
	}
	if p.mark != "" {
		m.Schedule.Mark = clock(p.mark)
	}
	for _, text := range p.batches {
		f := strings.Fields(text)
		s.batches++
		b := hive.Batch{
			ID: s.batches, ScheduleID: id, Moment: clock(f[0]), State: hive.BatchState(f[1]), StartedAt: clock(f[2]),
			RoundAt: clock(f[2]), Round: 1, Live: f[3] == "-", Counts: p.counts, Wish: hive.WishRun,
		}
		if f[3] != "-" {
			b.FinishedAt = clock(f[3])
		}
		m.Batches = append(m.Batches, b)
		m.Results = append(m.Results, hive.MomentResult{
			Moment: b.Moment, Decision: hive.DecisionFired, Batch: b.ID, State: b.State,
		})
	}
	for _, text := range p.waiting {
		tick := hive.Tick{ScheduleID: id, Moment: clock(text), Decision: hive.DecisionWaiting}
		m.Waiting = append(m.Waiting, tick)
		m.Results = append(m.Results, hive.MomentResult{Moment: tick.Moment, Decision: tick.Decision})
	}
	slices.SortFunc(m.Results, func(a, b hive.MomentResult) int { return a.Moment.Compare(b.Moment) })
	s.members = append(s.members, m)
}

func cronAfter(cron string, after ...hive.Upstream) []hive.Trigger {
	return []hive.Trigger{{Cron: cron, After: after}}
}

func sameDay(name string) hive.Upstream {
	return hive.Upstream{Schedule: name, Window: hive.WindowSameDay}
}

// night is the story of one night: warehouse has failed, and four schedules wait for it, directly or not.
func night() []part {
	return []part{
		{name: "erp-extract", triggers: cronAfter("40 0 * * *"), usual: 75 * time.Minute, batches: []string{
			"00:40 succeeded 00:40 01:55",
		}},
		{
			name: "warehouse", triggers: cronAfter("20 3 * * *", sameDay("erp-extract")), usual: 52 * time.Minute,
			batches: []string{"03:20 failed 03:20 03:58"},
			counts:  hive.Counts{hive.RunSucceeded: 20, hive.RunFailed: 1, hive.RunSkipped: 5},
		},
		{
			name: "mart-export", triggers: []hive.Trigger{{After: []hive.Upstream{sameDay("warehouse")}}},
			usual: 21 * time.Minute, waiting: []string{"00:00"},
		},
		{name: "supplier-edi", triggers: cronAfter("0 */2 * * *"), usual: 16 * time.Minute, batches: []string{
			"00:00 succeeded 00:00 00:15", "02:00 succeeded 02:00 02:16", "04:00 running 04:00 -",
		}},
		{
			name: "demand-forecast", usual: 45 * time.Minute, waiting: []string{"04:12"},
			triggers: cronAfter("12 4 * * *", sameDay("warehouse"),
				hive.Upstream{Schedule: "supplier-edi", Policy: "last(2)", Window: hive.WindowSameDay}),
		},
		{
			name: "pick-plan", triggers: cronAfter("0 5 * * MON-FRI", sameDay("demand-forecast")),
			usual: 25 * time.Minute, policy: hive.Policy{Expire: hive.Duration(4 * time.Hour)},
		},
		{
			name: "board-mail", usual: 6 * time.Minute,
			triggers: cronAfter("0 7 * * MON-FRI", sameDay("mart-export"), sameDay("pick-plan")),
		},
	}
}

// chainWords writes the present bars of a chain, one a line.
func chainWords(c *hive.Chain) string {
	var out strings.Builder
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.UTC().Format("15:04")
	}
	for i := range c.Links {
		for _, b := range c.Links[i].Bars {
			if !b.Present {
				continue
			}
			fmt.Fprintf(&out, "%s %s %s", c.Links[i].Schedule, at(b.Moment), b.Outcome)
			if !b.StartsAt.IsZero() || !b.EndsAt.IsZero() {
				fmt.Fprintf(&out, " %s..%s", at(b.StartsAt), at(b.EndsAt))
			}
			if b.Late > 0 {
				fmt.Fprintf(&out, " late %s", b.Late)
			}
			if b.Delay > 0 {
				fmt.Fprintf(&out, " delay %s", b.Delay)
			}
			if !b.InTimeUntil.IsZero() {
				fmt.Fprintf(&out, " in time until %s", at(b.InTimeUntil))
			}
			if !b.BeginsUntil.IsZero() {
				fmt.Fprintf(&out, " begins until %s", at(b.BeginsUntil))
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// edges writes the edges of a chain: a star marks those on which a begin depends.
func edges(c *hive.Chain) string {
	var out []string
	for _, e := range c.Edges {
		text := fmt.Sprintf("%s > %s %d/%d", e.From, e.To, e.Met, e.Needed)
		if e.Decides {
			text += "*"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestChainOfANight(t *testing.T) {
	t.Parallel()
	now := clock("04:12")
	for _, c := range []struct{ name, resume, want, edges string }{
		{
			name: "as it stands",
			want: `erp-extract 00:40 succeeded
warehouse 03:20 failed
mart-export 00:00 held
supplier-edi 02:00 succeeded
supplier-edi 04:00 running -..04:16
demand-forecast 04:12 held in time until 04:00
pick-plan 05:00 expired -..09:00 in time until 04:03 begins until 08:03
board-mail 07:00 held in time until 05:38
`,
			edges: "erp-extract > warehouse 1/1*, warehouse > mart-export 0/1*, warehouse > demand-forecast 0/1*, " +
				"supplier-edi > demand-forecast 1/2, demand-forecast > pick-plan 0/1*, " +
				"mart-export > board-mail 0/1*, pick-plan > board-mail 0/1",
		},
		{
			name: "resumed now", resume: "04:12",
			want: `erp-extract 00:40 succeeded
warehouse 03:20 resumed 04:12..04:24
mart-export 00:00 expected 04:24..04:45 delay 12m0s
supplier-edi 02:00 succeeded
supplier-edi 04:00 running -..04:16
demand-forecast 04:12 expected 04:24..05:09 late 12m0s delay 8m0s in time until 04:00
pick-plan 05:00 expected 05:09..05:34 late 9m0s delay 8m0s in time until 04:03 begins until 08:03
board-mail 07:00 expected 07:00..07:06 in time until 05:38
`,
			edges: "erp-extract > warehouse 1/1*, warehouse > mart-export 0/1*, warehouse > demand-forecast 0/1*, " +
				"supplier-edi > demand-forecast 1/2, demand-forecast > pick-plan 0/1*, " +
				"mart-export > board-mail 0/1, pick-plan > board-mail 0/1*",
		},
		{
			name: "resumed at 05:38", resume: "05:38",
			want: `erp-extract 00:40 succeeded
warehouse 03:20 resumed 05:38..05:50
mart-export 00:00 expected 05:50..06:11 delay 1h38m0s
supplier-edi 02:00 succeeded
supplier-edi 04:00 running -..04:16
demand-forecast 04:12 expected 05:50..06:35 late 1h38m0s delay 1h34m0s in time until 04:00
pick-plan 05:00 expected 06:35..07:00 late 1h35m0s delay 1h34m0s in time until 04:03 begins until 08:03
board-mail 07:00 expected 07:00..07:06 in time until 05:38
`,
		},
		{
			name: "resumed at 08:04", resume: "08:04",
			want: `erp-extract 00:40 succeeded
warehouse 03:20 resumed 08:04..08:16
mart-export 00:00 expected 08:16..08:37 delay 4h4m0s
supplier-edi 02:00 succeeded
supplier-edi 04:00 running -..04:16
demand-forecast 04:12 expected 08:16..09:01 late 4h4m0s delay 4h0m0s in time until 04:00
pick-plan 05:00 expired -..09:00 in time until 04:03 begins until 08:03
board-mail 07:00 expected 09:00..09:06 late 2h0m0s delay 2h0m0s in time until 05:38
`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var s chainStory
			for _, p := range night() {
				s.add(t, now, p)
			}
			s.members[1].Place = hive.ChainSubject
			ask := schedule.ChainAsk{Subject: "warehouse", Now: now}
			if c.resume != "" {
				ask.ResumeAt = clock(c.resume)
			}
			got := schedule.ProjectChain(s.members, ask)
			if text := chainWords(&got); text != c.want {
				t.Errorf("got\n%swant\n%s", text, c.want)
			}
			if text := edges(&got); c.edges != "" && text != c.edges {
				t.Errorf("got\n%s\nwant\n%s", text, c.edges)
			}
			if len(got.Failures) != 1 {
				t.Fatalf("failures: %+v", got.Failures)
			}
			f := got.Failures[0]
			holds := []string{"mart-export", "demand-forecast", "pick-plan", "board-mail"}
			if f.Schedule != "warehouse" || f.Tasks != 6 || f.Of != 26 || f.Takes != 12*time.Minute ||
				!slices.Equal(f.Holds, holds) {
				t.Errorf("%+v", f)
			}
			if got.From.After(clock("00:00")) && got.From.After(clock("00:40")) || got.Until.Before(clock("09:00")) {
				t.Errorf("the frame is %s to %s", got.From, got.Until)
			}
		})
	}
}

// smallChain is a chain that shows one rule.
type smallChain struct {
	name   string
	now    string
	resume string
	parts  []part
	want   string
}

func smallChains() []smallChain {
	hour := func(n int) hive.Duration { return hive.Duration(time.Duration(n) * time.Hour) }
	failedAtOne := part{
		name: "a", triggers: cronAfter("0 1 * * *"), usual: time.Hour, batches: []string{"01:00 failed 01:00 01:10"},
	}
	follow := func(name string) []hive.Trigger { return []hive.Trigger{{After: []hive.Upstream{{Schedule: name}}}} }
	return []smallChain{
		{name: "alone", now: "02:00", parts: []part{
			{name: "a", triggers: cronAfter("0 3 * * *"), usual: time.Hour},
		}, want: "a 03:00 expected 03:00..04:00\n"},
		{name: "an unknown duration makes unknown begins", now: "02:00", parts: []part{
			{name: "a", triggers: cronAfter("0 3 * * *")},
			{name: "b", triggers: follow("a"), usual: time.Hour},
		}, want: "a 03:00 expected 03:00..-\nb 03:00 unknown\n"},
		{name: "a follower begins after each moment", now: "02:00", parts: []part{
			{name: "a", triggers: cronAfter("0 3 * * *"), usual: time.Hour},
			{name: "b", triggers: follow("a"), usual: time.Hour},
		}, want: "a 03:00 expected 03:00..04:00\nb 03:00 expected 04:00..05:00\n"},
		{name: "nobody waits for a disabled schedule", now: "02:00", parts: []part{
			{name: "a", triggers: cronAfter("0 1 * * *"), usual: time.Hour, off: true},
			{name: "b", triggers: cronAfter("0 3 * * *", sameDay("a")), usual: time.Hour},
		}, want: "b 03:00 expected 03:00..04:00\n"},
		{name: "nothing repairs a missing schedule", now: "02:00", resume: "02:00", parts: []part{
			{name: "b", triggers: cronAfter("0 3 * * *", sameDay("gone")), usual: time.Hour},
		}, want: "b 03:00 held\n"},
		{name: "one success is enough for any", now: "02:00", parts: []part{
			{name: "a", triggers: cronAfter("0 * * * *"), usual: time.Minute, batches: []string{
				"01:00 succeeded 01:00 01:01", "02:00 failed 02:00 02:00",
			}},
			{name: "b", usual: time.Hour, triggers: cronAfter("30 2 * * *",
				hive.Upstream{Schedule: "a", Policy: hive.PolicyAny, Window: "last 2h"})},
		}, want: "a 01:00 succeeded\na 02:00 failed\nb 02:30 expected 02:30..03:30\n"},
		{name: "serial waits for the moment before", now: "02:00", resume: "02:00", parts: []part{
			{
				name: "a", usual: time.Hour, triggers: []hive.Trigger{{Cron: "0 1 * * *", Serial: true}},
				batches: []string{"-01:00 failed -01:00 -01:10"}, waiting: []string{"01:00"},
				counts: hive.Counts{hive.RunFailed: 1, hive.RunSucceeded: 1},
			},
		}, want: "a 01:00 resumed 02:00..02:30\n" +
			"a 01:00 expected 02:30..03:30 late 1h30m0s delay 1h30m0s in time until 00:30\n"},
		{name: "waiting moments run one after another", now: "02:00", resume: "02:00", parts: []part{
			failedAtOne,
			{
				name: "b", triggers: cronAfter("0,30 1 * * *", sameDay("a")), usual: time.Hour,
				waiting: []string{"01:00", "01:30"},
			},
		}, want: "a 01:00 resumed 02:00..03:00\n" +
			"b 01:00 expected 03:00..04:00 late 2h0m0s delay 1h0m0s in time until 00:00\n"},
		{name: "an expired moment lets others go on", now: "02:00", parts: []part{
			failedAtOne,
			{
				name: "b", triggers: cronAfter("30 1 * * *", sameDay("a")), usual: time.Hour,
				waiting: []string{"01:30"}, policy: hive.Policy{Expire: hour(3)},
			},
			{name: "c", triggers: cronAfter("0 2 * * *", sameDay("b")), usual: time.Hour, waiting: []string{"02:00"}},
		}, want: "a 01:00 failed\nb 01:30 expired -..04:30 in time until 00:30 begins until 03:30\n" +
			"c 02:00 expected 04:30..05:30 late 2h30m0s delay 1h30m0s in time until 00:00\n"},
		{name: "a paused batch holds", now: "02:00", resume: "02:00", parts: []part{
			{
				name: "a", triggers: cronAfter("0 1 * * *"), usual: time.Hour,
				batches: []string{"01:00 paused 01:00 -"},
			},
			{
				name: "b", triggers: cronAfter("30 1 * * *", sameDay("a")), usual: time.Hour,
				waiting: []string{"01:30"},
			},
		}, want: "a 01:00 held\nb 01:30 held\n"},
	}
}

func TestChains(t *testing.T) {
	t.Parallel()
	for _, c := range smallChains() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var s chainStory
			now := clock(c.now)
			for _, p := range c.parts {
				paused := false
				p.batches = slices.Clone(p.batches)
				for i, text := range p.batches {
					paused = paused || strings.Contains(text, "paused")
					p.batches[i] = strings.Replace(text, "paused", "running", 1)
				}
				s.add(t, now, p)
				if paused {
					s.members[len(s.members)-1].Batches[0].Wish = hive.WishPause
				}
			}
			ask := schedule.ChainAsk{Subject: c.parts[0].name, Now: now}
			if c.resume != "" {
				ask.ResumeAt = clock(c.resume)
			}
			got := schedule.ProjectChain(s.members, ask)
			if text := chainWords(&got); text != c.want {
				t.Errorf("got\n%swant\n%s", text, c.want)
			}
		})
	}
}
