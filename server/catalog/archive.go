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
}

// SetArchived archives or unarchives a schedule. CodeConflict if others wait for it and nobody has confirmed that.
func (s *Service) SetArchived(ctx context.Context, r hive.ArchiveRequest) (hive.Schedule, error) {
	h, err := s.schedules.Schedule(ctx, r.Schedule)
	if err != nil {
		return h, err
	}
	if r.Archived && !r.Confirmed && !h.Archived() {
		waiting, err := s.dependants(ctx, r.Schedule)
		if err != nil {
			return h, err
		}
		if len(waiting) > 0 {
			list := strings.Join(waiting, ", ")
			return h, hive.Errorf(hive.CodeConflict, "schedules wait for %s: %s; confirm that they shall go on without it",
				r.Schedule, list).
				WithReason(hive.ErrorScheduleWaitedOn, "schedule", r.Schedule, "schedules", list)
		}
	}
	if h, err = s.archive.SetArchived(ctx, r.Schedule, r.Archived, r.By, s.moment()); err == nil {
		s.changed(h.ID)
	}
	return h, err
}

// dependants lists the schedules, without archived ones, whose newest revision waits for another one.
func (s *Service) dependants(ctx context.Context, name string) ([]string, error) {
	all, err := s.schedules.Schedules(ctx)
	if err != nil {
		return nil, err
	}
	version, err := s.calendars.CalendarsVersion(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range all {
		if all[i].Archived() {
			continue
		}
		d, err := s.digestOf(ctx, &all[i], version)
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
