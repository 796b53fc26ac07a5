package owner

import (
	"cmp"
	"container/heap"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// queue holds the runs that are ready, by what they require of an executor: whoever asks for the same waits in one
// line, and one look at its head tells whether the line can move.
type queue struct {
	classes map[string]*class
	order   []*class // in the order of their making, to be deterministic
	seq     int64
}

type class struct {
	req   hive.Requirement
	items items
	hold  hive.WaitReason // why the head could not go at the last try
}

// item is a run in the queue. It may be stale: whoever takes it looks at the run again. It is of a batch as it was
// loaded then: a later load may have fewer runs, or others under their numbers, and puts its own into the queue.
type item struct {
	live     *live
	run      int
	priority int
	seq      int64
}

func newQueue() queue { return queue{classes: map[string]*class{}} }

func requirement(t *hive.Task) hive.Requirement {
	return hive.Requirement{Group: t.EffectiveGroup(), Handler: t.Handler, Executor: t.Executor, Labels: t.Labels}
}

// same says that a class is the one of a task. A plan on a later revision may have changed what the task requires.
func (c *class) same(t *hive.Task) bool {
	r := requirement(t)
	return r.Group == c.req.Group && r.Handler == c.req.Handler && r.Executor == c.req.Executor &&
		maps.Equal(r.Labels, c.req.Labels)
}

func classKey(r hive.Requirement) string {
	labels := make([]string, 0, len(r.Labels))
	for k, v := range r.Labels {
		labels = append(labels, fmt.Sprintf("%q=%q", k, v))
	}
	slices.Sort(labels)
	return fmt.Sprintf("%q %q %q %s", r.Group, r.Handler, r.Executor, strings.Join(labels, " "))
}

func (q *queue) push(t *hive.Task, l *live, run int) {
	req := requirement(t)
	key := classKey(req)
	c := q.classes[key]
	if c == nil {
		c = &class{req: req}
		q.classes[key] = c
		q.order = append(q.order, c)
	}
	q.seq++
	heap.Push(&c.items, item{live: l, run: run, priority: t.EffectivePriority(), seq: q.seq})
}

// heads lists the classes that have somebody waiting, best head first.
func (q *queue) heads() []*class {
	q.order = slices.DeleteFunc(q.order, func(c *class) bool {
		if len(c.items) == 0 {
			delete(q.classes, classKey(c.req))
			return true
		}
		return false
	})
	cs := slices.Clone(q.order)
	slices.SortStableFunc(cs, func(a, b *class) int { return a.items[0].compare(b.items[0]) })
	return cs
}

func (q *queue) hold(l *live, run int) hive.WaitReason { return q.holds().of(l, run) }

// holds are why the lines do not move. Those without labels, nearly all, are found without making their key's text.
type holds struct {
	queue *queue
	plain map[plainRequirement]hive.WaitReason
}

type plainRequirement struct{ group, handler, executor string }

func (q *queue) holds() holds {
	h := holds{queue: q, plain: map[plainRequirement]hive.WaitReason{}}
	for _, c := range q.order {
		if len(c.req.Labels) == 0 && len(c.items) > 0 {
			h.plain[plainRequirement{c.req.Group, c.req.Handler, c.req.Executor}] = c.hold
		}
	}
	return h
}

func (h holds) of(l *live, run int) hive.WaitReason {
	t, ok := l.task(run)
	if !ok {
		return hive.WaitNone
	}
	if len(t.Labels) == 0 {
		return h.plain[plainRequirement{t.EffectiveGroup(), t.Handler, t.Executor}]
	}
	if c := h.queue.classes[classKey(requirement(t))]; c != nil {
		return c.hold
	}
	return hive.WaitNone
}

type items []item

// compare orders by priority, the highest first, then by age, the oldest first.
func (it item) compare(other item) int {
	return cmp.Or(cmp.Compare(other.priority, it.priority), cmp.Compare(it.seq, other.seq))
}

func (h items) Len() int           { return len(h) }
func (h items) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }
func (h items) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *items) Push(x any)        { *h = append(*h, x.(item)) } //nolint:forcetypeassert // heap.Push is only called with items
func (h *items) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// timer rings for a run whose delay is over, or for a batch (run -1).
type timer struct {
	at   time.Time
	live *live // as it was loaded then
	run  int
}

// timers ring in order.
type timers struct{ heap timerHeap }

type timerHeap []timer

func (t timerHeap) Len() int           { return len(t) }
func (t timerHeap) Less(i, j int) bool { return t[i].at.Before(t[j].at) }
func (t timerHeap) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timerHeap) Push(x any)        { *t = append(*t, x.(timer)) } //nolint:forcetypeassert // heap.Push is only called with timers
func (t *timerHeap) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}

func (t *timers) push(x timer) { heap.Push(&t.heap, x) }

func (t *timers) pop(now time.Time) (timer, bool) {
	if len(t.heap) == 0 || t.heap[0].at.After(now) {
		return timer{}, false
	}
	return heap.Pop(&t.heap).(timer), true //nolint:forcetypeassert // only timers are pushed
}

func (t *timers) next() time.Time {
	if len(t.heap) == 0 {
		return time.Time{}
	}
	return t.heap[0].at
}

// idBlock hands out ids of a block that the store gave.
type idBlock struct{ next, end int64 }

func (b *idBlock) left() int64 { return b.end - b.next }

func (b *idBlock) take() int64 {
	id := b.next
	b.next++
	return id
}
