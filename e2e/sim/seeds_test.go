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

// Number of seeds that TestSeeds runs. `make test` runs this package twice: without the race detector for manySeeds,
// and with it, where a seed takes several times as long, for raceSeeds. A few seeds are enough there, because the cores
// have no goroutines and every world is played by one.
const (
	manySeeds = 2500
	raceSeeds = 20
)

// traceLines is the number of lines that a failing seed prints from the end of its history.
const traceLines = 60

// try runs one seed. If the seed breaks a rule, the test fails and prints the end of the seed's history.
func try(t *testing.T, seed uint64) Result {
	t.Helper()
	r := Run(Options{Seed: seed})
	if r.Violation != nil {
		again := Run(Options{Seed: seed, Trace: true})
		tail := again.Trace[max(len(again.Trace)-traceLines, 0):]
		t.Errorf("seed %d: %v\n%s\nreplay it: HIVEGO_SIM_SEED=%d go test ./e2e/sim -run 'TestSeed$' -v",
			seed, r.Violation, strings.Join(tail, "\n"), seed)
	}
	return r
}

// each runs seeds in two goroutines until next has no more or a seed has failed. It returns the sum of the statistics.
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

// TestSeeds runs many histories. Each kind of fault must occur in one of them, or the test would prove nothing. The few
// seeds of the race detector are too few for that.
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
	t.Logf("%d seeds: %+v", seeds, sum)
	if t.Failed() || raced {
		return
	}
	for what, n := range map[string]int{
		"batches": sum.Batches, "attempts": sum.Attempts, "losses": sum.Losses, "takeovers": sum.Takeovers,
		"crashes": sum.Crashes, "guards that missed": sum.Guards, "stuck batches": sum.Stuck,
		"returns to an earlier state": sum.Rewinds, "epochs raised": sum.Raises, "unknown attempts": sum.Unknown,
		"fired ticks": sum.Ticks[hive.DecisionFired], "queued ticks": sum.Ticks[hive.DecisionQueued],
		"skipped ticks": sum.Ticks[hive.DecisionSkipped], "merged ticks": sum.Ticks[hive.DecisionMerged],
		"queued batches that started": sum.Queued,
		"missed ticks":                sum.Ticks[hive.DecisionMissed], "jumps of clocks": sum.Jumps,
		"planned skips": sum.Skips, "planned moves": sum.Moves, "holds that were released": sum.Holds,
		"calls of webhooks": sum.Calls, "repeated calls": sum.Again, "batches after a delay": sum.Delayed,
		"archived schedules": sum.Archived, "deleted schedules": sum.Deleted, "chain repairs": sum.Chains,
		"batches that a chain repair ran again": sum.ChainSteps, "superseded steps": sum.Superseded,
		"calls of hooks": sum.Hooks, "batches of hooks": sum.HookBatches,
	} {
		if n == 0 {
			t.Errorf("%d seeds had no %s", seeds, what)
		}
	}
}

// TestSeed replays the seed HIVEGO_SIM_SEED and prints its whole history. Without that variable it runs seed 1 and
// prints nothing.
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

// TestOneSeedOneHistory checks that a seed always gives the same history, to the byte, with and without a trace, and
// that two seeds give different ones.
func TestOneSeedOneHistory(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	if raced {
		seeds = 2
	}
	hashes := map[uint64]bool{}
	for seed := range seeds {
		a, b := Run(Options{Seed: seed, Trace: true}), Run(Options{Seed: seed, Trace: true})
		if a.Hash != b.Hash || a.Events != b.Events || a.Hash == 0 {
			t.Errorf("seed %d gave two histories: %x of %d events, %x of %d", seed, a.Hash, a.Events, b.Hash, b.Events)
		}
		if c := Run(Options{Seed: seed}); c.Events != a.Events {
			t.Errorf("seed %d had %d events with a trace, and %d without", seed, a.Events, c.Events)
		}
		if hashes[a.Hash] {
			t.Errorf("seed %d gave the same history as another seed", seed)
		}
		hashes[a.Hash] = true
	}
}

// TestMutations breaks one rule at a time. The simulator must report a violation of that rule, and of no other.
func TestMutations(t *testing.T) {
	t.Parallel()
	if raced {
		return // a mutation changes decisions, not goroutines: the run without the race detector covers it
	}
	for _, c := range []struct {
		mutation Mutation
		rules    string // the first violation must be of one of these
	}{
		{MutateStore, "early rows guard"},
		{MutateJournal, "twice early forgotten"},
		{MutateLease, "twice"},
		{MutateAck, "forgotten"},
		{MutateTombs, "twice outcome"},
		{MutateRun, "unfit twice outcome"},
		{MutateKeys, "another twice outcome"},
		{MutateSession, "fence"},
		{MutateMark, "tick"},
		{MutateClock, "clock"},
		{MutateOverlap, "overlap"},
		{MutatePlans, "planned tick"},
		{MutateCalls, "call"},
		{MutateDelay, "delay"},
		{MutateArchive, "archived"},
		{MutateDelete, "deleted"},
		{MutateChain, "chain"},
		{MutateRound, "chain"},
		{MutateHooks, "hooks"},
		{MutateHookKey, "hooks liveness"},
	} {
		t.Run(string(c.mutation), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2000) {
				r := Run(Options{Seed: seed, Mutation: c.mutation})
				if r.Violation == nil {
					continue
				}
				if !slices.Contains(strings.Fields(c.rules), r.Violation.Rule) {
					t.Fatalf("seed %d: unexpected violation: %v", seed, r.Violation)
				}
				t.Logf("seed %d: %v", seed, r.Violation)
				return
			}
			t.Errorf("no seed reports the mutation %q", c.mutation)
		})
	}
}

// TestSoak runs seeds that TestSeeds does not run, for the duration HIVEGO_SIM_SOAK. Without that it runs five.
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
