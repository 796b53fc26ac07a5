package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner/ownertest"
	"github.com/rprp/hivego/server/service"
)

var (
	errHangs   = errors.New("no answer")
	errRefused = errors.New("value too long for the column")
)

// plant is a whole engine over a store and a fleet in memory, with synctest's clock.
type plant struct {
	*store
	*driver
	*engine.Engine
	inbox chan func(now time.Time)
}

// begin starts an engine. It is stopped when f returns.
func begin(t *testing.T, prepare func(*store), f func(t *testing.T, p *plant)) {
	t.Helper()
	beginWith(t, prepare, func(*engine.Config) {}, f)
}

func beginWith(t *testing.T, prepare func(*store), set func(*engine.Config), f func(t *testing.T, p *plant)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &plant{store: newStore(), driver: newDriver(), inbox: engine.NewInbox()}
		prepare(p.store)
		cfg := engine.Config{
			Store: p.store, Sessions: p.store, Fleet: p.driver, Chooser: p.driver, Driver: p.driver, Inbox: p.inbox,
			Server: hive.Server{ID: ownertest.Server}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		}
		set(&cfg)
		p.Engine = engine.New(cfg)
		require.NoError(t, p.Start(t.Context()))
		defer p.Stop()
		<-p.Started()
		synctest.Wait()
		f(t, p)
	})
}

// wait lets the engine work for a while.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// do tells the loop of an event, as a call's answer would.
func (p *plant) do(ev hive.AttemptEvent) {
	p.Tell(ev)
	p.inbox <- func(time.Time) {}
	synctest.Wait()
}

func (p *plant) ends(batch int64, task string) {
	p.do(hive.AttemptEvent{Attempt: p.Attempt(batch, task), Kind: hive.EventEnded, Outcome: hive.OutcomeSuccess})
}

func two(s *store) {
	s.Add(1, 1, hive.BatchQueued, "", "a", "b")
	s.Add(2, 2, hive.BatchQueued, "", "a")
}

// What this server owns is loaded and runs; the executors are known before that.
func TestStartAndStop(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		assert.ElementsMatch(t, []string{"1.a", "2.a"}, p.Tasks())
		assert.Equal(t, 1, p.learned)
		p.ends(1, "a")
		p.ends(1, "b")
		b, _ := p.Stored(1)
		assert.Equal(t, hive.BatchSucceeded, b.State)
		require.ErrorIs(t, p.Start(t.Context()), service.ErrStarted)
		p.Stop()
		p.Stop()
		_, _, err := p.Live(canceled(), 2)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// A database that is away at the start is told, and leaves nothing behind.
func TestStartWithoutDatabase(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"session", "ids"} {
		s := newStore()
		s.SetFault(func(what string, _ []int64) error {
			if what == op {
				return hive.ErrConnection
			}
			return nil
		})
		driver := newDriver()
		e := engine.New(engine.Config{
			Store: s, Sessions: s, Fleet: driver, Chooser: driver, Driver: driver,
			Server: hive.Server{ID: ownertest.Server},
			Inbox:  engine.NewInbox(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		require.ErrorIs(t, e.Start(t.Context()), hive.ErrConnection)
		require.ErrorIs(t, e.Start(t.Context()), context.Canceled)
	}
}

// The session is taken over. While the next one does not start, nothing is decided and no call leaves, but the loop
// answers; then everything is read anew and goes on.
func TestRestart(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		var mu sync.Mutex
		launches := 0
		p.inbox <- func(time.Time) { p.launch = func() { mu.Lock(); launches++; mu.Unlock() } }
		p.SetFault(func(op string, _ []int64) error {
			if op == "session" {
				return hive.ErrConnection
			}
			return nil
		})
		p.locked(func() { p.Epoch++ }) // somebody else's
		p.ends(1, "a")
		wait(time.Second) // the commit was refused by now
		mu.Lock()
		before := launches
		mu.Unlock()
		for range 5000 { // more than the inbox holds: nobody may be kept waiting
			p.inbox <- func(time.Time) {}
		}
		_, ok, err := p.Live(t.Context(), 1)
		require.NoError(t, err)
		assert.False(t, ok)
		wait(time.Minute)
		mu.Lock()
		assert.Equal(t, before, launches, "no call leaves in the name of a session that is over")
		mu.Unlock()
		assert.Equal(t, []string{"1.a", "2.a"}, p.Tasks())

		p.SetFault(nil)
		wait(2 * time.Second)
		assert.Equal(t, p.store.Epoch, p.Session().Epoch)
		assert.Len(t, p.Adopted, 2, "their executor is asked")
		p.ends(1, "a")
		wait(time.Second)
		assert.Contains(t, p.Tasks(), "1.b")
	})
}

// locked runs f while the store is locked.
func (p *plant) locked(f func()) {
	p.store.Lock()
	defer p.store.Unlock()
	f()
}

// The heartbeat notices a lost session when there is nothing to commit.
func TestHeartbeatNotices(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.locked(func() { p.Epoch += 5 })
		wait(10 * time.Second)
		assert.Equal(t, int64(7), p.Session().Epoch)
		assert.Len(t, p.Adopted, 2)
	})
}

// A heartbeat that hangs ends with the lease, and the next one is tried; no call leaves meanwhile.
func TestHeartbeatHangs(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.SetFault(func(op string, _ []int64) error {
			if op == "heartbeat" {
				return errHangs
			}
			return nil
		})
		wait(20 * time.Second)
		var launched atomic.Bool
		p.inbox <- func(time.Time) { p.launch = func() { launched.Store(true) } }
		p.inbox <- func(time.Time) {}
		synctest.Wait()
		assert.False(t, launched.Load(), "the lease is over as far as is known")
		p.SetFault(nil)
		wait(20 * time.Second)
		assert.True(t, launched.Load())
	})
}

// An outage is waited out; then what waited takes effect.
func TestOutage(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.SetFault(func(op string, _ []int64) error { return fmt.Errorf("%s: %w", op, hive.ErrConnection) })
		p.ends(1, "a")
		wait(5 * time.Minute)
		assert.NotContains(t, p.Tasks(), "1.b")
		assert.Empty(t, p.Acks)
		p.SetFault(nil)
		wait(10 * time.Second)
		assert.Contains(t, p.Tasks(), "1.b")
	})
}

// The session is taken over while the database is away, and the heartbeat is the first to hear of it. What the engine
// could not store is another's now, so nothing is left that a commit could prove it with: the new session does.
func TestOutageEndsWithTheSession(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.SetFault(func(op string, _ []int64) error {
			if op == "commit" {
				return hive.ErrConnection
			}
			return nil
		})
		wait(50 * time.Millisecond) // no commit is tried in the same instant in which the heart beats
		p.ends(1, "a")
		require.ErrorContains(t, p.Health(t.Context()), "nothing can be stored")
		p.locked(func() {
			p.Epoch++
			for _, snap := range p.Batches {
				snap.Batch.Owner = "another"
			}
		})
		wait(10 * time.Second) // the heartbeat was refused
		assert.Equal(t, int64(3), p.Session().Epoch)
		require.NoError(t, p.Health(t.Context()))
	})
}
