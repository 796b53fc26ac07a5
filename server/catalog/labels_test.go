package catalog

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestLabeled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, labels := range map[string]string{
		"a": "tags: [finance, daily]\nowners: [ada]\n", "b": "tags: [finance]\nowners: [bob]\n", "c": "tags: [daily]\n",
	} {
		_, err := w.Save(t.Context(), hive.SaveRequest{
			Name: name, By: "ada",
			Document: []byte(strings.Replace(nightly, "nightly", name, 1) + labels),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.save("plain")
	for want, f := range map[string]hive.ScheduleFilter{
		"[a b]": {Tag: "finance"}, "[a]": {Tag: "finance", Owner: "ada"}, "[b]": {Owner: "bob"}, "[]": {Tag: "x"},
		"[c]": {Tag: "daily", After: "a"}, "[a c]": {Tag: "daily", Query: "nacht"},
	} {
		f.Limit = 10
		if got := names(t, w, f); got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
		if f.After != "" || f.Query != "" {
			continue
		}
		ids, err := w.Labeled(t.Context(), f.Tag, f.Owner)
		if err != nil || len(ids) != len(strings.Fields(strings.Trim(want, "[]"))) {
			t.Errorf("%+v: %v %v", f, ids, err)
		}
	}
	if got := names(t, w, hive.ScheduleFilter{Tag: "finance", Limit: 1}); got != "[a]" {
		t.Errorf("one of two: %s", got)
	}
	h, err := w.db.Schedule(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := w.Labeled(t.Context(), "", "ada"); err != nil || fmt.Sprint(ids) != fmt.Sprint([]int64{h.ID}) {
		t.Errorf("%v %v", ids, err)
	}
}

// unreadable is a store whose revisions cannot be read.
type unreadable struct {
	*store

	fault error
}

func (s *unreadable) RevisionAt(context.Context, int64, int64) (hive.Revision, error) {
	return hive.Revision{}, s.fault
}

// While the database is away, a list is an error, and not a list without some of its schedules. A revision that cannot
// be read any more has no labels.
func TestLabelsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("a")
	w.db.texts = nil // an older HiveGo has saved it
	db := &unreadable{w.db, hive.Errorf(hive.CodeUnavailable, "the database is out of reach")}
	w.schedules = db
	labels := hive.ScheduleFilter{Tag: "finance", Limit: 10}
	search := labels
	search.Query = "nacht"
	for what, call := range map[string]func() error{
		"batches": func() error { _, err := w.Labeled(t.Context(), "finance", ""); return err },
		"list":    func() error { _, err := w.List(t.Context(), labels); return err },
		"search":  func() error { _, err := w.List(t.Context(), search); return err },
	} {
		if err := call(); hive.CodeOf(err) != hive.CodeUnavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
	db.fault = hive.Errorf(hive.CodeInternal, "revision 1 cannot be read any more")
	if ids, err := w.Labeled(t.Context(), "finance", ""); err != nil || len(ids) != 0 {
		t.Errorf("%v %v", ids, err)
	}
}
