package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

// Limits of a month.
const (
	mostVisited = 1_000_000 // moments that are visited one by one
	mostItems   = 24        // listed items of a day
	mostEntries = 4         // listed entries of calendars of a day
	rareDays    = 12        // a trigger that is due on so many days of six weeks, or fewer, is listed
	weekDays    = 7
)

// MonthSchedule is a schedule whose month is counted.
type MonthSchedule struct {
	Name    string
	Enabled bool
	Times   *Timetable
	Changes []hive.PlannedChange
}

// Month counts the moments of a month by day and hour, and lists what differs from day to day. The days are those of
// whole weeks, from Monday to Sunday, in the zone of first, which is any moment of the month. Moments up to now have
// passed and are left out.
func Month(all []MonthSchedule, first time.Time, down []hive.Span, now time.Time) hive.ForecastMonth {
	m := &month{out: hive.ForecastMonth{From: now}, zone: first.Location(), now: now, down: down}
	year, number, _ := first.Date()
	lead := (int(time.Date(year, number, 1, 0, 0, 0, 0, time.UTC).Weekday()) + weekDays - 1) % weekDays
	for i := 0; ; i++ {
		m.starts = append(m.starts, startOfDate(year, number, 1-lead+i, m.zone))
		if i%weekDays == 0 && i > 0 && time.Date(year, number, 1-lead+i, 0, 0, 0, 0, time.UTC).Month() != number {
			break
		}
	}
	m.makeSlots()
	m.out.Days = make([]hive.ForecastDay, len(m.starts)-1)
	for i := range m.out.Days {
		m.out.Days[i].Date = m.starts[i].In(m.zone)
	}
	for i := range all {
		m.add(&all[i])
	}
	m.finish()
	return m.out
}

// startOfDate returns the first moment of a date.
func startOfDate(year int, month time.Month, day int, zone *time.Location) time.Time {
	return locate(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), zone).first.UTC()
}

// month is a running Month.
type month struct {
	out     hive.ForecastMonth
	zone    *time.Location
	now     time.Time
	down    []hive.Span
	starts  []time.Time // of the days, and the end of the last one
	slots   []slot
	visited int
}

func (m *month) add(s *MonthSchedule) {
	switch {
	case !s.Enabled:
		m.out.Disabled++
		return
	case s.Times.Follows():
		m.out.Following++
	}
	if len(s.Times.entries) == 0 {
		return
	}
	if !m.count(s.Times) {
		m.out.Uncounted++
		return
	}
	m.out.Schedules++
	for i := range s.Times.entries {
		m.list(s.Name, s.Times.entries[i].series)
	}
	for i := range s.Changes {
		if at := s.Changes[i].Moment; at.After(m.now) && s.Times.Has(at) {
			m.item(hive.DayItem{Kind: hive.DayPlanned, Schedule: s.Name, At: at, Count: 1})
		}
	}
}

// count adds the moments of a schedule to their hours; false if there are too many.
func (m *month) count(times *Timetable) bool {
	if len(times.entries) == 1 && len(m.down) == 0 {
		if c, ok := times.entries[0].series.(*Cron); ok && c.every == 0 && m.visited < mostVisited {
			m.countCron(c)
			return true
		}
	}
	after, until := later(m.now, justBefore(m.starts[0])), justBefore(m.starts[len(m.starts)-1])
	n := m.visited
	for i := range times.entries {
		n += times.entries[i].series.count(after, until)
	}
	if n > mostVisited {
		return false
	}
	m.visit(times, after, until)
	return true
}

// visit counts moments one by one.
func (m *month) visit(times *Timetable, after, until time.Time) {
	for t, ok := times.Next(after); ok && !t.At.After(until); t, ok = times.Next(t.At) {
		m.visited++
		m.tick(t.At)
	}
}

