package schedule

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// lateFrom is the delay from which a moment counts as late.
const lateFrom = time.Minute

// fate is what is expected of one moment.
type fate struct {
	outcome    hive.ChainOutcome
	start, end time.Time  // zero: none, or not known
	decides    *chainNode // what it waits for last; of a held moment, what holds it
	saved      bool       // it depends on failed batches that a resume may repair
	path       chainPath  // from the resume to the begin of the moment; known if it is resumed or depends on that
}

// chainPath is the longest way from a resume to a moment.
type chainPath struct {
	known bool
	takes time.Duration
	limit time.Time // the last resume with which no moment on the way expires; zero: any
}

// projection is the fates of all moments under one assumption.
type projection struct {
	w      *chainWorld
	now    time.Time
	resume time.Time // of the failed batches; zero: never
	fates  map[*chainNode]*fate
}

func newProjection(w *chainWorld, resume time.Time) *projection {
	return &projection{w: w, now: w.ask.Now, resume: resume, fates: map[*chainNode]*fate{}}
}

// of returns the fate of a moment.
func (p *projection) of(n *chainNode) *fate {
	if f := p.fates[n]; f != nil {
		return f
	}
	p.fates[n] = &fate{outcome: hive.ChainUnknown} // for circles, which two edits at the same time can make
	var f fate
	if n.undecided() {
		f = p.coming(n)
	} else {
		f = p.begun(n)
	}
	p.fates[n] = &f
	return p.fates[n]
}

// begun projects a moment that has a batch.
func (p *projection) begun(n *chainNode) fate {
	b := n.batch
	switch {
	case n.succeeded():
		f := fate{outcome: hive.ChainSucceeded, end: n.at}
		if b != nil {
			f.start, f.end = b.StartedAt, b.FinishedAt
		}
		return f
	case n.failed():
		return p.failed(n)
	case b == nil || b.Wish == hive.WishPause:
		return fate{outcome: hive.ChainHeld}
	case n.result.State == hive.BatchQueued:
		f := fate{outcome: hive.ChainExpected, start: p.now}
		if b.Reason == hive.ReasonQueued {
			p.inOrder(n, &f)
		}
		p.finish(n, &f)
		return f
	}
	f := fate{outcome: hive.ChainRunning, start: b.StartedAt}
	if left, known := n.timeLeft(); known && b.Round > 1 {
		f.end = p.now.Add(left)
	} else if known {
		f.end = later(p.now, b.RoundAt.Add(n.link.Usual+b.PausedFor))
	}
	return f
}

// failed projects a moment whose batch has failed or was canceled.
func (p *projection) failed(n *chainNode) fate {
	f := fate{outcome: hive.ChainFailed, saved: true}
	if p.resume.IsZero() {
		return f
	}
	f.outcome, f.start = hive.ChainResumed, p.resume
	if left, known := n.timeLeft(); known {
		f.end = p.resume.Add(left)
		f.path = chainPath{known: true, takes: left - n.link.Usual} // so that path and usual duration make the end
	}
	return f
}

// timeLeft estimates how long the rest of a batch takes: the share of its tasks that have not succeeded.
func (n *chainNode) timeLeft() (time.Duration, bool) {
	if !n.link.UsualKnown {
		return 0, false
	}
	tasks, of := n.tasksLeft()
	if of == 0 {
		return n.link.Usual, true
	}
	return time.Duration(float64(n.link.Usual) * float64(tasks) / float64(of)).Round(time.Second), true
}

// tasksLeft counts the runs of a batch that have not succeeded; 0 of 0 if that is not known.
func (n *chainNode) tasksLeft() (tasks, of int) {
	if n.batch == nil {
		return 0, 0
	}
	for state, count := range n.batch.Counts {
		of += count
		if state != hive.RunSucceeded && state != hive.RunIgnored {
			tasks += count
		}
	}
	return tasks, of
}

