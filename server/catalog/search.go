package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// searchPage is the number of rows that a search reads at once.
const searchPage = 1000

// found is a schedule that a search has found, and how well.
type found struct {
	schedule hive.Schedule
	match    int
}

// search returns the schedules that have all words in their names and titles, the best first. With more schedules than
// digests are kept, titles that nobody has read yet are not searched: each search would read all documents again.
func (s *Service) search(ctx context.Context, f hive.ScheduleFilter) ([]hive.Schedule, error) {
	var rows []hive.Schedule
	for after := ""; ; {
		page, err := s.directory.SchedulePage(ctx, f.Archived, after, searchPage)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page...)
		if len(page) < searchPage {
			break
		}
		after = page[len(page)-1].Name
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(f.Query))
	var matches []found
	for i := range rows {
		if f.Labeled() {
			has, err := s.hasLabels(ctx, &rows[i], around, f.Tag, f.Owner)
			if err != nil {
				return nil, err
			}
			if !has {
				continue
			}
		}
		title, err := s.titleOf(ctx, &rows[i], around, len(rows) <= maxDigests)
		if err != nil {
			return nil, err
		}
		if m := matchOf(words, searchTexts(rows[i].Name, title, rows[i].Former)); m < noMatch {
			matches = append(matches, found{rows[i], m})
		}
	}
	// Equal matches stay in the order of their names.
	slices.SortStableFunc(matches, func(a, b found) int { return a.match - b.match })
	out := make([]hive.Schedule, 0, min(f.Limit, len(matches)))
	for i := range matches[:min(f.Limit, len(matches))] {
		out = append(out, matches[i].schedule)
	}
	return out, nil
}

// titleOf returns the title of a schedule; if read is false, only if it is known.
func (s *Service) titleOf(ctx context.Context, h *hive.Schedule, a around, read bool) (string, error) {
	if read {
		d, err := s.digestOf(ctx, h, a)
		return d.view.Title, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.digests[revisionKey{h.ID, h.Revision}].view.Title, nil
}
