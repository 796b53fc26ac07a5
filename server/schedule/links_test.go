package schedule_test

import (
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

func TestLinksOf(t *testing.T) {
	t.Parallel()
	after := func(names ...string) (list []hive.Upstream) {
		for _, name := range names {
			list = append(list, hive.Upstream{Schedule: name})
		}
		return list
	}
	for name, c := range map[string]struct {
		triggers []hive.Trigger
		want     []hive.ScheduleLink
	}{
		"nothing": {nil, []hive.ScheduleLink{}},
		"a cron":  {[]hive.Trigger{{Cron: "0 1 * * *"}}, []hive.ScheduleLink{}},
		"a cron that waits": {
			[]hive.Trigger{{Cron: "0 1 * * *", After: after("b", "a")}},
			[]hive.ScheduleLink{{Upstream: "a"}, {Upstream: "b"}, {Upstream: "mart"}},
		},
		"it follows in one trigger": {
			[]hive.Trigger{{Cron: "0 1 * * *", After: after("a")}, {After: after("a")}},
			[]hive.ScheduleLink{{Upstream: "a", Follows: true}, {Upstream: "mart"}},
		},
		"its own moments": {
			[]hive.Trigger{{Cron: "0 1 * * *", Serial: true}}, []hive.ScheduleLink{{Upstream: "mart"}},
		},
		"a fixed delay": {
			[]hive.Trigger{{Every: hive.Duration(time.Minute), From: hive.FromEnd}},
			[]hive.ScheduleLink{{Upstream: "mart", Follows: true}},
		},
	} {
		got := schedule.LinksOf(&hive.Definition{Name: "mart", Triggers: c.triggers})
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// A server with many schedules reads only those that are due soon, and each of them fires on time.
func TestTickerReadsWhatIsDueSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		for id := int64(1); id <= 48; id++ { // two in each hour
			s.publish(id, time.Now(), def(fmt.Sprintf("%d %d * * *", id%2*30, (id-1)/2)))
		}
		b := newBench(s)
		b.begin(t)
		pass(time.Minute)
		b.Stop()
		fired := len(s.batches)
		s.reads, s.fetched = 0, 0
		b = newBench(s)
		b.begin(t)
		s.set(func() {
			if s.reads > 4 || s.fetched > 4 {
				t.Errorf("the start reads %d revisions and %d schedules", s.reads, s.fetched)
			}
		})
		pass(24 * time.Hour)
		b.Stop()
		if made := len(s.batches) - fired; made != 48 {
			t.Errorf("%d batches in a day", made)
		}
		if s.reads > 3*48 {
			t.Errorf("a day reads %d revisions", s.reads)
		}
		for id := range s.rows {
			for _, tick := range s.ticks[id] {
				if tick.Decision != hive.DecisionFired || tick.DecidedAt.Sub(tick.Moment) > time.Second {
					t.Errorf("tick %+v", tick)
				}
			}
		}
	})
}

// What changes a schedule that is not in memory is heard of: by a message, or by the next refresh.
func TestTickerHearsOfChangesToOthers(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]bool{"told": true, "not told": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStore()
				s.publish(1, time.Now(), def("0 12 * * *"))
				s.publish(2, time.Now(), def("0 12 * * *"))
				b := newBench(s)
				b.begin(t)
				pass(time.Hour)
				s.publish(1, time.Now(), def("30 1 * * *"))
				s.plan(2, move(onFirstDay(12, 0), onFirstDay(1, 40)))
				if tell {
					b.Notify(1)
					b.Notify(2)
				}
				pass(24 * time.Hour)
				b.Stop()
				wantLedger(t, s, 1, "01:30:00 fired on_time")
				wantLedger(t, s, 2, "12:00:00 fired planned_move")
			})
		})
	}
}

// A schedule that waits for one that is not in memory starts when that has succeeded.
func TestTickerReadsUpstreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.ended = map[int64]hive.BatchState{}
		s.publish(1, time.Now(), def("0 2 * * *"))
		mart := def()
		mart.Triggers = []hive.Trigger{{Cron: "0 3 * * *", After: []hive.Upstream{{
			Schedule: "s1", Window: "same_day",
		}}}}
		s.publish(2, time.Now(), mart)
		b := newBench(s)
		b.begin(t)
		pass(5 * time.Hour)
		wantLedger(t, s, 2, "03:00:00 waiting after")
		s.set(func() { s.ended[1] = hive.BatchSucceeded })
		b.Ended(1)
		pass(time.Second)
		wantLedger(t, s, 2, "03:00:00 fired after")
		b.Stop()
	})
}
