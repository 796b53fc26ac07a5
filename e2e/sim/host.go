package sim

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// host is a machine with an executor process, its journal and its supervisor: the shell of a ledger. A crash ends
// the executor's life and takes what its journal had not made durable; the supervisor goes on.
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
	polls    map[string]int      // counts the polls of each server: only the latest waits
	waiters  []*waiter
	leaseAt  time.Duration // when leases are looked at next; 0: not planned
	effectAt time.Duration // outward acts happen one after another
	reported map[string]ledger.Lease
	accepted map[ledger.Ref]time.Duration // when attempts were accepted, in all its lives
	heard    map[string]caller            // by server: the latest session that attached, of the store's latest state

	blocking bool                    // its executor only offers run
	runs     map[ledger.Ref]*runLine // what it was asked to run in this life
	lines    []*runLine              // connections of run calls
}

// task is what an executor knows of the work of an attempt.
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

// boot begins a life: the journal is read, the supervisor is asked, and only then calls are answered.
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

// register tells one server after another that this executor is there.
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
		row.BootID = h.boot0() // of an earlier life, if the store went back
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

// freeze stops the executor's process, and with it what runs inside.
func (h *host) freeze() {
	if h.up && !h.frozen {
		h.w.tracef(h.name, "freezes")
		h.frozen = true
		h.w.work.suspend(h)
	}
}

// thaw lets it go on. The first thing that a thawed executor does is to look at its leases.
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

// run does something in a life, if that has not ended; a frozen executor does it when it thaws.
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

// lookAtLeases plans the end of what runs out of lease.
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

// receive takes a call. Nobody answers for a process that is not there; a frozen one answers when it thaws.
func (h *host) receive(from caller, c fleet.SessionCall, reply func(fleet.Answer)) {
	if !h.up {
		reply(unanswered(c, errNoAnswer))
		return
	}
	h.run(h.life, func() { h.answer(from, c, reply) })
}

// commit journals a step; once it is durable its acts happen, and then.
func (h *host) commit(st ledger.Step, tasks map[ledger.Ref]task, then func()) {
	for _, r := range st.Starts {
		h.tasks[r] = tasks[r]
	}
	after := st.After
	if h.w.opt.Mutation == MutateJournal {
		after = 0
	}
	if acts := len(st.Starts) + len(st.Kills) + len(st.Moves) + len(st.Drops); acts == 0 && after <= h.journal.durable {
		h.journal.add(h, st.Records, 0, func() {}) // nothing to wait for, not even for a sync that is under way
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

// news lets the long polls of servers look again.
func (h *host) news(servers []string) {
	for _, server := range servers {
		h.wake(server)
	}
}

// perform does the outward part of a step, behind what was asked for before.
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

// effect does something outward. Acts keep their order, and a crash may come between any two of them.
func (h *host) effect(f func()) {
	h.effectAt = max(h.effectAt, h.w.now) + h.w.between(time.Microsecond, 300*time.Microsecond)
	life := h.life
	h.w.at(h.effectAt, func() { h.run(life, f) })
}

// begin starts an accepted attempt.
func (h *host) begin(t task) {
	if t.attempt.ID == 0 {
		return // it ended before it began
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

// ended takes the end of an attempt that this executor has.
func (h *host) ended(attempt ledger.Ref, o ledger.Outcome, kept bool) {
	if h.blocking {
		h.answerRun(attempt, o)
		return
	}
	delete(h.tasks, attempt)
	h.commit(h.ledger.Ended(h.now(), attempt, o, kept), nil, nil)
}
