package catalog

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"night-load", "load", "reload", "other"} {
		w.save(name)
	}
	for query, want := range map[string]string{
		"load":         "[load night-load reload]", // the whole name, a part of it, inside of it
		"LOAD":         "[load night-load reload]",
		"rld":          "[reload]",
		"nacht":        "[load night-load other reload]", // the title of all
		"nachtlauf re": "[reload]",
		"absent":       "[]",
	} {
		if got := names(t, w, hive.ScheduleFilter{Query: query, Limit: 10}); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	if got := names(t, w, hive.ScheduleFilter{Query: "load", Limit: 2}); got != "[load night-load]" {
		t.Errorf("two of three: %s", got)
	}
	if got := names(t, w, hive.ScheduleFilter{Query: "load", Limit: 2, Archived: true}); got != "[]" {
		t.Errorf("archived: %s", got)
	}
}

func names(t *testing.T, w *world, f hive.ScheduleFilter) string {
	t.Helper()
	page, err := w.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range page.Views {
		out = append(out, page.Views[i].Schedule.Name)
	}
	return "[" + strings.Join(out, " ") + "]"
}

func (s *store) SchedulesByID(_ context.Context, ids []int64) ([]hive.Schedule, error) {
	s.found += len(ids)
	all, err := s.Schedules(context.Background())
	return slices.DeleteFunc(all, func(h hive.Schedule) bool { return !slices.Contains(ids, h.ID) }), err
}
