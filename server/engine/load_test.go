package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// A stuck batch is shown with its reason and tried again now and then, however often somebody asks for it.
func TestStuck(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		loads := 0
		p.SetFault(func(op string, ids []int64) error {
			switch {
			case op == "batches":
				loads++
			case op == "commit" && ids[0] == 1:
				return errRefused
			}
			return nil
		})
		p.ends(1, "a")
		wait(time.Second)
		v, ok, err := p.Live(t.Context(), 1)
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Contains(t, v.Stuck.Text, errRefused.Error())
		assert.Equal(t, hive.SentenceStuckUnstored, v.Stuck.Reason.Code)
		p.Command(9, 1, hive.CommandWish, `{"wish":"cancel"}`)
		p.Notify(1)
		wait(5 * time.Minute)
		p.locked(func() { assert.LessOrEqual(t, loads, 12, "one try in 30 s") })
		p.ends(2, "a")
		b, _ := p.Stored(2)
		assert.Equal(t, hive.BatchSucceeded, b.State, "others go on")

		p.SetFault(nil)
		wait(time.Minute)
		v, _, err = p.Live(t.Context(), 1)
		require.NoError(t, err)
		assert.Empty(t, v.Stuck)
		assert.NotEmpty(t, p.Kills, "the command was done")
	})
}

// A batch that cannot be read is stuck too.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	begin(t, func(s *store) {
		two(s)
		s.SetFault(func(op string, ids []int64) error {
			if op == "batches" && ids[0] == 1 {
				return errors.New("a row is broken")
			}
			return nil
		})
	}, func(t *testing.T, p *plant) {
		assert.Equal(t, []string{"2.a"}, p.Tasks())
		v, _, err := p.Live(t.Context(), 1)
		require.NoError(t, err)
		assert.Contains(t, v.Stuck.Text, "a row is broken")
		assert.Equal(t, hive.SentenceStuckUnread, v.Stuck.Reason.Code)
		p.SetFault(nil)
		wait(time.Minute)
		assert.Contains(t, p.Tasks(), "1.a")
	})
}

// Many new batches are read together, some at a time. One of them that cannot be read holds up none of the others.
func TestAdoptAll(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.driver.Lock()
		p.Slots = 1000
		p.driver.Unlock()
		reads := 0
		many := func(from int64) (ids []int64) {
			for id := from; id < from+120; id++ {
				p.Add(id, id, hive.BatchQueued, "", "a")
				ids = append(ids, id)
			}
			return ids
		}
		fault := func(broken int64) {
			p.SetFault(func(op string, ids []int64) error {
				if op != "batches" {
					return nil
				}
				reads++
				if slices.Contains(ids, broken) {
					return errors.New("a row is broken")
				}
				return nil
			})
		}
		fault(0)
		p.AdoptAll(many(100))
		wait(time.Second)
		p.locked(func() { assert.Equal(t, 3, reads) })
		assert.Len(t, p.Tasks(), 2+120)

		fault(360)
		p.AdoptAll(append(many(300), 5)) // 5 is not there
		wait(time.Second)
		assert.Len(t, p.Tasks(), 2+120+119)
		v, _, err := p.Live(t.Context(), 360)
		require.NoError(t, err)
		assert.Contains(t, v.Stuck.Text, "a row is broken")
		v, _, err = p.Live(t.Context(), 5)
		require.NoError(t, err)
		assert.Equal(t, hive.SentenceStuckGone, v.Stuck.Reason.Code)
	})
}

// Batches of dead servers come with a new epoch. The queued ones come last.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	begin(t, func(s *store) {
		two(s)
		s.Add(3, 3, hive.BatchQueued, hive.ReasonQueued, "a")
		s.Add(4, 3, hive.BatchRunning, "", "a")
		for _, snap := range s.Batches {
			snap.Batch.Owner = "another"
		}
	}, func(t *testing.T, p *plant) {
		assert.Empty(t, p.Tasks())
		p.locked(func() { p.dead = []string{"another"} })
		wait(10 * time.Second)
		assert.ElementsMatch(t, []string{"1.a", "2.a", "4.a"}, p.Tasks(), "3 waits for 4, which has a higher number")
		assert.Equal(t, int64(2), p.Session().Epoch)
		assert.Equal(t, []int64{1, 2}, p.epochs)
	})
}

// The answer of a takeover gets lost: the epoch may be another one. The next commit finds out.
func TestTakeOverInDoubt(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.SetFault(func(op string, _ []int64) error {
			if op == "takeover" {
				p.Epoch++
				p.Fault = nil
				return hive.ErrConnection
			}
			return nil
		})
		wait(10 * time.Second)
		p.ends(1, "a")
		wait(10 * time.Second)
		assert.Equal(t, p.store.Epoch, p.Session().Epoch)
		p.ends(1, "a")
		wait(time.Second)
		assert.Contains(t, p.Tasks(), "1.b")
	})
}
