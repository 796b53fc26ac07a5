package catalog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// ChangeStore keeps planned changes.
type ChangeStore interface {
	// ChangesToCome lists the planned changes of schedules that may still have an effect, by schedule and in the order
	// of their moments.
	ChangesToCome(ctx context.Context, schedules []int64) (map[int64][]hive.PlannedChange, error)
	// PlannedChanges lists the planned changes of a schedule, the latest moment first, at most limit.
	PlannedChanges(ctx context.Context, scheduleID int64, limit int) ([]hive.PlannedChange, error)
	// PlanChange stores a change in place of an earlier one of its moment. CodeConflict if the moment is decided.
	PlanChange(ctx context.Context, c hive.PlannedChange) error
	// UndoChange removes the change of a moment. CodeConflict if the moment is decided.
	UndoChange(ctx context.Context, scheduleID int64, at time.Time) error
}

// nextNamed is how many coming moments the refusal of an unknown one names.
const nextNamed = 3

// PlanChange stores a planned change of one coming moment.
func (s *Service) PlanChange(ctx context.Context, r hive.ChangeRequest) (hive.PlannedChange, error) {
	c := r.Change
	reason := strings.TrimSpace(c.Reason)
	if reason == "" {
		return c, hive.Errorf(hive.CodeInvalid, "say why the moment is changed").WithReason(hive.ErrorChangeReason)
	}
	h, err := s.schedules.Schedule(ctx, r.Schedule)
	if err != nil {
		return c, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return c, err
	}
	d, err := s.digestOf(ctx, &h, around)
	if err != nil {
		return c, err
	}
	c.ScheduleID, c.Reason, c.At = h.ID, hive.Clean(reason, hive.MaxChangeReason), s.moment()
	c.Moment, c.To = c.Moment.UTC().Truncate(time.Second), c.To.UTC().Truncate(time.Second)
	if err := checkChange(&c, &d); err != nil {
		return c, err
	}
	if c.Params, err = s.paramsOf(ctx, &h, c.Params); err != nil {
		return c, err
	}
	if err := s.changes.PlanChange(ctx, c); err != nil {
		return c, err
	}
	c.State = hive.ChangePlanned
	s.changed(h.ID)
	return c, nil
}

// paramsOf checks params against the newest revision of a schedule.
func (s *Service) paramsOf(ctx context.Context, h *hive.Schedule, given map[string]any) (map[string]any, error) {
	if len(given) == 0 {
		return nil, nil
	}
	rev, err := s.schedules.RevisionAt(ctx, h.ID, h.Revision)
	if err != nil {
		return nil, err
	}
	doc, err := s.stored(ctx, rev)
	if err != nil {
		return nil, err
	}
	return document.Params(doc.Definition, given)
}

// checkChange refuses a change that can have no effect.
func checkChange(c *hive.PlannedChange, d *digest) error {
	at := c.Moment.Format(time.RFC3339)
	switch {
	case !c.Moment.After(c.At):
		return hive.Errorf(hive.CodeInvalid, "%s has passed; a backfill runs moments of the past", at).
			WithReason(hive.ErrorChangePast, "moment", at)
	case !d.times.Has(c.Moment):
		return d.unknownMoment(at, c.At)
	}
	switch c.Action {
	case hive.ChangeSkip, hive.ChangeHold, hive.ChangeParams:
		if c.To.Equal(time.Time{}) {
			break
		}
		return hive.Errorf(hive.CodeInvalid, "only a move has a new time").WithReason(hive.ErrorChangeTo)
	case hive.ChangeMove:
		if err := checkMove(c, d); err != nil {
			return err
		}
	default:
		return hive.Errorf(hive.CodeInvalid, "%q is none of skip, move, hold and params",
			hive.Clean(string(c.Action), 40)).WithReason(hive.ErrorChangeAction)
	}
	if c.Action == hive.ChangeSkip && len(c.Params) > 0 || c.Action == hive.ChangeParams && len(c.Params) == 0 {
		return hive.Errorf(hive.CodeInvalid, "give params with params, move or hold, and none with skip").
			WithReason(hive.ErrorChangeParams)
	}
	return nil
}

func checkMove(c *hive.PlannedChange, d *digest) error {
	if !c.To.After(c.At) || c.To.Equal(c.Moment) || c.To.Sub(c.Moment).Abs() > hive.FarthestMove {
		return hive.Errorf(hive.CodeInvalid,
			"move it to a time to come, other than the moment and at most 7 days before or after it").
			WithReason(hive.ErrorChangeTo)
	}
	if e := d.policy.Expire; e > 0 && c.To.Sub(c.Moment) > e.Std() {
		const words = "the moment expires before its new time, because policy.expire is %s; move it less far, " +
			"or set a longer expire"
		return hive.Errorf(hive.CodeInvalid, words, e).
			WithReason(hive.ErrorChangeExpire, "expire", e)
	}
	return nil
}

// unknownMoment is the refusal of a moment that no trigger has. It names the next ones.
func (d *digest) unknownMoment(at string, now time.Time) error {
	next := make([]string, 0, nextNamed)
	for _, m := range d.times.Forecast(d.since, now, nextNamed) {
		next = append(next, m.At.Format(time.RFC3339))
	}
	if len(next) == 0 {
		return hive.Errorf(hive.CodeInvalid,
			"no trigger of the schedule has moments that are known before they come, so none can be changed").
			WithReason(hive.ErrorChangeNone)
	}
	list := strings.Join(next, ", ")
	return hive.Errorf(hive.CodeInvalid, "no trigger is due at %s; the next moments are %s", at, list).
		WithReason(hive.ErrorChangeMoment, "moment", at, "next", list)
}

// UndoChange removes the planned change of a moment that is not decided yet.
func (s *Service) UndoChange(ctx context.Context, name string, at time.Time) error {
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return err
	}
	if err := s.changes.UndoChange(ctx, h.ID, at); err != nil {
		return err
	}
	s.changed(h.ID)
	return nil
}

// PlannedChanges lists the planned changes of a schedule with their states, the latest moment first.
func (s *Service) PlannedChanges(ctx context.Context, name string) ([]hive.PlannedChange, error) {
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return nil, err
	}
	list, err := s.changes.PlannedChanges(ctx, h.ID, 2*hive.MaxPlannedChanges)
	if err != nil {
		return nil, fmt.Errorf("planned changes of %s: %w", name, err)
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.digestOf(ctx, &h, around)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].State = stateOf(&list[i], &h, &d)
	}
	return list, nil
}

// stateOf returns the state of a planned change for people.
func stateOf(c *hive.PlannedChange, h *hive.Schedule, d *digest) hive.ChangeState {
	switch {
	case c.Decided:
		return hive.ChangeDecided
	case c.Moment.After(h.Mark) && d.times.Has(c.Moment):
		return hive.ChangePlanned
	default:
		return hive.ChangeVoid
	}
}
