package sim

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Seeds that every test run tries. The race detector makes each several times as long, and the cores under test have no
// goroutines, so a few are enough for it; `make test` runs all of them without it.
const (
	manySeeds = 2500
	raceSeeds = 100
)

// told is how much of a history is shown for a seed that fails.
const reported = 60

// try runs one seed and fails with the end of its history.
func try(t *testing.T, seed uint64) Result {
	t.Helper()
	r := Run(Options{Seed: seed})
	if r.Violation != nil {
		again := Run(Options{Seed: seed, Trace: true})
		tail := again.Trace[max(len(again.Trace)-reported, 0):]
		t.Errorf("seed %d: %v\n%s\nreplay it: HIVEGO_SIM_SEED=%d go test ./e2e/sim -run 'TestSeed$' -v",
			seed, r.Violation, strings.Join(tail, "\n"), seed)
	}
	return r
}

// each tries seeds on both cores until there are no more, or a seed failed.
func each(t *testing.T, next func() (seed uint64, more bool)) (sum Stats) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for !t.Failed() {
				seed, more := next()
				if !more {
					return
				}
				r := try(t, seed)
				mu.Lock()
				sum.add(&r.Stats)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return sum
}

// TestSeeds tries many histories. Each fault must have occurred, or the test would prove nothing.
func TestSeeds(t *testing.T) {
	t.Parallel()
	seeds := uint64(manySeeds)
	if raced {
		seeds = raceSeeds
	}
	var at atomic.Uint64
	sum := each(t, func() (uint64, bool) {
		n := at.Add(1) - 1
		return n, n < seeds
	})
	if t.Failed() {
		return
	}
	for what, n := range map[string]int{
		"batches": sum.Batches, "attempts": sum.Attempts, "losses": sum.Losses, "takeovers": sum.Takeovers,
		"crashes": sum.Crashes, "guards that missed": sum.Guards, "stuck batches": sum.Stuck,
		"returns to an earlier state": sum.Rewinds, "epochs raised": sum.Raises, "unknown attempts": sum.Unknown,
		"fired ticks": sum.Ticks[hive.DecisionFired], "queued ticks": sum.Ticks[hive.DecisionQueued],
		"skipped ticks": sum.Ticks[hive.DecisionSkipped], "merged ticks": sum.Ticks[hive.DecisionMerged],
		"missed ticks": sum.Ticks[hive.DecisionMissed], "jumps of clocks": sum.Jumps,
	} {
		if n == 0 {
			t.Errorf("in %d seeds there were no %s: the faults do not reach them", seeds, what)
		}
	}
	t.Logf("%d seeds: %+v", seeds, sum)
}

// TestSeed replays one seed, HIVEGO_SIM_SEED, and prints its whole history; without it, seed 1 and nothing of it.
func TestSeed(t *testing.T) {
	t.Parallel()
	text := os.Getenv("HIVEGO_SIM_SEED")
	seed := uint64(1)
	if text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("HIVEGO_SIM_SEED: %v", err)
		}
		seed = n
	}
	r := Run(Options{Seed: seed, Trace: true, Lines: 1e6})
	if text != "" {
		t.Log("\n" + strings.Join(r.Trace, "\n"))
		t.Logf("%d events, %+v", r.Events, r.Stats)
	}
	if r.Violation != nil {
		t.Errorf("seed %d: %v", seed, r.Violation)
	}
}

// TestOneSeedOneHistory: the same seed tells the same history, to the byte, whether somebody listens or not.
func TestOneSeedOneHistory(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	if raced {
		seeds = 5
	}
	reported := map[uint64]bool{}
	for seed := range seeds {
		a, b := Run(Options{Seed: seed, Trace: true}), Run(Options{Seed: seed, Trace: true})
		if a.Hash != b.Hash || a.Events != b.Events || a.Hash == 0 {
			t.Errorf("seed %d told two histories: %x of %d events, %x of %d", seed, a.Hash, a.Events, b.Hash, b.Events)
		}
		if c := Run(Options{Seed: seed}); c.Events != a.Events {
			t.Errorf("seed %d had %d events when told, and %d when not", seed, a.Events, c.Events)
		}
		if reported[a.Hash] {
			t.Errorf("seed %d told the history of another", seed)
		}
		reported[a.Hash] = true
	}
}

// TestMutations breaks one rule at a time: the simulator must notice, and notice that very thing.
func TestMutations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mutation Mutation
		rules    string // any of them may be broken first
		slow     bool   // it takes many seeds
	}{
		{MutateStore, "early rows guard", false},
		{MutateJournal, "twice early forgotten", false},
		{MutateLease, "twice", true},
		{MutateAck, "forgotten", true},
		{MutateTombs, "twice outcome", true},
		{MutateRun, "unfit twice outcome", false},
		{MutateKeys, "another twice outcome", false},
		{MutateSession, "fence", true},
		{MutateMark, "tick", false},
		{MutateClock, "clock", true},
	} {
		if raced && c.slow {
			continue
		}
		t.Run(string(c.mutation), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2000) {
				r := Run(Options{Seed: seed, Mutation: c.mutation})
				if r.Violation == nil {
					continue
				}
				if !slices.Contains(strings.Fields(c.rules), r.Violation.Rule) {
					t.Fatalf("seed %d: noticed as something else: %v", seed, r.Violation)
				}
				t.Logf("seed %d: %v", seed, r.Violation)
				return
			}
			t.Errorf("nothing noticed that the rule %q was broken", c.mutation)
		})
	}
}

// TestSoak goes on for as long as HIVEGO_SIM_SOAK says (a duration), with seeds that TestSeeds does not try; without
// it, for a few seeds.
func TestSoak(t *testing.T) {
	t.Parallel()
	first, few := uint64(1_000_000), uint64(5)
	var until time.Time
	if s := os.Getenv("HIVEGO_SIM_SOAK"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatalf("HIVEGO_SIM_SOAK: %v", err)
		}
		until = time.Now().Add(d)
		first = uint64(time.Now().Unix()) << 20
	}
	var at atomic.Uint64
	sum := each(t, func() (uint64, bool) {
		n := at.Add(1) - 1
		if until.IsZero() {
			return first + n, n < few
		}
		return first + n, time.Now().Before(until)
	})
	t.Logf("%d seeds from %d: %+v", at.Load(), first, sum)
}
