package backfill

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// withParts finds what is filled of each schedule, and the revisions that run.
func (s *Service) withParts(ctx context.Context, p *prepared, dependants bool) error {
	members := []schedule.FillMember{{Schedule: p.schedule}}
	var err error
	if dependants {
		if members, err = s.Dependants(ctx, p.schedule.Name); err != nil {
			return err
		}
		if len(members) == 0 || members[0].Schedule.ID != p.schedule.ID {
			return hive.Errorf(hive.CodeNotFound, "there is no schedule %q any more", p.schedule.Name).
				WithReason(hive.ErrorNoSchedule, "schedule", p.schedule.Name)
		}
	}
	if p.plan, err = schedule.PlanFill(members, p.moments, s.now(), MaxMoments); err != nil {
		return err
	}
	for i := range p.plan.Parts {
		of := &p.plan.Parts[i]
		rev := p.revision
		if i > 0 {
			if rev, err = s.Schedules.RevisionAt(ctx, of.Schedule.ID, of.Schedule.Revision); err != nil {
				return err
			}
		}
		p.parts = append(p.parts, hive.BackfillSchedule{
			ScheduleID: of.Schedule.ID, Schedule: of.Schedule.Name, RevisionID: rev.ID, Revision: rev.Number,
			First: of.Moments[0].At, Last: of.Moments[len(of.Moments)-1].At,
		})
	}
	return nil
}

// inTurn lists the moments by schedule, and of each schedule in the order in which they run.
func (p *prepared) inTurn(order hive.BackfillOrder) []hive.NewBackfillMoment {
	var out []hive.NewBackfillMoment
	for i := range p.plan.Parts {
		of := &p.plan.Parts[i]
		first := len(out)
		for j := range of.Moments {
			m := &of.Moments[j]
			out = append(out, hive.NewBackfillMoment{ScheduleID: of.Schedule.ID, Moment: m.At, Needs: m.Needs})
		}
		if order == hive.OrderDescending {
			slices.Reverse(out[first:])
		}
	}
	return out
}

// Preview tells what a backfill would do. It changes nothing.
func (s *Service) Preview(ctx context.Context, r hive.BackfillRequest) (hive.BackfillPreview, error) {
	p, err := s.prepare(ctx, &r)
	if err != nil {
		return hive.BackfillPreview{}, err
	}
	out := hive.BackfillPreview{
		Schedule: p.schedule.Name, Revision: p.revision.Number, First: p.moments[0],
		Last: p.moments[len(p.moments)-1], LeftOut: p.plan.LeftOut,
	}
	ids := make([]int64, len(p.parts))
	for i := range p.parts {
		ids[i] = p.parts[i].ScheduleID
	}
	usual, err := s.Schedules.UsualDurations(ctx, ids)
	if err != nil {
		return hive.BackfillPreview{}, err
	}
	for i := range p.parts {
		of, err := s.previewOf(ctx, &p, i, r.Existing)
		if err != nil {
			return hive.BackfillPreview{}, err
		}
		of.Usual = usual[of.ScheduleID]
		out.Schedules = append(out.Schedules, of)
		out.Moments, out.Existing, out.Kept = out.Moments+of.Moments, out.Existing+of.Existing, out.Kept+of.Kept
	}
	out.Usual = usual[p.schedule.ID]
	out.Expected = expected(out.Schedules, r.Parallel)
	return out, nil
}

// previewOf counts the moments of one schedule, and those that have a batch.
func (s *Service) previewOf(ctx context.Context, p *prepared, i int, existing hive.BackfillExisting) (
	hive.BackfillPreviewSchedule, error,
) {
	moments := p.plan.Parts[i].Moments
	out := hive.BackfillPreviewSchedule{BackfillSchedule: p.parts[i], Moments: len(moments)}
	found, err := s.Schedules.ExistingBatches(ctx, out.ScheduleID, out.First, out.Last)
	if err != nil {
		return out, err
	}
	asked := make(map[int64]bool, len(moments))
	for j := range moments {
		asked[moments[j].At.UnixMilli()] = true
	}
	for _, e := range found {
		if !asked[e.Moment.UnixMilli()] {
			continue
		}
		out.Existing++
		if actOn(existing, &hive.Batch{State: e.State, Live: !e.State.Final()}) == hive.ActKept {
			out.Kept++
		}
	}
	return out, nil
}

// expected estimates how long a backfill takes by the usual durations; 0 if one that counts is not known. With several
// schedules it assumes that there is always a moment to begin.
func expected(list []hive.BackfillPreviewSchedule, parallel int) time.Duration {
	if len(list) == 1 {
		turns := (list[0].Moments - list[0].Kept + parallel - 1) / parallel
		return time.Duration(turns) * list[0].Usual
	}
	var work, longest time.Duration
	for i := range list {
		runs := list[i].Moments - list[i].Kept
		if runs > 0 && list[i].Usual == 0 {
			return 0
		}
		work += time.Duration(runs) * list[i].Usual
		if runs > 0 {
			longest += list[i].Usual
		}
	}
	return max(work/time.Duration(parallel), longest)
}
