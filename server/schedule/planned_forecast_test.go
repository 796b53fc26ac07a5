package schedule_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// TestForecastOfPlannedChangesIsTheLedger compares forecasts of random schedules with planned changes with what a
// ticker then decides, with times in which no server runs.
func TestForecastOfPlannedChangesIsTheLedger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { compareWith(rt, 2*24*time.Hour, drawPlanned) })
}

// drawPlanned plans changes of some moments of a schedule. Moves end before until.
func drawPlanned(rt *rapid.T, def *hive.Definition, now, until time.Time) []hive.PlannedChange {
	return drawPlannedOn(rt, def, now, until, nil)
}

func drawPlannedOn(rt *rapid.T, def *hive.Definition, now, until time.Time, calendars schedule.Calendars,
) []hive.PlannedChange {
	table, err := schedule.NewTimetable(def, now, calendars)
	if err != nil {
		rt.Fatalf("%v", err)
	}
	due, _ := table.Due(now, until, 10_000)
	if len(due) == 0 {
		return nil
	}
	var out []hive.PlannedChange
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(due)-1), 0, min(8, len(due)), rapid.ID[int]).
		Draw(rt, "planned") {
		c := hive.PlannedChange{Moment: due[i].At, Action: rapid.SampledFrom([]hive.ChangeAction{
			hive.ChangeSkip, hive.ChangeMove, hive.ChangeMove, hive.ChangeHold, hive.ChangeParams,
		}).Draw(rt, "action")}
		if c.Action == hive.ChangeMove {
			span := int(until.Sub(now) / time.Minute)
			c.To = now.Add(time.Duration(rapid.IntRange(1, span).Draw(rt, "to")) * time.Minute)
		}
		out = append(out, c)
	}
	return out
}

// plannedForecastOf forecasts a schedule that does not exist yet, with planned changes.
func plannedForecastOf(t failer, def *hive.Definition, usual time.Duration, now, until time.Time, down []hive.Span,
	planned []hive.PlannedChange,
) []string {
	t.Helper()
	table, err := schedule.NewTimetable(def, now, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := schedule.NewSimulation(schedule.Outlook{
		View: hive.TickView{
			Schedule: hive.Schedule{ID: 1, Name: "s1", Enabled: true, CreatedAt: now}, Changes: planned,
		},
		Period: schedule.Period{From: now, Definition: def, Timetable: table}, Usual: usual, Down: down,
	}, now)
	ticks, _, err := schedule.Merge(context.Background(), schedule.Merged{
		Simulations: []*schedule.Simulation{s}, Stored: newStore(), From: now, Until: until, Most: 100_000,
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	var lines []string
	for i := range ticks {
		k := &ticks[i]
		if k.DecidedAt.After(until) { // it expires after the end
			k.Decision, k.Rule = hive.DecisionWaiting, "planned_"+string(k.Change.Action)
		}
		lines = append(lines, line(&k.Tick, k.StartsAt, k.Ends == hive.ForecastExpired))
	}
	return lines
}

// TestChainsKnowPlannedChanges projects b, which waits for all of the day of a, at 00:30. a is due at 01:00 and 02:00.
func TestChainsKnowPlannedChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change hive.PlannedChange
		want   string
	}{
		"skip": {skip(clock("02:00")), "a 01:00 expected 01:00..01:10\na 02:00 left_out -..02:00\n" +
			"b 05:00 expected 05:00..05:20\n"},
		"move": {move(clock("02:00"), clock("06:00")), "a 01:00 expected 01:00..01:10\n" +
			"a 02:00 expected 06:00..06:10 late 4h0m0s delay 4h0m0s\n" +
			"b 05:00 expected 06:10..06:30 late 1h10m0s delay 1h10m0s\n"},
		"hold": {hold(clock("02:00")), "a 01:00 expected 01:00..01:10\na 02:00 held\nb 05:00 held\n"},
	} {
		var s chainStory
		now := clock("00:30")
		s.add(t, now, part{name: "a", triggers: cronAfter("0 1,2 * * *"), usual: 10 * time.Minute})
		s.add(t, now, part{name: "b", triggers: cronAfter("0 5 * * *", sameDay("a")), usual: 20 * time.Minute})
		s.members[0].Changes = []hive.PlannedChange{c.change}
		got := schedule.ProjectChain(s.members, schedule.ChainAsk{Subject: "a", Now: now})
		if text := chainWords(&got); text != c.want {
			t.Errorf("%s: got\n%s, want\n%s", name, text, c.want)
		}
	}
}
