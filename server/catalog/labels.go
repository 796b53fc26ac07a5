package catalog

import (
	"context"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// Labeled lists the ids of the schedules, archived ones too, whose newest revision has a tag and an owner; an empty one
// is any. A revision that cannot be read has neither.
func (s *Service) Labeled(ctx context.Context, tag, owner string) ([]int64, error) {
	if err := s.describe(ctx); err != nil {
		return nil, err
	}
	return s.lists.LabeledSchedules(ctx, tag, owner)
}

// Labels lists the tags and the owners of the schedules that are not archived, sorted.
func (s *Service) Labels(ctx context.Context) (tags, owners []string, err error) {
	if err := s.describe(ctx); err != nil {
		return nil, nil, err
	}
	return s.lists.ScheduleLabels(ctx)
}

// describeAtOnce is the number of schedules whose texts are stored in one transaction.
const describeAtOnce = 50

// describe stores the texts of the schedules that an older HiveGo has saved. The first search after an update reads all
// documents, and later ones none. What it has stored stays if the call is given up.
func (s *Service) describe(ctx context.Context) error {
	if rows, err := s.lists.Undescribed(ctx, 1); err != nil || len(rows) == 0 {
		return err
	}
	if err := s.describing.take(ctx, "the server is preparing the search"); err != nil {
		return err
	}
	defer s.describing.leave()
	for {
		rows, err := s.lists.Undescribed(ctx, describeAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		texts := make([]hive.ScheduleTexts, len(rows))
		for i := range rows {
			if texts[i], err = s.storedTexts(ctx, &rows[i]); err != nil {
				return err
			}
		}
		if err := s.lists.DescribeSchedules(ctx, texts); err != nil {
			return err
		}
	}
}

// storedTexts returns the texts of the newest revision of a schedule: none if it cannot be read any more. It returns an
// error only if the database cannot be read now: a list without some of its schedules would look complete.
func (s *Service) storedTexts(ctx context.Context, h *hive.Schedule) (hive.ScheduleTexts, error) {
	out := hive.ScheduleTexts{}
	rev, err := s.schedules.RevisionAt(ctx, h.ID, h.Revision)
	if err == nil {
		doc, unread := s.stored(ctx, rev)
		if err = unread; err == nil {
			out = *textsOf(doc.Definition)
		}
	}
	out.ScheduleID, out.Revision = h.ID, h.Revision
	if hive.CodeOf(err) == hive.CodeUnavailable {
		return out, err
	}
	return out, ctx.Err()
}

// textsOf returns what lists search in and select by.
func textsOf(def *hive.Definition) *hive.ScheduleTexts {
	words := append([]string{def.Title, initials(def.Title)}, def.Tags...)
	words = append(words, def.Owners...)
	return &hive.ScheduleTexts{
		Title: def.Title, Words: strings.ToLower(strings.Join(words, " ")), Tags: def.Tags, Owners: def.Owners,
	}
}
