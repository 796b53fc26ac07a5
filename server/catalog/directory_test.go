package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// This file is the part of the store in memory that finds schedules.

func (s *store) SchedulePage(_ context.Context, archived bool, after string, limit int) ([]hive.Schedule, error) {
	var page []hive.Schedule
	for _, h := range s.schedules {
		if h.Archived() == archived && h.Name > after {
			page = append(page, h)
		}
	}
	slices.SortFunc(page, func(a, b hive.Schedule) int { return strings.Compare(a.Name, b.Name) })
	return page[:min(limit, len(page))], nil
}

func (s *store) SchedulesNamed(_ context.Context, names []string) (found []hive.Schedule, _ error) {
	for _, h := range s.schedules {
		if slices.Contains(names, h.Name) {
			found = append(found, h)
		}
	}
	return found, nil
}

func (s *store) CountSchedules(ctx context.Context) (int, error) {
	names, err := s.ScheduleNames(ctx)
	return len(names) + s.more, err
}

func (s *store) ScheduleNames(context.Context) (names []string, _ error) {
	for _, h := range s.schedules {
		if !h.Archived() {
			names = append(names, h.Name)
		}
	}
	return names, nil
}

// LinkedSchedules lists all schedules: more than the real store does harms nobody.
func (s *store) LinkedSchedules(ctx context.Context, _ string) ([]hive.Schedule, error) {
	return s.Schedules(ctx)
}

func (s *store) DependantNames(_ context.Context, name string, archived bool) (names []string, _ error) {
	for _, h := range s.schedules {
		waits := slices.ContainsFunc(s.links[h.Name], func(l hive.ScheduleLink) bool {
			return l.Upstream == name || s.former[l.Upstream] == name
		})
		if waits && h.Name != name && (archived || !h.Archived()) {
			names = append(names, h.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// openOf has the open batches of schedules.
var openOf = map[int64]int{1: 2} //nolint:gochecknoglobals // fixed

func (s *store) CountOpenOf(context.Context, []int64) (map[int64]int, error) {
	s.lists++
	return openOf, nil
}
