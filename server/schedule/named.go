package schedule

import (
	"context"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// name notes the names of a schedule, and tells whether they have changed. A former name does not hide a schedule that
// has it now.
func (l *waitlist) name(row *hive.Schedule) (changed bool) {
	now := append([]string{row.Name}, row.Former...)
	if slices.Equal(l.names[row.ID], now) {
		return false
	}
	l.unname(row.ID)
	l.names[row.ID] = now
	for i, name := range now {
		if other, taken := l.ids[name]; i == 0 || !taken || l.names[other][0] != name {
			l.ids[name] = row.ID
		}
	}
	return true
}

// unname forgets the names of a schedule.
func (l *waitlist) unname(id int64) {
	for _, name := range l.names[id] {
		if l.ids[name] == id {
			delete(l.ids, name)
		}
	}
	delete(l.names, id)
}

// present returns the present name of a schedule by any of its names.
func (l *waitlist) present(name string) string {
	if names := l.names[l.ids[name]]; len(names) > 0 {
		return names[0]
	}
	return name
}

// dependants returns the schedules that wait for one, by any of its names.
func (l *waitlist) dependants(upstream int64) map[int64]bool {
	names := l.names[upstream]
	if len(names) == 1 {
		return l.of[names[0]]
	}
	out := map[int64]bool{}
	for _, name := range names {
		for id := range l.of[name] {
			out[id] = true
		}
	}
	return out
}

// name notes the names of a schedule. If they have changed, what waits for it is read and judged again.
func (t *Ticker) name(row *hive.Schedule) {
	if !t.waits.name(row) {
		return
	}
	for id := range t.waits.dependants(row.ID) {
		t.waits.again[id] = true
	}
}

// readRenamed reads the waits of the schedules again that wait for a renamed one: they go on with what they follow.
func (t *Ticker) readRenamed(ctx context.Context) error {
	for id := range t.waits.again {
		if e := t.agenda.byID[id]; e != nil && len(e.periods) > 0 {
			if err := t.readWaits(ctx, e); err != nil {
				return err
			}
			t.waits.put(id, atOnce())
		}
		delete(t.waits.again, id)
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
