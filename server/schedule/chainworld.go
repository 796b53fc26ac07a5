package schedule

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// chainWorld holds the moments of a chain, and what each of them waits for.
type chainWorld struct {
	ask   ChainAsk
	ahead time.Time // the last moment that is projected
	links []*chainLink
	named map[string]*chainLink
	looks int  // moments that were looked at as needs
	cut   bool // something is left out
}

// chainLink is a member with its moments.
type chainLink struct {
	*ChainMember
	due     []time.Time // moments without a tick, oldest first
	nodes   []*chainNode
	byTime  map[int64]*chainNode
	batches map[int64]*hive.Batch
	waits   map[int64]*hive.Tick // by moment
	open    int                  // index of the first node that may still be live or undecided
}

// chainNode is one moment of a schedule.
type chainNode struct {
	link   *chainLink
	index  int // in link.nodes
	at     time.Time
	result hive.MomentResult
	batch  *hive.Batch // nil: none, or not known
	row    *hive.Tick  // of a waiting tick
	own    bool        // a trigger of the schedule gives the moment
	gate   *gate
	series series

	groups   []chainGroup
	expanded bool
	usual    struct {
		start, end time.Time
		known, set bool
	}
}

// chainGroup is what one moment waits for, of one schedule.
type chainGroup struct {
	schedule string
	nodes    []*chainNode
	any      bool // one success is enough
	each     bool // the moment follows these
	met      bool // of any
	missing  bool // there is no such schedule
	unread   bool // it is not known
}

// gatesBack is the time since which the needs of moments are found whose batches have ended.
const gatesBack = 8 * 24 * time.Hour

func newChainWorld(members []ChainMember, ask ChainAsk) *chainWorld {
	w := &chainWorld{ask: ask, named: map[string]*chainLink{}, ahead: later(ask.Now, ask.ResumeAt).Add(chainAhead)}
	for _, m := range byNeeds(members) {
		l := &chainLink{
			ChainMember: m, byTime: map[int64]*chainNode{}, batches: map[int64]*hive.Batch{},
			waits: map[int64]*hive.Tick{},
		}
		for i := range m.Batches {
			l.batches[m.Batches[i].ID] = &m.Batches[i]
		}
		for i := range m.Waiting {
			l.waits[m.Waiting[i].Moment.UnixMilli()] = &m.Waiting[i]
		}
		w.links = append(w.links, l)
		w.named[m.Schedule.Name] = l
	}
	return w
}

// find makes the nodes of all links, and finds what each waits for.
func (w *chainWorld) find() {
	for _, l := range w.links {
		if l.Missing {
			continue
		}
		w.findDue(l)
		w.makeNodes(l)
	}
	for _, over := range []bool{false, true} { // what is still to come must not suffer from a long past
		for _, l := range w.links {
			for _, n := range l.nodes {
				if n.over() == over {
					w.expand(n)
				}
			}
		}
	}
}

// findDue lists the moments of a link that have no tick yet.
func (w *chainWorld) findDue(l *chainLink) {
	if l.Times == nil || !l.Schedule.Active() {
		return
	}
	decided := map[int64]bool{}
	for i := range l.Results {
		decided[l.Results[i].Moment.UnixMilli()] = l.Results[i].Decision != ""
	}
	mark := l.Schedule.Mark
	if mark.IsZero() {
		mark = l.Schedule.CreatedAt
	}
	moments, more := l.Times.Due(mark, w.ahead, mostChainDue)
	w.cut = w.cut || more
	for _, m := range moments {
		l.due = append(l.due, m.At)
	}
	for _, g := range l.Times.follows {
		l.due = append(l.due, w.toFollow(l, g)...)
	}
	l.due = slices.DeleteFunc(l.due, func(at time.Time) bool { return decided[at.UnixMilli()] })
	slices.SortFunc(l.due, time.Time.Compare)
	l.due = slices.CompactFunc(l.due, time.Time.Equal)
	if len(l.due) > mostChainDue {
		l.due, w.cut = l.due[:mostChainDue], true
	}
}

