// Package dispatch knows the executors: who is there, what they can take, what they hold, until when their leases
// run. Fleet is its decision core, without goroutine, clock or I/O; Service is the shell that makes the calls.
package dispatch

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Settings of the fleet. Zero values take the defaults.
type Settings struct {
	OrphanTimeout time.Duration // how long an executor may run without the server; default 3 min; NoOrphans for never
	SilentAfter   time.Duration // shown as unknown after; default 30 s
	KillGrace     time.Duration // longest grace that a lease end must leave room for; default 10 s
	PollWait      time.Duration // of one long poll; default 10 s
	LogLimit      int64         // bytes at which a log is cut; 0: as the executor thinks best
}

// NoOrphans as OrphanTimeout: executors never kill for silence, and nothing of theirs is given away.
const NoOrphans = time.Duration(-1)

// The contract's limits of one call.
const (
	maxSubmit      = hivego.MAX_ASSIGNMENTS
	maxSubmitBytes = hivego.MAX_SUBMIT_BYTES
	maxAttach      = hivego.MAX_ATTACHED
	maxEvents      = hivego.MAX_EVENTS
	ackPatience    = time.Second // a poll waits this long for the acks of the last one's events
	busyPause      = 200 * time.Millisecond
)

func (s Settings) withDefaults() Settings {
	s.OrphanTimeout = cmp.Or(s.OrphanTimeout, 3*time.Minute)
	s.SilentAfter = cmp.Or(s.SilentAfter, 30*time.Second)
	s.KillGrace = cmp.Or(s.KillGrace, 10*time.Second)
	s.PollWait = cmp.Or(s.PollWait, 10*time.Second)
	if s.OrphanTimeout > 0 { // a lease is renewed by answers: several must fit into it
		s.PollWait = min(s.PollWait, s.OrphanTimeout/4)
	}
	return s
}

// orphan is the orphan timeout as the contract says it: 0 is never.
func (s Settings) orphan() time.Duration {
	if s.OrphanTimeout == NoOrphans {
		return 0
	}
	return s.OrphanTimeout
}

// lease is how long after the last answer the server gives nothing away: the executor's own time, what its kills
// may take, and 10 % for clocks that run at different speeds.
// grace is what the kill of one attempt may take, if that is longer than what the settings leave room for.
func (s Settings) lease(grace time.Duration) time.Duration {
	d := s.OrphanTimeout + max(s.KillGrace, grace)
	return d + d/10
}

// Fleet is everything the server knows of its executors in memory. It is not safe for concurrent use: the owner's
// loop calls it.
type Fleet struct {
	set    Settings
	log    *slog.Logger
	peers  map[string]*peer
	order  []*peer                   // by name, to be deterministic
	of     map[hive.AttemptRef]*peer // attempt → who holds it
	events []hive.AttemptEvent
	strays []Stray
	epoch  int64 // of the session in which calls are made
	later  *hive.Later
	era    int // of calls: answers to those of an earlier one tell nothing

	flights map[hive.AttemptRef]*flight // run calls under way, by attempt
	news    []hive.Executor
}

// NewFleet makes an empty fleet.
func NewFleet(s Settings, log *slog.Logger) *Fleet {
	return &Fleet{
		set: s.withDefaults(), log: log, peers: map[string]*peer{}, of: map[hive.AttemptRef]*peer{},
		flights: map[hive.AttemptRef]*flight{},
	}
}

// Know takes an executor's registration, or the row of one that registered before.
func (f *Fleet) Know(now time.Time, e hive.Executor) {
	p := f.peers[e.ID]
	if p == nil {
		p = newPeer(e, now)
		f.peers[e.ID] = p
		f.order = append(f.order, p)
		slices.SortStableFunc(f.order, func(a, b *peer) int { return cmp.Compare(a.exec.Name, b.exec.Name) })
		return
	}
	moved := p.exec.Address != e.Address || p.exec.Secret != e.Secret || p.exec.TLS != e.TLS
	rebooted := e.BootID != "" && p.boot != "" && e.BootID != p.boot
	left := p.left()
	f.become(p, &e)
	if left && !p.left() {
		p.failures = 0 // they were no trouble; those of its new life are
	}
	if moved || rebooted {
		p.detach()
		p.retryAt = time.Time{}
	}
}

// Leave notes that this life of an executor ends as it should: it is offered nothing more, and that it does not answer
// any more is no trouble. It may be an earlier life, or one whose registration comes later than its goodbye.
func (f *Fleet) Leave(e hive.Executor) {
	p := f.peers[e.ID]
	if p == nil || p.left() {
		return
	}
	if p.farewell = e.BootID; p.left() {
		f.log.Info("an executor stops", "executor", p.exec.Name, "running", len(p.held))
	}
}

