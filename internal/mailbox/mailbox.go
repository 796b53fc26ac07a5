// Package mailbox passes items from any number of goroutines to one, without ever blocking the senders.
package mailbox

import "sync"

// Box queues items for one reader. It has no size limit, so something else must limit its senders.
type Box[T any] struct {
	wake  chan struct{}
	mu    sync.Mutex
	items []T
}

// New makes an empty mailbox.
func New[T any]() *Box[T] { return &Box[T]{wake: make(chan struct{}, 1)} }

// Put adds items and wakes the reader; without items it only wakes the reader. It never blocks.
func (b *Box[T]) Put(items ...T) {
	b.mu.Lock()
	b.items = append(b.items, items...)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default: // the reader has a wake-up waiting already
	}
}

// Wake returns a channel that has a value after each Put. One value may stand for several calls. After a wake-up,
// TakeAll may still return nothing: an earlier call may have taken the items, or Put was called without items.
func (b *Box[T]) Wake() <-chan struct{} { return b.wake }

// TakeAll removes and returns all items, oldest first. It returns nil if there are none.
func (b *Box[T]) TakeAll() []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items = nil
	return items
}

// Len returns the number of queued items.
func (b *Box[T]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}
