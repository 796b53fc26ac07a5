package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// LinksOf lists the schedules that the triggers of a definition wait for, by name. If its moments wait at all, or count
// from the ends of its batches, the schedule itself is among them. The list is never nil.
func LinksOf(def *hive.Definition) []hive.ScheduleLink {
	links := []hive.ScheduleLink{}
	add := func(name string, follows bool) {
		for i := range links {
			if links[i].Upstream == name {
				links[i].Follows = links[i].Follows || follows
				return
			}
		}
		links = append(links, hive.ScheduleLink{Upstream: name, Follows: follows})
	}
	for i := range def.Triggers {
		tr := &def.Triggers[i]
		for j := range tr.After {
			add(tr.After[j].Schedule, tr.Follows())
		}
		if tr.Waits() || tr.Every != 0 {
			add(def.Name, tr.Every != 0)
		}
	}
	slices.SortFunc(links, func(a, b hive.ScheduleLink) int { return strings.Compare(a.Upstream, b.Upstream) })
	return links
}

// isUnlinked reports whether the stored links of a schedule are of an older revision; then link stores them.
func (t *Ticker) isUnlinked(e *entry) bool {
	if e.row.Linked == e.newest() {
		return false
	}
	t.unlinked = append(t.unlinked, e)
	return true
}

// link stores the links of the schedules that were saved by an older HiveGo.
func (t *Ticker) link(ctx context.Context) error {
	var looks []hive.ScheduleLook
	for _, e := range t.unlinked {
		if n := len(e.periods); n > 0 && t.agenda.byID[e.row.ID] == e {
			looks = append(looks, hive.ScheduleLook{
				ScheduleID: e.row.ID, Version: e.row.Version, NextAt: t.nextLook(e), Linked: e.newest(),
				Links: LinksOf(e.periods[n-1].Definition),
			})
		}
	}
	for some := range slices.Chunk(looks, chunk) {
		if err := t.config.Store.NoteLooks(ctx, some); err != nil {
			return fmt.Errorf("store the links of schedules: %w", err)
		}
	}
	for i := range looks {
		row := &t.agenda.byID[looks[i].ScheduleID].row
		row.NextAt, row.Linked = looks[i].NextAt, looks[i].Linked
	}
	t.unlinked = nil
	return nil
}

// nextLook returns when a schedule is looked at next; hive.Never if nothing is known.
func (t *Ticker) nextLook(e *entry) time.Time {
	next := hive.Never()
	if !e.due.IsZero() && e.wake.Before(next) {
		next = e.wake
	}
	if at, ok := t.waits.at[e.row.ID]; ok && at.Before(next) {
		next = at
	}
	return next
}

// putAside takes the schedules out of memory that have not been used lately and are not due soon, once it is stored
// when they are looked at next. What a schedule has followed so far is not stored, so one that follows others stays.
func (t *Ticker) putAside(ctx context.Context, now time.Time) error {
	if err := t.link(ctx); err != nil {
		return err
	}
	var looks []hive.ScheduleLook
	var aside []int64
	mono := t.config.Clock.Elapsed()
	for id, e := range t.agenda.byID {
		next := t.nextLook(e)
		if mono-e.used < keepIdle || e.retryIn > 0 || len(e.wait.seen) > 0 ||
			!next.After(now.Add(2*ahead*t.config.Refresh)) {
			continue
		}
		if _, changed := t.waits.roused[id]; changed {
			continue
		}
		aside = append(aside, id)
		if !e.row.NextAt.Equal(next) {
			looks = append(looks, hive.ScheduleLook{ScheduleID: id, Version: e.row.Version, NextAt: next})
		}
	}
	for some := range slices.Chunk(looks, chunk) {
		if err := t.config.Store.NoteLooks(ctx, some); err != nil {
			return fmt.Errorf("store when schedules are looked at next: %w", err)
		}
	}
	for _, id := range aside {
		t.forgetWaits(id)
		t.agenda.remove(id)
	}
	return nil
}
