package batch

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// add stores a batch with one run in each given state.
func (w *world) add(b hive.Batch, runs ...hive.RunState) int64 {
	b.ID, b.Live = int64(len(w.db.batches)+1), !b.State.Final()
	img := hive.BatchSnapshot{Batch: b}
	for n, s := range runs {
		img.Runs = append(img.Runs, hive.Run{ID: b.ID*1000 + int64(n), Number: n, State: s})
	}
	w.db.batches = append(w.db.batches, img)
	return b.ID
}

func TestCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ended := w.add(hive.Batch{ScheduleID: 1, State: hive.BatchSucceeded, Counts: hive.Counts{hive.RunSucceeded: 2}})
	old := w.add(hive.Batch{ScheduleID: 1, State: hive.BatchFailed}, hive.RunFailed, hive.RunSkipped)
	mine := w.add(hive.Batch{ScheduleID: 1, State: hive.BatchRunning}, hive.RunWaiting)
	others := w.add(hive.Batch{State: hive.BatchRunning}, hive.RunRunning, hive.RunRunning)
	w.eng.live[mine] = hive.LiveView{Runs: []hive.Run{{State: hive.RunReady}}}
	list, err := w.List(t.Context(), hive.BatchFilter{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[int64]hive.Counts{}
	for _, b := range list {
		got[b.ID] = b.Counts
	}
	want := map[int64]hive.Counts{
		ended: {hive.RunSucceeded: 2}, old: {
			hive.RunFailed:  1,
			hive.RunSkipped: 1,
		}, mine: {hive.RunReady: 1}, others: {hive.RunRunning: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
	if !reflect.DeepEqual(w.db.counted, []int64{old, others}) {
		t.Errorf("counted in the store: %v", w.db.counted)
	}
	for _, runs := range []bool{false, true} {
		v, err := w.View(t.Context(), old, runs)
		if err != nil || !reflect.DeepEqual(v.Batch.Counts, want[old]) {
			t.Errorf("view with runs %t: %v %v", runs, v.Batch.Counts, err)
		}
	}
}

func TestOverview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	running := hive.Batch{ScheduleID: 1, State: hive.BatchRunning, Moment: t0, CreatedAt: t0, RoundAt: t0}
	inTime := w.add(running)
	w.now = t0.Add(3 * time.Minute)
	late := w.add(running)
	w.db.batches[inTime-1].Batch.PausedFor = time.Minute // it took 2 minutes: twice the usual, but not longer
	held := running
	held.PausedAt = t0.Add(time.Minute)
	paused := w.add(held)
	w.add(hive.Batch{ScheduleID: 1, State: hive.BatchQueued, Moment: t0, CreatedAt: t0})
	// created just now
	w.add(hive.Batch{ScheduleID: 1, State: hive.BatchQueued, Moment: t0.Add(-time.Hour), CreatedAt: w.now})
	adhoc := running
	adhoc.ScheduleID = 0 // so its usual duration is unknown
	w.add(adhoc)
	w.eng.live[late] = hive.LiveView{Stuck: hive.Plain("no room")}
	w.eng.live[paused] = hive.LiveView{}
	w.eng.live[99] = hive.LiveView{Stuck: hive.Plain("cannot be read")} // opened by a command, and not live
	w.eng.needs = map[int64]bool{late: true, paused: true}
	got, err := w.Overview(t.Context())
	want := hive.Overview{NeedsPerson: 1 + 2 + 1, Running: 4, Queued: 2, Late: 2, Succeeded: 8, Ended: 10}
	if err != nil || got != want {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
	if _, err = w.List(t.Context(), hive.BatchFilter{NeedsPerson: true}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(w.db.urgent)
	if !slices.Equal(w.db.urgent, []int64{late, paused, 99}) { // as many as the overview counts beside failed ones
		t.Errorf("urgent: %v", w.db.urgent)
	}
	w.now = w.now.Add(9 * time.Second)
	if _, err = w.Overview(t.Context()); err != nil || len(w.db.sinces) != 1 {
		t.Errorf("read %d times: %v", len(w.db.sinces), err)
	}
	w.now = w.now.Add(time.Second)
	if _, err = w.Overview(t.Context()); err != nil || len(w.db.sinces) != 2 ||
		!w.db.sinces[1].Equal(w.now.Add(-30*24*time.Hour)) {
		t.Errorf("read %v: %v", w.db.sinces, err)
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	whole, err := w.Create(t.Context(), hive.RunRequest{Schedule: "warehouse", By: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	adhoc, err := w.Create(t.Context(), hive.RunRequest{Schedule: "warehouse", Task: "b", By: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	for id, wants := range map[int64]string{
		whole.Batch.ID: `"key":"d"`, adhoc.Batch.ID: `"tasks":[{"key":"b","handler":"shell"`,
	} {
		v, err := w.Definition(t.Context(), id)
		text := string(v.Definition)
		if err != nil || !strings.Contains(text, wants) || !strings.Contains(text, `"group":"etl"`) {
			t.Errorf("batch %d: %s %v", id, v.Definition, err)
		}
	}
	_, err = w.Definition(t.Context(), 99)
	if hive.CodeOf(err) != hive.CodeNotFound {
		t.Error(err)
	}
}

func (s *store) PastTimes(context.Context, int64, int64) (map[string][]hive.TaskTime, error) {
	return s.times, nil
}

// The usual run of a task is the median of its beginnings and the median of its durations.
func TestUsualRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(hive.RunRequest{}).Batch.ID
	w.db.times = map[string][]hive.TaskTime{
		"b": {{Begin: 4, End: 9}},
		"a": {{Begin: 1, End: 11}, {Begin: 3, End: 5}, {Begin: 2, End: 6}},
	}
	got, err := w.UsualRuns(w.Context(), id)
	want := []hive.UsualRun{{Task: "a", Begin: 2, Took: 4, Most: 10}, {Task: "b", Begin: 4, Took: 5}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the usual runs are %v, %v; want %v", got, err, want)
	}
	if _, err := w.UsualRuns(w.Context(), id+9); hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("of an unknown batch: %v", err)
	}
}
