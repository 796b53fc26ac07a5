package schedule

import "time"

// A civil time is what a clock on a wall shows. It is kept as a time.Time whose UTC fields are those of that clock, so
// that daylight saving never affects an addition.

// maxOffset is larger than every offset from UTC that a zone ever had (-15:56 in Manila before 1844).
const maxOffset = 16 * time.Hour

// civilTime returns the civil time of a moment.
func civilTime(t time.Time, zone *time.Location) time.Time {
	offset, _, _ := offsetAt(t, zone)
	return t.UTC().Add(offset)
}

// offsetAt returns the offset of a zone at t. The offset holds from start until just before end; a zero time means no
// bound.
func offsetAt(t time.Time, zone *time.Location) (offset time.Duration, start, end time.Time) {
	local := t.In(zone)
	_, seconds := local.Zone()
	start, end = local.ZoneBounds()
	return time.Duration(seconds) * time.Second, start, end
}

// civilMoments are the first and the last moment at which a clock shows a civil time. If daylight saving skips that
// time, both are the moment at which the gap ends.
type civilMoments struct {
	first, last time.Time
	gap         bool
}

// locate finds the moments of a civil time.
func locate(w time.Time, zone *time.Location) civilMoments {
	var p civilMoments
	at, stop := w.Add(-maxOffset), w.Add(maxOffset)
	for {
		offset, start, end := offsetAt(at, zone)
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
		if next, _, _ := offsetAt(end, zone); p.first.IsZero() && !w.Before(end.Add(offset).UTC()) &&
			w.Before(end.Add(next).UTC()) {
			p = civilMoments{first: end.UTC(), last: end.UTC(), gap: true}
		}
		at = end
	}
}

// DayStart returns the first moment of a day, whose date is that of the fields of date. It is not always midnight:
// where daylight saving skips midnight, the day begins later.
func DayStart(date time.Time, zone *time.Location) time.Time {
	y, m, d := date.Date()
	return locate(time.Date(y, m, d, 0, 0, 0, 0, time.UTC), zone).first
}

// endOfDay returns the last second of the civil day in which t plus one second lies: 23:59:59, or a time within an hour
// of it on a day whose midnight is skipped or repeated.
func endOfDay(t time.Time, zone *time.Location) time.Time {
	w := civilTime(t.Add(time.Second), zone)
	day := time.Date(w.Year(), w.Month(), w.Day(), 23, 59, 59, 0, time.UTC)
	if end := locate(day, zone).last; end.After(t) {
		return end
	}
	return t.Add(24 * time.Hour)
}

// isWholeDay reports whether the moments after t and up to until are exactly one civil day, and that the offset does
// not change within a day of it.
func isWholeDay(t, until time.Time, zone *time.Location) bool {
	if until.Sub(t) != 24*time.Hour || t.Nanosecond() != 0 {
		return false
	}
	w := civilTime(until, zone)
	if w.Hour() != 23 || w.Minute() != 59 || w.Second() != 59 {
		return false
	}
	_, start, end := offsetAt(until, zone)
	return (start.IsZero() || start.Before(t.Add(-24*time.Hour))) &&
		(end.IsZero() || end.After(until.Add(24*time.Hour)))
}
