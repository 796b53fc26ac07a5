package owner

import (
	"errors"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// part is what one batch puts into one group: rows to write, and the effects that wait for the commit.
type part struct {
	live     *live
	runs     []int // numbers, in first-change order
	seen     map[int]bool
	attempts []int64
	seenA    map[int64]bool
	newA     map[int64]bool // attempts made in this part
	newRuns  []int
	history  []hive.Run
	batch    bool
	commands []hive.CommandDone

	write  *hive.BatchWrite // frozen by Take
	offers []hive.Assignment
	kills  []kill
	acks   []ack
	deltas []hive.Delta
	final  bool
}

type kill struct {
	executor string
	order    hive.KillOrder
}

type ack struct {
	attempt hive.AttemptRef
	seq     int64
}

func newPart(l *live) *part {
	return &part{live: l, seen: map[int]bool{}, seenA: map[int64]bool{}, newA: map[int64]bool{}}
}

func (p *part) step(s *state.Step) {
	for _, n := range s.Runs {
		if !p.seen[n] {
			p.seen[n] = true
			p.runs = append(p.runs, n)
		}
	}
	for _, id := range s.Attempts {
		if !p.seenA[id] {
			p.seenA[id] = true
			p.attempts = append(p.attempts, id)
		}
	}
	p.newRuns = append(p.newRuns, s.NewRuns...)
	p.history = append(p.history, s.History...)
	p.batch = p.batch || s.BatchChanged
}

// Effects are what the world may know of after a commit, beside what the fleet was told.
type Effects struct {
	Answers     []hive.CommandDone
	Deltas      []hive.Delta
	Final       []hive.Batch // batches that ended, or ended again
	Reload      []int64      // batches to load again
	Stuck       map[int64]error
	SessionLost bool // the session is over: everything was dropped
	Retry       bool // the database is out of reach: commit the same group again, later
}

// NextCommit answers the next group to commit, or nil: nothing to store, or a commit is under way.
func (o *Owner) NextCommit(now time.Time) *hive.Group {
	if o.inflight != nil {
		return nil
	}
	switch {
	case len(o.parked) > 0 && o.split:
		o.inflight, o.parked = o.parked[:1:1], o.parked[1:]
	case len(o.parked) > 0:
		o.inflight, o.parked = o.parked, nil
	default:
		o.split = false
		if !o.urgent && (o.lazyAt.IsZero() || now.Before(o.lazyAt)) {
			return nil
		}
		o.freeze()
	}
	if len(o.inflight) == 0 {
		o.inflight = nil
		return nil
	}
	g := &hive.Group{Server: o.session.Server, Epoch: o.session.Epoch, Number: o.commits + 1}
	for _, p := range o.inflight {
		g.Batches = append(g.Batches, *p.write)
	}
	return g
}

// Commits is how many commits of this session are known to be stored.
func (o *Owner) Commits() int64 { return o.commits }

// freeze turns all that is pending into the parts of one group.
func (o *Owner) freeze() {
	o.urgent, o.lazyAt = false, time.Time{}
	for _, l := range o.dirty {
		if p := l.pend; p != nil {
			p.freeze()
			l.pend = nil
			o.inflight = append(o.inflight, p)
		}
	}
	o.dirty = nil
}

// freeze compares memory with what is stored and fixes the rows to write.
func (p *part) freeze() {
	l := p.live
	w := &hive.BatchWrite{BatchID: l.id, History: p.history, Commands: p.commands}
	for _, n := range p.newRuns {
		r := l.m.Run(n)
		w.NewRuns = append(w.NewRuns, r)
		l.stored[n] = stored{r.State, r.Round}
	}
	for _, n := range p.runs {
		if slices.Contains(p.newRuns, n) {
			continue
		}
		r := l.m.Run(n)
		if derived(&r, l.stored[n]) {
			continue
		}
		w.Runs = append(w.Runs, hive.RunChange{From: l.stored[n].state, To: r})
		l.stored[n] = stored{r.State, r.Round}
	}
	p.tell()
	for _, id := range p.attempts {
		a, ok := l.m.Attempt(id)
		switch {
		case !ok:
		case p.newA[id]:
			w.Offers = append(w.Offers, a)
		default:
			w.Attempts = append(w.Attempts, hive.AttemptChange{To: a})
		}
	}
	if p.batch {
		b := l.m.Batch()
		b.Counts = nil
		if b.State.Final() {
			b.Counts = hive.CountRuns(l.m.Runs())
		}
		w.Batch = &hive.BatchChange{From: l.storedB, To: b}
		l.storedB = b.State
		p.final = b.State.Final()
		p.deltas = append(p.deltas, hive.Delta{
			Batch: l.id, Run: -1, BState: b.State, Wish: b.Wish, Reason: b.Reason, At: b.FinishedAt,
		})
	}
	p.write = w
}

// stored is what the owner needs to know of a run's row.
type stored struct {
	state hive.RunState
	round int
}

// derived: a run that became ready for the first time in its round is stored as waiting until it is offered. One that a
// plan has set back is stored: it has lost its reason and its counts, and a row that kept them would bring them back.
func derived(r *hive.Run, row stored) bool {
	return row.state == hive.RunWaiting && r.State == hive.RunReady && r.Round == row.round && r.Attempt == 0 &&
		r.NotBefore.IsZero()
}

// CommitDone says what became of the group that Take gave.
func (o *Owner) CommitDone(now time.Time, err error) Effects {
	parts := o.inflight
	o.inflight = nil
	var e Effects
	switch {
	case err == nil:
		o.commits++
		o.release(now, parts, &e)
		return e
	case errors.Is(err, hive.ErrSessionLost):
		o.DropAll()
		e.SessionLost = true
		return e
	}
	o.parked = append(parts, o.parked...)
	before := len(o.parked)
	if guard, ok := errors.AsType[*hive.GuardError](err); ok {
		for _, id := range guard.Batches {
			o.reload(id, &e)
		}
	}
	switch {
	case errors.Is(err, hive.ErrConnection):
		e.Retry = true
	case len(o.parked) < before: // the rest goes again
	case len(parts) > 1:
		o.split = true // one of them is the culprit
	default:
		l := parts[0].live
		e.Stuck = map[int64]error{l.id: err}
		o.reload(l.id, nil)
	}
	return e
}

func (o *Owner) reload(id int64, e *Effects) {
	l := o.live[id]
	if l != nil {
		o.drop(l)
	}
	o.unpark(id)
	if l != nil && e != nil {
		e.Reload = append(e.Reload, id)
	}
}

// release lets the effects of committed parts go.
func (o *Owner) release(now time.Time, parts []*part, e *Effects) {
	for _, p := range parts {
		l := p.live
		for i := range p.offers {
			o.fleet.Offer(p.offers[i])
		}
		for _, k := range p.kills {
			o.fleet.Kill(k.executor, k.order)
		}
		for _, a := range p.acks {
			o.fleet.Ack(a.attempt, a.seq)
		}
		o.forgetEnded(l, p)
		for i := range p.commands {
			delete(o.commands, p.commands[i].ID)
		}
		e.Answers = append(e.Answers, p.commands...)
		e.Deltas = append(e.Deltas, l.told.commit(p)...)
		if p.final { // as it was stored: in memory it may be open again
			e.Final = append(e.Final, p.write.Batch.To)
		}
	}
	for _, p := range parts {
		o.unload(now, p.live)
	}
}

// forgetEnded lets go of attempts whose end is durable, unless they changed again since.
func (o *Owner) forgetEnded(l *live, p *part) {
	for i := range p.write.Attempts {
		if a := &p.write.Attempts[i].To; a.State == hive.AttemptEnded {
			delete(o.attempts, a.Ref())
			if l.pend == nil || !l.pend.seenA[a.ID] {
				l.m.Forget(a.ID)
			}
		}
	}
}

// unload takes an ended batch out of memory and lets the next of its schedule begin.
func (o *Owner) unload(now time.Time, l *live) {
	if o.live[l.id] != l || l.pend != nil || !l.m.Batch().State.Final() || o.leaving(l) {
		return
	}
	delete(o.live, l.id)
	o.left(l.id)
	s := l.m.Batch().ScheduleID
	o.unlist(l)
	if s != 0 {
		o.startNext(now, s, nil)
	}
}

// leaving says that something of a batch is on its way to the store.
func (o *Owner) leaving(l *live) bool {
	mine := func(p *part) bool { return p.live == l }
	return slices.ContainsFunc(o.inflight, mine) || slices.ContainsFunc(o.parked, mine)
}

// DropAll forgets everything: the session is over, somebody else decides now.
func (o *Owner) DropAll() {
	o.live, o.attempts, o.bySched = map[int64]*live{}, map[hive.AttemptRef]int64{}, map[int64][]int64{}
	o.commands, o.queue = map[int64]bool{}, newQueue()
	o.dirty, o.parked, o.inflight, o.timers = nil, nil, nil, timers{}
	o.split, o.urgent, o.lazyAt = false, false, time.Time{}
	o.away, o.decided, o.failed = map[int64]int64{}, nil, nil
}
