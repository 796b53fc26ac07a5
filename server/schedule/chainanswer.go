package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// chainAnswer makes the answer of a projection.
type chainAnswer struct {
	w       *chainWorld
	shown   *projection // what was asked for
	stands  *projection // nobody resumes anything
	now     *projection // everything is resumed now
	present map[*chainNode]bool
}

func (a *chainAnswer) make() hive.Chain {
	a.choose()
	out := hive.Chain{Schedule: a.w.ask.Subject, Now: a.w.ask.Now, ResumeAt: a.w.ask.ResumeAt}
	out.From, out.Until = a.frame()
	for _, l := range a.w.links {
		out.Links = append(out.Links, a.link(l, out.From, out.Until))
		for _, n := range l.nodes {
			if a.present[n] {
				out.Edges = append(out.Edges, a.edges(n)...)
			}
		}
	}
	out.Failures, out.Cut = a.failures(), a.w.cut
	return out
}

// choose finds the present moments of the chain: what waits, lives or has failed, what waits for these and what they
// wait for; of the other ends of the chain, the last or the next moment.
func (a *chainAnswer) choose() {
	a.present = map[*chainNode]bool{}
	var seeds []*chainNode
	for _, l := range a.w.links {
		if n := l.pressing(); n != nil {
			seeds = append(seeds, n)
		}
	}
	next := map[*chainNode]bool{}
	for _, n := range seeds {
		a.present[n], next[n] = true, true
	}
	for len(next) > 0 {
		next = a.dependants(next)
	}
	for _, l := range slices.Backward(a.w.links) {
		for _, n := range l.nodes {
			if a.present[n] {
				a.addNeeds(n)
			}
		}
		if !slices.ContainsFunc(l.nodes, func(n *chainNode) bool { return a.present[n] }) {
			if n := l.nearest(a.w.ask.Now); n != nil {
				a.addNeeds(n)
			}
		}
	}
}

// pressing returns the first moment of a schedule that waits or lives, or else the last one if it has failed.
func (l *chainLink) pressing() *chainNode {
	var last *chainNode
	for _, n := range l.nodes {
		if n.row != nil || !n.undecided() && !n.over() {
			return n
		}
		if n.over() {
			last = n
		}
	}
	if last != nil && last.failed() {
		return last
	}
	return nil
}

// nearest returns the last moment of a schedule with a batch, or its next one: the one that is nearer to now.
func (l *chainLink) nearest(now time.Time) *chainNode {
	var last, next *chainNode
	for _, n := range l.nodes {
		if n.over() {
			last = n
		} else if next == nil {
			next = n
		}
	}
	switch {
	case last == nil:
		return next
	case next == nil:
		return last
	}
	ended := last.at
	if last.batch != nil {
		ended = later(ended, last.batch.FinishedAt)
	}
	if next.at.Sub(now) < now.Sub(ended) {
		return next
	}
	return last
}

// dependants adds, of each schedule, the first moment that waits for one of the given ones. It returns what is new.
func (a *chainAnswer) dependants(of map[*chainNode]bool) map[*chainNode]bool {
	added := map[*chainNode]bool{}
	for _, l := range a.w.links {
		for _, n := range l.nodes {
			if n.over() || !slices.ContainsFunc(n.groups, func(g chainGroup) bool {
				return g.schedule != l.Schedule.Name &&
					slices.ContainsFunc(g.nodes, func(one *chainNode) bool { return of[one] })
			}) {
				continue
			}
			if !a.present[n] {
				a.present[n], added[n] = true, true
			}
			break
		}
	}
	return added
}

func (a *chainAnswer) addNeeds(n *chainNode) {
	a.present[n] = true
	for i := range n.groups {
		for _, one := range n.groups[i].nodes {
			if !a.present[one] && !one.at.Before(a.w.ask.Now.Add(-gatesBack)) {
				a.addNeeds(one)
			}
		}
	}
}

