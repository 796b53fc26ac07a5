package schedule_test

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// bench is a Ticker over a store in memory, with a clock that can be set wrong.
type bench struct {
	*schedule.Ticker
	store *store
	off   atomic.Int64 // ns by which the wall clock is wrong
	made  atomic.Int64
	log   logBuffer
}

// alarms returns the words of all alarms.
func (b *bench) alarms() []string {
	var words []string
	for _, a := range b.Alarms() {
		words = append(words, a.Words)
	}
	return words
}

// logBuffer keeps what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) count(words string) int { return strings.Count(l.String(), words) }

// newBench is called in a bubble of synctest, whose time begins at 2000-01-01 00:00:00 UTC.
func newBench(s *store) *bench {
	b := &bench{store: s}
	start := time.Now()
	b.Ticker = schedule.NewTicker(schedule.Config{
		Store: s, Results: s, Links: s, Changes: s, Calls: s, Parse: parseJSON, NewRuns: runsOf,
		Calendars: s, ParseCalendar: parseCalendar,
		Server: func() hive.Server { return hive.Server{ID: "me", Epoch: 1} },
		Made:   func(ids []int64) { b.made.Add(int64(len(ids))) },
		Log:    slog.New(slog.NewTextHandler(&b.log, nil)),
		Clock: schedule.Clock{
			Wall:    func() time.Time { return time.Now().Round(0).UTC().Add(time.Duration(b.off.Load())) },
			Elapsed: func() time.Duration { return time.Since(start) },
		},
	})
	return b
}

// run starts the ticker, lets so much time pass, and stops it.
func (b *bench) run(t *testing.T, d time.Duration) {
	t.Helper()
	b.begin(t)
	pass(d)
	b.Stop()
}

// pass lets time of the bubble pass, and everything that it sets off happen.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (b *bench) begin(t *testing.T) {
	t.Helper()
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-b.Started()
}

func def(crons ...string) hive.Definition {
	d := hive.Definition{
		Policy: hive.Policy{Overlap: hive.OverlapAllow},
		Jobs:   []hive.Job{{Key: "j", Tasks: []hive.Task{{Key: "a", Handler: "shell"}, {Key: "b", Handler: "shell"}}}},
	}
	for _, c := range crons {
		d.Triggers = append(d.Triggers, hive.Trigger{Cron: c})
	}
	return d
}

func wantLedger(t *testing.T, s *store, id int64, want ...string) {
	t.Helper()
	if got := s.ledger(id); !slices.Equal(got, want) {
		t.Errorf("ledger of schedule %d:\n%s\nwant:\n%s", id, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTickerWaitsForTheJitter also publishes a revision while a moment waits: it runs with the revision that was in
// force at the moment, before the first moment of the new one.
func TestTickerWaitsForTheJitter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		d := def("0 * * * *")
		d.Name, d.Triggers[0].Jitter = "s1", hive.Duration(10*time.Minute)
		table, err := schedule.NewTimetable(&d, time.Now(), nil)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := table.Next(time.Now())
		s.publish(1, time.Now(), d)
		b := newBench(s)
		b.begin(t)
		pass(time.Until(m.Due) - time.Millisecond)
		if wantLedger(t, s, 1); m.Due.Sub(m.At) < time.Second {
			t.Fatalf("the moment %s is due at %s: the test needs more jitter", m.At, m.Due)
		}
		s.publish(1, time.Now(), def("30 * * * *"))
		b.Notify(1)
		pass(time.Millisecond)
		wantLedger(t, s, 1, "01:00:00 fired on_time")
		pass(time.Hour)
		b.Stop()
		wantLedger(t, s, 1, "01:00:00 fired on_time", "01:30:00 fired on_time")
		if got := s.batches[0].Batch; got.Revision != 1 || !got.Moment.Equal(m.At) || !got.CreatedAt.Equal(m.Due) {
			t.Errorf("batch of revision %d for %s is made at %s", got.Revision, got.Moment, got.CreatedAt)
		}
	})
}

func TestTickerFiresOnTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("*/30 * * * * *"))
		s.publish(2, time.Now(), def())
		b := newBench(s)
		b.run(t, 65*time.Second)
		wantLedger(t, s, 1, "00:00:30 fired on_time", "00:01:00 fired on_time")
		if b.made.Load() != 2 || len(s.batches) != 2 || len(s.batches[0].Runs) != 2 ||
			s.batches[0].Batch.Owner != "me" {
			t.Errorf("made %d, stored %+v", b.made.Load(), s.batches)
		}
		for _, tick := range s.ticks[1] {
			if d := tick.DecidedAt.Sub(tick.Moment); d < 0 || d > 10*time.Millisecond {
				t.Errorf("%s was decided %s later", tick.Moment, d)
			}
		}
	})
}

func TestTickerTakesOverChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("0 * * * *"))
		b := newBench(s)
		b.begin(t)
		pass(2 * time.Second)
		s.publish(1, time.Now(), def("*/3 * * * * *"))
		s.publish(2, time.Now(), def("*/4 * * * * *"))
		b.Notify(1, 2)
		pass(2500 * time.Millisecond) // 00:00:04.5
		wantLedger(t, s, 1, "00:00:03 fired on_time")
		wantLedger(t, s, 2, "00:00:04 fired on_time")
		s.publish(3, time.Now(), def("*/15 * * * * *")) // by another server: found without a word
		s.mu.Lock()
		delete(s.rows, 2)
		s.rows[1].Enabled = false
		s.mu.Unlock()
		b.Notify(2)
		pass(11 * time.Second) // 00:00:15.5
		b.Stop()
		wantLedger(t, s, 1, "00:00:03 fired on_time", "00:00:06 skipped paused", "00:00:09 skipped paused",
			"00:00:12 skipped paused", "00:00:15 skipped paused")
		wantLedger(t, s, 2, "00:00:04 fired on_time")
		wantLedger(t, s, 3, "00:00:15 fired on_time")
	})
}

// TestTickerFollowsADatabaseThatWentBack takes a decision away from the store, as an earlier backup does. It is made
// again at the next look, and not only when the moment after it is due.
func TestTickerFollowsADatabaseThatWentBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("0 * * * *"))
		b := newBench(s)
		b.begin(t)
		pass(time.Hour + time.Second)
		wantLedger(t, s, 1, "01:00:00 fired on_time")
		s.mu.Lock()
		s.rows[1].Mark = time.Time{}
		delete(s.ticks, 1)
		delete(s.live, 1)
		s.mu.Unlock()
		pass(10 * time.Minute)
		b.Stop()
		if got := s.ledger(1); len(got) != 1 || !strings.HasPrefix(got[0], "01:00:00") {
			t.Errorf("the ledger has %q", got)
		}
	})
}

func TestTickerRunsMissedTicksByTheirRevision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		all := func(d hive.Definition) hive.Definition {
			d.Policy.CatchUp.Mode = hive.CatchUpAll
			return d
		}
		start := time.Now()
		s.publish(1, start, all(def("*/20 * * * * *")))
		s.publish(1, start.Add(30*time.Second), all(def("*/25 * * * * *")))
		s.publish(1, start.Add(55*time.Second), all(def("59 59 * * * *")))
		pass(58 * time.Second)
		newBench(s).run(t, 500*time.Millisecond)
		wantLedger(t, s, 1, "00:00:20 fired catch_up", "00:00:50 queued catch_up")
		if len(s.batches) != 2 || s.batches[0].Batch.Revision != 1 || s.batches[1].Batch.Revision != 2 {
			t.Errorf("batches = %+v", s.batches)
		}
	})
}

// TestTickerRestarts kills and starts the ticker again and again: nothing is decided twice, nothing is left out.
func TestTickerRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		d := def("* * * * * *", "*/2 * * * * *", "@every 3s")
		d.Policy.CatchUp.Mode = hive.CatchUpNone
		s.publish(1, time.Now(), d)
		for i := range 40 {
			newBench(s).run(t, time.Duration(i*i)*7*time.Millisecond)
			pass(time.Duration(i%7) * 333 * time.Millisecond)
		}
		newBench(s).run(t, time.Second)
		decided := len(s.ledger(1))
		if elapsed := int(time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) / time.Second); decided != elapsed ||
			s.double != 0 {
			t.Errorf("%d of %d moments are decided, %d twice", decided, elapsed, s.double)
		}
	})
}

// TestTickersTogether lets three servers decide the same schedules.
func TestTickersTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		for id := range int64(20) {
			s.publish(id+1, time.Now(), def("*/2 * * * * *"))
		}
		var all []*bench
		for range 3 {
			b := newBench(s)
			b.begin(t)
			all = append(all, b)
		}
		pass(60*time.Second + 100*time.Millisecond)
		var made int64
		for _, b := range all {
			b.Stop()
			made += b.made.Load()
		}
		if made != 20*30 || len(s.batches) != 20*30 {
			t.Errorf("%d batches are announced, %d stored; want %d", made, len(s.batches), 20*30)
		}
	})
}

func TestTickerDecidesTenThousandInOneSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const schedules = 10_000
		s := newStore()
		for id := range int64(schedules) {
			d := def("30 0 0 * * *")
			d.Timezone = "Asia/Shanghai"
			d.Triggers[0].Cron = "30 0 8 * * *"
			s.publish(id+1, time.Now(), d)
		}
		b := newBench(s)
		b.begin(t)
		pass(31 * time.Second)
		b.Stop()
		if len(s.batches) != schedules || b.made.Load() != schedules || s.double != 0 {
			t.Errorf("%d batches, %d announced, %d double", len(s.batches), b.made.Load(), s.double)
		}
		if n := s.calls; n > schedules/100 {
			t.Errorf("%d transactions for %d schedules", n, schedules)
		}
	})
}
