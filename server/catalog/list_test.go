package catalog

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// walk reads all pages of a list, and returns the names on each.
func walk(t *testing.T, w *world, f hive.ScheduleFilter) string {
	t.Helper()
	var pages []string
	for range 20 {
		page, err := w.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range page.Views {
			names = append(names, page.Views[i].Schedule.Name)
		}
		pages = append(pages, strings.Join(names, " "))
		if f.After = page.Next; page.Next == "" {
			return strings.Join(pages, " | ")
		}
	}
	t.Fatal("the list has no end")
	return ""
}

// Each order has each schedule once, on pages of any size.
func TestOrders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, s := range []struct{ name, triggers string }{
		{"open", `[{cron: "0 6 * * *"}]`}, // the store in memory says that the first one has open batches
		{"late", `[{cron: "0 5 * * *"}]`},
		{"early", `[{cron: "0 4 * * *"}]`},
		{"hand", `[]`},
		{"off", `[{cron: "0 2 * * *"}]`},
		{"live", `[{cron: "0 7 * * *"}]`},
		{"hurt", `[{cron: "0 8 * * *"}]`},
	} {
		w.saveWith(s.name, s.triggers, "{}")
	}
	w.db.schedules[4].Enabled = false
	w.db.live = map[int64][]hive.Batch{6: {{ID: 60}}, 7: {{ID: 70}}}
	w.db.unknown = map[int64]bool{4: true}
	w.Service.urgent = func(context.Context) ([]int64, error) { return []int64{7}, nil }
	w.Service.late = func(context.Context) ([]int64, error) { return []int64{6}, nil }
	for _, c := range []struct {
		order      hive.ScheduleOrder
		descending bool
		want       string
	}{
		{"", false, "early hand hurt late live off open"},
		{hive.ScheduleByName, true, "open off live late hurt hand early"},
		{hive.ScheduleByNeed, false, "hurt open live early hand late off"},
		{hive.ScheduleByNext, false, "early late open live hurt hand off"},
		{hive.ScheduleByNext, true, "hurt live open late early hand off"},
		{hive.ScheduleByUsual, false, "open late early off live hurt hand"},
		{hive.ScheduleByUsual, true, "hurt live off early late open hand"},
	} {
		for size := 1; size <= 8; size++ {
			got := walk(t, w, hive.ScheduleFilter{Order: c.order, Descending: c.descending, Limit: size})
			if strings.ReplaceAll(got, " |", "") != c.want {
				t.Errorf("by %q, descending %v, %d on a page: %s; want %s", c.order, c.descending, size, got, c.want)
			}
		}
	}
	for show, want := range map[hive.ScheduleShow]string{
		hive.ShowPerson: "hurt | open", hive.ShowRunning: "hurt | live", hive.ShowLate: "live",
		hive.ShowDisabled: "off",
	} {
		got := walk(t, w, hive.ScheduleFilter{Order: hive.ScheduleByNeed, Show: show, Limit: 1})
		if got != want {
			t.Errorf("%s: %s; want %s", show, got, want)
		}
		page, err := w.List(t.Context(), hive.ScheduleFilter{Show: show, Limit: 1, Count: true})
		if err != nil || page.Count != len(strings.Split(want, " | ")) || page.Total != 7 {
			t.Errorf("%s: %d of %d, %v", show, page.Count, page.Total, err)
		}
	}
	need := hive.ScheduleFilter{Order: hive.ScheduleByNeed, Limit: 1}
	of := listOf(&need)
	for _, after := range []string{"x", "x~a", "0~a", of, of + "~x~a", of + "~0~a", of + "~9~a", "x~1~a"} {
		need.After = after
		_, err := w.List(t.Context(), need)
		refused(t, err, hive.CodeInvalid, "the same sort, desc and filters")
	}
}

// The end of a page continues only the list of this page.
func TestCursorOfAnotherList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		w.save(name)
	}
	lists := []hive.ScheduleFilter{
		{Order: hive.ScheduleByNeed},
		{Order: hive.ScheduleByNext},
		{Order: hive.ScheduleByNext, Descending: true},
		{Order: hive.ScheduleByUsual},
		{Order: hive.ScheduleByNext, Find: "a"},
		{Order: hive.ScheduleByNeed, Tag: "x"},
		{Order: hive.ScheduleByNeed, Owner: "x"},
		{Order: hive.ScheduleByNext, Show: hive.ShowRunning},
		{},
	}
	for i := range 4 {
		first := lists[i]
		first.Limit = 1
		page, err := w.List(t.Context(), first)
		if err != nil || page.Next == "" {
			t.Fatalf("list %d: %q, %v", i, page.Next, err)
		}
		for j, other := range lists {
			other.After, other.Limit = page.Next, 1
			_, err := w.List(t.Context(), other)
			if i == j && err != nil {
				t.Errorf("list %d does not go on: %v", i, err)
			}
			if i != j {
				refused(t, err, hive.CodeInvalid, "not the next of a page of this list")
			}
		}
	}
	for _, f := range []hive.ScheduleFilter{
		{Find: "a"}, {Show: hive.ShowRunning}, {Order: hive.ScheduleByName}, {After: "a"}, {Descending: true},
	} {
		f.Query, f.Limit = "a", 1
		_, err := w.List(t.Context(), f)
		refused(t, err, hive.CodeInvalid, "use find instead of q")
	}
}

