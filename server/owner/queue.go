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
	key      string // in queues.byRequirement
	req      hive.Requirement
	selector string          // the text of req.Selector
	limits   []hive.LimitKey // that concern the runs; a pool too if it does not exist
	scope    string          // the text of limits
	slots    int             // of the pool that one run needs; 0 without a pool
	split    bool            // of tasks whose shards are to be fixed; they need no slot for that
	items    *heap.Heap[*item]
	wait     hive.WaitReason // why no executor could take the head at the last try
	waitFor  string          // the one executor, or the limit, that it waits for; empty for any executor
}

// item is a run in a queue. The run is in one queue only, and leaves it once it may not be offered any more: otherwise
// an item behind a head that no executor takes would keep its whole batch in memory.
type item struct {
	batch    *liveBatch
	run      int
	priority int
	rank     int64 // see rankOf
	seq      int64
	queue    *readyQueue
	index    int // in the queue
	key      routeKey
}

func newQueues() queues { return queues{byRequirement: map[string]*readyQueue{}} }

func requirement(t *hive.Task, route hive.RouteSetting, bucket int, bound string) hive.Requirement {
	return hive.Requirement{
		Group: t.EffectiveGroup(), Handler: t.Handler, Executor: t.Executor, Labels: t.Labels, RouteSetting: route,
		Bucket: bucket, Bound: bound,
	}
}

// boundTo returns the id of the only executor that may have a run; empty for any.
func (l *liveBatch) boundTo(run int) string {
	if p := l.part(run); p != nil {
		return p.Executor
	}
	return ""
}

// ageStep is how long a run must wait to be as urgent as a new one whose priority is higher by 1. So nothing starves:
// after 90 minutes, a run with priority 1 goes before a new one with priority 10.
const ageStep = 10 * time.Minute

// rankOf orders runs by priority and age in one number, the smallest first. It does not change while a run waits,
// because all runs grow old at the same pace.
func rankOf(priority int, since time.Time) int64 {
	return since.UnixMilli() - int64(priority)*ageStep.Milliseconds()
}

// serves reports whether a queue is the queue of a task. A plan on a later revision may have changed the requirement of
// the task, and a person the route of its group, or the limits.
func (c *readyQueue) serves(t *hive.Task, route hive.RouteSetting, scope string) bool {
	return scope == c.scope && t.Pool.EffectiveSlots() == c.slots &&
		t.EffectiveGroup() == c.req.Group && t.Handler == c.req.Handler && t.Executor == c.req.Executor &&
		t.Selector == c.selector && route == c.req.RouteSetting && maps.Equal(t.Labels, c.req.Labels)
}

func requirementKey(r *hive.Requirement, selector string) string {
	labels := make([]string, 0, len(r.Labels))
	for k, v := range r.Labels {
		labels = append(labels, fmt.Sprintf("%q=%q", k, v))
	}
	slices.Sort(labels)
	return fmt.Sprintf("%q %q %q %q %s %s %d %q %s", r.Group, r.Handler, r.Executor, selector, r.Route, r.Origin,
		r.Bucket, r.Bound, strings.Join(labels, " "))
}

// push puts a run that waits since a moment into the queue of its task. A run that is in that queue already keeps its
// place.
func (o *Owner) push(since time.Time, t *hive.Task, l *liveBatch, run int) {
	q := &o.queues
	route := o.routeOf(l, t)
	priority := t.EffectivePriority(l.machine.Graph().Def.Policy.Priority)
	if it := l.queued[run]; it != nil {
		_, scope := o.limitsOf(l, t)
		if it.queue.serves(t, route, scope) && it.queue.split == l.machine.Unsplit(run) &&
			it.queue.req.Bound == l.boundTo(run) && it.key.source == t.RouteKey && it.priority == priority {
			return
		}
		l.leaveQueue(run)
	}
	if at, ok := l.readySince[run]; ok {
		since = at // it has waited already: in another queue, before it was rejected, or before a pause
	}
	l.readySince[run] = since
	key := o.keyOf(l, t, route, run)
	q.seq++
	o.add(&item{
		batch: l, run: run, priority: priority, rank: rankOf(priority, since), seq: q.seq, key: key,
	}, t, route)
}

// add puts an item into the queue of its task.
func (o *Owner) add(it *item, t *hive.Task, route hive.RouteSetting) {
	q := &o.queues
	req := requirement(t, route, it.key.bucket, it.batch.boundTo(it.run))
	split := it.batch.machine.Unsplit(it.run)
	limits, scope := o.limitsOf(it.batch, t)
	key := requirementKey(&req, t.Selector)
	if scope != "" {
		key = fmt.Sprintf("%s %d %s", key, t.Pool.EffectiveSlots(), scope)
	}
	if split {
		key = fmt.Sprintf("%s split %t", key, t.Shard.Broadcast)
	}
	c := q.byRequirement[key]
	if c == nil {
		// A selector that cannot be read was refused when the schedule was saved.
		req.Selector, _ = hive.ParseSelector(t.Selector)
		c = &readyQueue{
			key: key, req: req, selector: t.Selector, limits: limits, scope: scope, slots: t.Pool.EffectiveSlots(),
			split: split, items: heap.New((*item).before, (*item).moved),
		}
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
			delete(q.byRequirement, c.key)
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

// waitReason returns why no executor takes a run that may be offered, and what it waits for: a limit, or the one
// executor that its route allows.
func (l *liveBatch) waitReason(run int) (why hive.WaitReason, on string) {
	if it := l.queued[run]; it != nil {
		return it.queue.wait, it.queue.waitFor
	}
	return hive.WaitNone, ""
}

// compare orders by rank, then in the order of arrival.
func (it *item) compare(other *item) int {
	return cmp.Or(cmp.Compare(it.rank, other.rank), cmp.Compare(it.seq, other.seq))
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
