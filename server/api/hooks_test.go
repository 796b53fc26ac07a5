package api

import (
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// A batch of hooks shows what it follows; no other batch does.
func TestHookOfABatch(t *testing.T) {
	t.Parallel()
	event := hive.HookEvent{
		Batch: 7, Round: 2, Scope: hive.HookOfTask, Key: "a", State: hive.BatchFailed, Error: "exit 1", Task: "a",
	}
	full(t, event)
	full(t, *hookEvent(&event))
	b := hive.Batch{ID: 8, Kind: hive.KindHook, Hook: &event}
	for what, got := range map[string]any{
		"in a list": batchSummary(&b).Hook.Batch, "alone": batchView(&hive.BatchView{Batch: b}).Hook.Batch,
	} {
		if got != event.Batch {
			t.Errorf("%s: it follows batch %v", what, got)
		}
	}
	if none := batchSummary(&hive.Batch{ID: 8, Kind: hive.KindAdhoc}).Hook; none != nil {
		t.Errorf("an adhoc batch follows %+v", none)
	}
}
