package schedule_test

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// This file is how the ticker finds the schedules in the store in memory, by the rules of the real one.

// touch lets the ticker look at a schedule again. The lock is held.
func (s *store) touch(id int64) {
	s.rows[id].NextAt = time.Time{}
	s.rows[id].Version++
}

// selected lists the schedules that keep selects, by id.
func (s *store) selected(keep func(*hive.Schedule) bool) (rows []hive.Schedule, ids []int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failRead != nil {
		if err := s.failRead(); err != nil {
			return nil, nil, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.rows)) {
		if row := s.rows[id]; keep(row) {
			rows, ids = append(rows, *row), append(ids, id)
		}
	}
	return rows, ids, nil
}

// DueSchedules is of schedule.Store.
func (s *store) DueSchedules(_ context.Context, until time.Time) ([]int64, error) {
	_, ids, err := s.selected(func(row *hive.Schedule) bool { return !row.NextAt.After(until) })
	return ids, err
}

// MarkedAfter is of schedule.Store.
func (s *store) MarkedAfter(_ context.Context, t time.Time) ([]int64, error) {
	_, ids, err := s.selected(func(row *hive.Schedule) bool { return row.Mark.After(t) })
	return ids, err
}

// SchedulesByID is of schedule.Store.
func (s *store) SchedulesByID(_ context.Context, ids []int64) ([]hive.Schedule, error) {
	s.mu.Lock()
	s.fetched += len(ids)
	s.mu.Unlock()
	wanted := map[int64]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	rows, _, err := s.selected(func(row *hive.Schedule) bool { return wanted[row.ID] })
	return rows, err
}

// SchedulesNamed is of schedule.Store.
func (s *store) SchedulesNamed(_ context.Context, names []string) ([]hive.Schedule, error) {
	rows, _, err := s.selected(func(row *hive.Schedule) bool { return slices.Contains(names, row.Name) })
	return rows, err
}

// NoteLooks is of schedule.Store.
func (s *store) NoteLooks(_ context.Context, looks []hive.ScheduleLook) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range looks {
		row := s.rows[l.ScheduleID]
		if row == nil || row.Version != l.Version {
			continue
		}
		row.NextAt = l.NextAt
		if l.Linked != 0 {
			row.Linked = l.Linked
		}
	}
	return nil
}

// link stores the links of a new revision, as saving does. The lock is held.
func (s *store) link(id int64, def hive.Definition) {
	def.Name = s.rows[id].Name
	for name, list := range s.dependants {
		s.dependants[name] = slices.DeleteFunc(list, func(of int64) bool { return of == id })
	}
	for _, l := range schedule.LinksOf(&def) {
		s.dependants[l.Upstream] = append(s.dependants[l.Upstream], id)
	}
	s.rows[id].Linked = s.rows[id].Revision
}

// Dependants is of schedule.Links.
func (s *store) Dependants(_ context.Context, ids []int64) ([]hive.Dependant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []hive.Dependant
	for _, of := range ids {
		if up := s.rows[of]; up != nil {
			for _, id := range s.dependants[up.Name] {
				found = append(found, hive.Dependant{ScheduleID: id, Of: of})
			}
		}
	}
	return found, nil
}

// ChangesToCome is of schedule.Changes.
func (s *store) ChangesToCome(_ context.Context, ids []int64) (map[int64][]hive.PlannedChange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[int64][]hive.PlannedChange{}
	for _, id := range ids {
		if list := s.toCome(id); s.rows[id] != nil && len(list) > 0 {
			out[id] = list
		}
	}
	return out, nil
}

// FormerNames is of schedule.Store: nobody renames schedules in it.
func (s *store) FormerNames(context.Context) (map[string]string, error) {
	return map[string]string{}, nil
}
