package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (s *store) ChangesToCome(context.Context, []int64) (map[int64][]hive.PlannedChange, error) {
	out := map[int64][]hive.PlannedChange{}
	for _, c := range s.changes {
		out[c.ScheduleID] = append(out[c.ScheduleID], c)
	}
	return out, nil
}

func (s *store) PlannedChanges(_ context.Context, id int64, _ int) ([]hive.PlannedChange, error) {
	others := func(c hive.PlannedChange) bool { return c.ScheduleID != id }
	return slices.DeleteFunc(slices.Clone(s.changes), others), nil
}

func (s *store) PlanChange(_ context.Context, c hive.PlannedChange) error {
	s.changes = append(s.changes, c)
	return nil
}

func (s *store) UndoChange(_ context.Context, id int64, at time.Time) error {
	s.changes = slices.DeleteFunc(s.changes, func(c hive.PlannedChange) bool {
		return c.ScheduleID == id && c.Moment.Equal(at)
	})
	return nil
}

// TestPlanChange plans changes of a schedule that is due each day at 03:20, at 03:00.
func TestPlanChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("nightly")
	w.saveEvery("hourly", "0 * * * *", "policy: {expire: 2h}\n")
	day := t0.Add(20 * time.Minute)
	move := func(to time.Time) hive.PlannedChange {
		return hive.PlannedChange{Moment: day, Action: hive.ChangeMove, To: to, Reason: "late"}
	}
	skip := func(at time.Time, reason string) hive.PlannedChange {
		return hive.PlannedChange{Moment: at, Action: hive.ChangeSkip, Reason: reason}
	}
	for name, c := range map[string]struct {
		schedule string
		change   hive.PlannedChange
		reason   hive.ErrorReason
		words    string
	}{
		"no reason": {"nightly", skip(day, " "), hive.ErrorChangeReason, "say why"},
		"past":      {"nightly", skip(day.AddDate(0, 0, -1), "r"), hive.ErrorChangePast, "has passed"},
		"not due": {
			"nightly", skip(day.Add(time.Minute), "r"), hive.ErrorChangeMoment,
			"next moments are 2026-05-01T03:20:00Z, 2026-05-02",
		},
		"moved to past": {"nightly", move(t0), hive.ErrorChangeTo, "time to come"},
		"moved nowhere": {"nightly", move(day), hive.ErrorChangeTo, "other than the moment"},
		"moved too far": {"nightly", move(day.AddDate(0, 0, 8)), hive.ErrorChangeTo, "7 days"},
		"a skip with a time": {
			"nightly", hive.PlannedChange{
				Moment: day, Action: hive.ChangeSkip, To: day.Add(time.Second), Reason: "r",
			}, hive.ErrorChangeTo, "only a move",
		},
		"no params": {
			"nightly",
			hive.PlannedChange{Moment: day, Action: hive.ChangeParams, Reason: "r"},
			hive.ErrorChangeParams, "params",
		},
		"no action":   {"nightly", hive.PlannedChange{Moment: day, Reason: "r"}, hive.ErrorChangeAction, "none of"},
		"no schedule": {"no", skip(day, "r"), "", "no schedule"},
		"it expires": {
			"hourly", hive.PlannedChange{
				Moment: t0.Add(time.Hour), Action: hive.ChangeMove, To: t0.Add(3*time.Hour + time.Second), Reason: "r",
			}, hive.ErrorChangeExpire, "longer expire",
		},
		"unknown params": {
			"nightly", hive.PlannedChange{
				Moment: day, Action: hive.ChangeHold, Reason: "r", Params: map[string]any{"no": 1},
			}, hive.ErrorParams, "params",
		},
	} {
		_, err := w.PlanChange(t.Context(), hive.ChangeRequest{Schedule: c.schedule, Change: c.change})
		e, ok := errors.AsType[*hive.Error](err)
		if !ok || e.Reason != c.reason && c.reason != "" || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.changed = nil
	c, err := w.PlanChange(t.Context(), hive.ChangeRequest{Schedule: "nightly", Change: move(day.Add(3 * time.Hour))})
	if err != nil || c.State != hive.ChangePlanned || !c.At.Equal(t0) || !slices.Equal(w.changed, []int64{1}) {
		t.Fatalf("%+v %v, told of %v", c, err, w.changed)
	}
	ticks := w.forecastTicks(hive.TickForecastRequest{Schedule: "nightly", Until: t0.Add(time.Hour), Most: 10})
	if len(ticks) != 2 || !strings.Contains(ticks[0], "planned_move") {
		t.Errorf("forecast %v", ticks)
	}
	w.db.changes = append(w.db.changes, hive.PlannedChange{ScheduleID: 1, Moment: day.Add(time.Second)},
		hive.PlannedChange{ScheduleID: 1, Moment: day, Decided: true})
	list, err := w.PlannedChanges(t.Context(), "nightly")
	if err != nil || list[0].State != hive.ChangePlanned || list[1].State != hive.ChangeVoid ||
		list[2].State != hive.ChangeDecided {
		t.Errorf("%+v %v", list, err)
	}
	if err := w.UndoChange(t.Context(), "nightly", day); err != nil || len(w.changed) != 2 {
		t.Error(err, w.changed)
	}
}
