package schedule

import "time"

// A civil time is what a clock on the wall shows. It is kept as a time.Time whose UTC fields are the clock's, so that
// adding to it never meets daylight saving.

// farthest is more than any offset from UTC that a zone ever had (Manila's -15:56 before 1844).
const farthest = 16 * time.Hour

// wall is the civil time of a moment.
func wall(t time.Time, zone *time.Location) time.Time {
	offset, _, _ := stretch(t, zone)
	return t.UTC().Add(offset)
}

// stretch is the offset of a zone at t, and from when until before when it holds; zero for no end.
func stretch(t time.Time, zone *time.Location) (offset time.Duration, start, end time.Time) {
	local := t.In(zone)
	_, seconds := local.Zone()
	start, end = local.ZoneBounds()
	return time.Duration(seconds) * time.Second, start, end
}

// place is where a civil time lies: its first and last moment, or the moment that ends the gap it falls into.
type place struct {
	first, last time.Time
	gap         bool
}

// locate finds the moments of a civil time.
func locate(w time.Time, zone *time.Location) place {
	var p place
	at, stop := w.Add(-farthest), w.Add(farthest)
	for {
		offset, start, end := stretch(at, zone)
		moment := w.Add(-offset)
		if (start.IsZero() || !moment.Before(start)) && (end.IsZero() || moment.Before(end)) {
			if p.first.IsZero() || p.gap {
				p.first, p.gap = moment, false
			}
			p.last = moment
		}
		if end.IsZero() || end.After(stop) {
			return p
		}
		if next, _, _ := stretch(end, zone); p.first.IsZero() && !w.Before(end.Add(offset).UTC()) &&
			w.Before(end.Add(next).UTC()) {
			p = place{first: end.UTC(), last: end.UTC(), gap: true}
		}
		at = end
	}
}

// endOfDay is the last second of the civil day that follows t by at least a second: 23:59:59, or an hour nearby on a
// day whose midnight is skipped or repeated.
func endOfDay(t time.Time, zone *time.Location) time.Time {
	w := wall(t.Add(time.Second), zone)
	day := time.Date(w.Year(), w.Month(), w.Day(), 23, 59, 59, 0, time.UTC)
	if end := locate(day, zone).last; end.After(t) {
		return end
	}
	return t.Add(24 * time.Hour)
}

// whole says that the moments after t and up to until are exactly one civil day of one offset, with no change near.
func whole(t, until time.Time, zone *time.Location) bool {
	if until.Sub(t) != 24*time.Hour || t.Nanosecond() != 0 {
		return false
	}
	w := wall(until, zone)
	if w.Hour() != 23 || w.Minute() != 59 || w.Second() != 59 {
		return false
	}
	_, start, end := stretch(until, zone)
	return (start.IsZero() || start.Before(t.Add(-24*time.Hour))) &&
		(end.IsZero() || end.After(until.Add(24*time.Hour)))
}
