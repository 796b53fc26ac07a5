package sim

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// host is a machine with an executor process, its journal and its supervisor: the shell of a ledger. A crash ends the
// executor's life and loses the records that the journal had not made durable. The supervisor continues.
type host struct {
	w     *world
	id    string
	name  string
	clock clock
	slots int
	life  int

	up     bool
	frozen bool
	later  []func()

	ledger   *ledger.Ledger
	journal  journal
	super    *supervisor
	tasks    map[ledger.Ref]task // accepted in this life
	polls    map[string]int      // number of polls of each server: only the latest may wait
	waiters  []*waiter
	leaseAt  time.Duration // when leases are checked next; 0: not planned
	effectAt time.Duration // time of the latest planned effect: effects happen in order
	reported map[string]ledger.Lease
	accepted map[ledger.Ref]time.Duration // when each attempt was accepted, in all lives
	heard    map[string]caller            // by server: the latest session that attached since the store went back

	blocking bool                    // its executor only offers run
	runs     map[ledger.Ref]*runLine // its run calls of this life
	lines    []*runLine              // connections of run calls
}

// task is the work of an attempt, as the executor has accepted it.
type task struct {
	attempt          ledger.Ref
	run, batch       int64
	handler, session string
	plan             plan
	timeout, grace   time.Duration
}

func newHost(w *world, i int) *host {
	h := &host{
		w: w, id: fmt.Sprintf("id-%d", i+1), name: fmt.Sprintf("host%d", i+1), clock: randomClock(w),
		slots: 1 + w.rng.IntN(4),
	}
	h.blocking = w.chance(0.25)
	h.super = newSupervisor(h)
	h.accepted, h.heard = map[ledger.Ref]time.Duration{}, map[string]caller{}
	w.store.hosts[h.id] = hive.Executor{
		ID: h.id, Name: h.name, Group: hive.DefaultGroup, Slots: h.slots, Durable: !h.blocking, Address: h.name +
			":9999",
		Handlers: []hive.Handler{{Name: handlerShell, Survives: true}, {Name: handlerLocal}, {Name: handlerKept}},
	}
	return h
}

func (h *host) now() ledger.Now {
	return ledger.Now{Mono: h.clock.steady(h.w.now), Wall: h.clock.wall(h.w.now)}
}

func (h *host) boot0() string { return fmt.Sprintf("%s-boot%d", h.name, h.life) }

// boot begins a life. The executor reads its journal and asks its supervisor before it answers calls.
func (h *host) boot() {
	h.life++
	h.up, h.frozen, h.later = true, false, nil
	h.tasks, h.polls, h.waiters, h.reported = map[ledger.Ref]task{}, map[string]int{}, nil, map[string]ledger.Lease{}
	h.leaseAt = 0
	if h.blocking {
		h.runs = map[ledger.Ref]*runLine{}
		h.w.tracef(h.name, "begins life %d; it only offers run", h.life)
		h.register()
		return
	}
	h.ledger = ledger.New(ledger.Config{Slots: h.slots, OrphanTimeout: h.w.cfg.orphan})
	now := h.now()
	for _, line := range h.journal.open() {
		var r ledger.Record
		if err := json.Unmarshal(line, &r); err != nil {
			h.w.failf("journal", "%s: %v", h.name, err)
		}
		h.ledger.Replay(now, r)
	}
	st, left := h.ledger.Boot(now)
	h.w.tracef(h.name, "begins life %d with %d attempts, %d may still run", h.life, len(h.ledger.Known()), len(left))
	h.commit(st, nil, nil)
	h.super.revive()
	for _, l := range h.super.leaseList() {
		h.ledger.AdoptLease(l)
	}
	var again []ledger.Resumed
	for _, x := range left {
		switch p := h.w.work.started[x.Attempt]; {
		case x.Handler == handlerShell:
			h.super.recover(x)
		case p == nil:
			h.ended(x.Attempt, ledger.Outcome{Kind: ledger.Lost, Error: "nothing was kept"}, false)
		default:
			again = append(again, ledger.Resumed{Attempt: x.Attempt, Orphan: h.w.cfg.orphan})
		}
	}
	h.commit(h.ledger.Resume(h.now(), again), nil, nil)
	for _, x := range left {
		if p := h.w.work.started[x.Attempt]; p != nil && p.kept {
			h.w.work.takeUp(p, x.Kill)
		}
	}
	h.lookAtLeases()
	h.register()
}

// register stores the executor's row and begins to register it with random servers, again and again.
func (h *host) register() {
	row := h.w.store.hosts[h.id]
	row.BootID, row.SeenAt = h.boot0(), milli(epoch.Add(h.w.now))
	h.w.store.hosts[h.id] = row
	h.after(h.w.between(5*time.Millisecond, time.Second), h.registerAt)
}

func (h *host) registerAt() {
	s := oneOf(h.w, h.w.servers)
	if s.up && !h.w.net.broken(s, h) {
		row := h.w.store.hosts[h.id]
		row.BootID = h.boot0() // the store may have gone back to the boot id of an earlier life
		h.w.store.hosts[h.id] = row
		s.post(func(now time.Time) { s.fleet.Register(now, row) })
	}
	h.after(30*time.Second, h.registerAt)
}

