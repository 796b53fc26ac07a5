package sdk

import "github.com/rprp/hivego/internal/mailbox"

// queue runs functions one after another, in the order in which they were added, on one goroutine. Adding never
// blocks.
type queue struct {
	box     *mailbox.Box[func()]
	closing chan struct{} // has a value once the queue is to end
	done    chan struct{}
}

func newQueue() *queue {
	q := &queue{box: mailbox.New[func()](), closing: make(chan struct{}, 1), done: make(chan struct{})}
	go q.loop()
	return q
}

// add has f run after all that was added before.
func (q *queue) add(f func()) { q.box.Put(f) }

// close runs what was added and ends the goroutine. What is added afterwards does not run. It may be called twice.
func (q *queue) close() {
	select {
	case q.closing <- struct{}{}:
	default:
	}
	<-q.done
}

func (q *queue) loop() {
	defer close(q.done)
	for last := false; !last; {
		select {
		case <-q.box.Wake():
		case <-q.closing:
			last = true
		}
		for _, f := range q.box.TakeAll() {
			f()
		}
	}
}
