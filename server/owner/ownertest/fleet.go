package ownertest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Fleet is a fleet with one executor, whose events the test supplies (Tell).
type Fleet struct { //nolint:gocritic // a test locks it while it looks at the fields
	sync.Mutex

	Slots   int                        // of the executor
	Busy    string                     // a group whose executors have no free slot
	Renders *hive.Rendering            // of each handler; nil: values are not rendered
	Held    map[int64]bool             // attempts that are reserved or offered
	Offered []hive.Assignment          // in order
	Kills   []hive.KillOrder           // in order
	Acks    []int64                    // attempts, in order
	Adopted []int64                    // attempts, in order
	Wanted  map[int64]hive.Requirement // by attempt: the requirement of the last Pick before its Reserve
	Record  *hive.Scheduling           // of each choice
	All     []hive.ExecutorRef         // that a broadcast goes to; nil: the only one
	Gone    map[string]bool            // ids of executors that are out of contact for good

	keys   map[int64]string // of attempts that were reserved or adopted
	events []hive.AttemptEvent
	asked  hive.Requirement
}

// NewFleet makes a fleet with many slots.
func NewFleet() *Fleet {
	return &Fleet{Slots: 100, Held: map[int64]bool{}, keys: map[int64]string{}, Wanted: map[int64]hive.Requirement{}}
}

// Pick returns the executor while it has a free slot, and for a bound task its own.
func (f *Fleet) Pick(r hive.Requirement) hive.Choice {
	f.Lock()
	defer f.Unlock()
	f.asked = r
	if len(f.Held) >= f.Slots || f.Busy != "" && r.Group == f.Busy {
		return hive.Choice{Wait: hive.WaitBusy}
	}
	switch {
	case f.Gone[r.Bound]:
		return hive.Choice{Wait: hive.WaitGone, For: r.Bound}
	case r.Bound != "":
		return hive.Choice{Executor: r.Bound, Name: r.Bound}
	}
	return hive.Choice{Executor: "x1", Name: "first", Scheduling: f.Record}
}

// Everyone returns All, or the executor of Pick.
func (f *Fleet) Everyone(hive.Requirement) ([]hive.ExecutorRef, hive.WaitReason) {
	f.Lock()
	defer f.Unlock()
	if f.All != nil {
		return f.All, hive.WaitNone
	}
	return []hive.ExecutorRef{{ID: "x1", Name: "first"}}, hive.WaitNone
}

// Reserve takes a slot.
func (f *Fleet) Reserve(_ string, attempt hive.AttemptRef) {
	f.Lock()
	defer f.Unlock()
	f.Held[attempt.ID], f.keys[attempt.ID], f.Wanted[attempt.ID] = true, attempt.Key, f.asked
}

// Offer records the assignment.
func (f *Fleet) Offer(a hive.Assignment) {
	f.Lock()
	defer f.Unlock()
	f.Offered = append(f.Offered, a)
}

// Kill records the order.
func (f *Fleet) Kill(_ string, o hive.KillOrder) {
	f.Lock()
	defer f.Unlock()
	f.Kills = append(f.Kills, o)
}

// Ack records the attempt and frees its slot.
func (f *Fleet) Ack(attempt hive.AttemptRef, _ int64) {
	f.Lock()
	defer f.Unlock()
	f.Acks = append(f.Acks, attempt.ID)
	delete(f.Held, attempt.ID)
}

// Drop frees the slot of an attempt that was not offered.
func (f *Fleet) Drop(attempt hive.AttemptRef) bool {
	f.Lock()
	defer f.Unlock()
	if slices.ContainsFunc(f.Offered, func(a hive.Assignment) bool { return a.Ref() == attempt }) {
		return false
	}
	delete(f.Held, attempt.ID)
	return true
}

// Adopt takes a slot and records the attempt.
func (f *Fleet) Adopt(_ time.Time, _ string, h hive.HeldAttempt) {
	f.Lock()
	defer f.Unlock()
	f.Held[h.Assignment.Attempt], f.keys[h.Assignment.Attempt] = true, h.Assignment.Key
	f.Adopted = append(f.Adopted, h.Assignment.Attempt)
}

// Rendering returns Renders.
func (f *Fleet) Rendering(string, string) *hive.Rendering { return f.Renders }

// Events returns the events of Tell since the last call.
func (f *Fleet) Events(time.Time) []hive.AttemptEvent {
	f.Lock()
	defer f.Unlock()
	evs := f.events
	f.events = nil
	return evs
}

// Tell adds an event to the next Events. An event without a key gets the key of its attempt.
func (f *Fleet) Tell(ev hive.AttemptEvent) {
	f.Lock()
	defer f.Unlock()
	if ev.Key == "" {
		ev.Key = f.keys[ev.Attempt]
	}
	f.events = append(f.events, ev)
}

// Tasks returns the offered tasks in order, each with its batch.
func (f *Fleet) Tasks() []string {
	f.Lock()
	defer f.Unlock()
	out := make([]string, 0, len(f.Offered))
	for i := range f.Offered {
		out = append(out, fmt.Sprintf("%d.%s", f.Offered[i].BatchID, f.Offered[i].Task))
	}
	return out
}

// Attempt returns the latest attempt of a task that was offered, or 0 if there is none.
func (f *Fleet) Attempt(batch int64, task string) int64 {
	f.Lock()
	defer f.Unlock()
	for i := range slices.Backward(f.Offered) {
		if a := &f.Offered[i]; a.BatchID == batch && a.Task == task {
			return a.Attempt
		}
	}
	return 0
}
