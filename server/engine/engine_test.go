package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
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
			Store: p.store, Driver: p.driver, Server: hive.Server{ID: ownertest.Server}, Inbox: p.inbox,
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
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
		e := engine.New(engine.Config{
			Store: s, Driver: newDriver(), Server: hive.Server{ID: ownertest.Server}, Inbox: engine.NewInbox(),
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
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
			for _, img := range p.Batches {
				img.Batch.Owner = "another"
			}
		})
		wait(10 * time.Second) // the heartbeat was refused
		assert.Equal(t, int64(3), p.Session().Epoch)
		require.NoError(t, p.Health(t.Context()))
	})
}

// A stuck batch is shown with its reason and tried again now and then, however often somebody asks for it.
func TestStuck(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		loads := 0
		p.SetFault(func(op string, ids []int64) error {
			switch {
			case op == "image":
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
		assert.Contains(t, v.Stuck, errRefused.Error())
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
			if op == "image" && ids[0] == 1 {
				return errors.New("a row is broken")
			}
			return nil
		})
	}, func(t *testing.T, p *plant) {
		assert.Equal(t, []string{"2.a"}, p.Tasks())
		v, _, err := p.Live(t.Context(), 1)
		require.NoError(t, err)
		assert.Contains(t, v.Stuck, "a row is broken")
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
				if op != "image" {
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
		assert.Contains(t, v.Stuck, "a row is broken")
		v, _, err = p.Live(t.Context(), 5)
		require.NoError(t, err)
		assert.Contains(t, v.Stuck, "there is no batch 5")
	})
}

// Batches of dead servers come with a new epoch. The queued ones come last.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	begin(t, func(s *store) {
		two(s)
		s.Add(3, 3, hive.BatchQueued, hive.ReasonQueued, "a")
		s.Add(4, 3, hive.BatchRunning, "", "a")
		for _, img := range s.Batches {
			img.Batch.Owner = "another"
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

// A takeover of which no answer comes: the epoch may be another one. The next commit finds out.
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

// Whoever waits for a command gets its answer once it is durable. Commands of ended batches load them first; a
// revision that is gone refuses.
func TestCommands(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.ends(2, "a")
		b, _ := p.Stored(2)
		require.Equal(t, hive.BatchSucceeded, b.State)
		for id, payload := range map[int64]string{
			21: `{"action":"rerun","tasks":["a"]}`,
			22: `{"action":"rerun","tasks":["a"],"revisionId":99}`,
		} {
			p.Command(id, 2, hive.CommandRepair, payload)
		}
		done, stop := p.Await(2, 21)
		defer stop()
		refused, stop2 := p.Await(2, 22)
		defer stop2()
		_, stop3 := p.Await(2, 23)
		stop3()
		stop3()
		p.Notify(2)
		synctest.Wait()
		d := <-done
		assert.Equal(t, hive.CommandApplied, d.State)
		d = <-refused
		assert.Equal(t, hive.CommandRefused, d.State)
		assert.Contains(t, string(d.Answer), "not_found")
		b, states := p.Stored(2)
		assert.Equal(t, hive.BatchRunning, b.State)
		assert.Equal(t, 2, b.Round)
		assert.NotEqual(t, hive.RunSucceeded, states["a"])
	})
}

// A command that nobody was notified of is found.
func TestSweep(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.Command(21, 1, hive.CommandWish, `{"wish":"cancel"}`)
		wait(6 * time.Second)
		assert.Len(t, p.Kills, 1)
	})
}

// A server that shares its database looks often; and while commands cannot be read, it says so once.
func TestSweepOften(t *testing.T) {
	t.Parallel()
	said := new(strings.Builder)
	prepare := func(cfg *engine.Config) {
		cfg.Sweep, cfg.Log = 500*time.Millisecond, slog.New(slog.NewTextHandler(said, nil))
	}
	beginWith(t, two, prepare, func(t *testing.T, p *plant) {
		p.Command(21, 1, hive.CommandWish, `{"wish":"cancel"}`)
		wait(600 * time.Millisecond)
		assert.Len(t, p.Kills, 1)
		p.SetFault(func(op string, _ []int64) error {
			if op == "sweep" {
				return hive.ErrConnection
			}
			return nil
		})
		wait(5 * time.Second)
		p.Stop()
		assert.Equal(t, 1, strings.Count(said.String(), "commands cannot be read"))
	})
}

// A change that nobody waits for is stored all the same, soon.
func TestLazyChange(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.do(hive.AttemptEvent{Attempt: p.Attempt(1, "a"), Kind: hive.EventStarted})
		_, states := p.Stored(1)
		assert.NotEqual(t, hive.RunRunning, states["a"])
		wait(200 * time.Millisecond)
		_, states = p.Stored(1)
		assert.Equal(t, hive.RunRunning, states["a"])
	})
}
