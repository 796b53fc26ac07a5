package sim

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/session"
)

// server is a server process: the shell of keeper, owner and fleet, without its goroutines. A crash ends its life; the
// next life begins with the stored state only.
type server struct {
	w     *world
	name  string
	clock clock
	life  int // events that were planned in another life are dropped

	up     bool
	frozen bool
	wakeAt time.Duration // the next turn of the loop; 0: none is planned
	inbox  []func(now time.Time)
	later  []func() // calls that arrived while it was frozen

	keeper    *session.Keeper
	fleet     *guardedFleet
	epoch     int64
	session   string                       // the text of the session
	age       int                          // age of the store when the session began
	commitAge int                          // age of the store when the latest commit was sent
	lines     map[hive.AttemptRef]*runLine // open run calls

	ticker   *ticker       // nil until the first session of a life
	jump     time.Duration // error of the wall clock, which outlives the process
	followed time.Duration // the part of jump that the ticker has followed slowly
	readAt   time.Duration // the monotonic clock when the ticker last read the wall clock
	jumpedAt time.Duration // the monotonic clock when the ticker last saw a jump; 0: never in this life
}

func newServer(w *world, i int) *server {
	return &server{w: w, name: fmt.Sprintf("server%d", i+1), clock: randomClock(w)}
}

func (s *server) now() time.Time { return s.clock.wall(s.w.now) }

// boot begins a life. If the first session does not start, the process ends and is started again.
func (s *server) boot() {
	s.life++
	s.up, s.frozen, s.wakeAt, s.inbox, s.later = true, false, 0, nil, nil
	s.lines = map[hive.AttemptRef]*runLine{}
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
	s.keeper = session.New(s.w.keeperConfig(s))
	s.startSession(s.keeper.Start(s.now()), func() {
		s.crash()
		s.w.after(s.w.between(time.Second, 5*time.Second), s.revive)
	})
}

// crash ends the life: memory is lost, but calls and commits in flight continue.
func (s *server) crash() {
	if !s.up {
		return
	}
	s.w.tracef(s.name, "crashes")
	s.w.stats.Crashes++
	s.life++
	s.up, s.frozen, s.keeper, s.fleet, s.inbox = false, false, nil, nil, nil
	s.endTicker()
	s.w.store.forgetHooks(s.name)
}

// revive starts the server if it is down, and thaws it if it is frozen.
func (s *server) revive() {
	switch {
	case !s.up:
		s.boot()
	case s.frozen:
		s.thaw()
	}
}

// freeze suspends the process, while the world continues.
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

// run calls a function in the server's current life. A frozen server calls it after its thaw.
func (s *server) run(life int, f func()) {
	switch {
	case s.life != life:
	case s.frozen:
		s.later = append(s.later, f)
	default:
		f()
	}
}

// post queues a function for the loop.
func (s *server) post(f func(now time.Time)) {
	if s.up {
		s.inbox = append(s.inbox, f)
		s.wake(s.w.now + s.w.between(0, 500*time.Microsecond))
	}
}

// after plans a function in this life, by the server's clock and outside of the loop.
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

// loop is one turn of the engine's loop: the inbox, then the keeper's turn, then its requests.
func (s *server) loop() {
	if s.frozen || s.keeper == nil {
		return
	}
	for len(s.inbox) > 0 {
		f := s.inbox[0]
		s.inbox = s.inbox[1:]
		f(s.now())
	}
	s.publish() // before the next commit begins
	now := s.now()
	s.keeper.Turn(now)
	s.publish()
	for _, r := range s.keeper.TakeRequests() {
		s.do(r)
	}
	s.sleep(now)
}

// sleep plans the next turn. A keeper that asks for a turn in the past right after one would keep a real server busy.
func (s *server) sleep(now time.Time) {
	at := s.keeper.NextWakeup(now)
	if at.IsZero() {
		return
	}
	if d := now.Sub(at); d > time.Millisecond {
		s.w.failf("busy", "%s has done its turn and wants to be woken %s ago (fleet %s)", s.name, d, s.fleet.Wake())
	}
	s.wake(s.w.now + s.clock.world(max(at.Sub(now), time.Millisecond)))
}

