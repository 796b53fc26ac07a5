package owner

import (
	"maps"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// limits are the limits on what runs, and what counts for them. Attempts of the batches in memory are counted there;
// the store tells about all others: those of other servers, and of batches that are not loaded.
type limits struct {
	awaited    bool // they were not read yet in this session: nothing is offered
	outdated   bool // a commit was refused: what a limit concerns is not offered until they are read again
	refusals   int  // how many commits were refused because of a limit
	active     map[hive.LimitKey]*hive.ActiveLimit
	bySchedule map[int64][]hive.LimitKey // limits of schedules and of their tags
	others     []hive.HeldSlots
	groups     map[string]string // of executors by id, if there is a limit of a group

	used     map[hive.LimitKey]int  // during DispatchReady, once a head needs it
	reserved map[hive.LimitKey]bool // during one walk over the heads: an earlier head needs more slots than are free
}

// AwaitLimits holds all offers back until SetLimits.
func (o *Owner) AwaitLimits() { o.limits.awaited = true }

// SetLimits sets all limits, and what the store counts for them. Runs that wait move to the queues of their new limits,
// and keep their order.
func (o *Owner) SetLimits(s hive.LimitState) {
	x := &o.limits
	before := slices.SortedFunc(maps.Keys(x.active), hive.LimitKey.Compare)
	schedules := x.bySchedule
	*x = limits{
		active:     make(map[hive.LimitKey]*hive.ActiveLimit, len(s.Limits)),
		bySchedule: map[int64][]hive.LimitKey{},
		groups:     s.Groups,
		refusals:   x.refusals,
	}
	for i := range s.Limits {
		l := &s.Limits[i]
		x.active[l.LimitKey] = l
		for _, id := range l.Schedules {
			x.bySchedule[id] = append(x.bySchedule[id], l.LimitKey)
		}
	}
	for _, h := range s.Held {
		if o.live[h.Batch] == nil {
			x.others = append(x.others, h)
		}
	}
	if !slices.Equal(before, slices.SortedFunc(maps.Keys(x.active), hive.LimitKey.Compare)) ||
		!maps.EqualFunc(schedules, x.bySchedule, slices.Equal) {
		o.requeue()
	}
}

// LimitsOutdated reports whether a commit was refused because of a limit, and SetLimits was not called since.
func (o *Owner) LimitsOutdated() bool { return o.limits.outdated }

// LimitRefusals returns how many commits were refused because of a limit. Limits that were read before the last refusal
// may not know of it.
func (o *Owner) LimitRefusals() int { return o.limits.refusals }

// WaitsForLimit reports whether a run waits for a limit or a pool.
func (o *Owner) WaitsForLimit() bool {
	return slices.ContainsFunc(o.queues.order, func(q *readyQueue) bool {
		return q.items.Len() > 0 && (q.wait == hive.WaitLimit || q.wait == hive.WaitPool)
	})
}

// limitsOf lists the limits that may concern a queue of a task, and their text for the key of the queue.
func (o *Owner) limitsOf(l *liveBatch, t *hive.Task) (keys []hive.LimitKey, text string) {
	x := &o.limits
	for _, k := range []hive.LimitKey{{Kind: hive.LimitServer}, {Kind: hive.LimitGroup, Name: t.EffectiveGroup()}} {
		if x.active[k] != nil {
			keys = append(keys, k)
		}
	}
	keys = append(keys, x.bySchedule[l.machine.Batch().ScheduleID]...)
	if t.Pool.Name != "" {
		keys = append(keys, hive.LimitKey{Kind: hive.LimitPool, Name: t.Pool.Name})
	}
	if len(keys) == 0 {
		return nil, ""
	}
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(k.String())
		b.WriteByte('\n')
	}
	return keys, b.String()
}

// groupOf returns the group for which an attempt counts: that of its executor, as in the guard of a commit. An executor
// that came since the limits were read is in the group of the task, because only such an executor can take it.
func (x *limits) groupOf(a *hive.Attempt, t *hive.Task) string {
	if group, known := x.groups[a.Executor]; known {
		return group
	}
	return t.EffectiveGroup()
}