func (m *month) tick(at time.Time) {
	i, found := slices.BinarySearchFunc(m.starts, at, time.Time.Compare)
	if !found {
		i--
	}
	if i < 0 || i >= len(m.out.Days) {
		return
	}
	day := &m.out.Days[i]
	day.Ticks++
	day.Hours[at.In(m.zone).Hour()]++
	for _, d := range m.down {
		if !at.Before(d.From) && at.Before(d.To) {
			day.Down++
			break
		}
	}
}

// countCron counts whole days by the fields of a cron, so that a month of thousands of schedules does not visit their
// moments. Days on which clocks change are visited.
func (m *month) countCron(c *Cron) {
	one := &Timetable{entries: []timetableEntry{{series: c}}}
	first, end := civilTime(m.starts[0], c.zone), m.starts[len(m.starts)-1]
	perHour := bitCount(c.spec.Minute) * bitCount(c.spec.Second)
	from := startOfDate(first.Year(), first.Month(), first.Day(), c.zone)
	for i := 1; from.Before(end); i++ {
		to := startOfDate(first.Year(), first.Month(), first.Day()+i, c.zone)
		slot := int(from.Sub(m.starts[0]) / time.Hour)
		whole := from.After(m.now) && isWholeDay(from.Add(-time.Second), to.Add(-time.Second), c.zone)
		switch {
		case !whole || !m.inSlots(from, to):
			until := justBefore(to)
			if end.Before(to) {
				until = justBefore(end)
			}
			m.visit(one, later(later(m.now, justBefore(m.starts[0])), justBefore(from)), until)
		case c.matchesDay(civilTime(to.Add(-time.Second), c.zone)):
			for h := range 24 {
				if k := slot + h; c.spec.Hour>>uint(h)&1 == 1 && k >= 0 && k < len(m.slots) {
					m.out.Days[m.slots[k].day].Ticks += perHour
					m.out.Days[m.slots[k].day].Hours[m.slots[k].hour] += perHour
				}
			}
		}
		from = to
	}
}

// slot is one hour of the weeks, counted from their first moment.
type slot struct {
	day, hour int
	split     bool // it lies in two hours on the clock
}

func (m *month) makeSlots() {
	day := 0
	for at := m.starts[0]; at.Before(m.starts[len(m.starts)-1]); at = at.Add(time.Hour) {
		for !at.Before(m.starts[day+1]) {
			day++
		}
		first, last := at.In(m.zone), at.Add(time.Hour-time.Second).In(m.zone)
		m.slots = append(m.slots, slot{day, first.Hour(), first.Minute() != 0 || first.Hour() != last.Hour()})
	}
}

// inSlots reports whether the hours of a day in another zone are hours of the weeks.
func (m *month) inSlots(from, to time.Time) bool {
	since := from.Sub(m.starts[0])
	if since%time.Hour != 0 {
		return false
	}
	first := max(0, int(since/time.Hour))
	last := min(len(m.slots), int(to.Sub(m.starts[0])/time.Hour))
	return first >= last || !slices.ContainsFunc(m.slots[first:last], func(s slot) bool { return s.split })
}

// list adds what a trigger does on single days.
func (m *month) list(name string, s series) {
	c := cronOf(s)
	if c == nil {
		if at, ok := s.Next(later(m.now, justBefore(m.starts[0]))); ok {
			m.item(hive.DayItem{Kind: hive.DayDue, Schedule: name, At: at, Count: 1})
		}
		return
	}
	if c.every > 0 {
		return
	}
	plain := c
	if c.calendar != nil {
		plain = c.ordinary()
		m.entries(c.calendar)
	}
	var due, gained, lost []time.Time // civil dates
	first := civilTime(m.starts[0], c.zone)
	for i := range len(m.out.Days) + 1 { // the zones may differ by a day
		day := time.Date(first.Year(), first.Month(), first.Day()+i, 0, 0, 0, 0, time.UTC)
		actual, usual := c.matchesDay(day), plain.matchesDay(day)
		if usual {
			due = append(due, day)
		}
		if actual && !usual {
			gained = append(gained, day)
		}
		if usual && !actual {
			lost = append(lost, day)
		}
	}
	if len(due) <= rareDays {
		for _, day := range due {
			if !slices.Contains(lost, day) {
				m.onDay(s, c, day, hive.DayItem{Kind: hive.DayDue, Schedule: name})
			}
		}
	}
	m.changes(name, s, c, plain, gained, lost)
}

