package live

import (
	"slices"
	"sync"

	"github.com/rprp/hivego/server/hive"
)

// maxInbox is the greatest number of changes that wait for the hub. Beyond it they are dropped, and all projections are
// read again.
const maxInbox = 100_000

// inbox passes events from the engine to the hub. The engine never waits for the hub.
type inbox struct {
	signal chan struct{}

	mu     sync.Mutex
	events []event
	size   int // deltas in events
}

// event is one call of Observe, Reread, Session, Far, Listening or FarPresence.
type event struct {
	deltas    []hive.Delta
	reread    []int64
	epoch     int64 // a session begins
	lost      bool  // changes were dropped here
	far       []hive.FarChange
	farAll    bool
	listening *bool
	presence  *presenceEvent
}

// weight is how much an event counts for maxInbox.
func (e *event) weight() int {
	n := len(e.deltas) + len(e.reread)
	for i := range e.far {
		n += 1 + len(e.far[i].Runs)
	}
	if e.presence != nil {
		n++
		for _, windows := range e.presence.Here {
			n += len(windows)
		}
	}
	return n
}

func (b *inbox) put(e event) {
	b.mu.Lock()
	if b.size += e.weight(); b.size > maxInbox {
		b.events, b.size = append(b.events, e), 0
		// keep what comes from nowhere else: the epochs of sessions, and whether messages arrive
		b.events = slices.DeleteFunc(b.events, func(e event) bool { return e.epoch == 0 && e.listening == nil })
		b.events = append(b.events, event{lost: true})
	} else {
		b.events = append(b.events, e)
	}
	b.mu.Unlock()
	b.wake()
}

func (b *inbox) take() []event {
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events, b.size = nil, 0
	return events
}

// wake makes the loop take a turn.
func (b *inbox) wake() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// Observe queues changes in the order in which they became durable.
func (h *Hub) Observe(deltas []hive.Delta) { h.in.put(event{deltas: deltas}) }

// Reread queues batches whose stored rows may differ from the observed changes.
func (h *Hub) Reread(batches []int64) { h.in.put(event{reread: batches}) }

// Session queues the epoch of a session that this server begins.
func (h *Hub) Session(epoch int64) { h.in.put(event{epoch: epoch}) }
