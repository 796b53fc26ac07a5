package catalog

import (
	"context"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// Labeled lists the ids of the schedules, archived ones too, whose newest revision has a tag and an owner; an empty one
// is any. A revision that cannot be read has neither. The first call reads the newest revision of each schedule.
func (s *Service) Labeled(ctx context.Context, tag, owner string) ([]int64, error) {
	all, err := s.schedules.Schedules(ctx)
	if err != nil {
		return nil, err
	}
	a, err := s.around(ctx)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for i := range all {
		has, err := s.hasLabels(ctx, &all[i], a, tag, owner)
		if err != nil {
			return nil, err
		}
		if has {
			ids = append(ids, all[i].ID)
		}
	}
	return ids, nil
}

// hasLabels returns an error only if the database cannot be read now: a list without some of its schedules would look
// complete.
func (s *Service) hasLabels(ctx context.Context, h *hive.Schedule, a around, tag, owner string) (bool, error) {
	d, err := s.digestOf(ctx, h, a)
	switch {
	case err == nil:
		return (tag == "" || slices.Contains(d.view.Tags, tag)) &&
			(owner == "" || slices.Contains(d.view.Owners, owner)), nil
	case hive.CodeOf(err) == hive.CodeUnavailable:
		return false, err
	default:
		return false, ctx.Err()
	}
}

// labeledPage returns a page of the schedules that have the labels of the filter.
func (s *Service) labeledPage(ctx context.Context, f hive.ScheduleFilter) ([]hive.Schedule, error) {
	a, err := s.around(ctx)
	if err != nil {
		return nil, err
	}
	var out []hive.Schedule
	for after := f.After; ; {
		page, err := s.directory.SchedulePage(ctx, f.Archived, after, searchPage)
		if err != nil {
			return nil, err
		}
		for i := range page {
			has, err := s.hasLabels(ctx, &page[i], a, f.Tag, f.Owner)
			if err != nil {
				return nil, err
			}
			if !has {
				continue
			}
			if out = append(out, page[i]); len(out) == f.Limit {
				return out, nil
			}
		}
		if len(page) < searchPage {
			return out, nil
		}
		after = page[len(page)-1].Name
	}
}