// frame returns the time in which the present moments lie, with some room.
func (a *chainAnswer) frame() (from, until time.Time) {
	now := a.w.ask.Now
	from, until = now.Add(-10*time.Minute), later(now, a.w.ask.ResumeAt).Add(30*time.Minute)
	for n := range a.present {
		b := a.bar(n)
		for _, t := range []time.Time{b.begin(), b.UsualStart} {
			from = earlier(from, t)
		}
		for _, t := range []time.Time{b.begin(), b.EndsAt, b.FinishedAt, b.UsualEnd} {
			until = later(until, t)
		}
		if b.MayBeginUntil.Before(now.Add(chainAhead)) {
			until = later(until, b.MayBeginUntil)
		}
	}
	from = later(from, now.Add(-gatesBack))
	room := until.Sub(from) / 20
	return from.Add(-room).Truncate(time.Second), until.Add(room).Truncate(time.Second)
}

// chainBar is a bar under construction.
type chainBar struct{ hive.ChainBar }

// begin returns where the bar begins.
func (b *chainBar) begin() time.Time {
	switch {
	case !b.StartedAt.IsZero():
		return b.StartedAt
	case !b.StartsAt.IsZero():
		return b.StartsAt
	case b.Own || b.UsualStart.IsZero():
		return b.Moment
	default:
		return b.UsualStart
	}
}

func (a *chainAnswer) bar(n *chainNode) chainBar {
	f := a.shown.of(n)
	b := chainBar{hive.ChainBar{
		Moment: n.at, Own: n.own, Present: a.present[n], Waiting: n.row != nil, Batch: n.result.Batch,
		State: n.result.State, Outcome: f.outcome, Saved: n.undecided() && a.now.of(n).saved,
	}}
	if n.batch != nil {
		b.Paused = n.batch.Live && n.batch.Wish == hive.WishPause
		b.Counts, b.StartedAt, b.FinishedAt = n.batch.Counts, n.batch.StartedAt, n.batch.FinishedAt
	}
	if start, end, known := n.usualOf(); known {
		b.UsualStart, b.UsualEnd = start, end
	}
	switch f.outcome {
	case hive.ChainExpected, hive.ChainResumed:
		b.StartsAt, b.EndsAt = f.start, f.end
	case hive.ChainRunning, hive.ChainExpired, hive.ChainLeftOut:
		b.EndsAt = f.end
	default: // it has ended, or nothing is expected
	}
	if !n.undecided() {
		return b
	}
	if f.outcome == hive.ChainExpected {
		if late := f.start.Sub(n.at); n.own && late >= lateFrom {
			b.Late = late
		}
		if delay := f.start.Sub(b.UsualStart); !b.UsualStart.IsZero() && delay >= lateFrom {
			b.Delay = delay
		}
	}
	b.MayBeginUntil = n.expires()
	a.limits(n, &b)
	return b
}

// limits adds until when a resume still helps a moment.
func (a *chainAnswer) limits(n *chainNode, b *chainBar) {
	path := a.now.of(n).path
	if !path.known {
		return
	}
	if n.own {
		b.InTimeUntil = earlier(n.at.Add(-path.takes), path.limit)
	}
	if !b.MayBeginUntil.IsZero() {
		b.BeginsUntil = earlier(b.MayBeginUntil.Add(-path.takes), path.limit)
	}
}

// link makes the row of a schedule, with the bars in a time.
func (a *chainAnswer) link(l *chainLink, from, until time.Time) hive.ChainLink {
	out := hive.ChainLink{
		Schedule: l.Schedule.Name, Title: l.Title, Place: l.Place, Missing: l.Missing, Enabled: l.Schedule.Enabled,
		Timezone: l.Timezone, Triggers: l.Triggers, Expire: l.Policy.Expire.Std(), Usual: l.Usual,
		UsualKnown: l.UsualKnown, Archived: l.Schedule.Archived(),
	}
	if l.Times != nil && l.Schedule.Active() {
		if m, ok := l.Times.Next(a.w.ask.Now); ok {
			out.NextAt = m.At
		}
	}
	var bars []chainBar
	for _, n := range l.nodes {
		if b := a.bar(n); b.Present || !b.begin().Before(from) && !b.begin().After(until) {
			bars = append(bars, b)
		}
	}
	if out.More = len(bars) - mostBars; out.More > 0 {
		bars = a.nearestBars(bars)
	}
	out.More = max(out.More, 0)
	for i := range bars {
		out.Bars = append(out.Bars, bars[i].ChainBar)
	}
	return out
}

