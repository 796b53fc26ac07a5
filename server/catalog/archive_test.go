package catalog

import (
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (w *world) archive(name string, confirmed bool) error {
	_, err := w.SetArchived(w.Context(), hive.ArchiveRequest{
		Schedule: name, Archived: true, Confirmed: confirmed, By: "ada",
	})
	return err
}

// TestArchive: others that wait for a schedule are listed before it is archived, and say so afterwards.
func TestArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveAfter("orders")
	w.saveAfter("mart", "orders")
	w.saveAfter("old", "orders")
	refused(t, w.archive("none", false), hive.CodeNotFound, "none")
	if err := w.archive("old", false); err != nil {
		t.Fatal(err)
	}
	refused(t, w.archive("orders", false), hive.CodeConflict, "wait for orders: mart;")
	if err := w.archive("orders", true); err != nil {
		t.Fatal(err)
	}
	if err := w.archive("orders", false); err != nil {
		t.Errorf("again: %v", err)
	}
	names := func(archived bool) []string {
		page, err := w.List(t.Context(), hive.ScheduleFilter{Limit: 10, Archived: archived})
		list := page.Views
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for i := range list {
			out = append(out, list[i].Schedule.Name)
			if list[i].Schedule.Archived() && len(list[i].NextAt) > 0 {
				t.Errorf("%s is due", list[i].Schedule.Name)
			}
		}
		return out
	}
	if got := names(false); !slices.Equal(got, []string{"mart"}) {
		t.Errorf("the list is %v", got)
	}
	if got := names(true); !slices.Equal(got, []string{"old", "orders"}) {
		t.Errorf("archived are %v", got)
	}
	refused(t, second(w.Delete(t.Context(), "orders", "ada")), hive.CodeConflict, "mart, old wait for orders")
	refused(t, second(w.Delete(t.Context(), "none", "ada")), hive.CodeNotFound, "none")
	if d, err := w.Delete(t.Context(), "old", "ada"); err != nil || d.Schedule != "old" || d.By != "ada" {
		t.Errorf("%+v, %v", d, err)
	}
	if list, err := w.Deletions(t.Context(), 10); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	v, err := w.Get(t.Context(), "mart")
	if err != nil || !slices.Equal(v.WaitsForArchived, []string{"orders"}) {
		t.Errorf("mart waits for archived %v: %v", v.WaitsForArchived, err)
	}
	verdict, err := w.Validate(t.Context(), []byte(v.Revision.Document))
	if err != nil || len(verdict.Faults) != 1 || verdict.Faults[0].Reason != "after_archived" || !verdict.Valid {
		t.Errorf("%+v, %v", verdict.Faults, err)
	}
	err = w.Release(t.Context(), hive.ReleaseRequest{Schedule: "orders", Moment: t0, By: "ada", Reason: "there"})
	refused(t, err, hive.CodeConflict, "unarchive it first")
	f, err := w.ForecastTicks(t.Context(), hive.TickForecastRequest{Until: t0.Add(72 * time.Hour), Most: 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Ticks {
		if f.Ticks[i].Schedule == "orders" {
			t.Errorf("a tick is to come: %+v", f.Ticks[i])
		}
	}
	month, err := w.ForecastMonth(t.Context(), hive.MonthRequest{})
	if err != nil || month.Schedules+month.Disabled != 0 {
		t.Errorf("the month counts %d and %d: %v", month.Schedules, month.Disabled, err)
	}
}
