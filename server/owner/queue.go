package owner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	req      hive.Requirement
	selector string // the text of req.Selector
	items    *heap.Heap[*item]
	wait     hive.WaitReason // why no executor could take the head at the last try
	waitFor  string          // name of the one executor that it waits for; empty for any
}

// item is a run in a queue. The run is in one queue only, and leaves it once it may not be offered any more: otherwise
// an item behind a head that no executor takes would keep its whole batch in memory.
type item struct {
	batch    *liveBatch
	run      int
	priority int
	seq      int64
	queue    *readyQueue
	index    int // in the queue
	key      routeKey
}

func newQueues() queues { return queues{byRequirement: map[string]*readyQueue{}} }

func requirement(t *hive.Task, route hive.RouteSetting, bucket int) hive.Requirement {
	return hive.Requirement{
		Group: t.EffectiveGroup(), Handler: t.Handler, Executor: t.Executor, Labels: t.Labels, RouteSetting: route,
		Bucket: bucket,
	}
}

// serves reports whether a queue is the queue of a task. A plan on a later revision may have changed the requirement of
// the task, and a person the route of its group.
func (c *readyQueue) serves(t *hive.Task, route hive.RouteSetting) bool {
	return t.EffectiveGroup() == c.req.Group && t.Handler == c.req.Handler && t.Executor == c.req.Executor &&
		t.Selector == c.selector && route == c.req.RouteSetting && maps.Equal(t.Labels, c.req.Labels)
}

func requirementKey(r *hive.Requirement, selector string) string {
	labels := make([]string, 0, len(r.Labels))
	for k, v := range r.Labels {
		labels = append(labels, fmt.Sprintf("%q=%q", k, v))
	}
	slices.Sort(labels)
	return fmt.Sprintf("%q %q %q %q %s %s %d %s", r.Group, r.Handler, r.Executor, selector, r.Route, r.Origin, r.Bucket,
		strings.Join(labels, " "))
}

// push puts a run at the end of the queue of its task. A run that is in that queue already keeps its place.
func (o *Owner) push(t *hive.Task, l *liveBatch, run int) {
	q := &o.queues
	route := o.routeOf(l, t)
	if it := l.queued[run]; it != nil {
		if it.queue.serves(t, route) && it.key.source == t.RouteKey && it.priority == t.EffectivePriority() {
			return
		}
		l.leaveQueue(run)
	}
	key := o.keyOf(l, t, route)
	q.seq++
	q.add(&item{batch: l, run: run, priority: t.EffectivePriority(), seq: q.seq, key: key}, t, route)
}

// add puts an item into the queue of its task.
func (q *queues) add(it *item, t *hive.Task, route hive.RouteSetting) {
	req := requirement(t, route, it.key.bucket)
	key := requirementKey(&req, t.Selector)
	c := q.byRequirement[key]
	if c == nil {
		// A selector that cannot be read was refused when the schedule was saved.
		req.Selector, _ = hive.ParseSelector(t.Selector)
		c = &readyQueue{req: req, selector: t.Selector, items: heap.New((*item).before, (*item).moved)}
		q.byRequirement[key] = c
		q.order = append(q.order, c)
	}
	it.queue = c
	c.items.Push(it)
	it.batch.queued[it.run] = it
}

// leaveQueue removes a run from its queue, if it is in one.
func (l *liveBatch) leaveQueue(run int) {
	if it := l.queued[run]; it != nil {
		it.queue.items.Remove(it.index)
		delete(l.queued, run)
	}
}

// leaveQueues removes all runs of a batch from their queues.
func (l *liveBatch) leaveQueues() {
	for run := range l.queued {
		l.leaveQueue(run)
	}
}

// heads lists the queues that are not empty, ordered by their heads.
func (q *queues) heads() []*readyQueue {
	q.order = slices.DeleteFunc(q.order, func(c *readyQueue) bool {
		if c.items.Len() == 0 {
			delete(q.byRequirement, requirementKey(&c.req, c.selector))
			return true
		}
		return false
	})
	cs := slices.Clone(q.order)
	slices.SortStableFunc(cs, func(a, b *readyQueue) int { return a.head().compare(b.head()) })
	return cs
}

// head returns the first item of a queue that is not empty.
func (c *readyQueue) head() *item {
	first, _ := c.items.First()
	return first
}

// waitReason returns why no executor takes a run that may be offered, and the name of the one executor that it waits
// for, if its route allows no other.
func (l *liveBatch) waitReason(run int) (why hive.WaitReason, on string) {
	if it := l.queued[run]; it != nil {
		return it.queue.wait, it.queue.waitFor
	}
	return hive.WaitNone, ""
}

// compare orders by priority, the highest first, then by age, the oldest first.
func (it *item) compare(other *item) int {
	return cmp.Or(cmp.Compare(other.priority, it.priority), cmp.Compare(it.seq, other.seq))
}

func (it *item) before(other *item) bool { return it.compare(other) < 0 }

func (it *item) moved(index int) { it.index = index }

// idBlock is the unused rest of a block of ids from the store.
type idBlock struct{ first, end int64 }

func (b *idBlock) remaining() int64 { return b.end - b.first }

func (b *idBlock) next() int64 {
	id := b.first
	b.first++
	return id
}
