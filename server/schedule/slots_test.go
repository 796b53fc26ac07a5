package schedule_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

func TestSlotsWanted(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	hour := func(n int) time.Duration { return time.Duration(n) * time.Hour }
	one := []hive.TaskTime{{Begin: 0, End: hour(1)}}
	for name, c := range map[string]struct {
		batches []schedule.BatchTime
		want    []int
	}{
		"nothing":           {nil, []int{0, 0, 0, 0}},
		"one after another": {[]schedule.BatchTime{{from, one}, {from.Add(hour(1)), one}}, []int{1, 1, 0, 0}},
		"at once":           {[]schedule.BatchTime{{from, one}, {from, one}}, []int{2, 0, 0, 0}},
		"over several parts": {
			[]schedule.BatchTime{{from, []hive.TaskTime{{Begin: hour(1), End: hour(3)}}}}, []int{0, 1, 1, 0},
		},
		"a part of a part": {
			[]schedule.BatchTime{{from, []hive.TaskTime{{Begin: hour(1) + 5, End: hour(1) + 9}}}}, []int{0, 1, 0, 0},
		},
		"begun before": {
			[]schedule.BatchTime{{from.Add(-hour(2)), []hive.TaskTime{{End: hour(3)}}}}, []int{1, 0, 0, 0},
		},
		"ended before": {[]schedule.BatchTime{{from.Add(-hour(2)), one}}, []int{0, 0, 0, 0}},
		"goes on after it": {
			[]schedule.BatchTime{{from.Add(hour(3)), []hive.TaskTime{{End: hour(9)}}}}, []int{0, 0, 0, 1},
		},
		"takes no time": {[]schedule.BatchTime{{from, []hive.TaskTime{{}}}}, []int{0, 0, 0, 0}},
	} {
		if got := schedule.SlotsWanted(c.batches, from, from.Add(hour(4)), 4); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestSlotsWantedAgainstMinutes counts minute by minute.
func TestSlotsWantedAgainstMinutes(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 6).Draw(t, "parts")
		length := rapid.IntRange(1, 10).Draw(t, "minutes of a part")
		total := parts * length
		minute := func(n int) time.Duration { return time.Duration(n) * time.Minute }
		counts := make([]int, total)
		var batches []schedule.BatchTime
		for range rapid.IntRange(0, 6).Draw(t, "batches") {
			start := rapid.IntRange(-10, total+5).Draw(t, "start")
			b := schedule.BatchTime{Starts: from.Add(minute(start))}
			for range rapid.IntRange(0, 3).Draw(t, "tasks") {
				begin := rapid.IntRange(0, 10).Draw(t, "begin")
				end := begin + rapid.IntRange(0, 10).Draw(t, "length")
				b.Tasks = append(b.Tasks, hive.TaskTime{Begin: minute(begin), End: minute(end)})
				for m := max(start+begin, 0); m < min(start+end, total); m++ {
					counts[m]++
				}
			}
			batches = append(batches, b)
		}
		want := make([]int, parts)
		for m, n := range counts {
			want[m/length] = max(want[m/length], n)
		}
		got := schedule.SlotsWanted(batches, from, from.Add(minute(total)), parts)
		if !slices.Equal(got, want) {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}
