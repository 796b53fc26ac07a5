package live

import (
	"slices"
	"sync"

	"github.com/rprp/hivego/server/hive"
)

// maxInbox is how many changes may wait for the hub. Beyond it they are dropped, and all pictures are read anew.
const maxInbox = 100_000

// inbox is where the engine leaves what it has to tell. It never waits for the hub.
type inbox struct {
	signal chan struct{}

	mu     sync.Mutex
	events []event
	size   int // deltas in events
}

// event is one thing that the engine told.
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
		// that is not to be had elsewhere
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

// wake has the loop turn.
func (b *inbox) wake() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// Observe is told of changes in the order in which they became durable.
func (h *Hub) Observe(deltas []hive.Delta) { h.in.put(event{deltas: deltas}) }

// Reread is told of batches that may not be as they were observed.
func (h *Hub) Reread(batches []int64) { h.in.put(event{reread: batches}) }

// Session is told that this server begins a session.
func (h *Hub) Session(epoch int64) { h.in.put(event{epoch: epoch}) }
