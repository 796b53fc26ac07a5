package schedule_test

import (
	"testing"
	"testing/synctest"
	"time"
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