// Learn takes the executors that were stored when they were read. Other servers of the same database take
// registrations too, take executors offline and delete them; what this one heard itself since is newer.
func (f *Fleet) Learn(now time.Time, stored []hive.Executor, read time.Time) {
	there := make(map[string]bool, len(stored))
	for i := range stored {
		e := &stored[i]
		there[e.ID] = true
		if p := f.peers[e.ID]; p == nil || e.SeenAt.After(p.exec.SeenAt) {
			f.Know(now, *e)
		} else {
			p.exec.Offline, p.exec.Drained = e.Offline, e.Drained && e.BootID == p.exec.BootID
		}
	}
	for _, p := range slices.Clone(f.order) {
		if !there[p.exec.ID] && p.exec.SeenAt.Before(read) {
			f.Remove(p.exec.ID)
		}
	}
}

// Remove forgets an executor that holds nothing. False: it still holds attempts.
func (f *Fleet) Remove(id string) bool {
	p := f.peers[id]
	if p == nil {
		return true
	}
	if len(p.held) > 0 || p.aloft > 0 {
		return false
	}
	delete(f.peers, id)
	f.order = slices.DeleteFunc(f.order, func(q *peer) bool { return q == p })
	return true
}

// Pick answers the least loaded executor that can take a task with this requirement now, or why none can.
func (f *Fleet) Pick(req hive.Requirement) (id, name string, hold hive.WaitReason) {
	var best *peer
	hold = hive.WaitNoGroup
	for _, p := range f.order {
		h := p.takes(req)
		if h != hive.WaitNone {
			hold = nearer(hold, h)
			continue
		}
		// used/slots, compared without division
		if best == nil || p.used()*best.slots() < best.used()*p.slots() {
			best = p
		}
	}
	if best == nil {
		return "", "", hold
	}
	return best.exec.ID, best.exec.Name, hive.WaitNone
}

// nearer keeps the reason of the executor that came nearest to taking the task.
func nearer(a, b hive.WaitReason) hive.WaitReason {
	rank := []hive.WaitReason{
		hive.WaitNoGroup, hive.WaitNoHandler, hive.WaitNoMatch, hive.WaitOffline, hive.WaitSilent, hive.WaitBusy,
	}
	if slices.Index(rank, b) > slices.Index(rank, a) {
		return b
	}
	return a
}

// Rendering says how the params of a handler take values.
func (f *Fleet) Rendering(executor, handler string) *hive.Rendering {
	p := f.peers[executor]
	if p == nil {
		return nil
	}
	return p.handlers[handler]
}

// Reserve holds a slot for an attempt that is being made durable.
func (f *Fleet) Reserve(executor string, attempt hive.AttemptRef) {
	if p := f.peers[executor]; p != nil {
		p.hold(&held{ref: attempt, phase: reserved})
		f.of[attempt] = p
	}
}

// Offer hands a durable attempt over: it goes with the next submit.
func (f *Fleet) Offer(a hive.Assignment) {
	p := f.of[a.Ref()]
	if p == nil {
		return
	}
	if h := p.held[a.Ref()]; h != nil && h.phase == reserved {
		h.phase, h.assignment = offered, a
		p.queue = append(p.queue, h.ref)
		if !p.exec.Durable && h.kill != nil {
			f.end(p, h, hive.AttemptEvent{Kind: hive.EventReturned, Words: wordsNeverLeft})
		}
	}
}

// Drop gives up the reservation of an attempt that was never offered.
func (f *Fleet) Drop(attempt hive.AttemptRef) bool {
	p := f.of[attempt]
	if p == nil {
		return true
	}
	if h := p.held[attempt]; h != nil && h.phase != reserved {
		return false
	}
	f.let(p, attempt)
	return true
}

// wordsNeverLeft is what became of an attempt that was killed before anybody was called.
const wordsNeverLeft = "cancelled before it left the server"

// let forgets an attempt: its slot is free.
func (f *Fleet) let(p *peer, attempt hive.AttemptRef) {
	delete(p.held, attempt)
	delete(f.of, attempt)
	delete(p.unacked, attempt)
	delete(p.doomed, attempt)
	if len(p.unacked) == 0 {
		p.pollAt = time.Time{}
	}
}

// Kill asks for the end of an attempt, as soon as a call can carry it.
func (f *Fleet) Kill(executor string, o hive.KillOrder) {
	p := f.peers[executor]
	if p == nil {
		return
	}
	h := p.held[o.Ref()]
	if h == nil {
		return
	}
	if h.phase == offered { // it never left: nothing to kill
		f.end(p, h, hive.AttemptEvent{Kind: hive.EventReturned, Words: wordsNeverLeft})
		return
	}
	p.doom(h, o)
}