// coming projects a moment that has no batch.
func (p *projection) coming(n *chainNode) fate {
	l := n.link
	most := l.Policy.MaxBatches
	switch {
	case n.result.Decision == hive.DecisionFired || n.result.Decision == hive.DecisionQueued:
		return fate{outcome: hive.ChainHeld} // its batch was deleted
	case n.leftOutByPerson(), !l.Schedule.Active(), most > 0 && l.Schedule.Counted >= most:
		return fate{outcome: hive.ChainLeftOut, end: later(p.now, n.at)}
	}
	f := fate{outcome: hive.ChainExpected, start: later(p.now, n.begins())}
	switch {
	case n.released():
	case n.changedBy(hive.ChangeHold, rulePlannedHold):
		f.outcome = hive.ChainHeld
	default:
		for i := range n.groups {
			p.needs(&n.groups[i], &f)
		}
	}
	expires := n.expires()
	switch f.outcome {
	case hive.ChainHeld:
		f.path = chainPath{}
		if !expires.IsZero() {
			f.outcome, f.end = hive.ChainExpired, later(p.now, expires)
		}
		return f
	case hive.ChainExpected:
	default:
		f.path = chainPath{}
		return f
	}
	p.inOrder(n, &f)
	p.finish(n, &f)
	if f.outcome == hive.ChainExpected && !expires.IsZero() && f.start.After(expires) {
		f.outcome, f.start, f.end = hive.ChainExpired, time.Time{}, later(p.now, expires)
	}
	return f
}

// expires returns the last time at which a moment may begin; zero if it never expires.
func (n *chainNode) expires() time.Time {
	if n.link.Policy.Expire == 0 {
		return time.Time{}
	}
	return n.at.Add(n.link.Policy.Expire.Std())
}

// finish adds the end of a batch that begins at f.start.
func (p *projection) finish(n *chainNode, f *fate) {
	if f.outcome == hive.ChainExpected && n.link.UsualKnown {
		f.end = f.start.Add(n.link.Usual)
	}
}

// worse notes that a moment cannot begin, or that it is not known when. What is held is worse than what is not known.
func (f *fate) worse(outcome hive.ChainOutcome, by *chainNode) {
	if f.outcome == hive.ChainExpected || f.outcome == hive.ChainUnknown && outcome == hive.ChainHeld {
		f.outcome, f.decides, f.start = outcome, by, time.Time{}
	}
}

// needs lets a moment wait for one of its groups.
func (p *projection) needs(g *chainGroup, f *fate) {
	switch {
	case f.outcome == hive.ChainLeftOut:
	case g.missing:
		f.worse(hive.ChainHeld, nil)
	case g.unread:
		f.worse(hive.ChainUnknown, nil)
	case g.any:
		p.needsOne(g, f)
	case g.each && len(g.nodes) == 0:
		*f = fate{outcome: hive.ChainLeftOut, end: p.now}
	default:
		for _, n := range g.nodes {
			p.need(n, g.each, f)
		}
	}
}

// needsOne lets a moment wait for the first success of several.
func (p *projection) needsOne(g *chainGroup, f *fate) {
	var best *chainNode
	unknown := false
	for _, n := range g.nodes {
		o := p.of(n)
		f.saved = f.saved || o.saved && !g.met
		switch {
		case !o.succeeds():
			unknown = unknown || o.outcome == hive.ChainUnknown
		case o.end.IsZero():
			unknown = true
		case best == nil || o.end.Before(p.of(best).end):
			best = n
		}
	}
	switch {
	case best != nil:
		p.need(best, false, f)
	case unknown:
		f.worse(hive.ChainUnknown, nil)
	case len(g.nodes) > 0:
		f.worse(hive.ChainHeld, g.nodes[len(g.nodes)-1])
	default:
		f.worse(hive.ChainHeld, nil)
	}
}

func (f *fate) succeeds() bool {
	switch f.outcome {
	case hive.ChainSucceeded, hive.ChainResumed, hive.ChainRunning, hive.ChainExpected:
		return true
	default:
		return false
	}
}

