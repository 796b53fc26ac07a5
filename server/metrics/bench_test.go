package metrics

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// BenchmarkCommitted counts a group that offers one attempt, ends another one and changes two runs.
func BenchmarkCommitted(b *testing.B) {
	m := New("v1", &fakeSource{})
	var id int64
	for b.Loop() {
		id++
		w := offer(id + 1)
		w.Attempts = change(id, hive.AttemptEnded, hive.OutcomeSuccess, time.Millisecond).Attempts
		w.Runs = []hive.RunChange{
			{From: hive.RunRunning, To: hive.Run{State: hive.RunSucceeded}},
			{From: hive.RunWaiting, To: hive.Run{State: hive.RunReady}},
		}
		m.Committed(group(1, w), time.Millisecond, nil)
	}
}
