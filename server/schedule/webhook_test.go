package schedule_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// call stores a call of the webhook of schedule 1 at the present moment.
func (s *store) call(webhook string, params map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.called = append(s.called, hive.WebhookCall{
		ScheduleID: 1, Webhook: webhook, Moment: time.Now().UTC(), Params: params,
	})
}

// set changes the store while a ticker may read it.
func (s *store) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func onCall(overlap hive.Overlap) hive.Definition {
	d := def("0 * * * *")
	d.Triggers = append(d.Triggers, hive.Trigger{Webhook: "files"})
	d.Policy.Overlap = overlap
	return d
}

// TestCallsAreTicks: each call has one decision, whether the ticker was notified of it or finds it.
func TestCallsAreTicks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.publish(1, time.Now(), onCall(hive.OverlapAllow))
		b := newBench(s)
		b.begin(t)
		pass(time.Minute)
		s.call("files", map[string]any{"region": "west"})
		b.Notify(1)
		pass(time.Second)
		wantLedger(t, s, 1, "00:01:00 fired on_time")
		s.call("files", nil)
		pass(time.Millisecond)
		s.call("gone", nil) // the newest revision has no such webhook
		pass(time.Minute)   // nobody notifies the ticker
		wantLedger(t, s, 1, "00:01:00 fired on_time", "00:01:01 fired on_time", "00:01:01 skipped edited")
		pass(time.Hour)
		b.Notify(1)
		pass(time.Minute)
		b.Stop()
		wantLedger(t, s, 1, "00:01:00 fired on_time", "00:01:01 fired on_time", "00:01:01 skipped edited",
			"01:00:00 fired on_time")
		made := s.batches[0].Batch
		if made.Params["region"] != "west" || made.Kind != hive.KindScheduled || len(s.batches[0].Runs) != 2 {
			t.Errorf("the batch is %+v", s.batches[0])
		}
	})
}

// TestCallsObeyThePolicy: overlap, the switch and expire decide about calls as about other ticks. catchUp does not: a
// call that came while no server ran is not late.
func TestCallsObeyThePolicy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		d := onCall(hive.OverlapSkip)
		d.Policy.CatchUp.Mode = hive.CatchUpNone
		d.Policy.Expire = hive.Duration(time.Hour)
		s.publish(1, time.Now(), d)
		s.call("files", nil)
		pass(10 * time.Minute)
		s.call("files", nil)
		pass(52 * time.Minute)
		b := newBench(s)
		b.begin(t)
		pass(time.Minute)
		wantLedger(t, s, 1, "00:00:00 missed expire", "00:10:00 fired on_time", "01:00:00 missed catch_up")
		s.set(func() { s.live[1] = []hive.Batch{{ID: 1, ScheduleID: 1, Live: true, State: hive.BatchRunning}} })
		s.call("files", nil)
		b.Notify(1)
		pass(time.Minute)
		s.set(func() { s.live[1], s.rows[1].Enabled = nil, false })
		s.call("files", nil)
		b.Notify(1)
		pass(time.Minute)
		b.Stop()
		wantLedger(t, s, 1, "00:00:00 missed expire", "00:10:00 fired on_time", "01:00:00 missed catch_up",
			"01:03:00 skipped overlap", "01:04:00 skipped paused")
	})
}
