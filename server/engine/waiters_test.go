package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner/ownertest"
)

// waitsInVain says that the channel of Await is closed without an answer.
func waitsInVain(t *testing.T, answer <-chan hive.CommandDone) {
	t.Helper()
	select {
	case done, ok := <-answer:
		assert.False(t, ok, "it was answered: %+v", done)
	default:
		assert.Fail(t, "it still waits")
	}
}

// stillWaits says that the channel of Await is open.
func stillWaits(t *testing.T, answer <-chan hive.CommandDone) {
	t.Helper()
	select {
	case done, ok := <-answer:
		assert.Fail(t, "it waits no more", "%+v %t", done, ok)
	default:
	}
}

// Whoever waits for a command is released when its batch leaves the engine, and when the batch is read again: the
// answer may be stored without coming this way. Those who wait for other batches go on waiting.
func TestAwaitEndsWithTheBatch(t *testing.T) {
	t.Parallel()
	refuse := func(p *plant, failure error) {
		p.SetFault(func(op string, ids []int64) error {
			if op == "commit" && ids[0] == 1 {
				return failure
			}
			return nil
		})
		p.ends(1, "a")
		wait(time.Second)
	}
	for name, c := range map[string]struct {
		happens func(t *testing.T, p *plant)
		all     bool // whoever waits for another batch is released too
	}{
		"the session is lost": {func(_ *testing.T, p *plant) {
			p.locked(func() { p.Epoch += 5 })
			wait(20 * time.Second)
		}, true},
		"its rows have moved": {func(_ *testing.T, p *plant) {
			refuse(p, &hive.GuardError{Batches: []int64{1}})
		}, false},
		"it is stuck": {func(_ *testing.T, p *plant) { refuse(p, errRefused) }, false},
		"it belongs to another server": {func(_ *testing.T, p *plant) {
			p.Notify(3)
			synctest.Wait()
		}, false},
		"the engine stops": {func(t *testing.T, p *plant) {
			p.Stop()
			late, stop := p.Await(1, 51)
			defer stop()
			waitsInVain(t, late)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin(t, func(s *store) {
				two(s)
				s.Add(3, 3, hive.BatchSucceeded, "", "a")
				s.Batches[3].Batch.Live = false
				s.Command(23, 3, hive.CommandRepair, `{"action":"rerun","tasks":["a"]}`)
				s.Batches[3].Batch.Owner = "another"
			}, func(t *testing.T, p *plant) {
				batch := int64(1)
				if name == "it belongs to another server" {
					batch = 3
				}
				first, stop := p.Await(batch, 41)
				defer stop()
				second, stop := p.Await(2, 42)
				defer stop()
				stillWaits(t, first)
				c.happens(t, p)
				waitsInVain(t, first)
				if c.all {
					waitsInVain(t, second)
				} else {
					stillWaits(t, second)
				}
			})
		})
	}
}

// Several may wait for one command, and each gets its answer; whoever has stopped gets none.
func TestAwaitTogether(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.Command(21, 1, hive.CommandWish, `{"wish":"pause"}`)
		first, stop := p.Await(1, 21)
		defer stop()
		gone, stop := p.Await(1, 21)
		stop()
		second, stop := p.Await(1, 21)
		defer stop()
		p.Notify(1)
		synctest.Wait()
		for _, answer := range []<-chan hive.CommandDone{first, second} {
			done, ok := <-answer
			require.True(t, ok)
			assert.Equal(t, hive.CommandApplied, done.State, fmt.Sprint(done))
		}
		stillWaits(t, gone)
		b, _ := p.Stored(1)
		assert.Equal(t, hive.WishPause, b.Wish)
		assert.Equal(t, ownertest.Server, b.Owner)
	})
}
