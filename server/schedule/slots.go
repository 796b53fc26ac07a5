package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// BatchTime is the start of a batch, and when its tasks are expected to run.
type BatchTime struct {
	Starts time.Time
	Tasks  []hive.TaskTime
}

// SlotsWanted divides the time from one moment to another into equal parts, and returns by part how many tasks run at
// one time, at most. A task that ends when another begins leaves its slot to it.
func SlotsWanted(batches []BatchTime, from, until time.Time, parts int) []int {
	wanted := make([]int, parts)
	if parts < 1 || !from.Before(until) {
		return wanted
	}
	type event struct {
		at    time.Time
		delta int
	}
	var events []event
	for _, b := range batches {
		for _, task := range b.Tasks {
			begin, end := b.Starts.Add(task.Begin), b.Starts.Add(task.End)
			if end.Before(from) || !begin.Before(until) || !begin.Before(end) {
				continue
			}
			events = append(events, event{later(begin, from), 1}, event{end, -1})
		}
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.delta, b.delta))
	})
	length := max(until.Sub(from)/time.Duration(parts), 1)
	partOf := func(at time.Time) int { return min(int(at.Sub(from)/length), parts-1) }
	running := 0
	for i, e := range events {
		if !e.at.Before(until) {
			break
		}
		if running += e.delta; running == 0 || events[i+1].at.Equal(e.at) {
			continue
		}
		// So many run until just before the next event: whatever runs also ends.
		for part := partOf(e.at); part <= partOf(events[i+1].at.Add(-1)); part++ {
			wanted[part] = max(wanted[part], running)
		}
	}
	return wanted
}
