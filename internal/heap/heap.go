// Package heap is a priority queue for any type of item.
package heap

// Heap is a priority queue. It is not safe for concurrent use.
type Heap[T any] struct {
	items  []T
	before func(a, b T) bool
	moved  func(item T, index int)
}

// New makes an empty heap. before reports whether a comes before b; equal items come in any order. The heap calls moved
// whenever the index of an item changes, and with -1 when the item leaves the heap. Fix and Remove take that index.
// moved may be nil.
func New[T any](before func(a, b T) bool, moved func(item T, index int)) *Heap[T] {
	return &Heap[T]{before: before, moved: moved}
}

// Len returns the number of items.
func (h *Heap[T]) Len() int { return len(h.items) }

// First returns the first item without removing it, and false if the heap is empty.
func (h *Heap[T]) First() (T, bool) {
	if len(h.items) == 0 {
		var none T
		return none, false
	}
	return h.items[0], true
}

// Items returns all items in unspecified order. The slice belongs to the heap. If you change the items, call Init.
func (h *Heap[T]) Items() []T { return h.items }

// Init restores the order after any number of items have changed.
func (h *Heap[T]) Init() {
	for i := len(h.items)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// Push adds an item.
func (h *Heap[T]) Push(item T) {
	h.items = append(h.items, item)
	last := len(h.items) - 1
	h.report(last)
	h.up(last)
}

// Pop removes and returns the first item, and false if the heap is empty.
func (h *Heap[T]) Pop() (T, bool) {
	if len(h.items) == 0 {
		var none T
		return none, false
	}
	return h.Remove(0), true
}

// Remove removes and returns the item at an index.
func (h *Heap[T]) Remove(i int) T {
	last := len(h.items) - 1
	if i != last {
		h.swap(i, last)
	}
	item := h.items[last]
	var none T
	h.items[last] = none // so that the garbage collector can free the item
	h.items = h.items[:last]
	if i != last {
		h.Fix(i)
	}
	if h.moved != nil {
		h.moved(item, -1)
	}
	return item
}

// Fix restores the order after the item at an index has changed.
func (h *Heap[T]) Fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h *Heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(h.items[i], h.items[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

// down moves an item behind the items that come before it, and reports whether it moved.
func (h *Heap[T]) down(i int) bool {
	start := i
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if right := child + 1; right < len(h.items) && h.before(h.items[right], h.items[child]) {
			child = right
		}
		if !h.before(h.items[child], h.items[i]) {
			break
		}
		h.swap(i, child)
		i = child
	}
	return i > start
}

func (h *Heap[T]) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.report(i)
	h.report(j)
}

func (h *Heap[T]) report(i int) {
	if h.moved != nil {
		h.moved(h.items[i], i)
	}
}
