package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// hears has an executor refuse the session for a later one.
func (p *plant) hears(epoch int64) {
	p.driver.Lock()
	p.driver.later = &hive.Later{Executor: "first", Epoch: epoch}
	p.driver.Unlock()
	p.inbox <- func(time.Time) {}
	wait(100 * time.Millisecond)
}

// An executor has heard of a later session, or of another one with the same epoch: the server takes an epoch above it
// and goes on with what it has in hand.
func TestLaterSession(t *testing.T) {
	t.Parallel()
	for heard, want := range map[int64]int64{1: 2, 41: 42} {
		begin(t, two, func(t *testing.T, p *plant) {
			p.hears(heard)
			assert.Equal(t, want, p.Session().Epoch)
			assert.Equal(t, []int64{1, want}, p.epochs)
			require.Len(t, p.sessions, 2)
			assert.NotEqual(t, p.sessions[0], p.sessions[1])
			assert.Len(t, p.sessions[1], 26)
			p.ends(1, "a")
			assert.Contains(t, p.Tasks(), "1.b", "commits go through")
			assert.Zero(t, p.resets-1, "nothing was dropped")
		})
	}
}

// Two servers on copies of one database would outdo each other: there are ten seconds between two epochs.
func TestLaterSessionsAgainAndAgain(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.hears(5)
		p.hears(9)
		p.hears(9)
		assert.Equal(t, int64(6), p.Session().Epoch)
		wait(10 * time.Second)
		p.hears(9)
		assert.Equal(t, int64(10), p.Session().Epoch)
		wait(10 * time.Second)
		p.hears(3) // of a session long past
		assert.Equal(t, int64(10), p.Session().Epoch)
	})
}

// The database is away when the epoch is to be raised: it is raised when the executor says it again.
func TestLaterSessionWithoutDatabase(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.SetFault(func(op string, _ []int64) error {
			if op == "raise" {
				return hive.ErrConnection
			}
			return nil
		})
		p.hears(5)
		assert.Equal(t, int64(1), p.Session().Epoch)
		p.SetFault(nil)
		wait(10 * time.Second)
		p.hears(5)
		assert.Equal(t, int64(6), p.Session().Epoch)
		p.ends(1, "a")
		assert.Contains(t, p.Tasks(), "1.b")
	})
}

// Every attempt has a key of its own, which is stored with it and stays.
func TestKeysOfAttempts(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.ends(1, "a")
		keys, open := map[string]bool{}, 0
		for _, a := range p.Offered {
			assert.Len(t, a.Key, 13)
			keys[a.Key] = true
			if stored, ok := find(p.Snapshot(a.BatchID).Attempts, a.Attempt); ok {
				assert.Equal(t, a.Key, stored.Key)
				open++
			}
		}
		assert.Equal(t, 2, open)
		assert.Len(t, keys, 3)
	})
}

func find(attempts []hive.Attempt, id int64) (hive.Attempt, bool) {
	for _, a := range attempts {
		if a.ID == id {
			return a, true
		}
	}
	return hive.Attempt{}, false
}

// The database goes back under a server that goes on: the next commit or renewal of the lease notices, and all is read
// anew.
func TestStoreGoesBack(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(p *plant){
		"commit":    func(p *plant) { p.ends(1, "a"); wait(2 * time.Second) },
		"heartbeat": func(*plant) { wait(20 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin(t, two, func(t *testing.T, p *plant) {
				p.ends(2, "a")
				epoch := p.Session().Epoch
				p.locked(func() { p.Number-- })
				next(p)
				assert.Greater(t, p.Session().Epoch, epoch)
				assert.Equal(t, 3, p.resets, "at the start, at the end of the session, and at the next one")
				p.ends(1, "a")
				assert.Contains(t, p.Tasks(), "1.b", "it goes on")
			})
		})
	}
}

// A batch that the database does not have any more holds up no other one of its schedule.
func TestLostBatchHoldsUpNobody(t *testing.T) {
	t.Parallel()
	begin(t, func(s *store) {
		s.Add(1, 1, hive.BatchQueued, "", "a")
		s.Add(2, 1, hive.BatchQueued, hive.ReasonQueued, "a")
	}, func(t *testing.T, p *plant) {
		require.Equal(t, []string{"1.a"}, p.Tasks())
		p.SetFault(func(op string, ids []int64) error {
			if op == "commit" && slices.Contains(ids, 1) {
				return &hive.GuardError{Batches: []int64{1}}
			}
			return nil
		})
		p.locked(func() { delete(p.Batches, 1) })
		p.ends(1, "a")
		wait(time.Minute)
		assert.Equal(t, []string{"1.a", "2.a"}, p.Tasks())
	})
}
