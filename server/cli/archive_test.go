package cli_test

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// Others that wait for a schedule must be confirmed.
func TestArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var last hive.ArchiveRequest
	w.SetArchivedF = func(r hive.ArchiveRequest) (hive.Schedule, error) {
		if last = r; !r.Archived || r.Confirmed {
			return hive.Schedule{}, nil
		}
		return hive.Schedule{}, hive.Errorf(hive.CodeConflict, "schedules wait for warehouse: mart").
			WithReason(hive.ErrorScheduleWaitedOn, "schedule", "warehouse", "schedules", "mart")
	}
	w.want(w.hivego("archive", "warehouse"), 2, "", "schedules wait for warehouse: mart; `--yes` confirms it")
	w.want(w.hivego("archive", "warehouse", "--yes"), 0, "warehouse: archived\n", "")
	if last.By != "ada" {
		t.Errorf("%+v", last)
	}
	w.want(w.hivego("unarchive", "warehouse"), 0, "warehouse: unarchived\n", "")
	w.SaveF = func(hive.SaveRequest) (hive.Saved, error) {
		return hive.Saved{}, (&hive.Schedule{Name: "warehouse", ArchivedAt: apitest.T0}).IfArchived()
	}
	w.want(w.hivego("apply", "-f", write(t, "a.yaml", good)), 2, "", "`hivego unarchive warehouse` does that")
}

// The archived schedules have a list of their own.
func TestArchivedSchedules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ListSchedulesF = func(f hive.ScheduleFilter) ([]hive.ScheduleView, error) {
		if !f.Archived {
			return nil, nil
		}
		return []hive.ScheduleView{
			{Schedule: hive.Schedule{Name: "a", ArchivedAt: apitest.T0}},
			{Schedule: hive.Schedule{Name: "b", ArchivedAt: apitest.T0, Deleting: true}},
		}, nil
	}
	lines := strings.Split(w.hivego("schedules", "--archived").stdout, "\n")
	for i, want := range []string{"archived", "deleting"} {
		if fields := strings.Fields(lines[i+1]); fields[1] != want {
			t.Errorf("%q is not %s", lines[i+1], want)
		}
	}
}

// The name of a schedule is typed again before it is deleted.
func TestDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deleted := 0
	w.DeleteScheduleF = func(name, by string) (hive.Deletion, error) {
		deleted++
		return hive.Deletion{Schedule: name, By: by, Total: 3, Deleted: hive.DeletionCounts{Batches: 1}}, nil
	}
	w.want(w.with(t.Context(), "no\n", "delete", "warehouse"), 2, "", "nothing was deleted")
	w.want(w.with(t.Context(), "", "delete", "warehouse"), 2, "", "nothing was deleted")
	if deleted != 0 {
		t.Error("it was deleted without the name")
	}
	w.want(w.with(t.Context(), "warehouse\n", "delete", "warehouse"), 0, "1 of 3 batches", "Type its name")
	w.want(w.hivego("delete", "warehouse", "--yes"), 0, "warehouse: is being deleted", "")
	o := w.hivego("deletions")
	if !strings.Contains(o.stdout, "3 of 3") || !strings.Contains(o.stdout, "old") {
		t.Error(o.stdout)
	}
}

// The list is searched, selected and sorted by the server.
func TestFilteredSchedules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.ScheduleFilter
	w.ListSchedulesF = func(f hive.ScheduleFilter) ([]hive.ScheduleView, error) {
		got = f
		return nil, nil
	}
	w.want(w.hivego("schedules", "--find", "load ada", "--tag", "finance", "--owner", "ada", "--show", "late",
		"--sort", "next", "--desc"), 0, "NAME", "")
	want := hive.ScheduleFilter{
		Find: "load ada", Tag: "finance", Owner: "ada", Show: hive.ShowLate,
		Order: hive.ScheduleByNext, Descending: true, Limit: got.Limit, Count: true,
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	w.want(w.hivego("schedules", "--show", "asleep"), 2, "", "show")
}
