package fleet_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// The fleet also learns of executors that registered with another server. Reports to this server that are newer than
// the list stay.
func TestLearn(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	f := fleet.New(fleet.Settings{})
	row := func(id string, seen time.Time, offline bool) hive.Executor {
		return hive.Executor{ID: id, Name: id, SeenAt: seen, Offline: offline, Version: seen.Format(time.TimeOnly)}
	}
	names := func() map[string]hive.Executor {
		m := map[string]hive.Executor{}
		for _, s := range f.Statuses(t0) {
			m[s.Executor.ID] = s.Executor
		}
		return m
	}
	f.Register(t0, row("mine", t0, false))
	f.Register(t0, row("deleted", t0, false))
	f.Register(t0, row("fresh", t0.Add(2*time.Second), false)) // it came while the list was read
	f.Register(t0, row("holds", t0, false))
	f.Adopt(t0, "holds", hive.HeldAttempt{Assignment: hive.Assignment{Attempt: 1}})
	f.Learn(t0, []hive.Executor{
		row("mine", t0.Add(-time.Minute), true), row("other", t0, false),
	}, t0.Add(time.Second))
	got := names()
	for _, id := range []string{"mine", "other", "fresh", "holds"} {
		if _, ok := got[id]; !ok {
			t.Errorf("%s is not known", id)
		}
	}
	if _, ok := got["deleted"]; ok {
		t.Error("an executor that was deleted elsewhere is still known")
	}
	if e := got["mine"]; !e.Offline || !e.SeenAt.Equal(t0) {
		t.Errorf("mine is %+v; it should be offline, as another server said, and otherwise what was heard here", e)
	}
	f.Learn(t0, []hive.Executor{row("mine", t0.Add(time.Hour), false)}, t0)
	if e := names()["mine"]; e.Offline || e.Version != "05:00:00" {
		t.Errorf("mine is %+v; the later registration counts", e)
	}
}