// toFollow lists the moments that a trigger will take from its upstreams, whose nodes are known already.
func (w *chainWorld) toFollow(l *chainLink, g *gate) []time.Time {
	if g.joins() {
		return w.toJoin(l, g)
	}
	var out []time.Time
	for i := range g.after {
		up := w.named[g.after[i].schedule]
		if up == nil || up.Missing || !up.Schedule.Active() {
			continue
		}
		for _, n := range up.nodes {
			if n.expected() && n.at.After(l.Published) {
				out = append(out, g.momentOf(n.at))
			}
		}
	}
	return out
}

// toJoin returns the next moment of a trigger that takes the latest moment of several upstreams, as far as it is known
// now: the latest of the first moments after its last one.
func (w *chainWorld) toJoin(l *chainLink, g *gate) []time.Time {
	last := later(l.Last[g.trigger], l.Published)
	var at time.Time
	for i := range g.after {
		up := w.named[g.after[i].schedule]
		if up == nil || up.Missing {
			return nil
		}
		if !up.Schedule.Active() {
			continue
		}
		nodes := joinable(up, last)
		if len(nodes) == 0 {
			return nil
		}
		at = later(at, nodes[0].at)
	}
	if at.IsZero() {
		return nil
	}
	return []time.Time{at}
}

// joinable lists the moments of an upstream that a join can take: the newest success after its last moment, or those
// that may become one.
func joinable(up *chainLink, last time.Time) []*chainNode {
	var out []*chainNode
	for _, n := range up.nodes {
		if !n.at.After(last) || !n.expected() {
			continue
		}
		if n.succeeded() {
			out = []*chainNode{n}
		} else if len(out) == 0 || !out[0].succeeded() {
			out = append(out, n)
		}
	}
	return out
}

func (w *chainWorld) makeNodes(l *chainLink) {
	add := func(r hive.MomentResult) {
		if l.byTime[r.Moment.UnixMilli()] != nil {
			return
		}
		n := &chainNode{link: l, at: r.Moment, result: r, batch: l.batches[r.Batch]}
		if n.row = l.waits[r.Moment.UnixMilli()]; n.row != nil && r.Batch == 0 {
			n.result.Decision = hive.DecisionWaiting
		} else {
			n.row = nil
		}
		l.byTime[r.Moment.UnixMilli()] = n
		l.nodes = append(l.nodes, n)
	}
	for i := range l.Results {
		if r := l.Results[i]; r.Expected() || r.Batch != 0 {
			add(r)
		}
	}
	for i := range l.Waiting {
		add(hive.MomentResult{Moment: l.Waiting[i].Moment, Decision: hive.DecisionWaiting})
	}
	for _, at := range l.due {
		add(hive.MomentResult{Moment: at})
	}
	slices.SortFunc(l.nodes, func(a, b *chainNode) int { return a.at.Compare(b.at) })
	l.open = len(l.nodes)
	for i, n := range l.nodes {
		n.index = i
		if !n.over() {
			l.open = min(l.open, i)
		}
		if !n.over() || n.at.After(w.ask.Now.Add(-gatesBack)) {
			n.findGate()
		}
	}
}

// findGate finds the trigger that gives the moment.
func (n *chainNode) findGate() {
	if n.link.Times == nil || n.result.Batch != 0 && n.result.Decision == "" {
		return // by hand
	}
	for _, e := range n.link.Times.entries {
		if (!n.own || n.row != nil && e.trigger == n.row.Trigger) && isMoment(e.series, n.at) {
			n.own, n.gate, n.series = true, e.gate, e.series
		}
	}
	for _, g := range n.link.Times.follows {
		if !n.own && n.gate == nil && g.gives(n.at) || n.row != nil && g.trigger == n.row.Trigger {
			n.own, n.gate, n.series = false, g, nil
		}
	}
}

