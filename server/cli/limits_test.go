package cli_test

import (
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// The answer to a change counts in words: one slot, several slots, one run, several runs.
func TestSetLimitWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	used := 1
	limit := []string{"limits", "schedule", "mart", "1"}
	w.SetLimitF = func(l hive.Limit) (hive.LimitUse, error) { return hive.LimitUse{Limit: l, Used: used}, nil }
	w.want(w.hivego("pools", "set", "dw", "1"), 0, "pool dw: 1 slot; 1 taken now\n", "")
	w.want(w.hivego("pools", "set", "dw", "3"), 0, "pool dw: 3 slots; 1 taken now\n", "")
	w.want(w.hivego(limit...), 0, "schedule mart: at most 1 at the same time; 1 runs now\n", "")
	used = 2
	w.want(w.hivego(limit...), 0, "schedule mart: at most 1 at the same time; 2 run now\n", "")
}
