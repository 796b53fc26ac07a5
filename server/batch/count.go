package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Count fills in the counts of the batches that have none: the owner's counts for a live batch, the stored counts for
// any other.
func (s *Service) Count(ctx context.Context, list []hive.Batch) error {
	var live, rest []int64
	for i := range list {
		if b := &list[i]; b.Counts == nil && b.Live {
			live = append(live, b.ID)
		} else if b.Counts == nil {
			rest = append(rest, b.ID)
		}
	}
	counts := map[int64]hive.Counts{}
	if len(live) > 0 {
		seen := s.engine.Summaries(ctx, live...)
		for _, id := range live {
			if v, ok := seen[id]; ok && v.Counts != nil {
				counts[id] = v.Counts
			} else {
				rest = append(rest, id)
			}
		}
	}
	if len(rest) > 0 {
		stored, err := s.statistics.CountRuns(ctx, rest)
		if err != nil {
			return err
		}
		for _, id := range rest {
			counts[id] = stored[id]
		}
	}
	for i := range list {
		if b := &list[i]; b.Counts == nil {
			b.Counts = counts[b.ID]
		}
	}
	return nil
}

// Usual returns the usual durations of successful batches, by schedule, for the schedules of the given batches.
func (s *Service) Usual(ctx context.Context, list []hive.Batch) (map[int64]time.Duration, error) {
	var schedules []int64
	for i := range list {
		if id := list[i].ScheduleID; id != 0 {
			schedules = append(schedules, id)
		}
	}
	slices.Sort(schedules)
	return s.statistics.UsualDurations(ctx, slices.Compact(schedules))
}

// UsualRuns returns when the tasks of a batch usually run, by the batches of its schedule before it, sorted by key.
func (s *Service) UsualRuns(ctx context.Context, id int64) ([]hive.UsualRun, error) {
	b, err := s.batches.Batch(ctx, id)
	if err != nil || b.ScheduleID == 0 {
		return nil, err
	}
	times, err := s.statistics.PastTimes(ctx, b.ScheduleID, id)
	if err != nil {
		return nil, err
	}
	out := make([]hive.UsualRun, 0, len(times))
	for _, task := range slices.Sorted(maps.Keys(times)) {
		var begin, took []time.Duration
		for _, t := range times[task] {
			begin, took = append(begin, t.Begin), append(took, t.End-t.Begin)
		}
		out = append(out, hive.UsualRun{
			Task: task, Begin: hive.Usual(begin), Took: hive.Usual(took), Most: hive.UsualMost(took),
		})
	}
	return out, nil
}

// Definition returns the present definition of a batch: a schedule's revision, or the batch's own.
func (s *Service) Definition(ctx context.Context, id int64) (hive.RevisionView, error) {
	b, err := s.batches.Batch(ctx, id)
	if err != nil {
		return hive.RevisionView{}, err
	}
	rev, err := s.revisions.Revision(ctx, b.RevisionID)
	if err != nil {
		return hive.RevisionView{}, err
	}
	g, err := s.graphs.Compile(&rev)
	if err != nil {
		return hive.RevisionView{}, err
	}
	text, err := json.Marshal(g.Def)
	if err != nil {
		return hive.RevisionView{}, fmt.Errorf("write revision %d as JSON: %w", rev.ID, err)
	}
	return hive.RevisionView{Revision: rev, Definition: text}, nil
}
