package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The orders by next moment and by usual duration are of values that are in no column. They read a short row of each
// schedule of the selection, and keep the values in memory.

// placed is a schedule with its value in an order.
type placed struct {
	id int64
	cursor
}

// pageByValue reads a page of the order by next moment or by usual duration.
func (s *Service) pageByValue(ctx context.Context, f *hive.ScheduleFilter, sel *hive.ScheduleSelection) (
	rows []hive.Schedule, next string, err error,
) {
	of := listOf(f)
	after, err := parseCursor(f.After, of)
	if err != nil {
		return nil, "", err
	}
	keys, err := s.lists.ScheduleKeys(ctx, sel)
	if err != nil {
		return nil, "", err
	}
	whole := isWhole(sel)
	order := func(a, b cursor) int { return compareCursors(a, b, f.Descending) }
	isLater := func(p *placed) bool { return f.After == "" || order(p.cursor, after) > 0 }
	var list []placed
	if f.Order == hive.ScheduleByUsual {
		list, err = s.byUsual(ctx, keys, whole)
	} else {
		s.mu.Lock()
		forget(s.dues, keys, whole)
		s.mu.Unlock()
		list, err = s.byNext(ctx, keys, f.Descending, f.Limit+1, isLater)
	}
	if err != nil {
		return nil, "", err
	}
	list = slices.DeleteFunc(list, func(p placed) bool { return !isLater(&p) })
	slices.SortFunc(list, func(a, b placed) int { return order(a.cursor, b.cursor) })
	if len(list) > f.Limit {
		list = list[:f.Limit]
		last := list[f.Limit-1].cursor
		last.list = of
		next = last.String()
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	rows, err = s.inOrder(ctx, ids)
	return rows, next, err
}

// maxKept bounds the memory of an order, if nobody ever lists all schedules.
const maxKept = 200_000

// isWhole reports whether a selection has all schedules that are not archived.
func isWhole(sel *hive.ScheduleSelection) bool {
	return !sel.Archived && len(sel.Words) == 0 && sel.Tag == "" && sel.Owner == "" && !sel.Disabled && !sel.Running &&
		sel.Among == nil && sel.Need == hive.NeedAny
}

// forget drops what is kept of schedules that have been deleted: those that are not in a whole list. The others of a
// longer list than ever are all read again.
func forget[T any](kept map[int64]T, keys []hive.ScheduleKey, whole bool) {
	switch {
	case whole && len(kept) > len(keys):
		there := make(map[int64]bool, len(keys))
		for i := range keys {
			there[keys[i].ID] = true
		}
		maps.DeleteFunc(kept, func(id int64, _ T) bool { return !there[id] })
	case len(kept) > maxKept:
		clear(kept)
	}
}

// compareCursors compares two places in an order. Those without a value are the last in both directions.
func compareCursors(a, b cursor, descending bool) int {
	if a.known != b.known {
		if a.known {
			return -1
		}
		return 1
	}
	by := cmp.Compare(a.value, b.value)
	if descending {
		by = -by
	}
	return cmp.Or(by, strings.Compare(a.name, b.name))
}

// usualCache keeps usual durations. They change only when a batch ends.
type usualCache struct {
	turn  turn      // for the fields below
	until time.Time // ends before it are known
	by    map[int64]time.Duration
}

// usualAtOnce is the number of schedules whose latest batches are read together.
const usualAtOnce = 500

// usualMargin is how far the clocks of servers may differ.
const usualMargin = time.Minute

// byUsual returns schedules with their usual durations. The first call reads the latest batches of all of them, and the
// later ones of those whose batches have ended since. What it has read stays if the call is given up.
func (s *Service) byUsual(ctx context.Context, keys []hive.ScheduleKey, whole bool) ([]placed, error) {
	c := &s.usual
	if err := c.turn.take(ctx, "the server is reading the durations of all schedules"); err != nil {
		return nil, err
	}
	defer c.turn.leave()
	forget(c.by, keys, whole)
	now := s.now()
	if !c.until.IsZero() {
		ended, err := s.lists.EndedSince(ctx, c.until.Add(-usualMargin))
		if err != nil {
			return nil, err
		}
		for _, id := range ended {
			delete(c.by, id)
		}
	}
	c.until = now
	var missing []int64
	for i := range keys {
		if _, ok := c.by[keys[i].ID]; !ok {
			missing = append(missing, keys[i].ID)
		}
	}
	for some := range slices.Chunk(missing, usualAtOnce) {
		fresh, err := s.batches.UsualDurations(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			c.by[id] = fresh[id]
		}
	}
	out := make([]placed, len(keys))
	for i := range keys {
		took := c.by[keys[i].ID]
		out[i] = placed{keys[i].ID, cursor{value: took.Milliseconds(), known: took > 0, name: keys[i].Name}}
	}
	return out, nil
}

// due is the next moment of a schedule; zero for none. It holds until a time, or the schedule has another version.
type due struct {
	version int64
	at      time.Time
	until   time.Time
}

// A moment of a trigger holds until it has passed. One that counts from the end of a batch moves without a new version,
// so it is computed again, but not for each page. What has no moment, as what only follows others, gets none without a
// new version, unless it lies beyond the years that a timetable looks ahead.
const (
	delayedHolds = 5 * time.Second
	noneHolds    = time.Hour
)

// nextAtOnce is the number of schedules whose next moments are computed together.
const nextAtOnce = 100

// byNext returns the schedules of a page, and perhaps others, with their next moments. The ticker has stored until when
// each schedule is not due, so in ascending order only those are computed that may be on the page.
func (s *Service) byNext(
	ctx context.Context, keys []hive.ScheduleKey, descending bool, limit int, isLater func(*placed) bool,
) (list []placed, err error) {
	var open []hive.ScheduleKey // their moments are not computed yet
	for i := range keys {
		if k := &keys[i]; k.Enabled && k.NextAt.Before(hive.Never()) {
			open = append(open, *k)
		} else {
			list = append(list, placed{k.ID, cursor{name: k.Name}})
		}
	}
	slices.SortFunc(open, func(a, b hive.ScheduleKey) int { return a.NextAt.Compare(b.NextAt) })
	var page []int64 // the soonest moments after the cursor
	for len(open) > 0 {
		slices.Sort(page)
		page = page[:min(limit, len(page))]
		if !descending && len(page) == limit && page[limit-1] < open[0].NextAt.UnixMilli() {
			break // no other is sooner; the page has no room for those without a moment
		}
		some := open[:min(nextAtOnce, len(open))]
		open = open[len(some):]
		moments, err := s.nextMoments(ctx, some)
		if err != nil {
			return nil, err
		}
		for i := range some {
			at := moments[some[i].ID]
			p := placed{some[i].ID, cursor{name: some[i].Name, known: !at.IsZero()}}
			if p.known {
				p.value = at.UnixMilli()
			}
			if list = append(list, p); p.known && isLater(&p) {
				page = append(page, p.value)
			}
		}
	}
	return list, nil
}

// nextMoments returns the next moments of schedules by their ids. One without a moment is left out.
func (s *Service) nextMoments(ctx context.Context, keys []hive.ScheduleKey) (map[int64]time.Time, error) {
	out := make(map[int64]time.Time, len(keys))
	var ids []int64
	now := s.now()
	s.mu.Lock()
	for i := range keys {
		if d, ok := s.dues[keys[i].ID]; ok && d.version == keys[i].Version && d.until.After(now) {
			if !d.at.IsZero() {
				out[keys[i].ID] = d.at
			}
		} else {
			ids = append(ids, keys[i].ID)
		}
	}
	s.mu.Unlock()
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := s.directory.SchedulesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	views, err := s.soonest(ctx, rows)
	maps.Copy(out, views)
	return out, err
}

// soonest computes the next moments of schedules, and keeps them.
func (s *Service) soonest(ctx context.Context, rows []hive.Schedule) (map[int64]time.Time, error) {
	views, _, err := s.timesOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make(map[int64]time.Time, len(views))
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range views {
		h := &views[i].Schedule
		next := due{version: h.Version, until: now.Add(noneHolds)}
		if len(views[i].NextAt) > 0 {
			next.at = views[i].NextAt[0]
			next.until = next.at
			out[h.ID] = next.at
		}
		d, ok := s.digests[revisionKey{h.ID, h.Revision}]
		if !ok || d.times.Delayed() {
			next.until = now.Add(delayedHolds)
		}
		s.dues[h.ID] = next
	}
	return out, nil
}
