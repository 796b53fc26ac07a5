package schedule_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// A batch whose creation was stored while the answer got lost is announced with the next try: its owner must learn of
// it.
func TestTickerAnnouncesABatchAfterALostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("*/10 * * * * *"))
		s.lost = true
		b := newBench(s)
		b.begin(t)
		pass(10500 * time.Millisecond)
		if n := b.made.Load(); n != 0 {
			t.Fatalf("%d batches are announced without an answer", n)
		}
		pass(4 * time.Second)
		b.Stop()
		wantLedger(t, s, 1, "00:00:10 fired on_time")
		if n := b.made.Load(); n != 1 {
			t.Errorf("%d batches are announced, want the one that was stored", n)
		}
	})
}

// The same, of a call: the schedule has no moment of its own that would bring the next try.
func TestTickerAnnouncesABatchOfACallAfterALostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		d := def()
		d.Triggers = []hive.Trigger{{Webhook: "files"}}
		s.publish(1, time.Now(), d)
		b := newBench(s)
		b.begin(t)
		pass(time.Second)
		s.set(func() { s.lost = true })
		s.call("files", nil)
		b.Notify(1)
		pass(time.Minute)
		b.Stop()
		wantLedger(t, s, 1, "00:00:01 fired on_time")
		if n := b.made.Load(); n != 1 {
			t.Errorf("%d batches are announced, want the one that was stored", n)
		}
	})
}

// The revision in force at an undecided moment is kept although a newer one was published, by a server whose clock is
// ahead of this one.
func TestTickerKeepsARevisionThatIsStillDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("*/10 * * * * *"))
		b := newBench(s)
		b.begin(t)
		pass(5 * time.Second)
		s.publish(1, time.Now().Add(10*time.Second), def("*/4 * * * * *")) // from 00:00:15
		b.Notify(1)
		pass(time.Second)
		s.publish(1, time.Now().Add(16*time.Second), def("*/6 * * * * *")) // from 00:00:22
		b.Notify(1)
		pass(19 * time.Second) // 00:00:25
		b.Stop()
		wantLedger(t, s, 1, "00:00:10 fired on_time", "00:00:16 fired on_time", "00:00:20 fired on_time",
			"00:00:24 fired on_time")
	})
}

// The database goes back to a state before the newest revision, while the ticker goes on: what is due is decided by the
// revision that is stored, also when another one comes under the same number.
func TestTickerForgetsARevisionThatIsNotStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), def("*/10 * * * * *"))
		s.publish(1, time.Now(), def("*/4 * * * * *"))
		b := newBench(s)
		b.begin(t)
		pass(5 * time.Second) // 00:00:05
		s.mu.Lock()
		s.rows[1].Revision, s.revisions[1] = 1, s.revisions[1][:1]
		s.mu.Unlock()
		pass(6 * time.Second) // 00:00:11
		wantLedger(t, s, 1, "00:00:04 fired on_time", "00:00:10 fired on_time")
		s.publish(1, time.Now(), def("*/6 * * * * *"))
		b.Notify(1)
		pass(2 * time.Second) // 00:00:13
		s.mu.Lock()
		s.rows[1].Revision, s.revisions[1] = 1, s.revisions[1][:1]
		s.mu.Unlock()
		s.publish(1, time.Now(), def("*/5 * * * * *"))
		s.mu.Lock()
		s.revisions[1][1].ID = 77
		s.mu.Unlock()
		pass(6 * time.Second) // 00:00:19: the ticker looks when the revision that it knows is due
		b.Stop()
		wantLedger(t, s, 1, "00:00:04 fired on_time", "00:00:10 fired on_time", "00:00:12 fired on_time",
			"00:00:15 fired on_time")
		for _, tick := range s.ticks[1][3:] {
			if tick.RevisionID != 77 {
				t.Errorf("%s is decided by revision %d", tick.Moment, tick.RevisionID)
			}
		}
	})
}
