package hive

import (
	"testing"
	"time"
)

// At most five of a hundred durations are longer than the longest usual one.
func TestUsualMost(t *testing.T) {
	t.Parallel()
	upTo := func(n int) []time.Duration {
		var out []time.Duration
		for i := range n {
			out = append(out, time.Duration(n-i)*time.Second)
		}
		return out
	}
	for n, want := range map[int]float64{0: 0, 2: 0, 3: 3, 7: 7, 19: 19, 20: 19, 40: 38, 100: 95} {
		if got := UsualMost(upTo(n)).Seconds(); got != want {
			t.Errorf("of %d durations: %v s; want %v s", n, got, want)
		}
	}
}
