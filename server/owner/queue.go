package owner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/internal/heap"
	"github.com/rprp/hivego/server/hive"
)

// queues holds the ready runs by their requirement. Runs with the same requirement wait in one queue: if no executor
// can take its head, none can take the others.
type queues struct {
	byRequirement map[string]*readyQueue
	order         []*readyQueue // in the order in which they were made, to be deterministic
	seq           int64
}

type readyQueue struct {
	req   hive.Requirement
	items *heap.Heap[item]
	wait  hive.WaitReason // why no executor could take the head at the last try
}

// item is a run in a queue. It may be stale, so prune checks the run again before it is offered. A reload of the batch
// makes all its items stale: the reloaded batch may have other runs under the same numbers, and gets new items.
type item struct {
	batch    *liveBatch
	run      int
	priority int
	seq      int64
}

func newQueues() queues { return queues{byRequirement: map[string]*readyQueue{}} }

func requirement(t *hive.Task) hive.Requirement {
	return hive.Requirement{Group: t.EffectiveGroup(), Handler: t.Handler, Executor: t.Executor, Labels: t.Labels}
}

// serves reports whether a queue is the queue of a task. A plan on a later revision may have changed the requirement of
// the task.
func (c *readyQueue) serves(t *hive.Task) bool {
	r := requirement(t)
	return r.Group == c.req.Group && r.Handler == c.req.Handler && r.Executor == c.req.Executor &&
		maps.Equal(r.Labels, c.req.Labels)
}

func requirementKey(r hive.Requirement) string {
	labels := make([]string, 0, len(r.Labels))
	for k, v := range r.Labels {
		labels = append(labels, fmt.Sprintf("%q=%q", k, v))
	}
	slices.Sort(labels)
	return fmt.Sprintf("%q %q %q %s", r.Group, r.Handler, r.Executor, strings.Join(labels, " "))
}

func (q *queues) push(t *hive.Task, l *liveBatch, run int) {
	req := requirement(t)
	key := requirementKey(req)
	c := q.byRequirement[key]
	if c == nil {
		c = &readyQueue{req: req, items: heap.New(item.before, nil)}
		q.byRequirement[key] = c
		q.order = append(q.order, c)
	}
	q.seq++
	c.items.Push(item{batch: l, run: run, priority: t.EffectivePriority(), seq: q.seq})
}

// heads lists the queues that are not empty, ordered by their heads.
func (q *queues) heads() []*readyQueue {
	q.order = slices.DeleteFunc(q.order, func(c *readyQueue) bool {
		if c.items.Len() == 0 {
			delete(q.byRequirement, requirementKey(c.req))
			return true
		}
		return false
	})
	cs := slices.Clone(q.order)
	slices.SortStableFunc(cs, func(a, b *readyQueue) int { return a.head().compare(b.head()) })
	return cs
}

// head returns the first item of a queue that is not empty.
func (c *readyQueue) head() item {
	first, _ := c.items.First()
	return first
}

// waitReason returns why a run is not offered.
func (q *queues) waitReason(l *liveBatch, run int) hive.WaitReason { return q.waitReasons().of(l, run) }

// waitReasons looks up why queues do not move. For requirements without labels, which is nearly all of them, a lookup
// does not need to build a key.
type waitReasons struct {
	queues *queues
	plain  map[plainRequirement]hive.WaitReason
}

type plainRequirement struct{ group, handler, executor string }

func (q *queues) waitReasons() waitReasons {
	h := waitReasons{queues: q, plain: map[plainRequirement]hive.WaitReason{}}
	for _, c := range q.order {
		if len(c.req.Labels) == 0 && c.items.Len() > 0 {
			h.plain[plainRequirement{c.req.Group, c.req.Handler, c.req.Executor}] = c.wait
		}
	}
	return h
}

func (h waitReasons) of(l *liveBatch, run int) hive.WaitReason {
	t, ok := l.task(run)
	if !ok {
		return hive.WaitNone
	}
	if len(t.Labels) == 0 {
		return h.plain[plainRequirement{t.EffectiveGroup(), t.Handler, t.Executor}]
	}
	if c := h.queues.byRequirement[requirementKey(requirement(t))]; c != nil {
		return c.wait
	}
	return hive.WaitNone
}

// compare orders by priority, the highest first, then by age, the oldest first.
func (it item) compare(other item) int {
	return cmp.Or(cmp.Compare(other.priority, it.priority), cmp.Compare(it.seq, other.seq))
}

func (it item) before(other item) bool { return it.compare(other) < 0 }

// timer is due when the delay of a run is over, or when a batch (run -1) has something to do.
type timer struct {
	at    time.Time
	batch *liveBatch // a reload of the batch makes the timer stale
	run   int
}

func (t timer) before(other timer) bool { return t.at.Before(other.at) }

func newTimers() *heap.Heap[timer] { return heap.New(timer.before, nil) }

// dueTimer removes the earliest timer and returns it; false if no timer is due.
func (o *Owner) dueTimer(now time.Time) (timer, bool) {
	if t, ok := o.timers.First(); !ok || t.at.After(now) {
		return timer{}, false
	}
	return o.timers.Pop()
}

// idBlock is the unused rest of a block of ids from the store.
type idBlock struct{ first, end int64 }

func (b *idBlock) remaining() int64 { return b.end - b.first }

func (b *idBlock) next() int64 {
	id := b.first
	b.first++
	return id
}
