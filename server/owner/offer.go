package owner

import (
	"time"

	"github.com/rprp/hivego/server/expression"
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

// enqueue puts a run that may be offered into its queue, or sets a timer that will do so later. It removes any other
// run from both.
func (o *Owner) enqueue(now time.Time, l *liveBatch, n int) { o.enqueueSince(now, now, l, n) }

// enqueueSince does so for a run that may have waited since an earlier moment.
func (o *Owner) enqueueSince(now, since time.Time, l *liveBatch, n int) {
	r := l.machine.Run(n)
	if r.State != hive.RunReady {
		delete(l.readySince, n)
	}
	switch {
	case r.State != hive.RunReady || r.Attempt != 0 || l.machine.Batch().Wish != hive.WishRun:
		o.timers.stop(l, n)
		l.leaveQueue(n)
	case l.machine.IsSplit(n), l.machine.FormerRun(n):
		l.leaveQueue(n) // its shards are offered, or former ones have to end first
	case r.NotBefore.After(now):
		o.timers.set(l, n, r.NotBefore)
		l.leaveQueue(n)
	default:
		o.timers.stop(l, n)
		if t, ok := l.task(n); ok {
			o.push(since, t, l, n)
		}
	}
}

// enqueueAll puts every ready run of a batch into its queue. It is used at the begin and end of a pause.
func (o *Owner) enqueueAll(now time.Time, l *liveBatch) {
	for _, r := range l.machine.Runs() {
		if r.State == hive.RunReady {
			o.enqueue(now, l, r.Number)
		}
	}
}

// enqueueLoaded does so after loading. Each run is as old as its rows tell, so a restart does not make it wait longer.
func (o *Owner) enqueueLoaded(now time.Time, l *liveBatch) {
	since := l.machine.ReadySince()
	for _, r := range l.machine.Runs() {
		if r.State != hive.RunReady {
			continue
		}
		at, known := since[r.Number]
		if !known || at.IsZero() || at.After(now) {
			at = now
		}
		o.enqueueSince(now, at, l, r.Number)
	}
}

// DispatchReady offers ready runs to executors with free slots, by priority and then by age.
func (o *Owner) DispatchReady(now time.Time) {
	if o.limits.awaited {
		return
	}
	o.limits.used = nil
	offers := 0
	for offers < maxOffers && o.attemptIDs.remaining() > 0 {
		moved := false
		o.limits.reserved = map[hive.LimitKey]bool{}
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

// offerHead offers the head of a queue to an executor. It returns false if no executor has a free slot for it, or a
// limit does not allow it.
func (o *Owner) offerHead(now time.Time, q *readyQueue) bool {
	if q.split {
		return o.splitHead(now, q)
	}
	if wait, limit := o.limited(q); wait != hive.WaitNone {
		q.wait, q.waitFor = wait, limit.String()
		return false
	}
	choice := o.chooser.Pick(q.req)
	q.wait, q.waitFor = choice.Wait, choice.For
	it := q.head()
	switch choice.Wait {
	case hive.WaitNone:
	case hive.WaitGone:
		o.strand(now, it)
		return true
	default:
		o.reserve(q, choice.Wait)
		return false
	}
	it.batch.leaveQueue(it.run)
	o.offer(now, it, &choice)
	return true
}

// offer makes an attempt of a run for an executor. The attempt is offered once its commit is durable.
func (o *Owner) offer(now time.Time, it *item, c *hive.Choice) {
	l, n, id := it.batch, it.run, o.attemptIDs.next()
	offered := state.Offered{
		Run: n, Attempt: id, Key: o.newKey(), Executor: c.Executor, ExecutorName: c.Name,
		Scheduling: c.Scheduling.WithKey(it.key.text),
	}
	if !o.applyExpected(now, l, offered, true) {
		return
	}
	p := o.changesOf(l)
	p.newAttempts[id] = true
	o.take(it.queue, p)
	a, _ := l.machine.Attempt(id)
	as, err := o.assignment(l, n, &a)
	if it.key.err != nil {
		err = expression.FieldErrors{{Field: "routeKey", Err: it.key.err}}
	}
	if err != nil {
		// The params or the key cannot be evaluated. The attempt records the error, and no executor is called.
		o.applyExpected(now, l, state.Refused{Attempt: id, Words: assignmentError(err).Clean(maxErrorText)}, true)
		return
	}
	if t, ok := l.task(n); ok {
		if sent := expression.Sent(t, &as); sent != "" {
			o.applyExpected(now, l, state.Rendered{Attempt: id, Params: sent}, true)
		}
	}
	o.attempts.add(a.Ref(), l.id)
	o.fleet.Reserve(c.Executor, a.Ref())
	p.offers = append(p.offers, as)
}