// count counts what holds the limits now.
func (x *limits) count(live map[int64]*liveBatch) {
	x.used = make(map[hive.LimitKey]int, len(x.active))
	add := func(h *hive.HeldSlots) {
		x.used[hive.LimitKey{Kind: hive.LimitServer}] += h.Attempts
		x.used[hive.LimitKey{Kind: hive.LimitGroup, Name: h.Group}] += h.Attempts
		for _, k := range x.bySchedule[h.Schedule] {
			x.used[k] += h.Attempts
		}
		if h.Pool != "" {
			x.used[hive.LimitKey{Kind: hive.LimitPool, Name: h.Pool}] += h.Slots
		}
	}
	for i := range x.others {
		if h := &x.others[i]; live[h.Batch] == nil {
			add(h)
		}
	}
	for _, l := range live {
		schedule := l.machine.Batch().ScheduleID
		l.machine.EachOpen(func(a *hive.Attempt, t *hive.Task) {
			add(&hive.HeldSlots{
				Batch: l.id, Schedule: schedule, Group: x.groupOf(a, t), Pool: a.Pool, Attempts: 1, Slots: a.Slots,
			})
		})
	}
}

// wants returns how much of a limit one run of a queue takes.
func (c *readyQueue) wants(k hive.LimitKey) int {
	if k.Kind == hive.LimitPool {
		return c.slots
	}
	return 1
}

// limited returns the limit that keeps the head of a queue waiting, and why; WaitNone if there is none.
func (o *Owner) limited(q *readyQueue) (hive.WaitReason, hive.LimitKey) {
	x := &o.limits
	if len(q.limits) > 0 && x.outdated {
		return waitFor(q.limits[0]), q.limits[0]
	}
	if len(q.limits) > 0 && x.used == nil {
		x.count(o.live)
	}
	for _, k := range q.limits {
		l := x.active[k]
		if l == nil && k.Kind == hive.LimitPool { // there is no such pool
			return hive.WaitPool, k
		}
		if l == nil {
			continue
		}
		wants, free := q.wants(k), l.Most-x.used[k]
		if wants > free || x.reserved[k] {
			if wants <= l.Most && free > 0 && !x.reserved[k] {
				o.reserve(q, o.chooser.Pick(q.req).Wait)
			}
			return waitFor(k), k
		}
	}
	return hive.WaitNone, hive.LimitKey{}
}

// reserve keeps the free slots of a pool for the head of a queue that needs several, and cannot start now. Otherwise
// later runs with fewer slots would take them again and again. wait is what the fleet says of the head. While all its
// executors are busy, it reserves too: they may be busy whenever slots are free. It does not if no executor could take
// it.
func (o *Owner) reserve(q *readyQueue, wait hive.WaitReason) {
	if q.slots > 1 && (wait == hive.WaitNone || wait == hive.WaitBusy) {
		o.limits.reserved[q.limits[len(q.limits)-1]] = true
	}
}

func waitFor(k hive.LimitKey) hive.WaitReason {
	if k.Kind == hive.LimitPool {
		return hive.WaitPool
	}
	return hive.WaitLimit
}

// take counts an offer of a queue, and notes its limits for the guard of the commit.
func (o *Owner) take(q *readyQueue, p *changeSet) {
	for _, k := range q.limits {
		if o.limits.used != nil {
			o.limits.used[k] += q.wants(k)
		}
		if p.limits == nil {
			p.limits = map[hive.LimitKey]bool{}
		}
		p.limits[k] = true
	}
}

// guards returns the guards of a group: the limits that its offers count for.
func (o *Owner) guards(parts []*changeSet) []hive.LimitGuard {
	batches := map[hive.LimitKey][]int64{}
	for _, p := range parts {
		for k := range p.limits {
			batches[k] = append(batches[k], p.batch.id)
		}
	}
	out := make([]hive.LimitGuard, 0, len(batches))
	for _, k := range slices.SortedFunc(maps.Keys(batches), hive.LimitKey.Compare) {
		g := hive.LimitGuard{LimitKey: k, Batches: batches[k]}
		slices.Sort(g.Batches)
		if l := o.limits.active[k]; l != nil {
			g.Schedules = l.Schedules
		} else if k.Kind != hive.LimitPool {
			continue // it was removed meanwhile
		}
		out = append(out, g)
	}
	return out
}
