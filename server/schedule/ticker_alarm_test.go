package schedule_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestTickerDistrustsAClockThatJumps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("0 * * * *"))
		b := newBench(s)
		b.begin(t)
		pass(time.Minute)
		b.off.Store(int64(3 * time.Hour))
		pass(20 * time.Second)
		wantLedger(t, s, 1)
		if a := b.alarms(); len(a) != 1 || !strings.Contains(a[0], "the wall clock jumped by 3h0m0s") {
			t.Errorf("alarms = %q", a)
		}
		since := b.Alarms()[0].Since
		pass(time.Second)
		if a := b.Alarms(); len(a) != 1 || a[0].Reason != hive.AlarmClockJumped || a[0].Schedule != "" ||
			a[0].Params["off"] != "3h0m0s" || !a[0].Since.Equal(since) {
			t.Errorf("alarms = %+v", a)
		}
		b.off.Store(0) // set right in time: nothing was fired by the wrong clock
		pass(time.Hour)
		if a := b.alarms(); len(a) != 0 {
			t.Errorf("alarms = %q", a)
		}
		// The log tells the begin and the end, once each.
		begun, ended := b.log.count("ticks are not decided"), b.log.count("ticks are decided again")
		if begun != 1 || ended != 1 {
			t.Errorf("the log tells %d begins and %d ends:\n%s", begun, ended, b.log.String())
		}
		wantLedger(t, s, 1, "01:00:00 fired on_time")
		b.off.Store(int64(-30 * time.Minute)) // steady there: it is believed after a while
		pass(40 * time.Minute)
		b.Stop()
		wantLedger(t, s, 1, "01:00:00 fired on_time") // not a second time
	})
}

func TestTickerAlarmsAboutAMarkInTheFuture(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("* * * * * *"))
		s.rows[1].Mark = time.Now().Add(time.Hour)
		b := newBench(s)
		b.begin(t)
		pass(30 * time.Second)
		if a := b.alarms(); len(a) != 1 || !strings.Contains(a[0], "ahead of this machine's clock") {
			t.Errorf("alarms = %q", a)
		}
		wantLedger(t, s, 1)
		pass(time.Hour)
		b.Stop()
		if a := b.alarms(); len(a) != 0 || len(s.ledger(1)) != 30 {
			t.Errorf("alarms = %q, %d ticks", a, len(s.ledger(1)))
		}
	})
}

// TestTickerGoesOnPastABadSchedule has one schedule that cannot be stored, one that cannot be read and one that
// cannot be made into runs, beside good ones.
func TestTickerGoesOnPastABadSchedule(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		for id := range int64(5) {
			s.publish(id+1, time.Now(), def("*/10 * * * * *"))
		}
		s.revisions[2][0].Document = "{"
		noHandler := def("*/10 * * * * *")
		noHandler.Jobs[0].Tasks[1].Handler = ""
		s.publish(3, time.Now(), noHandler)
		s.revisions[4] = nil
		s.rows[4].Revision = 7
		s.fail = func(ids []int64) error {
			if slices.Contains(ids, 5) {
				return errors.New("constraint")
			}
			return nil
		}
		b := newBench(s)
		b.begin(t)
		pass(20500 * time.Millisecond)
		wantLedger(t, s, 1, "00:00:10 fired on_time", "00:00:20 fired on_time")
		wantLedger(t, s, 2)
		wantLedger(t, s, 3, "00:00:10 missed definition", "00:00:20 missed definition")
		alarms := b.alarms()
		if len(alarms) != 2 || !strings.Contains(alarms[0], "schedule s4 cannot be read") ||
			!strings.Contains(alarms[1], "schedule s5 cannot be stored") {
			t.Errorf("alarms = %q", alarms)
		}
		s.mu.Lock()
		s.fail = nil
		s.mu.Unlock()
		pass(time.Minute)
		b.Stop()
		if got := s.ledger(5); len(got) != 8 || len(b.alarms()) != 1 {
			t.Errorf("ledger = %q, alarms = %q", got, b.alarms())
		}
	})
}

func TestTickerSurvivesALostDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("*/10 * * * * *"))
		down := fmt.Errorf("dial: %w", hive.ErrConnection)
		s.failRead = func() error { return down }
		b := newBench(s)
		if err := b.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Second)
		select {
		case <-b.Started():
			t.Error("started without a database")
		default:
		}
		s.mu.Lock()
		s.failRead = nil
		s.fail = func([]int64) error { return down }
		s.mu.Unlock()
		pass(7 * time.Second) // 00:00:12
		s.mu.Lock()
		before := s.calls
		s.fail = nil
		s.mu.Unlock()
		pass(3500 * time.Millisecond)
		b.Stop()
		wantLedger(t, s, 1, "00:00:10 fired on_time")
		if before > 4 {
			t.Errorf("%d tries in two seconds", before)
		}
	})
}

func TestTickerDoesNotReadWhatItKnows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("@daily"))
		b := newBench(s)
		b.begin(t)
		for range 200 {
			s.publish(1, time.Now(), def("@daily", "@hourly"))
			b.Notify(1)
			pass(time.Second)
		}
		synctest.Wait()
		b.Stop()
		if s.reads != 201 {
			t.Errorf("%d reads of 201 revisions", s.reads)
		}
	})
}