// nearestBars keeps the present bars that are nearest to now, and then others.
func (a *chainAnswer) nearestBars(bars []chainBar) []chainBar {
	slices.SortStableFunc(bars, func(x, y chainBar) int {
		if x.Present != y.Present {
			if x.Present {
				return -1
			}
			return 1
		}
		return cmp.Compare(x.begin().Sub(a.w.ask.Now).Abs(), y.begin().Sub(a.w.ask.Now).Abs())
	})
	bars = bars[:mostBars]
	slices.SortFunc(bars, func(x, y chainBar) int { return x.Moment.Compare(y.Moment) })
	return bars
}

// edges makes the edges to one moment, one for each schedule that it waits for.
func (a *chainAnswer) edges(n *chainNode) []hive.ChainEdge {
	out := make([]hive.ChainEdge, 0, len(n.groups))
	var decides *hive.ChainEdge
	var latest time.Time
	for i := range n.groups {
		g := &n.groups[i]
		e := hive.ChainEdge{
			From: g.schedule, To: n.link.Schedule.Name, ToMoment: n.at, Needed: len(g.nodes), Any: g.any,
			Missing: g.missing,
		}
		if g.any {
			e.Needed = 1
		}
		for _, one := range g.nodes {
			if one.succeeded() {
				e.Met++
			}
		}
		e.Met = min(e.Met, e.Needed)
		out = append(out, e)
		last, end := a.lastOf(n, g)
		if last == nil {
			continue
		}
		out[i].FromMoment = last.at
		if decides == nil || end.After(latest) {
			decides, latest = &out[i], end
		}
	}
	if decides != nil {
		decides.Decides = true
	}
	return out
}

// lastOf returns the moment of a group that its dependant waits for last, and its end; nil if the group has none.
func (a *chainAnswer) lastOf(n *chainNode, g *chainGroup) (last *chainNode, end time.Time) {
	decides := a.shown.of(n).decides
	for _, one := range g.nodes {
		if one == decides {
			return one, orLast(time.Time{}).Add(time.Hour) // before all others
		}
		at := orLast(a.shown.of(one).end)
		if !a.shown.of(one).succeeds() {
			at = orLast(time.Time{})
		}
		if last == nil || !at.Before(end) {
			last, end = one, at
		}
	}
	return last, end
}

// failures lists the failed batches that present moments wait for, and the last batch of the subject if it has failed.
func (a *chainAnswer) failures() []hive.ChainFault {
	held := map[*chainNode]map[string]bool{}
	for n := range a.present {
		if n.failed() && n.link.Place == hive.ChainSubject && n == n.link.pressing() && held[n] == nil {
			held[n] = map[string]bool{}
		}
		if !n.undecided() {
			continue
		}
		for root := range a.roots(n, map[*chainNode]bool{}) {
			if held[root] == nil {
				held[root] = map[string]bool{}
			}
			held[root][n.link.Schedule.Name] = true
		}
	}
	out := make([]hive.ChainFault, 0, len(held))
	for n, names := range held {
		out = append(out, a.failure(n, names))
	}
	slices.SortFunc(out, func(x, y hive.ChainFault) int {
		return cmp.Or(x.Moment.Compare(y.Moment), cmp.Compare(x.Batch, y.Batch))
	})
	return out
}

// failure describes one failed batch. names are the schedules that wait for it.
func (a *chainAnswer) failure(n *chainNode, names map[string]bool) hive.ChainFault {
	f := hive.ChainFault{
		Schedule: n.link.Schedule.Name, Moment: n.at, Batch: n.result.Batch, State: n.result.State,
	}
	f.Tasks, f.Of = n.tasksLeft()
	f.Takes, _ = n.timeLeft()
	for _, l := range a.w.links {
		if names[l.Schedule.Name] {
			f.Holds = append(f.Holds, l.Schedule.Name)
		}
	}
	return f
}

// roots finds the failed batches that a moment waits for, directly or not.
func (a *chainAnswer) roots(n *chainNode, seen map[*chainNode]bool) map[*chainNode]bool {
	out := map[*chainNode]bool{}
	var walk func(n *chainNode)
	walk = func(n *chainNode) {
		if seen[n] || n.released() {
			return
		}
		seen[n] = true
		for i := range n.groups {
			g := &n.groups[i]
			if g.met || g.any && a.stands.of(n).outcome == hive.ChainExpected {
				continue
			}
			for _, one := range g.nodes {
				switch {
				case one.failed():
					out[one] = true
				case one.undecided():
					walk(one)
				}
			}
		}
	}
	walk(n)
	return out
}
