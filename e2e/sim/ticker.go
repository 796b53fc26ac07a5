package sim

import (
	"context"
	"iter"
	"time"

	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/chainrepair"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/hook"
	"github.com/rprp/hivego/server/schedule"
)

// ticker runs the schedule.Ticker of one life of a server. A turn of the ticker is a coroutine: it pauses while it
// waits for an answer of the database, and the rest of the world continues.
type ticker struct {
	s       *server
	life    int
	t       *schedule.Ticker
	chains  *chainrepair.Driver
	hooks   *hook.Driver
	cancel  context.CancelFunc
	next    func() (*question, bool) // continues the turn up to its next question
	stop    func()
	turning bool
	again   bool // a change was reported during the turn
	asking  bool // inside a transaction, where questions are answered at once
	turns   int
	ask     func(*question) bool
	wake    func() // begins a turn unless one is running
}

// question is a request of a turn to the database.
type question struct {
	what string
	do   func() error // runs at the database
	err  error
}

// startTicker begins the ticker of a life.
func (s *server) startTicker() {
	ctx, cancel := context.WithCancel(context.Background())
	k := &ticker{s: s, life: s.life, cancel: cancel}
	k.t = schedule.NewTicker(schedule.Config{
		Store: k, Results: k, Links: k, Changes: k, Calls: k, Log: s.w.log,
		Server: func() hive.Server { return hive.Server{ID: s.name, Epoch: s.epoch} },
		Parse: func(text string) (*hive.Definition, error) {
			return s.w.store.definition(text), nil
		},
		NewRuns: func(def *hive.Definition) ([]hive.Run, error) {
			g, err := graph.Compile(def)
			if err != nil {
				return nil, err
			}
			return batch.NewRuns(g), nil
		},
		Made: func(ids []int64) {
			s.post(func(time.Time) {
				s.keeper.Sweep()
				s.keeper.Adopt(ids...)
			})
		},
		Clock: schedule.Clock{Wall: s.wall, Elapsed: s.elapsed},
	})
	k.chains, k.hooks = s.newChainDriver(k), s.newHookDriver(k)
	s.followed, s.readAt, s.jumpedAt = s.jump, s.clock.steady(s.w.now), 0
	k.begin(ctx)
	s.ticker = k
}

// wall returns the wall clock of the machine as the ticker reads it. The clocks of all machines differ only by their
// drift, until one jumps.
func (s *server) wall() time.Time {
	return epoch.Add(s.clock.steady(s.w.now) - s.clock.base + s.jump)
}

// compareClocks records whether the wall clock has jumped, as the ticker finds it by reading both clocks. A difference
// within the tolerance is no jump: the ticker follows it slowly, so two such differences in opposite directions are no
// jump either.
func (s *server) compareClocks() {
	now := s.clock.steady(s.w.now)
	off, slew := s.jump-s.followed, (now-s.readAt)/clockSlew
	s.readAt = now
	switch {
	case off.Abs() > clockTolerance+time.Second:
		s.jumpedAt, s.followed = now, s.jump
	default:
		s.followed += min(max(off, -slew), slew)
	}
}

// elapsed returns the monotonic clock. With MutateClock it jumps together with the wall clock, which hides the jump.
func (s *server) elapsed() time.Duration {
	s.compareClocks() // the wall clock was read just before
	if s.w.opt.Mutation == MutateClock {
		return s.clock.steady(s.w.now) + s.jump
	}
	return s.clock.steady(s.w.now)
}

// begin plans the first turn.
func (k *ticker) begin(ctx context.Context) {
	k.ask = func(*question) bool { return false }
	var turn func()
	turn = func() {
		if k.turning {
			return
		}
		k.turning, k.again = true, false
		k.turns++
		var sleep time.Duration
		k.next, k.stop = iter.Pull(func(yield func(*question) bool) {
			k.ask = yield
			sleep = k.t.RunOnce(ctx)
			if ctx.Err() == nil && k.chains.RunOnce(ctx) {
				sleep = min(sleep, 2*time.Second)
			}
			if ctx.Err() == nil && k.s.w.cfg.hooks {
				k.hooks.RunOnce(ctx)
				sleep = min(sleep, hookLook)
			}
		})
		k.goOn(func() {
			k.turning = false
			if k.again {
				sleep = 0
			}
			turns := k.turns
			k.s.after(sleep, func() {
				if k.turns == turns {
					turn()
				}
			})
		})
	}
	k.wake = turn
	k.s.after(0, turn)
}

// goOn runs the turn up to its next question, and sends that to the database.
func (k *ticker) goOn(done func()) {
	q, more := k.next()
	if !more {
		done()
		return
	}
	k.s.w.store.call(k.s, q.what, time.Minute, func() error {
		if k.s.life != k.life || k.s.frozen {
			return hive.ErrConnection // a transaction ends with its process
		}
		k.asking = true
		defer func() { k.asking = false }()
		return q.do()
	}, func(err error) {
		q.err = err
		k.goOn(done)
	})
}

// notify tells the ticker that a schedule has changed.
func (k *ticker) notify(id int64) {
	k.t.Notify(id)
	k.look()
}

// look begins a turn, or lets another one follow the present one.
func (k *ticker) look() {
	k.again = true
	k.wake()
}

// end stops the running turn, because the process has ended.
func (k *ticker) end() {
	k.cancel()
	if k.stop != nil {
		k.stop()
	}
}

// endTicker ends the ticker of a life, if it has one.
func (s *server) endTicker() {
	if s.ticker != nil {
		s.ticker.end()
		s.ticker = nil
	}
}

// query asks the database, and waits for the answer.
func (k *ticker) query(what string, do func() error) error {
	if k.asking {
		return do()
	}
	q := &question{what: what, do: do}
	if !k.ask(q) {
		return context.Canceled
	}
	return q.err
}

// RevisionAt implements schedule.Store.
func (k *ticker) RevisionAt(_ context.Context, id, number int64) (rev hive.Revision, err error) {
	err = k.query("revision", func() (err error) { rev, err = k.s.w.store.revisionAt(id, number); return err })
	return rev, err
}

// DecideManyTicks implements schedule.Store.
func (k *ticker) DecideManyTicks(_ context.Context, server hive.Server, ids []int64, now time.Time,
	decide func(hive.TickView) ([]hive.TickWrite, error),
) (made []int64, err error) {
	k.s.checkClock(now)
	err = k.query("decide ticks", func() (err error) {
		made, err = k.s.w.store.decideTicks(server, ids, now, decide)
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// How the ticker judges the wall clock, as in package schedule.
const (
	clockTolerance = 10 * time.Second
	clockProof     = 30 * time.Second
	clockSlew      = 100
)

// jumpClock sets the wall clock of a server forward or back.
func (s *server) jumpClock(by time.Duration) {
	s.w.tracef(s.name, "its wall clock jumps by %s", by-s.jump)
	s.jump = by
	s.w.stats.Jumps++
}

// checkClock checks that no tick is decided shortly after the ticker has seen a jump of the wall clock. A jump before
// the start of the process does not count.
func (s *server) checkClock(now time.Time) {
	since := s.clock.steady(s.w.now) - s.jumpedAt
	if s.jumpedAt != 0 && since < clockProof {
		s.w.failf("clock", "%s decides up to %s, %s after its wall clock jumped", s.name, now, since)
	}
}
