package catalog

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestDrafts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"", "A", "-a", "a b", "a/b", "../a", "名", strings.Repeat("a", 64)} {
		_, err := w.Draft(t.Context(), 7, name)
		refused(t, err, hive.CodeInvalid, "no name of a schedule")
		_, err = w.PutDraft(t.Context(), hive.Draft{User: 7, Name: name, Document: "{}"})
		refused(t, err, hive.CodeInvalid, "no name of a schedule")
		refused(t, w.DeleteDraft(t.Context(), 7, name, 0), hive.CodeInvalid, "no name of a schedule")
	}
	for _, document := range []string{"", "null", "[]", `"x"`, "1", "{", "{}{}"} {
		_, err := w.PutDraft(t.Context(), hive.Draft{User: 7, Name: "a", Document: document})
		refused(t, err, hive.CodeInvalid, "an object")
	}
	_, err := w.PutDraft(t.Context(),
		hive.Draft{User: 7, Name: "a", Document: `{"a":"` + strings.Repeat("x", hive.MaxDraft) + `"}`})
	refused(t, err, hive.CodeTooLarge, "4 MiB")
	if len(w.db.drafts) != 0 {
		t.Errorf("the store was asked: %v", w.db.drafts)
	}

	d, err := w.PutDraft(t.Context(),
		hive.Draft{User: 7, Name: "a", Base: 2, Version: 3, Document: `{"jobs": 1}`, UpdatedAt: t0.Add(time.Hour)})
	if err != nil || !d.UpdatedAt.Equal(t0) {
		t.Errorf("%v %v", d, err)
	}
	if _, err := w.Drafts(t.Context(), 7); err != nil {
		t.Error(err)
	}
	if _, err := w.Draft(t.Context(), 7, "a"); err != nil {
		t.Error(err)
	}
	if err := w.DeleteDraft(t.Context(), 7, "a", 3); err != nil {
		t.Error(err)
	}
	want := []string{"put {7 a 2 3 {\"jobs\": 1} " + t0.String() + "} 200", "list 7", "get 7 a", "delete 7 a 3"}
	if !reflect.DeepEqual(w.db.drafts, want) {
		t.Errorf("%q", w.db.drafts)
	}
}