func (n *chainNode) succeeded() bool {
	return n.result.Batch != 0 && n.result.State == hive.BatchSucceeded
}

// expected reports whether the moment has a tick that was to make a batch, or may still get one.
func (n *chainNode) expected() bool {
	return n.result.Expected() || n.result.Decision == "" && n.result.Batch == 0
}

// over reports whether the moment has a batch that has ended.
func (n *chainNode) over() bool {
	return n.result.Batch != 0 && n.result.State != hive.BatchRunning && n.result.State != hive.BatchQueued
}

// undecided reports whether the moment has no batch yet.
func (n *chainNode) undecided() bool { return n.result.Batch == 0 }

// failed reports whether the latest batch of the moment has failed or was canceled, so that a resume may repair it.
func (n *chainNode) failed() bool {
	return n.result.Batch != 0 && (n.result.State == hive.BatchFailed || n.result.State == hive.BatchCanceled)
}

func (n *chainNode) released() bool { return n.row != nil && n.row.Wait.Released.By != "" }

// expand finds what a moment waits for.
func (w *chainWorld) expand(n *chainNode) {
	if n.expanded || n.gate == nil {
		return
	}
	n.expanded = true
	var before time.Time
	for i := range n.gate.after {
		u := &n.gate.after[i]
		if u.window == nil && n.series != nil && before.IsZero() {
			before = momentBefore(n.series, n.at)
		}
		if g, ok := w.group(n, u, before); ok {
			n.groups = append(n.groups, g)
		}
	}
	if own := n.before(); n.gate.serial && own != nil {
		n.groups = append(n.groups, chainGroup{schedule: n.link.Schedule.Name, nodes: []*chainNode{own}})
	}
}

// before returns the moment of the schedule before this one that was to make a batch; nil if there is none.
func (n *chainNode) before() *chainNode {
	for i := n.index - 1; i >= 0; i-- {
		if n.link.nodes[i].expected() {
			return n.link.nodes[i]
		}
	}
	return nil
}

// group finds the moments of one upstream that a moment waits for; false if it does not wait for that one.
func (w *chainWorld) group(n *chainNode, u *upstream, before time.Time) (chainGroup, bool) {
	g := chainGroup{schedule: u.schedule, any: u.policy.name == hive.PolicyAny, each: n.gate.each()}
	up := w.named[u.schedule]
	switch {
	case up == nil || w.looks > mostNeeds:
		w.cut = w.cut || up != nil
		g.unread = up != nil || w.ask.Unread[u.schedule]
		g.missing = !g.unread
		return g, true
	case up.Missing:
		g.missing = true
		return g, true
	case !up.Schedule.Active():
		return g, false
	case n.gate.joins():
		g.nodes = joinable(up, later(n.link.Last[n.gate.trigger], n.link.Published))
		g.any = true
		if !n.undecided() {
			g.nodes = up.within(span{n.at.Add(-longestWindow), n.at})
		}
	default:
		g.nodes = up.within(n.gate.span(u, n.at, before))
	}
	w.looks += len(g.nodes)
	if g.any {
		for _, one := range slices.Backward(g.nodes) {
			if one.succeeded() {
				g.nodes, g.met = []*chainNode{one}, true
				break
			}
		}
		return g, true
	}
	g.nodes = slices.DeleteFunc(g.nodes, func(one *chainNode) bool { return !one.expected() })
	g.nodes = pick(u.policy, g.nodes)
	return g, true
}

// within lists the moments of a link in a span. The list may be changed.
func (l *chainLink) within(in span) []*chainNode {
	from, _ := slices.BinarySearchFunc(l.nodes, in.after, func(n *chainNode, at time.Time) int {
		if n.at.After(at) {
			return 1
		}
		return -1
	})
	to := from
	for to < len(l.nodes) && in.holds(l.nodes[to].at) {
		to++
	}
	return slices.Clone(l.nodes[from:to])
}
