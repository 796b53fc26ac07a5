package catalog

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// ArchiveStore ends the use of schedules.
type ArchiveStore interface {
	// SetArchived archives or unarchives a schedule, and returns it.
	SetArchived(ctx context.Context, name string, on bool, by string, now time.Time) (hive.Schedule, error)
	// BeginDeletion marks an archived schedule for deletion. CodeConflict if it has live work.
	BeginDeletion(ctx context.Context, name, by string, now time.Time) (hive.Deletion, error)
	// Deletions lists the deletions of schedules, latest first.
	Deletions(ctx context.Context, limit int) ([]hive.Deletion, error)
}

// SetArchived archives or unarchives a schedule. CodeConflict if others wait for it and nobody has confirmed that.
func (s *Service) SetArchived(ctx context.Context, r hive.ArchiveRequest) (hive.Schedule, error) {
	h, err := s.schedules.Schedule(ctx, r.Schedule)
	if err != nil {
		return h, err
	}
	if r.Archived && !r.Confirmed && !h.Archived() {
		waiting, err := s.directory.DependantNames(ctx, r.Schedule, false)
		if err != nil {
			return h, err
		}
		if len(waiting) > 0 {
			list := strings.Join(waiting, ", ")
			return h, hive.Errorf(hive.CodeConflict,
				"schedules wait for %s: %s; confirm that they shall go on without it", r.Schedule, list).
				WithReason(hive.ErrorScheduleWaitedOn, "schedule", r.Schedule, "schedules", list)
		}
	}
	if h, err = s.archive.SetArchived(ctx, r.Schedule, r.Archived, r.By, s.moment()); err == nil {
		s.changed(h.ID)
	}
	return h, err
}

// Delete begins to delete an archived schedule with all that belongs to it. CodeConflict if others name it as one that
// they wait for, archived ones included, if it is not archived, or if it has live work.
func (s *Service) Delete(ctx context.Context, name, by string) (hive.Deletion, error) {
	if _, err := s.schedules.Schedule(ctx, name); err != nil {
		return hive.Deletion{}, err
	}
	waiting, err := s.directory.DependantNames(ctx, name, true)
	if err != nil {
		return hive.Deletion{}, err
	}
	if len(waiting) > 0 {
		list := strings.Join(waiting, ", ")
		return hive.Deletion{}, hive.Errorf(hive.CodeConflict,
			"the triggers of %s wait for %s; take it out of them first", list, name).
			WithReason(hive.ErrorScheduleNamed, "schedule", name, "schedules", list)
	}
	d, err := s.archive.BeginDeletion(ctx, name, by, s.moment())
	if err == nil {
		s.deleting()
	}
	return d, err
}

// Deletions lists the deletions of schedules, latest first.
func (s *Service) Deletions(ctx context.Context, limit int) ([]hive.Deletion, error) {
	return s.archive.Deletions(ctx, limit)
}

// addArchived notes which of the schedules that views wait for are archived. after has their names by the id of the one
// that waits.
func (s *Service) addArchived(ctx context.Context, views []hive.ScheduleView, after map[int64][]string) error {
	var names []string
	for _, list := range after {
		names = append(names, list...)
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	rows, err := s.directory.SchedulesNamed(ctx, slices.Compact(names))
	if err != nil {
		return err
	}
	archived := map[string]bool{}
	for i := range rows {
		for _, name := range append(rows[i].Former, rows[i].Name) {
			archived[name] = rows[i].Archived()
		}
	}
	for i := range views {
		v := &views[i]
		for _, name := range after[v.Schedule.ID] {
			if archived[name] {
				v.WaitsForArchived = append(v.WaitsForArchived, name)
			}
		}
	}
	return nil
}
