package owner

import "github.com/rprp/hivego/server/hive"

// Totals counts the batches in memory, their runs as observers know them, and the ready runs that wait for an executor.
func (o *Owner) Totals() hive.LiveTotals {
	t := hive.LiveTotals{
		Batches: map[hive.BatchState]int{}, Runs: hive.Counts{}, Queue: map[string]int{},
		Waits: map[hive.WaitReason]int{},
	}
	for _, l := range o.live {
		t.Batches[l.published.State]++
		if l.published.Wish == hive.WishPause {
			t.Paused++
		}
		for state, n := range l.published.Counts {
			t.Runs[state] += n
		}
	}
	for _, q := range o.queues.order {
		if n := q.items.Len(); n > 0 {
			t.Queue[q.req.Group] += n
			if q.wait != hive.WaitNone {
				t.Waits[q.wait] += n
			}
		}
	}
	return t
}
