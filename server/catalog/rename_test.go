package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// renames keeps former names for a store.
type renames struct {
	*store

	former map[string]string
	meet   func() // is called before a rename is stored
}

func (r *renames) FormerNames(context.Context) (map[string]string, error) {
	return maps.Clone(r.former), nil
}

func (r *renames) ReleaseName(_ context.Context, former string) (int64, error) {
	to, ok := r.former[former]
	if !ok {
		return 0, hive.Errorf(hive.CodeNotFound, "%q is no former name", former)
	}
	delete(r.former, former)
	return r.schedules[r.at(to)].ID, nil
}

func (r *renames) Schedule(ctx context.Context, name string) (hive.Schedule, error) {
	if to := r.former[name]; to != "" {
		return hive.Schedule{}, hive.WasRenamed(name, to)
	}
	return r.store.Schedule(ctx, name)
}

func (r *renames) RenameSchedule(ctx context.Context, in hive.RenameSchedule) (out []hive.SavedRevision, err error) {
	if meet := r.meet; meet != nil {
		r.meet = nil
		meet()
	}
	i := r.at(in.Name)
	if base := in.Saves[0].Base; base != r.schedules[i].Revision {
		return nil, hive.Errorf(hive.CodeConflict, "revision %d is not the newest", base).
			WithReason(hive.ErrorRevisionMoved, "schedule", in.Name)
	}
	r.former[in.Name], r.schedules[i].Name = in.Saves[0].Name, in.Saves[0].Name
	for _, save := range in.Saves {
		h, rev, changed, err := r.SaveSchedule(ctx, save)
		if err != nil {
			return nil, err
		}
		rev.RenamedFrom = save.RenamedFrom
		out = append(out, hive.SavedRevision{Schedule: h, Revision: rev, Changed: changed})
	}
	return out, nil
}

func newRenames(t *testing.T) (*world, *renames) {
	t.Helper()
	w := newWorld(t)
	r := &renames{store: w.db, former: map[string]string{}}
	w.db.former = r.former
	w.schedules, w.renames = r, r
	return w, r
}

func waiting(name string, after ...string) []byte {
	list := make([]string, len(after))
	for i := range after {
		list[i] = "{schedule: " + after[i] + ", window: same_day}"
	}
	return []byte("apiVersion: hivego/v1\nkind: Schedule\nname: " + name + "\ntriggers: [{after: [" +
		strings.Join(list, ", ") + "]}]\njobs:\n  - key: all\n    tasks: [{key: a, handler: shell, " +
		"params: {command: 'true'}}]\n")
}

func why(err error) string {
	e, ok := errors.AsType[*hive.Error](err)
	if !ok {
		return fmt.Sprint(err)
	}
	return strings.Trim(string(e.Reason)+" "+e.Params["schedules"], " ")
}