// crash ends the life of the executor.
func (h *host) crash() {
	if !h.up {
		return
	}
	h.w.tracef(h.name, "crashes")
	h.w.stats.Crashes++
	h.life++
	h.up, h.frozen, h.ledger = false, false, nil
	h.journal.tear(h)
	h.w.work.crash(h)
	h.hangUp()
}

func (h *host) revive() {
	switch {
	case !h.up:
		h.boot()
	case h.frozen:
		h.thaw()
	}
	h.super.revive()
}

// freeze suspends the executor's process with the work inside it.
func (h *host) freeze() {
	if h.up && !h.frozen {
		h.w.tracef(h.name, "freezes")
		h.frozen = true
		h.w.work.suspend(h)
	}
}

// thaw resumes the process. The executor checks its leases before anything else.
func (h *host) thaw() {
	if !h.frozen {
		return
	}
	h.w.tracef(h.name, "thaws")
	h.frozen = false
	if !h.blocking {
		h.commit(h.ledger.LeaseDue(h.now()), nil, nil)
	}
	h.w.work.resume(h)
	later, life := h.later, h.life
	h.later = nil
	for _, f := range later {
		h.run(life, f)
	}
	h.lookAtLeases()
}

// run calls a function in the executor's current life. A frozen executor calls it after its thaw.
func (h *host) run(life int, f func()) {
	switch {
	case h.life != life:
	case h.frozen:
		h.later = append(h.later, f)
	default:
		f()
	}
}

func (h *host) after(d time.Duration, f func()) {
	life := h.life
	h.w.after(h.clock.world(d), func() { h.run(life, f) })
}

// lookAtLeases plans the next check for expired leases.
func (h *host) lookAtLeases() {
	if h.blocking {
		return
	}
	next, some := h.ledger.NextLease()
	if !some {
		return
	}
	at := h.w.now + max(h.clock.world(next-h.clock.steady(h.w.now))+time.Millisecond, time.Millisecond)
	if h.leaseAt > h.w.now && h.leaseAt <= at {
		return
	}
	h.leaseAt = at
	life := h.life
	h.w.at(at, func() {
		h.run(life, func() {
			if h.leaseAt == at {
				h.leaseAt = 0
				h.commit(h.ledger.LeaseDue(h.now()), nil, nil)
				h.lookAtLeases()
			}
		})
	})
}

// receive delivers a call. A process that is down does not answer; a frozen one answers after its thaw.
func (h *host) receive(from caller, c fleet.SessionCall, reply func(fleet.Answer)) {
	if !h.up {
		reply(unanswered(c, errNoAnswer))
		return
	}
	h.run(h.life, func() { h.answer(from, c, reply) })
}

// commit writes a step to the journal. Once it is durable, commit performs its effects and calls then.
func (h *host) commit(st ledger.Step, tasks map[ledger.Ref]task, then func()) {
	for _, r := range st.Starts {
		h.tasks[r] = tasks[r]
	}
	after := st.After
	if h.w.opt.Mutation == MutateJournal {
		after = 0
	}
	if acts := len(st.Starts) + len(st.Kills) + len(st.Moves) + len(st.Drops); acts == 0 && after <= h.journal.durable {
		h.journal.add(h, st.Records, 0, func() {}) // the step waits for nothing, not even for a running sync
		h.news(st.Wakes)
		if then != nil {
			then()
		}
		return
	}
	h.journal.add(h, st.Records, after, func() {
		h.perform(&st)
		h.news(st.Wakes)
		if then != nil {
			then()
		}
	})
}

// news lets the long polls of all servers check for news.
func (h *host) news(servers []string) {
	for _, server := range servers {
		h.wake(server)
	}
}

// perform plans the effects of a step, after all earlier effects.
func (h *host) perform(st *ledger.Step) {
	if len(st.Starts)+len(st.Kills)+len(st.Moves)+len(st.Drops) == 0 {
		return
	}
	s := *st
	h.effect(func() {
		for _, m := range s.Moves {
			h.pushLease(m.Lease)
			h.super.move(m)
		}
		for _, r := range s.Starts {
			h.begin(h.tasks[r])
		}
		for _, k := range s.Kills {
			h.w.tracef(h.name, "kills attempt %s: %s", k.Attempt, k.Reason)
			h.w.work.kill(h, k)
		}
		for _, r := range s.Drops {
			h.super.drop(r)
		}
	})
}

// effect plans one effect. Effects keep their order, and a crash may come between any two of them.
func (h *host) effect(f func()) {
	h.effectAt = max(h.effectAt, h.w.now) + h.w.between(time.Microsecond, 300*time.Microsecond)
	life := h.life
	h.w.at(h.effectAt, func() { h.run(life, f) })
}

// begin starts an accepted attempt.
func (h *host) begin(t task) {
	if t.attempt.ID == 0 {
		return // it has ended before its start
	}
	if t.handler == handlerShell {
		h.pushLease(t.session)
	}
	h.w.work.start(h, t)
}

// pushLease tells the supervisor until when the processes of a session may run.
func (h *host) pushLease(session string) {
	if l := h.ledger.Lease(session); h.reported[session] != l {
		h.reported[session] = l
		h.super.lease(l)
	}
}

// ended records the end of an attempt of this executor.
func (h *host) ended(attempt ledger.Ref, o ledger.Outcome, kept bool) {
	if h.blocking {
		h.answerRun(attempt, o)
		return
	}
	delete(h.tasks, attempt)
	h.commit(h.ledger.Ended(h.now(), attempt, o, kept), nil, nil)
}
