package catalog

import (
	"context"
	"fmt"
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

// More schedules than one read returns are all searched.
func TestSearchMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range searchPage + 1 {
		w.save(fmt.Sprintf("s%04d", i))
	}
	last := fmt.Sprintf("s%04d", searchPage)
	if got := names(t, w, hive.ScheduleFilter{Query: last, Limit: 10}); got != "["+last+"]" {
		t.Errorf("%s", got)
	}
}

func names(t *testing.T, w *world, f hive.ScheduleFilter) string {
	t.Helper()
	views, err := w.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range views {
		out = append(out, views[i].Schedule.Name)
	}
	return "[" + strings.Join(out, " ") + "]"
}

func (s *store) SchedulesByID(_ context.Context, ids []int64) ([]hive.Schedule, error) {
	all, err := s.Schedules(context.Background())
	return slices.DeleteFunc(all, func(h hive.Schedule) bool { return !slices.Contains(ids, h.ID) }), err
}
