package catalog

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// This file is the part of the store in memory that finds schedules, and archives and deletes them.

func (s *store) FindSchedules(
	_ context.Context, sel *hive.ScheduleSelection, after string, descending bool, limit int,
) ([]hive.Schedule, error) {
	var page []hive.Schedule
	for _, h := range s.schedules {
		if s.selects(sel, &h) && (descending && (after == "" || h.Name < after) || !descending && h.Name > after) {
			page = append(page, h)
		}
	}
	slices.SortFunc(page, func(a, b hive.Schedule) int { return strings.Compare(a.Name, b.Name) })
	if descending {
		slices.Reverse(page)
	}
	return page[:min(limit, len(page))], nil
}

// selects compares as the real store does, but that each word may have other letters between its own.
func (s *store) selects(sel *hive.ScheduleSelection, h *hive.Schedule) bool {
	texts := s.texts[h.ID]
	for _, word := range sel.Words {
		if wordMatch(word, h.Name+" "+texts.Words) == noMatch {
			return false
		}
	}
	group := hive.NeedNone
	switch {
	case openOf[h.ID] > 0 || slices.Contains(sel.Urgent, h.ID):
		group = hive.NeedPerson
	case len(s.live[h.ID]) > 0:
		group = hive.NeedLive
	}
	return h.Archived() == sel.Archived && (sel.Tag == "" || slices.Contains(texts.Tags, sel.Tag)) &&
		(sel.Owner == "" || slices.Contains(texts.Owners, sel.Owner)) && (!sel.Disabled || !h.Enabled) &&
		(!sel.Running || len(s.live[h.ID]) > 0) && (sel.Among == nil || slices.Contains(sel.Among, h.ID)) &&
		(sel.Need == hive.NeedAny || sel.Need == group)
}

func (s *store) CountFound(ctx context.Context, sel *hive.ScheduleSelection) (int, error) {
	keys, err := s.ScheduleKeys(ctx, sel)
	return len(keys), err
}

func (s *store) ScheduleKeys(ctx context.Context, sel *hive.ScheduleSelection) ([]hive.ScheduleKey, error) {
	rows, err := s.FindSchedules(ctx, sel, "", false, len(s.schedules))
	out := make([]hive.ScheduleKey, len(rows))
	for i, h := range rows {
		out[i] = hive.ScheduleKey{
			ID: h.ID, Name: h.Name, Title: s.texts[h.ID].Title, Enabled: h.Enabled, NextAt: h.NextAt,
			Version: h.Version,
		}
	}
	return out, err
}

func (s *store) EndedSince(context.Context, time.Time) ([]int64, error) { return s.ended, nil }

func (s *store) Undescribed(_ context.Context, limit int) (out []hive.Schedule, _ error) {
	for _, h := range s.schedules {
		if s.texts[h.ID].Revision != h.Revision && len(out) < limit {
			out = append(out, h)
		}
	}
	return out, nil
}

func (s *store) DescribeSchedules(_ context.Context, list []hive.ScheduleTexts) error {
	if s.texts == nil {
		s.texts = map[int64]hive.ScheduleTexts{}
	}
	for _, t := range list {
		s.texts[t.ScheduleID] = t
	}
	return nil
}

func (s *store) LabeledSchedules(ctx context.Context, tag, owner string) (ids []int64, err error) {
	keys, err := s.ScheduleKeys(ctx, &hive.ScheduleSelection{Tag: tag, Owner: owner})
	for i := range keys {
		ids = append(ids, keys[i].ID)
	}
	return ids, err
}

func (s *store) ScheduleLabels(context.Context) (tags, owners []string, _ error) {
	for _, t := range s.texts {
		tags, owners = append(tags, t.Tags...), append(owners, t.Owners...)
	}
	slices.Sort(tags)
	slices.Sort(owners)
	return slices.Compact(tags), slices.Compact(owners), nil
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

func (s *store) SetArchived(_ context.Context, name string, on bool, by string, now time.Time) (hive.Schedule, error) {
	h := &s.schedules[s.at(name)]
	h.ArchivedAt, h.ArchivedBy = time.Time{}, ""
	if on {
		h.ArchivedAt, h.ArchivedBy = now, by
	}
	return *h, nil
}

func (s *store) BeginDeletion(_ context.Context, name, by string, now time.Time) (hive.Deletion, error) {
	s.deletions = append(s.deletions, hive.Deletion{Schedule: name, By: by, BegunAt: now})
	return s.deletions[len(s.deletions)-1], nil
}

func (s *store) Deletions(context.Context, int) ([]hive.Deletion, error) { return s.deletions, nil }
