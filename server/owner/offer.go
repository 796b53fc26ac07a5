package owner

import (
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// maxOffers bounds the offers of one group, so that a commit stays short and the first tasks of a wide job start
// while the rest is written.
const maxOffers = 1000

// task returns the definition of a run's task; ok is false if the batch's revision does not have the task any more.
func (l *liveBatch) task(run int) (*hive.Task, bool) {
	g := l.machine.Graph()
	i, ok := g.Lookup(l.machine.Run(run).Task)
	if !ok {
		return nil, false
	}
	return g.Tasks[i].Spec, true
}

// enqueue puts a ready run into the queue, or sets a timer that will do so later.
func (o *Owner) enqueue(now time.Time, l *liveBatch, n int) {
	r := l.machine.Run(n)
	if r.State != hive.RunReady || r.Attempt != 0 {
		return
	}
	if r.NotBefore.After(now) {
		o.timers.Push(timer{at: r.NotBefore, batch: l, run: n})
		return
	}
	if t, ok := l.task(n); ok {
		o.queues.push(t, l, n)
	}
}

// enqueueAll puts every run of a batch that may be offered into the queue. It is used after loading and after a pause.
func (o *Owner) enqueueAll(now time.Time, l *liveBatch) {
	for _, r := range l.machine.Runs() {
		if r.State == hive.RunReady {
			o.enqueue(now, l, r.Number)
		}
	}
}

// DispatchReady offers ready runs to executors with free slots, by priority and then by age.
func (o *Owner) DispatchReady(now time.Time) {
	offers := 0
	for offers < maxOffers && o.attemptIDs.remaining() > 0 {
		moved := false
		for _, q := range o.queues.heads() {
			if moved = o.offerHead(now, q); moved {
				offers++
				break // priorities count over all queues: look at the heads again
			}
		}
		if !moved {
			return
		}
	}
}

// offerHead offers the head of a queue to an executor. It returns false if no executor has a free slot for it, or if
// the queue is empty.
func (o *Owner) offerHead(now time.Time, q *readyQueue) bool {
	o.prune(now, q)
	if q.items.Len() == 0 {
		return false
	}
	id, name, wait := o.fleet.Pick(q.req)
	q.wait = wait
	if wait != hive.WaitNone {
		return false
	}
	it, _ := q.items.Pop()
	o.offer(now, it.batch, it.run, id, name)
	return true
}

// prune removes heads that are no longer ready.
func (o *Owner) prune(now time.Time, q *readyQueue) {
	for q.items.Len() > 0 {
		it := q.head()
		if l := it.batch; o.live[l.id] == l && l.machine.Batch().Wish == hive.WishRun {
			r := l.machine.Run(it.run)
			t, known := l.task(it.run)
			if r.State == hive.RunReady && r.Attempt == 0 && !r.NotBefore.After(now) && known && q.serves(t) {
				return
			}
		}
		q.items.Pop()
	}
}

// offer makes an attempt of a run for an executor. The attempt is offered once its commit is durable.
func (o *Owner) offer(now time.Time, l *liveBatch, n int, executor, name string) {
	id := o.attemptIDs.next()
	offered := state.Offered{Run: n, Attempt: id, Key: o.newKey(), Executor: executor, ExecutorName: name}
	if !o.applyExpected(now, l, offered, true) {
		return
	}
	p := o.changesOf(l)
	p.newAttempts[id] = true
	a, _ := l.machine.Attempt(id)
	as, err := o.assignment(l, n, &a)
	if err != nil {
		// The task cannot be rendered. An attempt records the error, and no executor is called.
		o.applyExpected(now, l, state.Refused{Attempt: id, Words: hive.Plain(err.Error()).Clean(maxErrorText)}, true)
		return
	}
	o.attempts[a.Ref()] = l.id
	o.fleet.Reserve(executor, a.Ref())
	p.offers = append(p.offers, as)
}
