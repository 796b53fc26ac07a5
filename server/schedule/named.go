package schedule

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// present returns the present name of a schedule.
func (l *waitlist) present(name string) string { return cmp.Or(l.former[name], name) }

// named finds a schedule by its name, or by a former one; nil if there is none. It is read if it is not in memory.
func (t *Ticker) named(ctx context.Context, name string) (*entry, error) {
	id, known := t.waits.ids[t.waits.present(name)]
	if !known && t.config.Store != nil { // a forecast has all that it needs in memory
		rows, err := t.config.Store.SchedulesNamed(ctx, []string{name})
		if err != nil {
			return nil, fmt.Errorf("read schedule %s: %w", name, err)
		}
		if err := t.loadAll(ctx, rows); err != nil || len(rows) == 0 {
			return nil, err
		}
		id = rows[0].ID
	}
	e := t.agenda.byID[id]
	if e != nil && t.config.Store != nil {
		e.used = t.config.Clock.Elapsed()
	}
	return e, nil
}

// readFormer reads the former names of schedules. If they have changed, the waits of the schedules in memory are read
// and judged again: they go on with what they follow.
func (t *Ticker) readFormer(ctx context.Context) error {
	former, err := t.config.Store.FormerNames(ctx)
	if err != nil {
		return fmt.Errorf("read the former names: %w", err)
	}
	if maps.Equal(former, t.waits.former) {
		return nil
	}
	t.waits.former = former
	for _, id := range slices.Sorted(maps.Keys(t.agenda.byID)) {
		e := t.agenda.byID[id]
		if len(e.periods) == 0 || !e.wait.judged {
			continue
		}
		e.wait.revision = 0
		if err := t.loadWaits(ctx, e); err != nil {
			return err
		}
		t.waits.put(id, atOnce())
	}
	return nil
}

// Renamed returns the timetable with the present names of the schedules that its triggers wait for, by their former
// names.
func (t *Timetable) Renamed(present map[string]string) *Timetable {
	out := *t
	out.entries, out.follows = slices.Clone(t.entries), slices.Clone(t.follows)
	for i := range out.entries {
		out.entries[i].gate = out.entries[i].gate.renamed(present)
	}
	for i := range out.follows {
		out.follows[i] = out.follows[i].renamed(present)
	}
	return &out
}

func (g *gate) renamed(present map[string]string) *gate {
	if g == nil {
		return nil
	}
	out := *g
	out.after = slices.Clone(g.after)
	for i := range out.after {
		if to := present[out.after[i].schedule]; to != "" {
			out.after[i].schedule = to
		}
	}
	return &out
}
