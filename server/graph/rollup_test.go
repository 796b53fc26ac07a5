package graph

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// rollUpCase is a vector that the web interface shares.
type rollUpCase struct {
	Name    string
	Now     time.Time
	Allowed []string
	Runs    []struct {
		Key, Job, State, Reason string
		Round                   int
		StartedAt, FinishedAt   time.Time
	}
	Want []struct {
		Key, State            string
		Counts                map[string]int
		Done, Total           int
		StartedAt, FinishedAt time.Time
		Seconds               *float64
	}
}

func TestRollUpVectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/rollup.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []rollUpCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var runs []hive.RunView
		for _, r := range c.Runs {
			runs = append(runs, hive.RunView{Run: hive.Run{
				Task: r.Key, Job: r.Job, State: hive.RunState(r.State), Reason: hive.Reason(r.Reason),
				Round: max(r.Round, 1), StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
			}})
		}
		got := RollUp(runs, func(task string) bool { return slices.Contains(c.Allowed, task) }, c.Now)
		if len(got) != len(c.Want) {
			t.Errorf("%s: %d jobs, want %d", c.Name, len(got), len(c.Want))
			continue
		}
		for i, w := range c.Want {
			counts := hive.Counts{}
			for state, n := range w.Counts {
				counts[hive.RunState(state)] = n
			}
			want := hive.JobView{
				Key: w.Key, State: hive.RunState(w.State), Counts: counts, Done: w.Done, Total: w.Total,
				StartedAt: w.StartedAt, FinishedAt: w.FinishedAt,
			}
			if w.Seconds != nil {
				want.Took = time.Duration(*w.Seconds * float64(time.Second))
			}
			if !reflect.DeepEqual(got[i], want) {
				t.Errorf("%s:\n got %+v\nwant %+v", c.Name, got[i], want)
			}
		}
	}
}

// For any runs: each run counts once, the order of a job's runs does not matter, a job is done only in a state that
// ends well, and only final jobs have an end.
func TestRollUpProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	t0 := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	now := t0.Add(time.Hour)
	for range 5000 {
		runs := randomRuns(random, t0)
		allowed := func(task string) bool { return task[0] == 'a' }
		jobs := RollUp(runs, allowed, now)
		total := 0
		for i := range jobs {
			checkJob(t, &jobs[i], now)
			total += jobs[i].Total
		}
		if total != len(runs) {
			t.Fatalf("%d runs of jobs, and %d runs", total, len(runs))
		}
		shuffled := slices.Clone(runs)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again := RollUp(shuffled, allowed, now)
		byKey := func(a, b hive.JobView) int { return int(a.Key[0]) - int(b.Key[0]) }
		slices.SortFunc(jobs, byKey)
		slices.SortFunc(again, byKey)
		if !reflect.DeepEqual(jobs, again) {
			t.Fatalf("in another order:\n%+v\n%+v", jobs, again)
		}
	}
}

func randomRuns(random *rand.Rand, t0 time.Time) []hive.RunView {
	reasons := []hive.Reason{"", hive.ReasonRule, hive.ReasonUpstreamFailed, hive.ReasonExit}
	runs := make([]hive.RunView, random.IntN(12))
	for i := range runs {
		r := &runs[i]
		r.Job = string(rune('x' + random.IntN(3)))
		r.Task = string(rune('a' + random.IntN(3)))
		r.State = hive.RunStates()[random.IntN(len(hive.RunStates()))]
		r.Reason = reasons[random.IntN(len(reasons))]
		r.Round = 1 + random.IntN(2)
		if random.IntN(3) > 0 {
			r.StartedAt = t0.Add(time.Duration(random.IntN(1000)) * time.Second)
		}
		if r.State.Final() {
			r.FinishedAt = t0.Add(time.Duration(1000+random.IntN(1000)) * time.Second)
		}
	}
	return runs
}

func checkJob(t *testing.T, j *hive.JobView, now time.Time) {
	t.Helper()
	counted, open := 0, 0
	for state, n := range j.Counts {
		counted += n
		if !state.Final() {
			open += n
		}
	}
	well := j.State == hive.RunSucceeded || j.State == hive.RunSkipped || j.State == hive.RunIgnored
	switch {
	case counted != j.Total || j.Total == 0:
		t.Fatalf("%d counted: %+v", counted, j)
	case j.Share() < 0 || j.Share() > 1 || j.Done > j.Total:
		t.Fatalf("the share: %+v", j)
	case j.Done == j.Total && !well:
		t.Fatalf("all is done: %+v", j)
	case (j.State == hive.RunSucceeded || j.State == hive.RunIgnored) && j.Done != j.Total:
		t.Fatalf("not all is done: %+v", j)
	case open > 0 && (!j.FinishedAt.IsZero() || j.State.Final() && j.State != hive.RunFailed):
		t.Fatalf("it is not final: %+v", j)
	case j.Took < 0 || j.StartedAt.IsZero() && j.Took != 0 || j.StartedAt.Add(j.Took).After(now) && open > 0:
		t.Fatalf("the duration: %+v", j)
	}
}
