package schedule

import (
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// fixedDelay is the trigger of a schedule that is due so long after the last batch of the schedule has ended. It has no
// series: each moment depends on what happened before.
type fixedDelay struct {
	trigger    string
	number     int           // of the trigger in the definition
	every      time.Duration // whole seconds
	start, end time.Time     // as in bounded
}

// parseDelay reads a trigger with every.
func parseDelay(number int, t *hive.Trigger, zone *time.Location) (*fixedDelay, *parseError) {
	f := &fixedDelay{trigger: t.String(), number: number, every: t.Every.Std().Truncate(time.Second)}
	if f.every < minEvery || t.From != hive.FromEnd {
		return nil, parseErrorf(delayHelp, "every %s from %s is not known", t.Every, t.From)
	}
	b, w := parseBounds(t, zone)
	f.start, f.end = b.start, b.end
	return f, w
}

// Unplanned reports whether moments may come after now that Next does not know: other schedules give them, or the ends
// of batches do.
func (t *Timetable) Unplanned(now time.Time) bool {
	return t.Follows() || t.called || t.delay != nil && (t.delay.end.IsZero() || now.Before(t.delay.end))
}

// Delayed reports whether a moment of the timetable depends on when the last batch has ended.
func (t *Timetable) Delayed() bool { return t.delay != nil }

// NextDelayed returns the next moment that depends on when the last batch has ended, for a revision that is in force
// from a time on; false if there is none while the schedule is as in v. It needs v.EndedAt.
//
// It is computed from what is stored alone, so that each server finds the same. A moment without a batch counts as an
// end; so do the creation of the schedule and its enabling.
func (t *Timetable) NextDelayed(v *hive.TickView, from time.Time) (Moment, bool) {
	f := t.delay
	if f == nil || !v.Schedule.Active() || len(v.Live) > 0 {
		return Moment{}, false
	}
	since := later(later(v.Schedule.CreatedAt, v.Schedule.EnabledAt), later(v.EndedAt, v.Schedule.Mark))
	at := wholeSecond(later(later(since.Add(f.every), from), f.start)).UTC()
	if !f.end.IsZero() && at.After(f.end) || at.Year() > lastYear {
		return Moment{}, false
	}
	return Moment{At: at, Due: at, Trigger: f.trigger, Number: f.number}, true
}

// wholeSecond returns the first whole second from t on.
func wholeSecond(t time.Time) time.Time {
	if s := t.Truncate(time.Second); s.Before(t) {
		return s.Add(time.Second)
	}
	return t
}

// nextMoment returns the first moment after a time by the triggers with a series, in the periods that are in force
// then; false if there is none.
func nextMoment(periods []Period, since time.Time) (Moment, bool) {
	for i := range periods {
		m, ok := periods[i].Timetable.Next(later(since, justBefore(periods[i].From)))
		if ok && (i+1 == len(periods) || m.At.Before(periods[i+1].From)) {
			return m, true
		}
	}
	return Moment{}, false
}

// nextDelayed is NextDelayed of the newest period, unless another trigger has an earlier moment that is not decided
// yet: moments are decided in their order, and that one may make a batch.
func nextDelayed(v *hive.TickView, periods []Period) (Moment, bool) {
	p := &periods[len(periods)-1]
	m, ok := p.Timetable.NextDelayed(v, p.From)
	if !ok {
		return m, false
	}
	mark := v.Schedule.Mark
	if mark.IsZero() {
		mark = v.Schedule.CreatedAt
	}
	if other, found := nextMoment(periods, mark); found && !other.At.After(m.At) {
		return Moment{}, false
	}
	return m, true
}

// decideDelayed decides the moments that depend on when the last batch has ended. All others that are due are in
// before.
func (d *decider) decideDelayed(periods []Period, before []hive.TickWrite) []hive.TickWrite {
	v := d.view
	if d.live > 0 {
		return nil
	}
	for i := range before {
		if t := &before[i].Tick; t.ID == 0 && !before[i].Follows {
			v.Schedule.Mark = later(v.Schedule.Mark, later(t.Moment, t.Until))
		}
	}
	var out []hive.TickWrite
	for {
		m, ok := nextDelayed(&v, periods)
		if !ok || m.At.After(d.now) {
			return out
		}
		c := &candidate{Moment: m, period: &periods[len(periods)-1]}
		if d.late(c) {
			d.latest = c.At // there is only one
		}
		w := d.decide(c, nil)
		if w.Batch != nil {
			return append(out, w)
		}
		d.stretch(&w, c.period.Timetable.delay)
		out = append(out, w)
		v.Schedule.Mark = later(w.Tick.Moment, w.Tick.Until)
	}
}

// planDelayed returns when the next moment that depends on when the last batch has ended is to be decided, after some
// decisions; a zero time if that is not known yet.
func planDelayed(v hive.TickView, periods []Period, writes []hive.TickWrite) time.Time {
	for i := range writes {
		if writes[i].Batch != nil {
			return time.Time{}
		}
		if t := &writes[i].Tick; t.ID == 0 && !writes[i].Follows {
			v.Schedule.Mark = later(v.Schedule.Mark, later(t.Moment, t.Until))
		}
	}
	m, _ := nextDelayed(&v, periods)
	return m.Due
}

// stretch lets a tick without a batch stand for all moments that would follow from it and get the same decision, so
// that a long time without a server is one row of the ledger.
func (d *decider) stretch(w *hive.TickWrite, f *fixedDelay) {
	last := d.now
	switch w.Tick.Rule {
	case ruleExpire:
		last = justBefore(d.now.Add(-d.policy.Expire.Std()))
	case ruleCatchUp:
		last = justBefore(d.now.Add(-d.grace))
	}
	if !f.end.IsZero() && f.end.Before(last) {
		last = f.end
	}
	if n := int(last.Sub(w.Tick.Moment) / f.every); n > 0 {
		w.Tick.Count, w.Tick.Until = n+1, w.Tick.Moment.Add(time.Duration(n)*f.every)
	}
}

const delayHelp = "write every: 10m with from: end, or cron: \"@every 10m\" to count from the start of each batch"

// checkDelay checks a trigger with every, which has few other fields.
func (c *triggerCheck) checkDelay() {
	t := c.trigger
	switch {
	case t.Every == 0:
		c.add(codeBadTrigger, "every", parseErrorf("write every: 10m with it, or remove it",
			"the trigger has from, but no every").withReason(ReasonFromAlone))
		return
	case t.From != hive.FromEnd:
		remedy := fmt.Sprintf("write from: end, or cron: \"@every %s\" instead of every", t.Every)
		c.add(codeBadTrigger, "from", parseErrorf(remedy,
			"every counts from the end of the last batch, but from is %.80q", t.From).
			withReason(ReasonFromUnknown, "value", hive.Clean(t.From, 80), "every", t.Every))
	}
	if t.Every.Std() < minEvery || t.Every.Std()%time.Second != 0 {
		c.add(codeBadTrigger, "every", parseErrorf("write whole seconds, at least 1s",
			"every %s is not possible", t.Every).
			withReason(ReasonDelayWhole, "value", t.Every))
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"cron", t.Cron != ""},
		{"at", t.At != ""},
		{"jitter", t.Jitter != 0},
		{"dst", t.DST != (hive.DST{})},
		{"after", len(t.After) > 0},
		{"serial", t.Serial},
		{"calendar", t.Calendar != (hive.TriggerCalendar{})},
	} {
		if f.set {
			c.add(codeBadTrigger, f.name, parseErrorf("remove it, or write a cron instead of every",
				"a trigger with every has no %s", f.name).withReason(ReasonDelayAlone, "field", f.name))
		}
	}
	start, startOK := c.point("start", t.Start)
	end, endOK := c.point("end", t.End)
	switch {
	case !startOK || !endOK || t.End == "":
	case t.Start != "" && end.last.Before(start.first):
		c.endsEarly()
	case !end.last.After(c.now):
		c.ended()
	}
}