// Ack says that the end of an attempt is durable: the executor need not repeat it. seq is that of the event that told
// of the end; 0 if no event of the executor did.
func (f *Fleet) Ack(attempt hive.AttemptRef, seq int64) {
	p := f.of[attempt]
	if p == nil {
		return
	}
	h := p.held[attempt]
	if h == nil {
		return
	}
	// it may have told its own end of what was given up here
	if seq = max(seq, h.told); seq > 0 && p.exec.Durable && !h.blocking {
		p.acks = append(p.acks, ack{attempt: attempt, seq: seq})
		p.finish(attempt, h.noLog)
	}
	if h.phase == ended || h.orphan {
		f.let(p, attempt)
	}
}

// Adopt takes over a stored attempt that the executor may still have: the executor is asked before anything else.
// Whoever owned it before may have had an answer of the executor until now, so its lease counts from now at least.
func (f *Fleet) Adopt(now time.Time, executor string, a hive.HeldAttempt) {
	ref := a.Assignment.Ref()
	p := f.peers[executor]
	if p == nil {
		// Its executor's row is gone: nobody can have it.
		f.events = append(f.events, hive.AttemptEvent{
			Attempt: ref.ID, Key: ref.Key, Kind: hive.EventLost, Words: "its executor is not known any more",
		})
		return
	}
	delete(p.strays, ref)
	if _, flies := f.flights[ref]; flies || !p.exec.Durable {
		f.adoptBlocking(now, p, &a)
		return
	}
	h := p.held[ref]
	switch {
	case h == nil:
		h = &held{ref: ref, phase: adopted, assignment: a.Assignment, started: a.Started, silent: a.Unknown, since: now}
		p.hold(h)
		f.of[ref] = p
		p.detach()
		if p.mute {
			f.tellSilent(h)
		}
	case h.phase == ended: // its end was told, but did not become durable: ask, and hear it, again
		delete(p.unacked, ref)
		h.phase, h.told, h.started, h.silent = adopted, 0, a.Started, a.Unknown
		p.detach()
	case h.started && !a.Started:
		h.started = false
		f.tellStarted(h, time.Time{})
	}
	if a.Killing {
		p.doom(h, hive.KillOrder{Attempt: ref.ID, Key: ref.Key, Grace: a.Assignment.KillGrace, Reason: a.KillReason})
	}
}

// end frees the slot of an attempt and tells the owner. The entry stays until the owner has it durable. What p.queue
// still has of it is passed over by the next submit.
func (f *Fleet) end(p *peer, h *held, ev hive.AttemptEvent) {
	h.phase = ended
	p.unacked[h.ref] = struct{}{}
	ev.Attempt, ev.Key = h.ref.ID, h.ref.Key
	if h.blocking {
		h.last = ev // its executor will not tell it again
	}
	f.events = append(f.events, ev)
}

// tell notes what has happened to an attempt.
func (f *Fleet) tell(h *held, ev hive.AttemptEvent) {
	ev.Attempt, ev.Key = h.ref.ID, h.ref.Key
	f.events = append(f.events, ev)
}

// Events hands out what has happened since the last call, in order.
func (f *Fleet) Events() []hive.AttemptEvent {
	evs := f.events
	f.events = nil
	if f.set.OrphanTimeout == NoOrphans { // no lease ever stopped the work: a person decides
		for i := range evs {
			evs[i].Hold = evs[i].Kind == hive.EventLost
		}
	}
	return evs
}

// Renew begins a session with another epoch: calls under way carry the old one, so whatever becomes of them counts
// for nothing, and every executor is asked anew what it has.
func (f *Fleet) Renew(epoch int64) {
	f.era++
	f.epoch, f.later = epoch, nil
	f.strays = nil
	for _, p := range f.order {
		p.strays, p.noted = map[hive.AttemptRef]bool{}, map[hive.AttemptRef]bool{}
		p.control, p.polling = false, false
		p.answer, p.pollAt = 0, time.Time{} // a new session's answers are numbered anew
		p.detach()
	}
}

// Reset forgets every attempt: the session is over. The next one names what it owns by Adopt.
func (f *Fleet) Reset() {
	f.of, f.events = map[hive.AttemptRef]*peer{}, nil
	for _, p := range f.order {
		p.empty()
		p.queue, p.acks, p.log, p.frees = nil, nil, nil, nil
	}
	f.Renew(f.epoch)
}
