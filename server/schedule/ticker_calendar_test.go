package schedule_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

var _ schedule.CalendarStore = (*store)(nil)

// putCalendar makes def the newest revision of calendar c.
func (s *store) putCalendar(now time.Time, def hive.CalendarDefinition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	document, err := json.Marshal(def)
	if err != nil {
		panic(err)
	}
	s.calendar = append(s.calendar, hive.CalendarRevision{
		Number: int64(len(s.calendar) + 1), Document: string(document), CreatedAt: now,
	})
	for id := range s.rows {
		s.touch(id)
	}
}

func (s *store) CalendarsVersion(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.calendar)), nil
}

func (s *store) Calendar(_ context.Context, name string) (hive.Calendar, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name != "c" || len(s.calendar) == 0 {
		return hive.Calendar{}, hive.Errorf(hive.CodeNotFound, "there is no calendar %s", name)
	}
	return hive.Calendar{ID: 1, Name: name, Revision: int64(len(s.calendar))}, nil
}

func (s *store) CalendarRevisionAt(_ context.Context, _, number int64) (hive.CalendarRevision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calendar[number-1], nil
}

func parseCalendar(document string) (*hive.CalendarDefinition, error) {
	var def hive.CalendarDefinition
	return &def, json.Unmarshal([]byte(document), &def)
}

// onWorkdays is a schedule that is due each hour on the workdays of calendar c.
func onWorkdays() hive.Definition {
	d := def("0 * * * *")
	d.Policy.CatchUp.Mode = hive.CatchUpAll
	d.Triggers[0].Calendar = hive.TriggerCalendar{Name: "c"}
	return d
}

// days lists the first days of 2000, which began on a Saturday.
func days(dates ...string) []hive.CalendarDays {
	var out []hive.CalendarDays
	for _, d := range dates {
		out = append(out, hive.CalendarDays{Date: d})
	}
	return out
}

// TestTickerFollowsAChangedCalendar: a change counts at once, and from its moment on. The hours of the day before it
// stay as they were.
func TestTickerFollowsAChangedCalendar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.putCalendar(time.Now(), hive.CalendarDefinition{})
		s.publish(1, time.Now(), onWorkdays())
		b := newBench(s)
		b.begin(t)
		pass(3*time.Hour + time.Minute) // of the Saturday
		wantLedger(t, s, 1)
		s.putCalendar(time.Now(), hive.CalendarDefinition{Workdays: days("2000-01-01")})
		b.Notify()
		pass(2 * time.Hour)
		wantLedger(t, s, 1, "04:00:00 fired on_time", "05:00:00 fired on_time")
		s.putCalendar(time.Now(), hive.CalendarDefinition{}) // another server changes it: nobody notifies this one
		pass(4 * time.Hour)
		b.Stop()
		wantLedger(t, s, 1, "04:00:00 fired on_time", "05:00:00 fired on_time")
	})
}

// TestLateTicksFollowTheCalendarOfTheirMoment: after an outage each moment is decided by the calendar that was in force
// then.
func TestLateTicksFollowTheCalendarOfTheirMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		at := time.Now()
		s.putCalendar(at, hive.CalendarDefinition{})
		s.publish(1, at, onWorkdays())
		s.putCalendar(at.Add(90*time.Minute), hive.CalendarDefinition{Workdays: days("2000-01-01")})
		s.putCalendar(at.Add(3*time.Hour+time.Second), hive.CalendarDefinition{Holidays: days("2000-01-01")})
		<-time.After(6 * time.Hour)
		b := newBench(s)
		b.run(t, time.Minute)
		wantLedger(t, s, 1, "02:00:00 fired catch_up", "03:00:00 queued catch_up")
	})
}

// TestADecisionSeesANewerCalendar: between the look for changes and the decision, another server has changed the
// calendar. The decision learns it from its transaction.
func TestADecisionSeesANewerCalendar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.putCalendar(time.Now(), hive.CalendarDefinition{Workdays: days("2000-01-01")})
		s.publish(1, time.Now(), onWorkdays())
		s.fail = func([]int64) error { // called as a decision begins
			if s.calls == 1 {
				s.mu.Unlock()
				s.putCalendar(time.Now().Add(-time.Second), hive.CalendarDefinition{})
				s.mu.Lock()
			}
			return nil
		}
		b := newBench(s)
		b.run(t, 3*time.Hour+time.Minute)
		wantLedger(t, s, 1)
	})
}

// TestATriggerOfAMissingCalendarIsNotDue: such a revision can only come from a database that was changed by hand. Other
// schedules go on.
func TestATriggerOfAMissingCalendarIsNotDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), onWorkdays())
		s.publish(2, time.Now(), def("0 * * * *"))
		b := newBench(s)
		b.run(t, time.Hour+time.Minute)
		wantLedger(t, s, 1)
		wantLedger(t, s, 2, "01:00:00 fired on_time")
		if b.log.count("there is no calendar") == 0 {
			t.Error("the log does not say it")
		}
	})
}
