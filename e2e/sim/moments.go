package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// This file has the moments that no cron gives: calls of webhooks, ends of batches, and what people plan; and the end
// of schedules, which they archive and delete. It follows the rules of package db.

// webhook is the name of all webhooks.
const webhook = "webhook"

// called returns a small definition whose moments are calls.
func (p *people) called(name string) *hive.Definition {
	def := p.timed(name)
	def.Triggers = []hive.Trigger{{Webhook: webhook}}
	return def
}

// delayed returns a small definition whose moments come so long after the last batch.
func (p *people) delayed(name string) *hive.Definition {
	def := p.timed(name)
	every := hive.Duration(oneOf(p.w, []time.Duration{5 * time.Second, 20 * time.Second, time.Minute}))
	def.Triggers = []hive.Trigger{{Every: every, From: hive.FromEnd}}
	return def
}

// another returns another definition of the same kind.
func (p *people) another(x *scheduled) *hive.Definition {
	switch t := &x.revs[len(x.revs)-1].def.Triggers[0]; {
	case t.Webhook != "":
		return p.called(x.row.Name)
	case t.Every != 0:
		return p.delayed(x.row.Name)
	default:
		return p.timed(x.row.Name)
	}
}

// delay returns the time from the end of a batch to the next one; 0 if a cron or calls give the moments.
func (x *scheduled) delay() time.Duration { return x.revs[len(x.revs)-1].def.Triggers[0].Every.Std() }

func (x *scheduled) called() bool { return x.revs[len(x.revs)-1].def.Triggers[0].Webhook != "" }

// keepMoments lets people publish schedules without a cron, call them, plan changes, and archive and delete schedules.
func (p *people) keepMoments() {
	w := p.w
	storm := func(from float64) time.Duration {
		return w.between(time.Duration(from*float64(w.cfg.storm)), w.cfg.storm)
	}
	publish := func(what string, def func(name string) *hive.Definition) {
		w.after(w.between(0, w.cfg.storm/4), func() {
			p.tell(w.store.publishSchedule(0, def(fmt.Sprintf("%s%d", what, len(w.store.schedules)))))
		})
	}
	if w.chance(0.4) {
		publish("called", p.called)
		for range w.rng.IntN(12) {
			w.after(storm(0.1), func() { p.call(w.newKey(), w.rng.IntN(3)) })
		}
	}
	if w.chance(0.4) {
		publish("delayed", p.delayed)
	}
	if w.chance(0.6) {
		for range w.rng.IntN(12) {
			w.after(storm(0.1), p.planChange)
			w.after(storm(0.2), p.release)
		}
	}
	if w.chance(0.4) {
		for range 1 + w.rng.IntN(4) {
			w.after(storm(0.3), p.archive)
			w.after(storm(0.3), p.delete)
		}
	}
}

// call calls the webhook of a schedule. A caller that gets no answer calls again with the same key; some do so even
// after an answer.
func (p *people) call(key string, repeats int) {
	w, st := p.w, p.w.store
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(st.schedules)) {
		if st.schedules[id].called() {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		p.callUntilAnswered(oneOf(w, ids), key, repeats)
	}
}

func (p *people) callUntilAnswered(id int64, key string, repeats int) {
	w, s := p.w, oneOf(p.w, p.w.servers)
	again := func(repeats int) {
		w.after(w.between(10*time.Millisecond, 3*time.Second), func() { p.callUntilAnswered(id, key, repeats) })
	}
	switch {
	case w.calm:
		return
	case !s.up || s.frozen:
		again(repeats)
		return
	}
	age := w.store.age
	var err error
	answered := false
	store := func() error { err = w.store.addCall(id, key); return nil }
	w.store.call(s, "call of a webhook", 5*time.Second, store, func(lost error) {
		answered = true
		if lost == nil && err == nil && s.ticker != nil {
			s.ticker.notify(id)
		}
		if lost != nil && !errors.Is(lost, hive.ErrConnection) || w.store.age != age {
			return
		}
		if lost != nil {
			again(repeats)
		} else if repeats > 0 {
			again(repeats - 1)
		}
	})
	w.after(20*time.Second, func() {
		if !answered && w.store.age == age { // the server died
			again(repeats)
		}
	})
}

