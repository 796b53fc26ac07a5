package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// mostCaused is the number of moments that one batch can have let start.
const mostCaused = 10_000

// Followers returns a function that finds what refers to the moment of a batch in other schedules: the moments that its
// batches let start, those whose window holds it, and the waiting ticks. It knows the schedules as they are now.
func (s *Service) Followers(ctx context.Context) (func(hive.Batch) ([]hive.Follower, error), error) {
	known, dependants, err := s.chainSchedules(ctx, "")
	if err != nil {
		return nil, err
	}
	f := &followerRead{
		Service: s, ctx: ctx, known: known, dependants: dependants, byID: make(map[int64]*chainSchedule, len(known)),
	}
	var waiting []int64
	for name := range known {
		f.byID[known[name].row.ID] = known[name]
		if len(known[name].after) > 0 {
			waiting = append(waiting, known[name].row.ID)
		}
	}
	if f.waiting, err = s.chains.WaitingTicks(ctx, waiting); err != nil {
		return nil, err
	}
	return f.of, nil
}

// followerRead finds the followers of one request.
type followerRead struct {
	*Service

	ctx        context.Context //nolint:containedctx // it lives as long as the request
	known      map[string]*chainSchedule
	byID       map[int64]*chainSchedule
	dependants map[string][]string
	waiting    map[int64][]hive.Tick
}

// of finds the followers of one batch, by schedule and moment.
func (f *followerRead) of(b hive.Batch) ([]hive.Follower, error) {
	caused, err := f.chains.CausedMoments(f.ctx, b.ScheduleID, b.Moment, mostCaused)
	if err != nil {
		return nil, err
	}
	moments := map[*chainSchedule][]time.Time{}
	for _, c := range caused {
		if h := f.byID[c.ScheduleID]; h != nil {
			moments[h] = append(moments[h], c.Moment)
		}
	}
	var out []hive.Follower
	for _, name := range f.dependants[b.Schedule] {
		h := f.known[name]
		inside, err := f.inside(h, &b)
		if err != nil {
			return nil, err
		}
		moments[h] = append(moments[h], inside...)
		for i := range f.waiting[h.row.ID] {
			if at := f.waiting[h.row.ID][i].Moment; h.times.Refers(at, b.Schedule, b.Moment, true) {
				out = append(out, hive.Follower{Schedule: *h.row, Moment: at})
			}
		}
	}
	for h, list := range moments {
		found, err := f.batchesOf(h, list)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b hive.Follower) int {
		if c := a.Moment.Compare(b.Moment); c != 0 {
			return c
		}
		return int(a.Schedule.ID - b.Schedule.ID)
	})
	return out, nil
}

// inside lists the moments of a dependant that have a batch and whose window holds the moment of a batch.
func (f *followerRead) inside(h *chainSchedule, b *hive.Batch) ([]time.Time, error) {
	after, until, ok := h.times.Referring(b.Schedule, b.Moment)
	if !ok {
		return nil, nil
	}
	results, err := f.chains.MomentResults(f.ctx, h.row.ID, after, until, chainResults)
	if err != nil {
		return nil, err
	}
	var out []time.Time
	for i := range results {
		r := &results[i]
		if r.Batch != 0 && h.times.Refers(r.Moment, b.Schedule, b.Moment, false) {
			out = append(out, r.Moment)
		}
	}
	return out, nil
}

// batchesOf reads the newest batch of each moment.
func (f *followerRead) batchesOf(h *chainSchedule, moments []time.Time) ([]hive.Follower, error) {
	slices.SortFunc(moments, time.Time.Compare)
	moments = slices.CompactFunc(moments, time.Time.Equal)
	out := make([]hive.Follower, 0, len(moments))
	for _, at := range moments {
		found, err := f.chains.MomentResults(f.ctx, h.row.ID, at.Add(-time.Millisecond), at, 1)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 || found[0].Batch == 0 {
			continue
		}
		b, err := f.chains.Batch(f.ctx, found[0].Batch)
		if hive.CodeOf(err) == hive.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, hive.Follower{Schedule: *h.row, Moment: at, Batch: &b})
	}
	return out, nil
}

// FillMembers lists a schedule, and after it those that wait for it, directly or through others.
func (s *Service) FillMembers(ctx context.Context, name string) ([]schedule.FillMember, error) {
	known, dependants, err := s.chainSchedules(ctx, name)
	if err != nil {
		return nil, err
	}
	none := func(string) []string { return nil }
	var out []schedule.FillMember
	for _, p := range placesOf(name, none, func(name string) []string { return dependants[name] }) {
		if h := known[p.name]; h != nil {
			out = append(out, schedule.FillMember{Schedule: *h.row, After: h.after, Times: h.times})
		}
	}
	return out, nil
}
