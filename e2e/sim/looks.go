package sim

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// This file is how a ticker finds the schedules that it has to look at, by the rules of package db.

// touch lets all tickers look at a schedule again.
func (x *scheduled) touch() {
	x.row.NextAt = time.Time{}
	x.row.Version++
}

// listed lists the schedules that keep selects, by id.
func (k *ticker) listed(what string, keep func(*hive.Schedule) bool) (ids []int64, err error) {
	rows, err := k.rows(what, keep)
	for i := range rows {
		ids = append(ids, rows[i].ID)
	}
	return ids, err
}

func (k *ticker) rows(what string, keep func(*hive.Schedule) bool) (rows []hive.Schedule, err error) {
	err = k.query(what, func() error {
		all := k.s.w.store.schedules
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if keep(&all[id].row) {
				rows = append(rows, all[id].row)
			}
		}
		return nil
	})
	return rows, err
}

// DueSchedules implements schedule.Store.
func (k *ticker) DueSchedules(_ context.Context, until time.Time) ([]int64, error) {
	return k.listed("due schedules", func(row *hive.Schedule) bool { return !row.NextAt.After(until) })
}

// MarkedAfter implements schedule.Store.
func (k *ticker) MarkedAfter(_ context.Context, t time.Time) ([]int64, error) {
	return k.listed("future marks", func(row *hive.Schedule) bool { return row.Mark.After(t) })
}

// SchedulesByID implements schedule.Store.
func (k *ticker) SchedulesByID(_ context.Context, ids []int64) ([]hive.Schedule, error) {
	return k.rows("schedules", func(row *hive.Schedule) bool { return slices.Contains(ids, row.ID) })
}

// SchedulesNamed implements schedule.Store.
func (k *ticker) SchedulesNamed(_ context.Context, names []string) ([]hive.Schedule, error) {
	return k.rows("schedules by name", func(row *hive.Schedule) bool { return slices.Contains(names, row.Name) })
}

// NoteLooks implements schedule.Store.
func (k *ticker) NoteLooks(_ context.Context, looks []hive.ScheduleLook) error {
	return k.query("next looks", func() error {
		for _, l := range looks {
			x := k.s.w.store.schedules[l.ScheduleID]
			if x == nil || x.row.Version != l.Version {
				continue
			}
			x.row.NextAt = l.NextAt
			if l.Linked != 0 {
				x.row.Linked, x.links = l.Linked, l.Links
			}
		}
		return nil
	})
}

// Dependants implements schedule.Links.
func (k *ticker) Dependants(_ context.Context, ids []int64) (found []hive.Dependant, err error) {
	err = k.query("dependants", func() error {
		all := k.s.w.store.schedules
		for _, of := range ids {
			up := all[of]
			for _, id := range slices.Sorted(maps.Keys(all)) {
				if up != nil && slices.ContainsFunc(all[id].links, func(l hive.ScheduleLink) bool {
					return l.Upstream == up.row.Name
				}) {
					found = append(found, hive.Dependant{ScheduleID: id, Of: of})
				}
			}
		}
		return nil
	})
	return found, err
}

// ChangesToCome implements schedule.Changes.
func (k *ticker) ChangesToCome(_ context.Context, ids []int64) (map[int64][]hive.PlannedChange, error) {
	out := map[int64][]hive.PlannedChange{}
	err := k.query("planned changes", func() error {
		for _, id := range ids {
			if x := k.s.w.store.schedules[id]; x != nil {
				out[id] = k.s.w.store.changesToCome(x)
			}
		}
		return nil
	})
	return out, err
}

// FormerNames implements schedule.Store: nobody renames schedules here.
func (k *ticker) FormerNames(context.Context) (map[string]string, error) {
	return map[string]string{}, nil
}

// follows reports whether a trigger of a schedule has no moments of its own.
func (x *scheduled) follows() bool {
	return slices.ContainsFunc(x.links, func(l hive.ScheduleLink) bool { return l.Follows })
}

// link stores the links of a new revision, as saving does.
func (x *scheduled) link(def *hive.Definition) {
	named := *def
	named.Name = x.row.Name
	x.links, x.row.Linked = schedule.LinksOf(&named), x.row.Revision
	x.touch()
}
