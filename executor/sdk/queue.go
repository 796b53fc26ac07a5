package sdk

import "sync"

// queue runs functions one after another, in the order in which they were added, on one goroutine. Adding never
// blocks.
type queue struct {
	mu     sync.Mutex
	list   []func()
	kick   chan struct{}
	closed bool
	done   chan struct{}
}

func newQueue() *queue {
	q := &queue{kick: make(chan struct{}, 1), done: make(chan struct{})}
	go q.loop()
	return q
}

func (q *queue) add(f func()) {
	q.mu.Lock()
	if !q.closed {
		q.list = append(q.list, f)
	}
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.kick <- struct{}{}:
	default:
	}
}

// close runs what was added and ends.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake()
	<-q.done
}

func (q *queue) loop() {
	defer close(q.done)
	for range q.kick {
		for {
			q.mu.Lock()
			list, closed := q.list, q.closed
			q.list = nil
			q.mu.Unlock()
			for _, f := range list {
				f()
			}
			if len(list) > 0 {
				continue
			}
			if closed {
				return
			}
			break
		}
	}
}
