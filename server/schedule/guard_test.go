package schedule_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/schedule"
)

// TestClockGuard looks at the clocks: at a second of the monotonic one, with the wall clock off by so much.
func TestClockGuard(t *testing.T) {
	t.Parallel()
	type look struct {
		at      int
		off     time.Duration
		trusted bool
	}
	cases := map[string][]look{
		"steady":      {{0, 0, true}, {5, 0, true}, {86_400, 0, true}},
		"small steps": {{0, 0, true}, {5, 9 * time.Second, true}, {10, -9 * time.Second, true}},
		"forward, and steady there": {
			{0, 0, true},
			{5, time.Hour, false},
			{10, time.Hour, false},
			{34, time.Hour, false},
			{35, time.Hour, true},
		},
		"back, and steady there": {{0, 0, true}, {5, -time.Hour, false}, {36, -time.Hour, true}},
		"there and back again": {
			{0, 0, true},
			{5, time.Hour, false},
			{20, 0, false},
			{49, 0, false},
			{50, 0, true},
		},
		"just over":  {{0, 0, true}, {1, 10*time.Second + 20*time.Millisecond, false}},
		"just under": {{0, 0, true}, {1, 10 * time.Second, true}},
		"corrected slowly": {
			{0, 0, true},
			{1000, 8 * time.Second, true},
			{2000, 16 * time.Second, true},
			{3000, 24 * time.Second, true},
		},
		"small steps add up": {{0, 0, true}, {5, 6 * time.Second, true}, {10, 12 * time.Second, false}},
		"jumps again while in doubt": {
			{0, 0, true},
			{5, time.Hour, false},
			{30, 2 * time.Hour, false},
			{40, 2 * time.Hour, false},
			{60, 2 * time.Hour, true},
		},
		"asleep, with no clock going": {{0, 0, true}, {5, 8 * time.Hour, false}, {36, 8 * time.Hour, true}},
	}
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for name, looks := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g schedule.ClockGuard
			was := true
			for _, l := range looks {
				mono := time.Duration(l.at) * time.Second
				s := g.Observe(start.Add(mono+l.off), mono)
				if s.Trusted != l.trusted || s.Changed != (was != l.trusted) {
					t.Fatalf("at %d s, off by %s: %+v, want trusted %t", l.at, l.off, s, l.trusted)
				}
				was = l.trusted
			}
		})
	}
}

// TestClockGuardNeverTrustsAJump jumps at any time by more than the tolerance.
func TestClockGuardNeverTrustsAJump(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var g schedule.ClockGuard
		mono := time.Duration(rapid.Int64Range(0, 1e15).Draw(rt, "start"))
		wall := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "wall"), 0)
		for range rapid.IntRange(1, 20).Draw(rt, "looks") {
			step := time.Duration(rapid.Int64Range(1, 5e9).Draw(rt, "step"))
			mono, wall = mono+step, wall.Add(step)
			if !g.Observe(wall, mono).Trusted {
				rt.Fatal("a steady clock is not trusted")
			}
		}
		jump := time.Duration(rapid.Int64Range(1, 1e6).Draw(rt, "jump"))*time.Second + 10*time.Second
		if rapid.Bool().Draw(rt, "back") {
			jump = -jump
		}
		wall = wall.Add(jump)
		for waited := time.Duration(0); waited < 30*time.Second; waited += 3 * time.Second {
			if g.Observe(wall.Add(waited), mono+waited).Trusted {
				rt.Fatalf("trusted %s after a jump by %s", waited, jump)
			}
		}
		if !g.Observe(wall.Add(30*time.Second), mono+30*time.Second).Trusted {
			rt.Fatal("not trusted after 30 s of agreement")
		}
	})
}
