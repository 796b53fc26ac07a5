package schedule

import (
	"strings"
	"time"
)

// longestPoint is the limit of a written time, in bytes; all valid ones are shorter.
const longestPoint = 64

const pointHelp = "write a date and time such as 2026-12-24T18:00, or with an offset 2026-12-24T18:00:00+08:00"

// point is a time that a trigger names: its field at, start or end.
type point struct {
	first time.Time // the first moment that it stands for
	last  time.Time // the last one: later for a date, which is a whole day, and for a time that a clock shows twice
	gap   bool      // daylight saving skips the time; both moments are then the end of the gap
	date  bool      // it has no time of day
}

// parsePoint reads a time: with an offset from UTC it is that moment, otherwise it is read in the zone.
func parsePoint(text string, zone *time.Location) (point, *parseError) {
	text = strings.TrimSpace(text)
	if len(text) > longestPoint {
		return point{}, badPoint(text[:longestPoint])
	}
	written := strings.Replace(strings.ToUpper(text), " ", "T", 1)
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, written); err == nil {
			return checkYear(text, point{first: t.UTC(), last: t.UTC()})
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, written); err == nil {
			m := locate(t, zone)
			return checkYear(text, point{first: m.first.UTC(), last: m.last.UTC(), gap: m.gap})
		}
	}
	if t, err := time.Parse(time.DateOnly, written); err == nil {
		first, last := locate(t, zone), locate(t.AddDate(0, 0, 1).Add(-time.Second), zone)
		return checkYear(text, point{first: first.first.UTC(), last: last.last.UTC(), date: true})
	}
	return point{}, badPoint(text)
}

// checkYear refuses times that the ledger cannot hold, and fractions of a second.
func checkYear(text string, p point) (point, *parseError) {
	if p.first.Unix() < 0 || p.last.Year() > lastYear || p.first.Nanosecond() != 0 {
		return point{}, badPoint(text)
	}
	return p, nil
}

func badPoint(text string) *parseError {
	return parseErrorf(pointHelp, "%q is not a date and time", text).withReason(ReasonPointUnread, "value", text)
}
