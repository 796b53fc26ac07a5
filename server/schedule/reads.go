package schedule

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Margins of what decisions read. Each is larger than what is read, so that a change of a clock does no harm.
const (
	readsFollowed = followBack + 2*24*time.Hour // the ticker follows moments up to followBack, and takes whole days
	readsMore     = 2 * 24 * time.Hour          // the longest jitter, and a whole day in each zone
)

// Reads is what the decisions to come of a schedule may read of the past.
type Reads struct {
	// After has the names of schedules: their ticks and batches with moments after that time are read. A zero time
	// stands for all of them.
	After map[string]time.Time
	// Follows has the schedules whose moments this one follows: who reads this one may read those as well.
	Follows []string
	// Serial reports that the last expected moment before Oldest is read of the schedule itself.
	Serial bool
	Oldest time.Time // the oldest moment that may not be decided
}

// Reader tells what one revision reads of the past.
type Reader struct {
	name  string
	rules []readRule
	wild  []string // schedules that triggers name which cannot be read
}

// readRule is what one trigger waits for.
type readRule struct {
	seriesGate

	dated  bool // a calendar changes the series
	jitter bool
}

// NewReader makes a Reader of a definition of a schedule that was created at the given time.
func NewReader(def *hive.Definition, created time.Time) *Reader {
	r := &Reader{name: def.Name}
	for i := range def.Triggers {
		trigger := def.Triggers[i]
		if !trigger.Waits() {
			continue
		}
		one := *def
		dated := trigger.Calendar.Name != ""
		trigger.Calendar = hive.TriggerCalendar{}
		one.Triggers = []hive.Trigger{trigger}
		table, err := NewTimetable(&one, created, nil)
		var gates []seriesGate
		if err == nil {
			gates = table.gates()
		}
		if err != nil {
			r.wild = append(r.wild, def.Name)
			for j := range trigger.After {
				r.wild = append(r.wild, trigger.After[j].Schedule)
			}
		}
		for _, g := range gates {
			r.rules = append(r.rules, readRule{seriesGate: g, dated: dated, jitter: trigger.Jitter != 0})
		}
	}
	return r
}

// Reads tells what is read by the decisions after now. Moments up to mark are decided, except for waiting ticks;
// waiting is the moment of the oldest of them, zero if there is none.
func (r *Reader) Reads(mark, now, waiting time.Time) Reads {
	out := Reads{After: map[string]time.Time{}, Oldest: earlier(now, waiting)}
	note := func(name string, after time.Time) {
		if old, ok := out.After[name]; !ok || after.Before(old) {
			out.After[name] = after
		}
	}
	for _, name := range r.wild {
		note(name, time.Time{})
	}
	for _, rule := range r.rules {
		g := rule.gate
		oldest := earlier(now, waiting)
		if g.follows {
			note(r.name, now.Add(-readsFollowed))
		} else if rule.undecided(mark, now) {
			oldest = earlier(oldest, mark)
		}
		out.Oldest = earlier(out.Oldest, oldest)
		out.Serial = out.Serial || g.serial
		for i := range g.after {
			u := &g.after[i]
			note(u.schedule, rule.from(u, oldest.Add(-readsMore)).Add(-readsMore))
			if g.follows {
				note(u.schedule, now.Add(-readsFollowed))
				out.Follows = append(out.Follows, u.schedule)
			}
		}
	}
	return out
}

// undecided reports whether the trigger may have moments between mark and now.
func (r *readRule) undecided(mark, now time.Time) bool {
	if r.dated || r.series == nil {
		return true
	}
	if r.jitter {
		mark = mark.Add(-readsMore) // a moment with jitter is decided later
	}
	at, ok := r.series.Next(mark)
	return ok && !at.After(now)
}

// from returns the begin of what a moment at a time, or later, reads of an upstream.
func (r *readRule) from(u *upstream, at time.Time) time.Time {
	var before time.Time
	if u.window == nil && r.series != nil && !r.dated {
		before = momentBefore(r.series, at)
	}
	return r.gate.span(u, at, before).after
}

// Pass adds to the floors of upstreams what is read through a schedule that follows them. floors has, by schedule, the
// time after which moments are read.
func (r *Reads) Pass(own time.Time, note func(name string, after time.Time)) {
	for _, name := range r.Follows {
		note(name, own.Add(-readsMore))
	}
}
