package retention

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// Limits are the limits of one schedule, or of all that have none of their own. 0 is no limit.
type Limits struct{ Batches, Days, Logs int }

// limitless reports whether nothing goes.
func (l Limits) limitless() bool { return l.Batches == 0 && l.Days == 0 && l.Logs == 0 }

// with returns the limits of a schedule, with l for those that it leaves out.
func (l Limits) with(k hive.Keep) Limits {
	set := func(to *int, own *int) {
		if own != nil {
			*to = *own
		}
	}
	set(&l.Batches, k.Batches)
	set(&l.Days, k.Days)
	set(&l.Logs, k.Logs)
	return l
}

// never is a floor of a schedule that nothing reads.
const never = 200 * 365 * 24 * time.Hour

// deepest is how many schedules may follow each other.
const deepest = 8

// known is what the newest revision of a schedule says.
type known struct {
	revision int64
	keep     hive.Keep
	reader   *schedule.Reader // nil: it cannot be read
}

// item is one schedule of a pass.
type item struct {
	hive.PruneSchedule

	limits Limits
	floor  time.Time
}

// plan has what a pass does.
type plan struct {
	now   time.Time
	items []item // with limits; the last one is adhoc batches
}

// plan reads all schedules, and computes the limits and the floors of those that have limits. force stands for the
// limits of all if it is not nil, and only for a name if it is not empty.
func (s *Service) plan(ctx context.Context, only string, force *Limits) (*plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, err := s.config.Schedules.PruneSchedules(ctx)
	if err != nil {
		return nil, err
	}
	p := &plan{now: s.now()}
	found, limited := only == "", force != nil || !s.config.Limits.limitless()
	for i := range list {
		found = found || list[i].Name == only
		limited = limited || list[i].MayLimit
	}
	if !found {
		return nil, hive.Errorf(hive.CodeNotFound, "there is no schedule %s", only).
			WithReason(hive.ErrorNoSchedule, "schedule", only)
	}
	if !limited {
		return p, nil
	}
	if err := s.learn(ctx, list); err != nil {
		return nil, err
	}
	floors, err := s.floors(ctx, list, p.now)
	if err != nil {
		return nil, err
	}
	for i := range list {
		it := item{PruneSchedule: list[i], limits: s.config.Limits.with(s.known[list[i].ID].keep)}
		if force != nil {
			it.limits = *force
		}
		if it.limits.limitless() || only != "" && only != it.Name {
			continue
		}
		it.floor = floors[it.ID]
		p.items = append(p.items, it)
	}
	adhoc := item{limits: s.config.Limits, floor: p.now.Add(never)}
	if force != nil {
		adhoc.limits = *force
	}
	adhoc.limits.Batches = 0 // they have nothing in common that could be counted
	if only == "" && !adhoc.limits.limitless() {
		p.items = append(p.items, adhoc)
	}
	return p, nil
}

// learn parses the newest revisions that it does not know yet.
func (s *Service) learn(ctx context.Context, list []hive.PruneSchedule) error {
	old := s.known
	s.known = make(map[int64]known, len(list))
	for i := range list {
		row := &list[i]
		k, ok := old[row.ID]
		if !ok || k.revision != row.Revision {
			rev, err := s.config.Schedules.RevisionAt(ctx, row.ID, row.Revision)
			if err != nil {
				s.known = old
				return fmt.Errorf("read schedule %s: %w", row.Name, err)
			}
			k = known{revision: row.Revision}
			if def, err := s.config.Parse(rev.Document); err == nil {
				k.keep, k.reader = def.Policy.Keep, schedule.NewReader(def, row.CreatedAt)
			}
		}
		s.known[row.ID] = k
	}
	return nil
}

// floors computes by schedule the time after which ticks and batches may still be read. If the definition of an active
// schedule cannot be read, nobody knows what it reads, so nothing goes.
func (s *Service) floors(ctx context.Context, list []hive.PruneSchedule, now time.Time) (map[int64]time.Time, error) {
	f := newFloors(list, now)
	reads := make([]schedule.Reads, len(list))
	for i := range list {
		row := &list[i]
		reader := s.known[row.ID].reader
		switch {
		case reader == nil && row.Active:
			s.config.Log.WarnContext(ctx, "no batch of a schedule is deleted by its age: a schedule cannot be "+
				"read, so nobody knows what it waits for; save or archive it", "schedule", row.Name)
			for id := range f.of {
				f.of[id] = time.Time{}
			}
			return f.of, nil
		case reader == nil, !row.Active && row.Waiting.IsZero():
			continue
		}
		reads[i] = reader.Reads(markOf(row, now), now, row.Waiting)
		for name, after := range reads[i].After {
			f.note(name, after)
		}
		if !reads[i].Serial {
			continue
		}
		m, found, err := s.config.Schedules.MomentBefore(ctx, row.ID, reads[i].Oldest)
		if err != nil {
			return nil, err
		}
		if found {
			f.note(row.Name, m.Moment.Add(-time.Millisecond))
		}
	}
	for range deepest {
		for i := range list {
			reads[i].Pass(f.of[list[i].ID], f.note)
		}
	}
	return f.of, nil
}

// markOf returns the time up to which the moments of a schedule are decided.
func markOf(row *hive.PruneSchedule, now time.Time) time.Time {
	switch {
	case !row.Active:
		return now // its moments begin when it is enabled again
	case row.Mark.IsZero():
		return row.CreatedAt
	default:
		return row.Mark
	}
}

// floors are the floors of schedules.
type floors struct {
	ids map[string]int64 // by present and former names
	of  map[int64]time.Time
}

func newFloors(list []hive.PruneSchedule, now time.Time) *floors {
	f := &floors{ids: map[string]int64{}, of: make(map[int64]time.Time, len(list))}
	for i := range list {
		for _, name := range list[i].Former {
			f.ids[name] = list[i].ID
		}
	}
	for i := range list {
		f.ids[list[i].Name], f.of[list[i].ID] = list[i].ID, now.Add(never)
	}
	return f
}

// note lowers the floor of a schedule.
func (f *floors) note(name string, after time.Time) {
	if id, ok := f.ids[name]; ok && after.Before(f.of[id]) {
		f.of[id] = after
	}
}
