package schedule

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// waiting is what the ticker knows of the waits of one schedule.
type waiting struct {
	revision  int64 // that judged and Following have been made of
	judged    bool  // its moments may have to wait, or follow others or the end of the last batch
	Following       // of its triggers
	// seen has the id of the latest tick that was followed, for each trigger and upstream. next becomes seen once the
	// present decision is stored.
	seen, next map[seenKey]int64
	expire     time.Time // when the first of its waiting ticks expires; zero for never
	again      bool      // there is more to follow
	calls      bool      // the calls of its webhooks have been read
	wrote      bool      // the decision that is being stored changes the ledger
	planned    time.Time // the next time to which a moment is moved; zero if there is none
	delayed    time.Time // the next moment that counts from the end of the last batch; zero if it is not known
}

// seenKey is an upstream of a trigger.
type seenKey struct {
	trigger  string
	schedule int64
}

// waitlist holds the schedules that are to be judged.
type waitlist struct {
	at     map[int64]time.Time // when a schedule is judged next
	ids    map[string]int64    // of the schedules in memory, by name
	former map[string]string   // present names of renamed schedules by their former ones
	round  []int64             // schedules that the current round of sweeps has still to judge
	// called has the schedules whose webhooks may have calls without a tick.
	called map[int64]bool
	roused map[int64]rousing // schedules whose dependants are to be judged
}

// rousing says what is to be judged after a schedule has changed, besides those that wait for it.
type rousing struct {
	itself bool // its own moments, if they wait for each other
	beyond bool // those that wait for its dependants
}

// sweepAtOnce is how many schedules one sweep judges.
const sweepAtOnce = 500

func newWaitlist() waitlist {
	return waitlist{
		at: map[int64]time.Time{}, ids: map[string]int64{}, called: map[int64]bool{}, roused: map[int64]rousing{},
	}
}

// put judges a schedule at a time, or earlier if that was planned.
func (l *waitlist) put(id int64, at time.Time) {
	if old, ok := l.at[id]; !ok || at.Before(old) {
		l.at[id] = at
	}
}

// atOnce returns a time that has come, whatever the clock says: the clock is only read where it is checked.
func atOnce() time.Time { return time.Unix(1, 0) }

