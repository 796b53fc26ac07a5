package engine_test

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
)

func shared(cfg *engine.Config) { cfg.Shared = true }

// anothers gives all batches to another server.
func anothers(s *store) {
	two(s)
	for _, snap := range s.Batches {
		snap.Batch.Owner = "another"
	}
}

// A server that shares its database takes a dead one over at its next look, within a quarter of a second.
func TestTakeOverSoon(t *testing.T) {
	t.Parallel()
	beginWith(t, anothers, shared, func(t *testing.T, p *plant) {
		p.locked(func() { p.dead = []string{"another"} })
		wait(2 * time.Second)
		assert.Empty(t, p.Tasks(), "at its start it leaves others the time to come back")
		p.locked(func() { p.dead = nil })
		wait(30 * time.Second)
		assert.Equal(t, []int64{1}, p.epochs)
		p.locked(func() { p.dead = []string{"another"} })
		wait(300 * time.Millisecond)
		assert.ElementsMatch(t, []string{"1.a", "2.a"}, p.Tasks())
		assert.Equal(t, []int64{1, 2}, p.epochs)
	})
}

// While nobody is dead a look is a query. It does not keep commits from leaving, as a takeover does.
func TestLooksAreCheap(t *testing.T) {
	t.Parallel()
	beginWith(t, two, shared, func(t *testing.T, p *plant) {
		tries := 0
		p.SetFault(func(op string, _ []int64) error {
			if op == "takeover" {
				tries++
			}
			return nil
		})
		wait(60 * time.Second)
		p.locked(func() {
			assert.Equal(t, 4, tries, "for batches whose owner nobody knows")
			assert.Greater(t, p.looks, 200)
			assert.InDelta(t, 60, p.beats, 1)
		})
	})
}

// launches reports whether calls leave in the next turn of the loop.
func (p *plant) launches() bool {
	var launched atomic.Bool
	p.inbox <- func(time.Time) { p.launch = func() { launched.Store(true) } }
	p.inbox <- func(time.Time) {}
	synctest.Wait()
	return launched.Load()
}

// A database that is away for five seconds, or that hangs once, loses no session, and calls go on leaving.
func TestShortOutage(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{hive.ErrConnection, errHangs} {
		text := new(strings.Builder)
		set := func(cfg *engine.Config) {
			cfg.Shared, cfg.Log = true, slog.New(slog.NewTextHandler(text, nil))
		}
		beginWith(t, two, set, func(t *testing.T, p *plant) {
			wait(10*time.Second + 500*time.Millisecond)
			p.SetFault(func(op string, _ []int64) error {
				if op == "heartbeat" || op == "look" && fault == hive.ErrConnection { //nolint:errorlint // our own
					return fault
				}
				return nil
			})
			wait(5 * time.Second)
			assert.True(t, p.launches())
			p.SetFault(nil)
			wait(4 * time.Second) // one that hangs has its time
			assert.True(t, p.launches())
			assert.Equal(t, []int64{1}, p.epochs)
			p.Stop()
			assert.Equal(t, 1, strings.Count(text.String(), "lease was not renewed"))
			assert.Equal(t, 1, strings.Count(text.String(), "lease is renewed again"))
		})
	}
}

// After an outage for which the leases were too short, this server is back first. It waits for the others before it
// takes what is theirs.
func TestLongOutage(t *testing.T) {
	t.Parallel()
	beginWith(t, anothers, shared, func(t *testing.T, p *plant) {
		wait(10 * time.Second)
		p.SetFault(func(string, []int64) error { return hive.ErrConnection })
		wait(20 * time.Second)
		assert.False(t, p.launches(), "another may have taken it over")
		p.locked(func() { p.dead = []string{"another"} })
		p.SetFault(nil)
		wait(3 * time.Second)
		assert.True(t, p.launches())
		assert.Empty(t, p.Tasks())
		wait(1500 * time.Millisecond)
		assert.Len(t, p.Tasks(), 2, "it did not come back")
	})
}
