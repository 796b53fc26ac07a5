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

// event is one call of Observe, Reread or Session.
type event struct {
	deltas []hive.Delta
	reread []int64
	epoch  int64 // a session begins
	lost   bool  // changes were dropped here
}

func (b *inbox) put(e event) {
	b.mu.Lock()
	if b.size += len(e.deltas) + len(e.reread); b.size > maxInbox {
		b.events, b.size = append(b.events, e), 0
		// keep the sessions: their epochs come from nowhere else
		b.events = slices.DeleteFunc(b.events, func(e event) bool { return e.epoch == 0 })
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
