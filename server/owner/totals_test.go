package owner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// The totals count runs as observers know them, and each ready run that waits for an executor once.
func TestTotals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	assert.Equal(t, hive.LiveTotals{
		Batches: map[hive.BatchState]int{}, Runs: hive.Counts{}, Queue: map[string]int{},
		Waits: map[hive.WaitReason]int{},
	}, f.owner.Totals())
	f.Slots = 0
	f.Add(1, 1, hive.BatchRunning, "", "a")
	f.Add(2, 1, hive.BatchRunning, "", "a")
	f.load(1, 2)
	got := f.owner.Totals()
	assert.Equal(t, map[hive.BatchState]int{hive.BatchRunning: 2}, got.Batches)
	assert.Equal(t, 2, got.Runs[hive.RunReady])
	assert.Equal(t, map[string]int{hive.DefaultGroup: 2}, got.Queue)
	assert.Equal(t, map[hive.WaitReason]int{hive.WaitBusy: 2}, got.Waits)
}
