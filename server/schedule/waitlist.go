package schedule

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// waiting is what the ticker knows of the waits of one schedule.
type waiting struct {
	revision  int64    // that names has been made of
	names     []string // schedules that it waits for
	judged    bool     // its moments may have to wait, or follow others or the end of the last batch
	Following          // of its triggers
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

// waitlist holds the schedules that are to be judged, and which schedules wait for which.
type waitlist struct {
	at    map[int64]time.Time       // when a schedule is judged next
	of    map[string]map[int64]bool // schedules by the name of one that they wait for
	ids   map[string]int64          // of all schedules by name, also by former ones
	names map[int64][]string        // of all schedules: the present one, and the former ones
	again map[int64]bool            // schedules whose waits are read again: one that they wait for was renamed
	round []int64                   // schedules that the current round of sweeps has still to judge
	all   map[int64]bool            // schedules that follow others, or the end of their last batch
	// called has the schedules whose webhooks may have calls without a tick.
	called map[int64]bool
}

// sweepAtOnce is how many schedules one sweep judges.
const sweepAtOnce = 500

func newWaitlist() waitlist {
	return waitlist{
		at: map[int64]time.Time{}, of: map[string]map[int64]bool{}, ids: map[string]int64{}, all: map[int64]bool{},
		called: map[int64]bool{}, names: map[int64][]string{}, again: map[int64]bool{},
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
		for id := range l.all {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		l.round = slices.Compact(ids)
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
		t.wakeDependants(e.row.ID, now, map[int64]bool{})
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

// wakeDependants judges the schedules that wait for one, directly or through others: after a tick without a batch, a
// schedule in between may have one moment less to expect, and gets no tick that would tell its own dependants.
func (t *Ticker) wakeDependants(upstream int64, at time.Time, seen map[int64]bool) {
	seen[upstream] = true
	for id := range t.waits.dependants(upstream) {
		t.waits.put(id, at)
		if t.agenda.byID[id] != nil && !seen[id] {
			t.wakeDependants(id, at, seen)
		}
	}
}

// retry judges a schedule again with its next try, also if its triggers have no moment of their own: the answer to a
// decision about a call may be lost, and only the next decision tells the owner about the batch.
func (l *waitlist) retry(e *entry) { l.put(e.row.ID, e.wake) }

// takeWaiting adds to the due entries those that are to be judged now, up to chunk of them.
func (t *Ticker) takeWaiting(now time.Time, due []*entry) []*entry {
	if len(t.waits.at) == 0 {
		return due
	}
	for _, e := range due {
		delete(t.waits.at, e.row.ID)
	}
	ids := make([]int64, 0, len(t.waits.at))
	for id, at := range t.waits.at {
		if !at.After(now) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids[:min(len(ids), chunk)] {
		delete(t.waits.at, id)
		if e := t.agenda.byID[id]; e != nil {
			due = append(due, e)
		}
	}
	return due
}

// wake judges the schedules that wait for another one, and that one itself if its moments wait for each other.
func (t *Ticker) wake(id int64) {
	e := t.agenda.byID[id]
	if e == nil {
		return
	}
	for other := range t.waits.dependants(id) {
		t.waits.put(other, atOnce())
	}
	if e.wait.judged {
		t.waits.put(id, atOnce())
	}
}

// forgetWaits removes a schedule that does not exist any more.
func (t *Ticker) forgetWaits(id int64) {
	e := t.agenda.byID[id]
	if e == nil {
		return
	}
	t.wake(id)
	t.unlink(e)
	t.waits.unname(id)
	delete(t.waits.all, id)
	delete(t.waits.at, id)
	delete(t.waits.called, id)
}

func (t *Ticker) unlink(e *entry) {
	for _, name := range e.wait.names {
		delete(t.waits.of[name], e.row.ID)
		if len(t.waits.of[name]) == 0 {
			delete(t.waits.of, name)
		}
	}
}

// loadWaits notes what the newest revision of a schedule waits for.
func (t *Ticker) loadWaits(ctx context.Context, e *entry) error {
	if e.wait.revision != e.newest() {
		if err := t.readWaits(ctx, e); err != nil {
			return err
		}
	}
	t.wake(e.row.ID)
	return nil
}

func (t *Ticker) readWaits(ctx context.Context, e *entry) error {
	p := &e.periods[len(e.periods)-1]
	w := waiting{revision: p.Revision, judged: e.wait.judged} // an edit that removes all needs ends the waits of before
	for i := range p.Definition.Triggers {
		tr := &p.Definition.Triggers[i]
		w.judged = w.judged || tr.Waits() || tr.Every != 0
		for j := range tr.After {
			w.names = append(w.names, tr.After[j].Schedule)
		}
	}
	slices.Sort(w.names)
	w.names = slices.Compact(w.names)
	if p.Timetable.Follows() {
		var err error
		if w.Following, err = t.followsSince(ctx, e, p); err != nil {
			return err
		}
	}
	t.unlink(e)
	e.wait = w
	for _, name := range w.names {
		if t.waits.of[name] == nil {
			t.waits.of[name] = map[int64]bool{}
		}
		t.waits.of[name][e.row.ID] = true
	}
	delete(t.waits.all, e.row.ID)
	if p.Timetable.Follows() || p.Timetable.Delayed() {
		t.waits.all[e.row.ID] = true
	}
	return nil
}
