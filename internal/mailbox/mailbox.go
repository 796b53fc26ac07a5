// Package mailbox passes items from any number of goroutines to one, without ever blocking the senders.
package mailbox

import "sync"

// Box holds items until its one reader takes them. It has no limit: its senders must be bounded by something else.
type Box[T any] struct {
	wake  chan struct{}
	mu    sync.Mutex
	items []T
}

// New makes an empty mailbox.
func New[T any]() *Box[T] { return &Box[T]{wake: make(chan struct{}, 1)} }

// Put adds items and wakes the reader. It never blocks.
func (b *Box[T]) Put(items ...T) {
	b.mu.Lock()
	b.items = append(b.items, items...)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default: // a wake-up is on its way already
	}
}

// Wake has a value once something was put in. One value may stand for many items, and TakeAll may find nothing, if an
// earlier call has taken them.
func (b *Box[T]) Wake() <-chan struct{} { return b.wake }

// TakeAll removes all items, oldest first; nil if there are none.
func (b *Box[T]) TakeAll() []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items = nil
	return items
}

// Len is how many items wait.
func (b *Box[T]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}
