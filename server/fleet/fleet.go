// Package fleet is the core that tracks the executors of a server: which are in contact, which slots are free, which
// attempts each has, and until when the leases run. It decides which calls are made, and handles their answers. It has
// no clock, goroutine, log or I/O; package dispatch is its shell.
package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Fleet holds the state of all executors in memory. It is not safe for concurrent use: only the engine's loop uses it.
type Fleet struct {
	set        Settings
	executors  map[string]*executorState // by id
	order      []*executorState          // by name, so that every decision is deterministic
	holders    map[hive.AttemptRef]*executorState
	events     []hive.AttemptEvent
	untracked  []UntrackedAttempt
	epoch      int64 // of the session in which calls are made
	later      *hive.Later
	generation int // counts the sessions: answers to calls of an earlier one are ignored

	runCalls map[hive.AttemptRef]*runCall // under way
	changed  []hive.Executor
	notes    []Note

	learned bool                    // the stored executors were read at least once
	picked  choice                  // by the last Pick
	choices int                     // that counted
	turns   map[turn]*executorState // the last choice of the route round_robin
	random  uint64                  // state of the route random
}

// New makes an empty fleet.
func New(s Settings) *Fleet {
	return &Fleet{
		set: s.withDefaults(), executors: map[string]*executorState{}, holders: map[hive.AttemptRef]*executorState{},
		runCalls: map[hive.AttemptRef]*runCall{}, turns: map[turn]*executorState{}, random: s.Seed,
	}
}

// BeginSession begins a session with another epoch. Answers to calls of the former session are ignored, and every
// executor is attached again.
func (f *Fleet) BeginSession(epoch int64) {
	f.generation++
	f.epoch, f.later = epoch, nil
	f.untracked = nil
	for _, x := range f.order {
		x.lookups, x.noted = map[hive.AttemptRef]bool{}, map[hive.AttemptRef]bool{}
		x.controlUsed, x.polling = false, false
		x.lastAnswer, x.pollAt = 0, time.Time{} // the answers of a new session are numbered from 1
		x.detach()
	}
}

// Reset removes every attempt, because the session is over. The next session names its attempts by Adopt.
func (f *Fleet) Reset() {
	f.holders, f.events = map[hive.AttemptRef]*executorState{}, nil
	for _, x := range f.order {
		x.clear()
		x.queue, x.acks, x.logs, x.releases = nil, nil, nil, nil
	}
	f.BeginSession(f.epoch)
}

// Events returns the events of attempts since the last call, in order.
func (f *Fleet) Events() []hive.AttemptEvent {
	events := f.events
	f.events = nil
	if f.set.OrphanTimeout == NoOrphans { // no lease ever stopped the work, so a person decides
		for i := range events {
			events[i].Hold = events[i].Kind == hive.EventLost
		}
	}
	return events
}

// emit adds an event of an attempt for the owner.
func (f *Fleet) emit(a *attemptState, ev hive.AttemptEvent) {
	ev.Attempt, ev.Key = a.ref.ID, a.ref.Key
	f.events = append(f.events, ev)
}

// end frees the slot of an attempt and reports its end to the owner. The entry stays until the end is durable. The next
// submit ignores an entry of the attempt in x.queue.
func (f *Fleet) end(x *executorState, a *attemptState, ev hive.AttemptEvent) {
	a.phase = ended
	x.ended[a.ref] = struct{}{}
	ev.Attempt, ev.Key = a.ref.ID, a.ref.Key
	if a.viaRunCall {
		a.endEvent = ev // the executor will not report it again
	}
	f.events = append(f.events, ev)
}

// forget removes an attempt, and thereby frees its slot.
func (f *Fleet) forget(x *executorState, attempt hive.AttemptRef) {
	delete(x.attempts, attempt)
	delete(f.holders, attempt)
	delete(x.ended, attempt)
	delete(x.killing, attempt)
	if len(x.ended) == 0 {
		x.pollAt = time.Time{}
	}
}

// markStarted reports to the owner that an attempt has started, once. at is zero if nobody knows when.
func (f *Fleet) markStarted(a *attemptState, at time.Time) {
	if !a.startReported && !a.unowned {
		a.startReported = true
		f.emit(a, hive.AttemptEvent{Kind: hive.EventStarted, At: at})
	}
}

// markSilent reports to the owner that the executor of an attempt is silent, once.
func (f *Fleet) markSilent(a *attemptState) {
	if !a.silenceReported {
		a.silenceReported = true
		f.emit(a, hive.AttemptEvent{Kind: hive.EventSilent})
	}
}

// markBack reports to the owner that the executor of an attempt is in contact again, if it was reported as silent.
func (f *Fleet) markBack(a *attemptState) {
	if a.silenceReported {
		a.silenceReported = false
		f.emit(a, hive.AttemptEvent{Kind: hive.EventBack})
	}
}

// each calls visit for every attempt of an executor in the order of their ids, so that the result is deterministic.
func (f *Fleet) each(x *executorState, visit func(*attemptState)) {
	for _, ref := range x.refs() {
		if a := x.attempts[ref]; a != nil {
			visit(a)
		}
	}
}
