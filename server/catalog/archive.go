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
		waiting, err := s.dependants(ctx, r.Schedule, false)
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
	waiting, err := s.dependants(ctx, name, true)
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

// dependants lists the schedules whose newest revision waits for another one.
func (s *Service) dependants(ctx context.Context, name string, archived bool) ([]string, error) {
	all, err := s.schedules.Schedules(ctx)
	if err != nil {
		return nil, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range all {
		if all[i].Archived() && !archived {
			continue
		}
		d, err := s.digestOf(ctx, &all[i], around)
		if hive.CodeOf(err) == hive.CodeInvalid {
			continue // its triggers cannot be read; the home page has an alarm
		}
		if err != nil {
			return nil, err
		}
		if slices.Contains(d.after, name) {
			out = append(out, all[i].Name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// names is a set of names.
type names map[string]bool

func archivedNames(all []hive.Schedule) names {
	out := names{}
	for i := range all {
		if all[i].Archived() {
			out[all[i].Name] = true
			for _, name := range all[i].Former {
				out[name] = true
			}
		}
	}
	return out
}

// of returns those of a list that are in the set.
func (n names) of(list []string) []string {
	var out []string
	for _, name := range list {
		if n[name] {
			out = append(out, name)
		}
	}
	return out
}