// need lets a moment wait for another one.
func (p *projection) need(n *chainNode, each bool, f *fate) {
	o := p.of(n)
	f.saved = f.saved || o.saved
	switch {
	case o.succeeds() && o.end.IsZero(), o.outcome == hive.ChainUnknown:
		f.worse(hive.ChainUnknown, n)
	case o.succeeds():
		p.after(n, o, f)
	case o.outcome == hive.ChainLeftOut || o.outcome == hive.ChainExpired:
		if each {
			*f = fate{outcome: hive.ChainLeftOut, end: o.end, decides: n, saved: f.saved}
		} else {
			p.notBefore(o.end, n, f) // nobody waits for a moment that makes no batch
		}
	default:
		f.worse(hive.ChainHeld, n)
	}
}

// after lets a moment begin after the success of another one, and extends the way from the resume.
func (p *projection) after(n *chainNode, o *fate, f *fate) {
	p.notBefore(o.end, n, f)
	if !o.path.known {
		return
	}
	through := chainPath{known: true, takes: o.path.takes + n.link.Usual, limit: o.path.limit}
	if expires := n.expires(); !expires.IsZero() && n.undecided() {
		through.limit = earlier(orLast(through.limit), expires.Add(-o.path.takes))
	}
	if f.path.known {
		through.takes = max(through.takes, f.path.takes)
		through.limit = earlier(orLast(through.limit), f.path.limit)
	}
	if through.limit.Equal(orLast(time.Time{})) {
		through.limit = time.Time{}
	}
	f.path = through
}

// orLast returns a time, or one after all others for none.
func orLast(t time.Time) time.Time {
	if t.IsZero() {
		return time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC)
	}
	return t
}

func (p *projection) notBefore(at time.Time, n *chainNode, f *fate) {
	if f.outcome != hive.ChainExpected {
		return
	}
	if at.After(f.start) {
		f.start, f.decides = at, n
	} else if f.decides == nil && at.Equal(f.start) && n != nil {
		f.decides = n
	}
}

// mostBefore is how many earlier moments of a schedule are looked at for one that is live.
const mostBefore = 50

// inOrder lets a moment begin after the live batches of its own schedule, as policy.overlap tells.
func (p *projection) inOrder(n *chainNode, f *fate) {
	policy := n.link.Policy.Overlap
	if policy == hive.OverlapAllow || policy == hive.OverlapReplace {
		return
	}
	waited := n.row != nil || f.start.After(n.at) || !n.undecided()
	for i := n.index - 1; i >= max(n.index-mostBefore, n.link.open, 0); i-- {
		one := n.link.nodes[i]
		o := p.of(one)
		switch {
		case o.outcome == hive.ChainHeld && !one.undecided():
			f.worse(hive.ChainHeld, one) // it is paused
		case !o.succeeds() || o.outcome == hive.ChainSucceeded || o.start.After(f.start):
		case o.end.IsZero():
			f.worse(hive.ChainUnknown, one)
		case !o.end.After(f.start):
		case policy != hive.OverlapQueue && !waited:
			*f = fate{outcome: hive.ChainLeftOut, end: n.at, decides: one}
			return
		default:
			p.after(one, o, f)
		}
	}
}

// usualOf returns when a moment begins and ends if everything before it takes as long as usual.
func (n *chainNode) usualOf() (start, end time.Time, known bool) {
	u := &n.usual
	if u.set {
		return u.start, u.end, u.known
	}
	u.set = true // also for circles
	if n.link.Missing || !n.link.UsualKnown {
		return u.start, u.end, false
	}
	start, known = n.at, true
	for i := range n.groups {
		g := &n.groups[i]
		if g.any && len(g.nodes) > 1 || g.schedule == n.link.Schedule.Name {
			continue
		}
		known = known && !g.missing && !g.unread
		for _, need := range g.nodes {
			_, end, ok := need.usualOf()
			known = known && ok
			start = later(start, end)
		}
	}
	u.start, u.end, u.known = start, start.Add(n.link.Usual), known
	return u.start, u.end, known
}