// addCall follows the rules of AddWebhookCall in package db.
func (s *store) addCall(id int64, key string) error {
	x := s.schedules[id]
	if x == nil {
		return hive.Errorf(hive.CodeNotFound, "there is no schedule %d", id)
	}
	for i := range x.calls {
		if x.calls[i].Key == key && s.w.opt.Mutation != MutateCalls {
			s.w.stats.Again++
			return nil
		}
	}
	if err := x.row.IfArchived(); err != nil {
		return err
	}
	at := milli(epoch.Add(s.w.now))
	for at.UnixMilli()%1000 == 0 || s.ticks[tickKey{id, at.UnixMilli()}] != nil ||
		slices.ContainsFunc(x.calls, func(c hive.WebhookCall) bool { return c.Moment.Equal(at) }) {
		at = at.Add(time.Millisecond)
	}
	x.calls = append(x.calls, hive.WebhookCall{ScheduleID: id, Webhook: webhook, Key: key, Moment: at})
	s.w.stats.Calls++
	s.w.tracef("store", "call %s of %s at %s", key, x.row.Name, at.Format(time.TimeOnly))
	return nil
}

// pendingCalls lists the calls of a schedule without a tick.
func (s *store) pendingCalls(id int64) (out []hive.WebhookCall) {
	x := s.schedules[id]
	if x == nil {
		return nil
	}
	for _, c := range x.calls {
		if s.ticks[tickKey{id, c.Moment.UnixMilli()}] == nil {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b hive.WebhookCall) int { return a.Moment.Compare(b.Moment) })
	return out
}

// PendingCalls implements schedule.Calls.
func (k *ticker) PendingCalls(_ context.Context, id int64, limit int) (list []hive.WebhookCall, err error) {
	err = k.query("calls", func() error { list = k.s.w.store.pendingCalls(id); return nil })
	return list[:min(limit, len(list))], err
}

// planChange plans another time, a skip or a hold of a moment to come that has no tick.
func (p *people) planChange() {
	w, st := p.w, p.w.store
	x := p.someSchedule(func(x *scheduled) bool { return !x.row.Archived() })
	if w.calm || x == nil {
		return
	}
	now := epoch.Add(w.now)
	due := x.dueIn(later(now, x.row.Mark), now.Add(3*time.Minute))
	if len(due) == 0 {
		return
	}
	c := hive.PlannedChange{
		ScheduleID: x.row.ID, Moment: time.Unix(oneOf(w, due), 0).UTC(), By: "person", Reason: "it is better so",
		Action: oneOf(w, []hive.ChangeAction{hive.ChangeSkip, hive.ChangeMove, hive.ChangeMove, hive.ChangeHold}),
	}
	if c.Action == hive.ChangeMove {
		c.To = milli(now.Add(w.between(0, 4*time.Minute))).Truncate(time.Second)
	}
	key := c.Moment.UnixMilli()
	if st.ticks[tickKey{x.row.ID, key}] != nil || c.To.Equal(c.Moment) {
		return
	}
	if x.changes == nil {
		x.changes = map[int64]*hive.PlannedChange{}
	}
	x.changes[key] = &c
	x.touch()
	w.tracef("people", "plan to %s %s of %s, to %s", c.Action, c.Moment.Format(time.TimeOnly), x.row.Name,
		c.To.Format(time.TimeOnly))
	p.tell(x.row.ID)
}

// changesToCome lists the planned changes that may still have an effect.
func (s *store) changesToCome(x *scheduled) (out []hive.PlannedChange) {
	for _, at := range slices.Sorted(maps.Keys(x.changes)) {
		c := *x.changes[at]
		t := s.ticks[tickKey{x.row.ID, at}]
		if c.Decided = t != nil; c.Moment.After(x.row.Mark) || t != nil && t.Decision == hive.DecisionWaiting {
			out = append(out, c)
		}
	}
	return out
}

// release ends the wait of a tick.
func (p *people) release() {
	x := p.someSchedule(func(x *scheduled) bool { return len(p.w.store.waitingTicks(x.row.ID)) > 0 })
	if x == nil || p.w.calm {
		return
	}
	t := oneOf(p.w, p.w.store.waitingTicks(x.row.ID))
	p.releaseTick(x.row.ID, t.Moment, p.w.chance(0.3))
}

