package auth

import (
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

// Two hundred parallel log-ins with the right password from one address queue up and succeed.
func TestParallelCorrectLogIns(t *testing.T) {
	t.Parallel()
	w, _, _ := setUp(t)
	for range 4 { // one failure more would make the address wait
		w.tries(t, "ada", "wrong horse", "192.0.2.7")
	}
	var wg sync.WaitGroup
	codes := make([]hive.Code, 200)
	for i := range codes {
		wg.Go(func() { codes[i] = w.tries(t, "ada", password, "192.0.2.7") })
	}
	wg.Wait()
	for _, c := range codes {
		if c != "" && c != hive.CodeUnavailable { // the machine is too slow for so many
			t.Fatalf("%q", codes)
		}
	}
	if !slices.Contains(codes, "") {
		t.Errorf("no log-in succeeded: %q", codes)
	}
}

// Parallel tries, however long each check takes, get no more guesses than serial tries that wait as little as
// possible. Tries with the right password delay nobody.
func TestParallelGuesses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		now := start
		many, one := newGuesses(), newGuesses()
		addresses := []string{"192.0.2.1", "192.0.2.2"}[:rapid.IntRange(1, 2).Draw(rt, "addresses")]
		serial := func() (n int) {
			for _, from := range addresses {
				for {
					g, later, err := one.begin(from, "ada", now)
					if later != nil && err == nil {
						rt.Fatal("a serial try waits for an open one")
					}
					if g == nil {
						break
					}
					g.end(now, true)
					n++
				}
			}
			return n
		}
		most, tried := 0, 0
		var open []*guess
		wrong := rapid.Bool().Draw(rt, "wrong")
		for range rapid.IntRange(1, 80).Draw(rt, "steps") {
			most += serial()
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0, 1:
				g, later, err := many.begin(rapid.SampledFrom(addresses).Draw(rt, "from"), "ada", now)
				switch {
				case g != nil:
					open = append(open, g)
					tried++
				case err != nil && !wrong:
					rt.Fatalf("refused without a wrong try: %v", err)
				case err == nil && len(open) == 0:
					rt.Fatal("a try waits for open ones, but none is open")
				case err == nil && later == nil:
					rt.Fatal("no answer")
				}
			case 2:
				if len(open) > 0 {
					i := rapid.IntRange(0, len(open)-1).Draw(rt, "which")
					open[i].end(now, wrong)
					open = slices.Delete(open, i, i+1)
				}
			case 3:
				now = now.Add(time.Duration(rapid.IntRange(0, 10_000).Draw(rt, "ms")) * time.Millisecond)
				most += serial()
			}
			if wrong && tried > most {
				rt.Fatalf("%d parallel tries in %v, but %d serial ones", tried, now.Sub(start), most)
			}
		}
	})
}