// changes lists the days that a trigger gains and loses by its calendar.
func (m *month) changes(name string, s series, c, plain *Cron, gained, lost []time.Time) {
	if c.calendar == nil {
		return
	}
	moves := c.calendar.by.Workday != 0 || c.calendar.by.Otherwise == hive.OtherwiseNext ||
		c.calendar.by.Otherwise == hive.OtherwisePrevious
	for _, day := range lost {
		if moves && len(gained) > 0 {
			continue // it is listed where it is moved to
		}
		m.onDay(plain, plain, day, hive.DayItem{Kind: hive.DayLeftOut, Schedule: name})
	}
	for _, day := range gained {
		item := hive.DayItem{Kind: hive.DayAdded, Schedule: name}
		if moves {
			item.Kind, item.From = hive.DayMoved, nearest(lost, day)
		}
		m.onDay(s, c, day, item)
	}
}

func nearest(days []time.Time, to time.Time) (best time.Time) {
	for _, day := range days {
		if best.IsZero() || day.Sub(to).Abs() < best.Sub(to).Abs() {
			best = day
		}
	}
	return best
}

// onDay adds an item at the first moment of a civil date.
func (m *month) onDay(s series, c *Cron, day time.Time, item hive.DayItem) {
	start := startOfDate(day.Year(), day.Month(), day.Day(), c.zone)
	end := startOfDate(day.Year(), day.Month(), day.Day()+1, c.zone)
	at, ok := s.Next(later(m.now, justBefore(start)))
	if !ok || !at.Before(end) {
		return
	}
	item.At, item.Count = at, s.count(justBefore(at), justBefore(end))
	m.item(item)
}

func (m *month) item(item hive.DayItem) {
	i, found := slices.BinarySearchFunc(m.starts, item.At, time.Time.Compare)
	if !found {
		i--
	}
	if i >= 0 && i < len(m.out.Days) {
		m.out.Days[i].Items = append(m.out.Days[i].Items, item)
	}
}

// entries notes what a calendar says of the days.
func (m *month) entries(r *calendarRule) {
	for i := range m.out.Days {
		day := &m.out.Days[i]
		kind, name, ok := r.calendar.Entry(civilTime(day.Date.Add(time.Hour), m.zone))
		e := hive.DayEntry{Calendar: r.by.Name, Holiday: kind == calendar.Holiday, Name: name}
		if ok && len(day.Entries) < mostEntries && !slices.Contains(day.Entries, e) {
			day.Entries = append(day.Entries, e)
		}
	}
}

// cronOf returns the cron of a trigger; nil if it has one moment.
func cronOf(s series) *Cron {
	switch s := s.(type) {
	case *Cron:
		return s
	case *bounded:
		return cronOf(s.series)
	default:
		return nil
	}
}

// ordinary returns a cron whose calendar has no entries.
func (c *Cron) ordinary() *Cron {
	plain, r := *c, c.calendar
	plain.calendar = &calendarRule{calendar: r.calendar.Ordinary(), by: r.by, days: r.days, months: r.months}
	return &plain
}

// finish puts the items of each day in order: changes before what is due, then by time and name.
func (m *month) finish() {
	order := map[hive.DayKind]int{
		hive.DayPlanned: 1, hive.DayLeftOut: 2, hive.DayMoved: 3, hive.DayAdded: 4, hive.DayDue: 5,
	}
	for i := range m.out.Days {
		day := &m.out.Days[i]
		slices.SortFunc(day.Items, func(a, b hive.DayItem) int {
			return cmp.Or(order[a.Kind]-order[b.Kind], a.At.Compare(b.At), cmp.Compare(a.Schedule, b.Schedule))
		})
		if day.More = max(0, len(day.Items)-mostItems); day.More > 0 {
			day.Items = day.Items[:mostItems]
		}
	}
}
