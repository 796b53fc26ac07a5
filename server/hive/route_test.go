package hive_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// The same key meets the same executor after an upgrade, so these answers must never change.
func TestRouteHashesNeverChange(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{"": 155, "orders/load": 172, "east": 67, "数据": 24} {
		if got := hive.RouteBucket(key); got != want {
			t.Errorf("bucket of %q: %d, want %d", key, got, want)
		}
	}
	for bucket, want := range []string{"a2", "a3", "a2", "a1", "a3", "a3"} {
		best, most := "", uint64(0)
		for _, name := range []string{"a1", "a2", "a3"} {
			if w := hive.RouteWeight(bucket, name); w > most {
				best, most = name, w
			}
		}
		if best != want {
			t.Errorf("bucket %d belongs to %s, want %s", bucket, best, want)
		}
	}
}

// Buckets spread evenly over executors with similar names.
func TestRouteWeightsSpread(t *testing.T) {
	t.Parallel()
	const executors = 5
	counts := make([]int, executors)
	for bucket := range hive.RouteBuckets {
		best, most := 0, uint64(0)
		for x := range executors {
			if w := hive.RouteWeight(bucket, fmt.Sprintf("gpu-%d", x)); w > most {
				best, most = x, w
			}
		}
		counts[best]++
	}
	for x, n := range counts {
		if n < 30 || n > 80 { // 51 on average
			t.Errorf("executor %d has %d of %d buckets", x, n, hive.RouteBuckets)
		}
	}
}

// The record of a choice never takes more than one KiB, and always names the chosen executor.
func TestSchedulingIsSmall(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"letters": "a", "quotes": `"`, "angles": "<", "wide": "组", "line": "\u2028",
	} {
		for _, length := range []int{1, 30, 100, 120} {
			s := &hive.Scheduling{Route: hive.RouteConsistentHash, Origin: hive.RouteOfSchedule, Group: 100_000}
			for i := range 20 {
				s.Consider(hive.Considered{
					Name: strings.Repeat(unit, min(length, 250/len(unit))) + fmt.Sprint(i), Used: 10_000, Slots: 10_000,
					Wait: hive.WaitNoHandler,
				})
			}
			got, err := json.Marshal(s.WithKey(strings.Repeat(unit, 5000)))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > 1024 {
				t.Errorf("%s, %d: %d bytes: %s", name, length, len(got), got)
			}
			if length <= 30 && unit == "a" && len(s.Considered) != hive.MaxConsidered {
				t.Errorf("%s, %d: only %d executors", name, length, len(s.Considered))
			}
		}
	}
}
