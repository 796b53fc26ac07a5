package sdk

import "github.com/rprp/hivego/internal/mailbox"

// queue runs functions one after another, in the order of add, on one goroutine. add never blocks.
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

// add runs f after all functions that were added before.
func (q *queue) add(f func()) { q.box.Put(f) }

// close runs the functions that were added and ends the goroutine. Functions that are added later do not run. close
// may be called twice.
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
