package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// found is a schedule that a search has found, and how well.
type found struct {
	id    int64
	match int
}

// maxSearchWords bounds the work of a search: each word is compared with the texts of all schedules.
const maxSearchWords = 10

// searchWords returns the first different words of a search, in small letters.
func searchWords(text string) []string {
	var words []string
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if len(words) < maxSearchWords && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// search returns the schedules that have all words in their names and titles, the best first. The database finds those
// that have the letters of each word in this order, tags and owners included; of these, only names and titles are read.
func (s *Service) search(ctx context.Context, f *hive.ScheduleFilter) ([]hive.Schedule, error) {
	if err := s.describe(ctx); err != nil {
		return nil, err
	}
	words := searchWords(f.Query)
	keys, err := s.lists.ScheduleKeys(ctx, &hive.ScheduleSelection{
		Archived: f.Archived, Words: words, Spread: true, Tag: f.Tag, Owner: f.Owner,
	})
	if err != nil {
		return nil, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, err
	}
	former := map[string][]string{}
	for old, name := range around.former {
		former[name] = append(former[name], old)
	}
	var matches []found
	for i := range keys {
		k := &keys[i]
		if m := matchOf(words, searchTexts(k.Name, k.Title, former[k.Name])); m < noMatch {
			matches = append(matches, found{k.ID, m})
		}
	}
	// Equal matches stay in the order of their names.
	slices.SortStableFunc(matches, func(a, b found) int { return a.match - b.match })
	ids := make([]int64, min(f.Limit, len(matches)))
	for i := range ids {
		ids[i] = matches[i].id
	}
	return s.inOrder(ctx, ids)
}

// inOrder reads schedules by their ids, and returns them in the same order. One that is gone is left out.
func (s *Service) inOrder(ctx context.Context, ids []int64) ([]hive.Schedule, error) {
	rows, err := s.directory.SchedulesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b hive.Schedule) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return rows, nil
}