// releaseAll ends the waits of a schedule for people, once the faults have stopped.
func (p *people) releaseAll(id int64) {
	for _, t := range p.w.store.waitingTicks(id) {
		if t.Wait.Released.By == "" && t.Rule == "planned_hold" {
			p.releaseTick(id, t.Moment, false)
		}
	}
}

func (p *people) releaseTick(id int64, at time.Time, without bool) {
	t := p.w.store.ticks[tickKey{id, at.UnixMilli()}]
	t.Wait.Released = hive.Release{By: "person", Reason: "go", At: milli(epoch.Add(p.w.now)), Skip: without}
	p.w.tracef("people", "release %s of schedule %d, skip %t", at.Format(time.TimeOnly), id, without)
	p.tell(id)
}

func (p *people) someSchedule(fits func(x *scheduled) bool) *scheduled {
	var list []*scheduled
	for _, id := range slices.Sorted(maps.Keys(p.w.store.schedules)) {
		if x := p.w.store.schedules[id]; fits(x) {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return oneOf(p.w, list)
}

// archive archives or unarchives a schedule.
func (p *people) archive() {
	w := p.w
	x := p.someSchedule(func(*scheduled) bool { return true })
	if x == nil || w.calm {
		return
	}
	now := milli(epoch.Add(w.now))
	x.row.UpdatedAt = now
	if x.row.Archived() {
		x.row.ArchivedAt, x.row.UnarchivedAt, x.row.Mark = time.Time{}, now, later(x.row.Mark, now)
		x.touch()
		x.away = slices.Clone(x.away) // a copy of the database has the earlier one
		x.away[len(x.away)-1].until = x.row.Mark
		w.tracef("people", "unarchive %s", x.row.Name)
	} else {
		x.row.ArchivedAt, x.row.ArchivedBy = now, "person"
		x.touch()
		x.away = append(slices.Clone(x.away), absence{from: decidedFrom(&x.row)})
		w.stats.Archived++
		w.tracef("people", "archive %s", x.row.Name)
	}
	p.tell(x.row.ID)
}

// absence is a time in which a schedule was archived: no moment in it counts. A zero until is open.
type absence struct{ from, until time.Time }

// isAway reports whether a moment lies in a time in which the schedule was archived.
func (x *scheduled) isAway(at time.Time) bool {
	return slices.ContainsFunc(x.away, func(a absence) bool {
		return at.After(a.from) && (a.until.IsZero() || !at.After(a.until))
	})
}

// delete deletes an archived schedule that has nothing under way.
func (p *people) delete() {
	w, st := p.w, p.w.store
	x := p.someSchedule(func(x *scheduled) bool { return x.row.Archived() && !st.busy(x.row.ID) })
	if x == nil || w.calm {
		return
	}
	st.deleteSchedule(x)
	w.stats.Deleted++
	w.tracef("people", "delete %s", x.row.Name)
	p.tell(x.row.ID)
}

// busy reports whether a schedule has live batches, commands that are not applied, or steps of chain repairs.
func (s *store) busy(id int64) bool {
	if s.w.opt.Mutation == MutateDelete {
		return false
	}
	for _, b := range s.batches {
		if s.scheduleOf(b) == id && (b.Live || len(s.pending(b.ID)) > 0 || s.openChain(b.ID) != 0) {
			return true
		}
	}
	return false
}

// scheduleOf returns the schedule of a batch. That of hooks is the one of the batch that they follow.
func (s *store) scheduleOf(b *hive.Batch) int64 {
	if b.Hook != nil && s.batches[b.Hook.Batch] != nil {
		return s.batches[b.Hook.Batch].ScheduleID
	}
	return b.ScheduleID
}

func (s *store) deleteSchedule(x *scheduled) {
	id := x.row.ID
	delete(s.schedules, id)
	maps.DeleteFunc(s.ticks, func(k tickKey, _ *hive.Tick) bool { return k.schedule == id })
	var gone []int64
	for batch, b := range s.batches {
		if s.scheduleOf(b) == id && !b.Live {
			gone = append(gone, batch)
		}
	}
	for _, batch := range gone {
		s.deleteBatch(batch)
	}
	for _, r := range x.revs {
		if s.w.opt.Mutation != MutateDelete {
			delete(s.revs, r.row.ID)
		}
	}
}
