package catalog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// What followed is found by links, by windows, and among the waiting ticks; the newest batch of each moment counts.
func TestFollowers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveAfter("raw")
	w.saveAfter("clean", "raw")
	w.saveAfter("mart", "raw")
	w.saveAfter("other")
	day := t0.Truncate(24 * time.Hour)
	moment := day.Add(3*time.Hour + 20*time.Minute)
	fired := func(at time.Time, batch int64) hive.MomentResult {
		return hive.MomentResult{Moment: at, Decision: hive.DecisionFired, Batch: batch, State: hive.BatchSucceeded}
	}
	w.db.chain.results = map[int64][]hive.MomentResult{
		2: {fired(day.AddDate(0, 0, -1), 20), fired(day, 21)},
		4: {fired(day.AddDate(0, 0, 3), 40)},
	}
	w.db.chain.waiting = map[int64][]hive.Tick{3: {
		{ScheduleID: 3, Moment: day, Decision: hive.DecisionWaiting},
		{ScheduleID: 3, Moment: day.AddDate(0, 0, -1), Decision: hive.DecisionWaiting},
	}}
	w.db.chain.batches = map[int64]hive.Batch{}
	for _, id := range []int64{20, 21, 40} {
		w.db.chain.batches[id] = hive.Batch{ID: id}
	}
	key := fmt.Sprint(1, " ", moment.Format("01-02 15:04"))
	w.db.chain.caused = map[string][]hive.ScheduleMoment{key: {
		{ScheduleID: 2, Moment: day},
		{ScheduleID: 4, Moment: day.AddDate(0, 0, 3)},
		{ScheduleID: 99, Moment: day},
		{ScheduleID: 4, Moment: day}, // its batch is not stored any more
	}}
	followers, err := w.Followers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := followers(hive.Batch{ID: 7, ScheduleID: 1, Schedule: "raw", Moment: moment})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list {
		batch := int64(0)
		if b := list[i].Batch; b != nil {
			batch = b.ID
		}
		got = append(got, fmt.Sprintf("%s %s %d", list[i].Schedule.Name, list[i].Moment.Sub(day), batch))
	}
	if want := "clean 0s 21, mart 0s 0, other 72h0m0s 40"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}