// The order by next moment follows a moment that passes, and computes only what may be on the page.
func TestOrderByNextMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := t0
	w.Service.now = func() time.Time { return now }
	for i := range 3 * nextAtOnce {
		name := fmt.Sprintf("s%03d", i)
		w.saveWith(name, fmt.Sprintf(`[{cron: "%d %d 1 1 *"}]`, i%60, i/60), "{}")
		v, err := w.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		w.db.schedules[i].NextAt = v.NextAt[0]
	}
	w.saveWith("hourly", `[{cron: "0 * * * *"}]`, "{}")
	w.saveWith("half", `[{cron: "30 * * * *"}]`, "{}")
	f := hive.ScheduleFilter{Order: hive.ScheduleByNext, Limit: 2}
	w.db.reads = 0
	first := func() string {
		page, err := w.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		return page.Views[0].Schedule.Name
	}
	for range 3 {
		before := first()
		page, err := w.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		now = page.Views[0].NextAt[0]
		if got := first(); got == before {
			t.Errorf("at %v: %s is the first again", now, got)
		}
	}
	if w.db.reads > nextAtOnce {
		t.Errorf("%d revisions were read", w.db.reads)
	}
}

// The order by next moment keeps what it has computed, of any kind of schedule, and nothing of deleted ones.
func TestOrderByNextIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := t0
	w.Service.now = func() time.Time { return now }
	w.saveWith("clock", `[{cron: "0 * * * *"}]`, "{}")
	w.saveWith("delayed", `[{every: 10m, from: end}]`, "{}")
	w.saveWith("follower", `[{after: [{schedule: clock}]}]`, "{}")
	w.db.ends = map[int64]time.Time{2: t0}
	order := func() string {
		t.Helper()
		w.db.found = 0
		return walk(t, w, hive.ScheduleFilter{Order: hive.ScheduleByNext, Limit: 9})
	}
	if got := order(); got != "delayed clock follower" || w.db.found != 6 {
		t.Errorf("%s, %d rows were read", got, w.db.found)
	}
	for range 3 {
		if got := order(); got != "delayed clock follower" || w.db.found != 3 { // the rows of the page
			t.Errorf("%s, %d rows were read again", got, w.db.found)
		}
	}
	w.db.ends[2] = t0.Add(2 * time.Hour)
	if now = t0.Add(delayedHolds); order() != "clock delayed follower" {
		t.Error("the end of a batch does not move the next moment")
	}
	walk(t, w, hive.ScheduleFilter{Order: hive.ScheduleByUsual, Limit: 9})
	w.db.schedules = w.db.schedules[:1]
	walk(t, w, hive.ScheduleFilter{Order: hive.ScheduleByUsual, Limit: 9})
	if order(); len(w.Service.dues) != 1 || len(w.usual.by) != 1 {
		t.Errorf("%d moments and %d durations are kept of one schedule", len(w.Service.dues), len(w.usual.by))
	}
}

// The usual durations are read again only of schedules whose batches have ended.
func TestOrderByUsualIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("a")
	w.save("b")
	f := hive.ScheduleFilter{Order: hive.ScheduleByUsual, Limit: 2}
	if got := walk(t, w, f); got != "a b" {
		t.Errorf("%s", got)
	}
	w.db.unknown = map[int64]bool{1: true, 2: true}
	if got := walk(t, w, f); got != "a b" {
		t.Errorf("nothing has ended: %s", got)
	}
	w.db.ended = []int64{1}
	if got := walk(t, w, f); got != "b a" {
		t.Errorf("a batch of a has ended: %s", got)
	}
}

// Words are searched in names, titles and labels of schedules that an older HiveGo has saved, too.
func TestFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("load")
	w.save("reload")
	w.db.texts = nil
	for find, want := range map[string]string{"load": "load reload", "RE": "reload", "nacht LO re": "reload", "x": ""} {
		if got := walk(t, w, hive.ScheduleFilter{Find: find, Limit: 9}); got != want {
			t.Errorf("%q: %s, want %s", find, got, want)
		}
	}
	reads := w.db.reads
	walk(t, w, hive.ScheduleFilter{Find: "load", Limit: 9})
	if w.db.reads != reads {
		t.Error("the documents are read again")
	}
	if _, _, err := w.Labels(t.Context()); err != nil {
		t.Error(err)
	}
}