// next returns the earliest time at which a schedule is judged; false if there is none.
func (l *waitlist) next() (time.Time, bool) {
	var first time.Time
	for _, at := range l.at {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first, len(l.at) > 0
}

// sweep plans the next part of the schedules that follow others or have waiting ticks, so that no lost event holds up a
// moment for long.
func (t *Ticker) sweep(ctx context.Context) error {
	l := &t.waits
	if len(l.round) == 0 {
		ids, err := t.config.Results.WaitingSchedules(ctx)
		if err != nil {
			return fmt.Errorf("list the schedules with waiting ticks: %w", err)
		}
		slices.Sort(ids)
		l.round = ids
	}
	n := min(sweepAtOnce, len(l.round))
	for _, id := range l.round[:n] {
		l.put(id, atOnce())
		l.called[id] = true
	}
	l.round = l.round[n:]
	return nil
}

// noteDecided plans what follows from a stored decision.
func (t *Ticker) noteDecided(e *entry, now time.Time) {
	w, l := &e.wait, &t.waits
	if w.wrote {
		r := l.roused[e.row.ID]
		r.beyond = true
		l.roused[e.row.ID] = r
	}
	if w.next != nil {
		w.seen = w.next
	}
	if w.again {
		l.put(e.row.ID, now)
	}
	for _, at := range []time.Time{w.expire, w.delayed, w.planned} {
		if !at.IsZero() {
			l.put(e.row.ID, at)
		}
	}
	if w.calls {
		delete(l.called, e.row.ID)
	}
	w.next, w.wrote, w.again, w.calls = nil, false, false, false
}

// prepare reads what is to be judged now: the dependants of schedules that have changed, and the schedules themselves.
// While schedules are due by their own triggers, dependants wait, so that they are read for many at once.
func (t *Ticker) prepare(ctx context.Context, now time.Time) error {
	if t.agenda.hasDue(now) {
		return nil
	}
	if err := t.link(ctx); err != nil {
		return err
	}
	if err := t.rouse(ctx); err != nil {
		return err
	}
	var unread []int64
	for _, id := range t.waits.ready(now) {
		if t.agenda.byID[id] == nil {
			unread = append(unread, id)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	if err := t.fetch(ctx, unread); err != nil {
		return err
	}
	return t.link(ctx)
}

// rouse judges the schedules that wait for one that has changed. After a tick without a batch, a schedule in between
// may have one moment less to expect, and gets no tick that would tell its own dependants: then those are judged too.
func (t *Ticker) rouse(ctx context.Context) error {
	l := &t.waits
	roused := maps.Clone(l.roused)
	for from := slices.Sorted(maps.Keys(roused)); len(from) > 0; {
		found, err := t.config.Links.Dependants(ctx, from)
		if err != nil {
			return fmt.Errorf("list the dependants: %w", err)
		}
		from = nil
		for _, d := range found {
			of := roused[d.Of]
			if d.ScheduleID == d.Of {
				if of.itself {
					l.put(d.ScheduleID, atOnce())
				}
				continue
			}
			l.put(d.ScheduleID, atOnce())
			if r := roused[d.ScheduleID]; of.beyond && !r.beyond {
				r.beyond = true
				roused[d.ScheduleID] = r
				from = append(from, d.ScheduleID)
			}
		}
	}
	clear(l.roused)
	return nil
}

// retry judges a schedule again with its next try, also if its triggers have no moment of their own: the answer to a
// decision about a call may be lost, and only the next decision tells the owner about the batch.
func (l *waitlist) retry(e *entry) { l.put(e.row.ID, e.wake) }

// ready lists the schedules that are to be judged now, at most chunk of them.
func (l *waitlist) ready(now time.Time) []int64 {
	ids := make([]int64, 0, len(l.at))
	for id, at := range l.at {
		if !at.After(now) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), chunk)]
}

// takeWaiting adds to the due entries those that are to be judged now, up to chunk of them.
func (t *Ticker) takeWaiting(now time.Time, due []*entry) []*entry {
	if len(t.waits.at) == 0 {
		return due
	}
	for _, e := range due {
		delete(t.waits.at, e.row.ID)
	}
	for _, id := range t.waits.ready(now) {
		if e := t.agenda.byID[id]; e != nil {
			delete(t.waits.at, id)
			due = append(due, e)
		}
	}
	return due
}

// wake judges the schedules that wait for another one, and that one itself if its moments wait for each other.
func (t *Ticker) wake(id int64) {
	r := t.waits.roused[id]
	r.itself = true
	t.waits.roused[id] = r
}

// forgetWaits removes a schedule from memory.
func (t *Ticker) forgetWaits(id int64) {
	if e := t.agenda.byID[id]; e != nil {
		delete(t.waits.ids, e.row.Name)
	}
	delete(t.waits.at, id)
	delete(t.waits.called, id)
	delete(t.waits.roused, id)
}

// rename notes the name that the row of a schedule has now.
func (t *Ticker) rename(e *entry, name string) {
	if e.row.Name != name {
		delete(t.waits.ids, e.row.Name)
		t.waits.ids[name] = e.row.ID
	}
}

// loadWaits notes whether the newest revision of a schedule waits.
func (t *Ticker) loadWaits(ctx context.Context, e *entry) error {
	t.waits.ids[e.row.Name] = e.row.ID
	if e.wait.revision == e.newest() {
		return nil
	}
	p := &e.periods[len(e.periods)-1]
	w := waiting{revision: p.Revision, judged: e.wait.judged} // an edit that removes all needs ends the waits of before
	w.judged = w.judged || len(LinksOf(p.Definition)) > 0
	if p.Timetable.Follows() {
		var err error
		if w.Following, err = t.followsSince(ctx, e, p); err != nil {
			return err
		}
	}
	e.wait = w
	return nil
}