// TestRename: those that wait for a schedule are renamed with it, or it is not renamed.
func TestRename(t *testing.T) {
	t.Parallel()
	w, _ := newRenames(t)
	w.saveAfter("orders")
	w.saveAfter("mart", "orders")
	w.saveAfter("report", "orders", "mart")
	w.saveAfter("old", "orders")
	w.saveAfter("alone")
	if err := w.archive("old", false); err != nil {
		t.Fatal(err)
	}
	ask := func(to string, documents ...[]byte) hive.RenameRequest {
		return hive.RenameRequest{Schedule: "orders", To: to, Documents: documents, By: "ada", Note: "why"}
	}
	stale := ask("sales", waiting("mart", "sales"), waiting("report", "sales", "mart"))
	stale.Bases = map[string]int64{"mart": 9}
	archived := ask("sales")
	archived.Schedule = "old"
	for what, c := range map[string]struct {
		ask  hive.RenameRequest
		want string
	}{
		"others name it": {ask("sales"), "rename_named mart, report"},
		"one is missing": {ask("sales", waiting("mart", "sales")), "rename_named report"},
		"one keeps the name": {
			ask("sales", waiting("mart", "sales", "orders"), waiting("report", "sales")), "rename_named mart",
		},
		"one is given twice": {
			ask("sales", waiting("mart", "sales"), waiting("mart", "sales")), "rename_document",
		},
		"one has no part in it": {ask("sales", waiting("alone", "mart")), "rename_document"},
		"one does not exist":    {ask("sales", waiting("none", "sales")), "hive"},
		"one has faults":        {ask("sales", []byte("name: mart")), "document_faults"},
		"they wait for each other": {
			ask("sales", waiting("mart", "sales", "report"), waiting("report", "sales", "mart")), "document_faults",
		},
		"a name in use":        {ask("alone"), "schedule_exists"},
		"the same name":        {ask("orders"), "rename_same"},
		"no name":              {ask("Sales!"), "schedule_name_form"},
		"an archived schedule": {archived, "schedule_archived"},
		"a revision of before": {stale, "revision_moved"},
	} {
		_, err := w.Rename(t.Context(), c.ask)
		if got := why(err); err == nil || got != c.want && c.want != "hive" {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
	w.changed = nil
	good := ask("sales", waiting("report", "sales", "mart"), waiting("mart", "sales"))
	out, err := w.Rename(t.Context(), good)
	if err != nil || !out.Changed || out.Schedule.ID != 1 || out.Former != "orders" || len(out.Saved) != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	if !slices.Equal(w.changed, []int64{1, 2, 3}) {
		t.Errorf("the ticker hears of %v", w.changed)
	}
	for i := range out.Saved {
		if len(out.Saved[i].Faults) > 0 {
			t.Errorf("%+v", out.Saved[i].Faults)
		}
	}
	first := out.Saved[0].Revision
	if !strings.Contains(first.Document, "name: sales\n") || first.Number != 2 || first.RenamedFrom != "orders" {
		t.Errorf("%+v", first)
	}
	if out, err := w.Rename(t.Context(), good); err != nil || out.Changed || out.Schedule.Name != "sales" {
		t.Errorf("again: %+v, %v", out, err)
	}
	if _, err := w.Rename(t.Context(), ask("others")); why(err) != "schedule_renamed" {
		t.Errorf("from a former name: %v", err)
	}
}

// TestRenameKeeps: a new revision has the comments of the newest one, also of one that was published meanwhile.
func TestRenameKeeps(t *testing.T) {
	t.Parallel()
	w, r := newRenames(t)
	w.save("nightly")
	r.meet = func() {
		document := "# Ask Ada.\n" + strings.Replace(nightly, "Nachtlauf", "Meanwhile", 1)
		_, err := w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(document), By: "bob"})
		if err != nil {
			t.Error(err)
		}
	}
	out, err := w.Rename(t.Context(), hive.RenameRequest{Schedule: "nightly", To: "daily"})
	if err != nil {
		t.Fatal(err)
	}
	text := out.Saved[0].Revision.Document
	for _, want := range []string{"# Ask Ada.\n", "name: daily\n", "Meanwhile"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// TestFormerNames: what names a former name goes on, says so, and keeps the name from being released.
func TestFormerNames(t *testing.T) {
	t.Parallel()
	w, r := newRenames(t)
	w.saveAfter("orders")
	w.saveAfter("old", "orders")
	if err := w.archive("old", true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Rename(t.Context(), hive.RenameRequest{Schedule: "orders", To: "sales"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.SetArchived(t.Context(), hive.ArchiveRequest{Schedule: "old", By: "ada"}); err != nil {
		t.Fatal(err)
	}
	refused(t, w.archive("sales", false), hive.CodeConflict, "wait for sales: old;")
	_, err := w.Rename(t.Context(), hive.RenameRequest{Schedule: "sales", To: "more"})
	if why(err) != "rename_named old" {
		t.Errorf("it is named by its former name: %v", err)
	}
	c, err := w.Chain(t.Context(), hive.ChainRequest{Schedule: "sales"})
	if err != nil || len(c.Links) != 2 || c.Links[0].Missing || c.Links[1].Missing {
		t.Errorf("%+v, %v", c.Links, err)
	}
	v, err := w.Validate(t.Context(), waiting("other", "orders"))
	if err != nil || len(v.Faults) != 1 || v.Faults[0].Reason != "after_renamed" ||
		v.Faults[0].Params["to"] != "sales" {
		t.Errorf("%+v, %v", v.Faults, err)
	}
	v, err = w.Validate(t.Context(), waiting("sales", "orders"))
	if err != nil || v.Valid {
		t.Errorf("it waits for itself: %+v, %v", v.Faults, err)
	}
	refused(t, w.ReleaseName(t.Context(), "orders"), hive.CodeConflict, "old wait for orders")
	if _, err := w.Save(t.Context(), hive.SaveRequest{Name: "old", Document: waiting("old", "sales")}); err != nil {
		t.Fatal(err)
	}
	if err := w.ReleaseName(t.Context(), "orders"); err != nil || len(r.former) != 0 {
		t.Errorf("%v, %v", r.former, err)
	}
	refused(t, w.ReleaseName(t.Context(), "orders"), hive.CodeNotFound, "orders")
	if got := w.forecastTicks(hive.TickForecastRequest{Until: t0.Add(48 * time.Hour), Most: 10}); len(got) == 0 {
		t.Error("the forecast is empty")
	}
}