// publish writes the notes of fleet and keeper into the history, and checks the deltas that an engine would publish.
func (s *server) publish() {
	for _, n := range s.fleet.TakeNotes() {
		s.w.tracef(s.name, "notes: %T%+v", n, n)
	}
	for _, f := range s.keeper.TakeFacts() {
		switch f := f.(type) {
		case session.Note:
			s.traceNote(f)
		case session.Unfit:
			s.w.log.Error(unfit, "batch", f.Batch, "error", f.Err)
			if f.Broken {
				s.w.failf("broken", "%s: the machine of batch %d does not fit what happens: %v", s.name, f.Batch, f.Err)
			}
		case session.Stuck:
			s.checkStuck(f)
		case session.Stored:
			if s.commitAge == s.w.store.age { // otherwise it was stored before the store went back
				s.checkStored(&f)
			}
			if f.Hooks && s.w.cfg.hooks && s.ticker != nil {
				s.ticker.look()
			}
		}
	}
}

// traceNote writes a note into the history.
func (s *server) traceNote(n session.Note) {
	if s.w.trace == nil {
		return
	}
	var b strings.Builder
	for i := 0; i+1 < len(n.Fields); i += 2 {
		fmt.Fprintf(&b, " %v=%v", n.Fields[i], n.Fields[i+1])
	}
	s.w.tracef(s.name, "%s%s", n.Text, b.String())
}

// checkStuck fails if a batch is stuck for another reason than these: the database refuses its rows, does not answer,
// or has lost the batch.
func (s *server) checkStuck(f session.Stuck) {
	s.w.tracef(s.name, "batch %d is stuck: %v", f.Batch, f.Err)
	switch {
	case errors.Is(f.Err, errRefused):
		s.w.stats.Stuck++
	case errors.Is(f.Err, hive.ErrConnection), s.w.store.batches[f.Batch] == nil:
	default:
		s.w.failf("load", "%s: batch %d: %v", s.name, f.Batch, f.Err)
	}
}

// checkStored fails if a published delta is not stored.
func (s *server) checkStored(fx *session.Stored) {
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
		s.checkDelta(&d)
	}
	for i := range fx.Ended {
		if b := &fx.Ended[i]; !st.byBatch[b.ID].ended[b.State] {
			s.w.failf("early", "%s says that batch %d ended as %s, which was never stored", s.name, b.ID, b.State)
		}
	}
}

// checkDelta fails unless a delta shows a batch or run as it is stored, field by field.
func (s *server) checkDelta(d *hive.Delta) {
	st := s.w.store
	if st.batches[d.Batch].Owner != d.BatchRow.Owner {
		return // another server has changed the batch between the commit and its answer
	}
	ids, total := st.byBatch[d.Batch].runs, 0
	for _, n := range d.BatchRow.Counts {
		total += n
	}
	if b := st.batches[d.Batch]; total != len(ids) || d.BatchRow.State != b.State || d.BatchRow.Round != b.Round ||
		d.BatchRow.Wish != b.Wish {
		s.w.failf("published", "%s tells of batch %d: %+v; stored is %+v with %d runs", s.name, d.Batch, *d.BatchRow,
			*b, len(ids))
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
	var failed hive.Sentence
	if last != nil && last.Round == want.Round {
		want.Executor = last.ExecutorName
		failed = hive.Sentence{Text: last.Error, Reason: last.Reasons.OfError()}
	}
	if want.State == hive.RunFailed || want.State == hive.RunUnknown {
		if failed.Text == "" {
			failed = hive.Sentence{Text: want.Detail, Reason: want.DetailReason}
		}
		want.Error, want.ErrorReason = failed.Text, failed.Reason
	}
	got := *d.Now
	if d.Partial {
		got.Executor, got.Error, got.ErrorReason = want.Executor, want.Error, want.ErrorReason
	}
	if got.State != want.State || got.Attempts != want.Attempts || got.Round != want.Round ||
		got.Executor != want.Executor ||
		got.Error != want.Error || !got.ErrorReason.Equal(want.ErrorReason) || got.Reason != want.Reason ||
		!got.NotBefore.Equal(want.NotBefore) {
		s.w.failf("published", "%s tells of %s of batch %d: %+v; stored is %+v", s.name, d.Task, d.Batch, got, want)
	}
}
