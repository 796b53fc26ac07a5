package owner

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/rprp/hivego/server/hive"
)

// routeKey is the key of a run by which consistent_hash chooses. It is empty for other routes.
type routeKey struct {
	source string // the task's routeKey
	text   string // cut, because thousands of runs may wait
	bucket int
	err    error // why it cannot be evaluated
}

// routeOf returns the effective route of a task.
func (o *Owner) routeOf(l *liveBatch, t *hive.Task) hive.RouteSetting {
	return hive.EffectiveRoute(t.Route, l.machine.Graph().Def.Policy.Route, o.groupRoutes[t.EffectiveGroup()])
}

// keyOf evaluates the key of a run. Without routeKey, the key is schedule and task, and the index of a shard.
func (o *Owner) keyOf(l *liveBatch, t *hive.Task, route hive.RouteSetting, run int) routeKey {
	k := routeKey{source: t.RouteKey}
	if route.Route != hive.RouteConsistentHash || l.machine.Unsplit(run) {
		return k
	}
	text, part := l.machine.Graph().Def.Name+"/"+t.Key, l.part(run)
	if part != nil {
		text += "/" + strconv.Itoa(part.Index)
	}
	if t.RouteKey != "" {
		text, k.err = o.programs.Text(t.RouteKey, l.expressions.environmentOf(l.machine.Env(), part))
	}
	k.text, k.bucket = hive.Clean(text, hive.MaxRouteKey), hive.RouteBucket(text)
	return k
}

// SetGroupRoutes sets the routes of groups of executors, by their names. Runs that wait move to the queue of their new
// route, and keep their order.
func (o *Owner) SetGroupRoutes(routes map[string]hive.Route) {
	if maps.Equal(routes, o.groupRoutes) {
		return
	}
	o.groupRoutes = maps.Clone(routes)
	o.requeue()
}

// requeue moves the runs that wait to the queues of their present requirement.
func (o *Owner) requeue() {
	var all []*item
	for _, l := range o.live {
		all = slices.AppendSeq(all, maps.Values(l.queued))
	}
	slices.SortFunc(all, func(a, b *item) int { return cmp.Compare(a.seq, b.seq) })
	for _, it := range all {
		t, ok := it.batch.task(it.run)
		if !ok {
			continue
		}
		route := o.routeOf(it.batch, t)
		if _, scope := o.limitsOf(it.batch, t); it.queue.serves(t, route, scope) {
			continue
		}
		it.batch.leaveQueue(it.run)
		it.key = o.keyOf(it.batch, t, route, it.run)
		o.add(it, t, route)
	}
}
