package sim

import (
	"fmt"
	"time"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// server is a server process: the shell of engine and dispatch, without their goroutines. Its life ends with a crash;
// the next one knows only what is stored.
type server struct {
	w     *world
	name  string
	clock clock
	life  int // what was planned for another life does not happen

	up     bool
	frozen bool
	wakeAt time.Duration // the next look at the inbox; 0: none is planned
	inbox  []func(now time.Time)
	later  []func() // came while it was frozen

	fleet   *guardedFleet
	owner   *owner.Owner
	epoch   int64
	session string    // the text that goes with it
	stored  int64     // commits of it that are known to be stored
	age     int       // of the store when the session began
	until   time.Time // the session's lease, by this server's clock
	lapsed  bool      // the session is over, the next has not begun
	writing bool
	holding bool   // no commit may leave
	quiet   func() // once none is under way
	drawing bool
	retryAt time.Time
	clerk   clerk
	keeping bool                         // the keeper of the session is at work
	heard   hive.Later                   // an epoch above it is to be taken; zero: none
	heeded  time.Time                    // when that was last noted
	lines   map[hive.AttemptRef]*runLine // run calls under way

	ticker   *ticker       // nil until the first session of a life
	jump     time.Duration // of the wall clock; the machine keeps it over restarts
	lastJump time.Duration // jump when the ticker last read the wall clock
	jumpedAt time.Duration // the monotonic clock when the ticker last saw a jump; 0: never in this life
}

func newServer(w *world, i int) *server {
	return &server{w: w, name: fmt.Sprintf("server%d", i+1), clock: randomClock(w)}
}

func (s *server) now() time.Time { return s.clock.wall(s.w.now) }

// boot begins a life.
func (s *server) boot() {
	s.life++
	s.up, s.frozen, s.wakeAt, s.inbox, s.later = true, false, 0, nil, nil
	s.lapsed, s.writing, s.holding, s.drawing, s.quiet, s.retryAt = true, false, false, false, nil, time.Time{}
	s.lines = map[hive.AttemptRef]*runLine{}
	s.keeping, s.heard, s.heeded = false, hive.Later{}, time.Time{}
	s.clerk, s.owner = clerk{s: s, stuck: map[int64]bool{}}, nil
	s.w.tracef(s.name, "begins life %d", s.life)
	set := fleet.Settings{OrphanTimeout: s.w.cfg.orphan, SilentAfter: s.w.cfg.orphan / 2}
	if s.w.cfg.orphan == 0 {
		set = fleet.Settings{OrphanTimeout: fleet.NoOrphans, SilentAfter: 30 * time.Second}
	}
	set.Limits = wire.Limits()
	s.fleet = newGuardedFleet(s, set)
	for _, h := range s.w.hosts {
		s.fleet.Register(s.now(), s.w.store.hosts[h.id])
	}
	s.openSession(true)
}

// crash ends the life: memory is gone, calls and commits on their way go on.
func (s *server) crash() {
	if !s.up {
		return
	}
	s.w.tracef(s.name, "crashes")
	s.w.stats.Crashes++
	s.life++
	s.up, s.frozen, s.owner, s.fleet, s.inbox = false, false, nil, nil, nil
	s.endTicker()
}

// revive starts it if it is down, and thaws it if it is frozen.
func (s *server) revive() {
	switch {
	case !s.up:
		s.boot()
	case s.frozen:
		s.thaw()
	}
}

// freeze stops the process where it is. The world goes on without it.
func (s *server) freeze() {
	if s.up && !s.frozen {
		s.w.tracef(s.name, "freezes")
		s.frozen = true
	}
}

func (s *server) thaw() {
	if s.frozen {
		s.w.tracef(s.name, "thaws")
		s.frozen = false
		later, life := s.later, s.life
		s.later = nil
		for _, f := range later {
			s.run(life, f)
		}
		s.wake(s.w.now)
	}
}

// run does something in a life, if that has not ended; a frozen server does it when it thaws.
func (s *server) run(life int, f func()) {
	switch {
	case s.life != life:
	case s.frozen:
		s.later = append(s.later, f)
	default:
		f()
	}
}

// post hands something to the loop.
func (s *server) post(f func(now time.Time)) {
	if s.up {
		s.inbox = append(s.inbox, f)
		s.wake(s.w.now + s.w.between(0, 500*time.Microsecond))
	}
}

// after plans something in this life, by its own clock, outside of the loop.
func (s *server) after(d time.Duration, f func()) {
	life := s.life
	s.w.after(s.clock.world(d), func() { s.run(life, f) })
}

// wake plans a turn of the loop.
func (s *server) wake(at time.Duration) {
	if s.wakeAt != 0 && s.wakeAt <= at {
		return
	}
	s.wakeAt = max(at, 1)
	life := s.life
	at = s.wakeAt
	s.w.at(at, func() {
		if s.life == life && s.wakeAt == at {
			s.wakeAt = 0
			s.loop()
		}
	})
}

// loop is one round of the engine's loop: what came, then a turn.
func (s *server) loop() {
	if s.frozen || s.owner == nil {
		return
	}
	for len(s.inbox) > 0 {
		f := s.inbox[0]
		s.inbox = s.inbox[1:]
		f(s.now())
	}
	if !s.lapsed {
		s.turn()
	}
}

// turn does what the engine's turn does.
func (s *server) turn() {
	now := s.now()
	s.fleet.FireTimers(now)
	s.owner.Deliver(now, s.fleet.Events())
	s.heed(now)
	s.owner.FireTimers(now)
	s.owner.DispatchReady(now)
	s.report()
	s.drawIDs()
	s.flush(now)
	if now.Before(s.until) {
		s.launch(now)
	}
	s.sleep(now)
}

// report puts what the owner decided into the history, and fails if an event broke a machine.
func (s *server) report() {
	for _, n := range s.fleet.TakeNotes() {
		s.w.tracef(s.name, "notes: %T%+v", n, n)
	}
	for _, d := range s.owner.TakeDecisions() {
		s.w.log.Debug("decided", "batch", d.Batch, "task", d.Task, "event", d.Move.Event, "from", d.Move.From, "to", d.Move.To)
	}
	for _, f := range s.owner.TakeFailures() {
		s.w.log.Error("an event did not fit the batch", "batch", f.Batch, "error", f.Err)
		if f.Reload {
			s.w.failf("broken", "%s: the machine of batch %d does not fit what happens: %v", s.name, f.Batch, f.Err)
		}
	}
}

// sleep plans the next turn. Whoever asks for it at once, without having anything to do, would keep a real server busy.
func (s *server) sleep(now time.Time) {
	if !now.Before(s.until) {
		s.wake(s.w.now + s.clock.world(s.w.cfg.term/5))
		return
	}
	at := s.owner.NextTimer()
	for _, t := range []time.Time{s.owner.NextCommitAt(), s.fleet.Wake(), s.retryAt} {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if at.IsZero() {
		return
	}
	if d := now.Sub(at); d > time.Millisecond && !s.holding && !s.writing {
		s.w.failf("busy", "%s has done its turn and wants to be woken %s ago (owner %s, fleet %s, retry %s)", s.name, d,
			at, s.fleet.Wake(), s.retryAt)
	}
	s.wake(s.w.now + s.clock.world(max(at.Sub(now), time.Millisecond)))
}

// flush gives the writer its next group.
func (s *server) flush(now time.Time) {
	if s.writing || s.holding || now.Before(s.retryAt) {
		return
	}
	s.retryAt = time.Time{}
	g := s.owner.NextCommit(now)
	if g == nil {
		return
	}
	s.writing = true
	age := s.w.store.age
	commit := func() error { return s.w.store.commit(g) }
	// the answer comes first; what is stored comes later, or never
	if s.w.opt.Mutation == MutateStore && s.w.chance(0.3) {
		life := s.life
		s.w.after(2*time.Second, func() {
			if s.life == life {
				_ = s.w.store.commit(g)
			}
		})
		commit = func() error { return nil }
	}
	s.w.store.call(s, opCommit, commit, func(err error) {
		s.post(func(now time.Time) {
			if err == nil {
				s.stored = g.Number
			}
			s.written(now, age, err)
		})
	})
}

// written lets the effects of a commit go, or deals with its failure.
func (s *server) written(now time.Time, age int, err error) {
	s.writing = false
	if s.quiet != nil {
		quiet := s.quiet
		s.quiet = nil
		quiet()
	}
	if err != nil {
		s.w.tracef(s.name, "commit: %v", err)
	}
	fx := s.owner.CommitDone(now, err)
	if fx.Retry {
		s.w.stats.Retries++
		s.retryAt = now.Add(200 * time.Millisecond)
	}
	if fx.SessionLost {
		s.restart()
		return
	}
	for _, id := range fx.Reload {
		s.clerk.load(id)
	}
	for id := range fx.Stuck {
		s.w.stats.Stuck++
		s.stuck(id)
	}
	if age == s.w.store.age { // else it was stored, and is not any more
		s.checkEffects(&fx)
	}
}

// stuck keeps a batch out for a while.
func (s *server) stuck(id int64) {
	s.clerk.stuck[id] = true
	s.after(30*time.Second, func() {
		if s.clerk.stuck[id] {
			s.clerk.load(id)
		}
	})
}

// drawIDs asks for more ids before they run out.
func (s *server) drawIDs() {
	ahead := s.w.cfg.ahead
	kind := s.owner.LowIDs(int64(ahead * 2 / 3))
	if kind == "" || s.drawing {
		return
	}
	s.drawing = true
	asker := s.owner
	var first int64
	s.w.store.call(s, "ids", func() error { first = s.w.store.draw(kind, ahead); return nil }, func(err error) {
		s.post(func(time.Time) {
			s.drawing = false
			if err == nil && s.owner == asker {
				asker.AddIDs(kind, first, ahead)
			}
		})
	})
}

// checkEffects: nothing is told that is not stored.
func (s *server) checkEffects(fx *owner.Effects) {
	st := s.w.store
	for _, a := range fx.Answers {
		if c := st.commands[a.ID]; c == nil || c.State != a.State {
			s.w.failf("early", "%s answers command %d as %s, which is not stored", s.name, a.ID, a.State)
		}
	}
	for _, d := range fx.Deltas {
		c := st.byBatch[d.Batch]
		switch {
		case d.Run < 0 && !c.ended[d.BState]:
			s.w.failf("early", "%s shows batch %d as %s, which was never stored", s.name, d.Batch, d.BState)
		case d.Run >= 0 && !c.past[d.Run][d.State] && (d.State != hive.RunReady || !c.past[d.Run][hive.RunWaiting]):
			s.w.failf("early", "%s shows %s of batch %d as %s, which was never stored", s.name, d.Task, d.Batch,
				d.State)
		}
		s.checkTold(&d)
	}
	for i := range fx.Final {
		if b := &fx.Final[i]; !st.byBatch[b.ID].ended[b.State] {
			s.w.failf("early", "%s says that batch %d ended as %s, which was never stored", s.name, b.ID, b.State)
		}
	}
}

// checkTold: what observers are told is how things are stored, field by field.
func (s *server) checkTold(d *hive.Delta) {
	st := s.w.store
	if st.batches[d.Batch].Owner != d.Whole.Owner {
		return // another server has gone on with it between the commit and its answer: this is told of what was
	}
	ids, total := st.byBatch[d.Batch].runs, 0
	for _, n := range d.Whole.Counts {
		total += n
	}
	if b := st.batches[d.Batch]; total != len(ids) || d.Whole.State != b.State || d.Whole.Round != b.Round ||
		d.Whole.Wish != b.Wish {
		s.w.failf("told", "%s tells of batch %d: %+v; stored is %+v with %d runs", s.name, d.Batch, *d.Whole, *b,
			len(ids))
	}
	if d.Run < 0 {
		return
	}
	want := hive.RunView{Run: *st.runs[ids[d.Run]]}
	if want.State == hive.RunWaiting && d.State == hive.RunReady { // derived: neither is stored before the offer
		want.State, want.Round = hive.RunReady, d.Now.Round
	}
	var last *hive.Attempt
	for _, a := range st.attempts {
		if a.RunID == want.ID && a.Outcome != hive.OutcomeReturned && (last == nil || a.Number > last.Number) {
			last = a
		}
	}
	words := ""
	if last != nil && last.Round == want.Round {
		want.Executor, words = last.ExecutorName, last.Error
	}
	if want.State == hive.RunFailed || want.State == hive.RunUnknown {
		if want.Error = words; words == "" {
			want.Error = want.Detail
		}
	}
	got := *d.Now
	if d.Partial {
		got.Executor, got.Error = want.Executor, want.Error
	}
	if got.State != want.State || got.Attempts != want.Attempts || got.Round != want.Round ||
		got.Executor != want.Executor ||
		got.Error != want.Error || got.Reason != want.Reason || !got.NotBefore.Equal(want.NotBefore) {
		s.w.failf("told", "%s tells of %s of batch %d: %+v; stored is %+v", s.name, d.Task, d.Batch, got, want)
	}
}
