package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// escalated stores an event of a problem with a delivery of the rule night, and an escalation a quarter of an hour
// later.
func (x *fixture) escalated(key string) int64 {
	x.Helper()
	in := x.event(key, key, "mail")
	next := in.Deliveries[0]
	next.Channel, next.Escalation, next.DueAt = "boss", true, after(15*time.Minute)
	in.Deliveries = append(in.Deliveries, next)
	must(x.StoreAlertEvent(x.Context(), in))(x)
	list := must(x.AlertEvents(x.Context(), hive.AlertFilter{Limit: 1}))(x)
	return list[0].ID
}

// states returns the states of the deliveries of an event.
func (x *fixture) states(event int64) []hive.DeliveryState {
	x.Helper()
	var out []hive.DeliveryState
	for _, d := range must(x.Deliveries(x.Context(), []int64{event}))(x)[event] {
		out = append(out, d.State)
	}
	return out
}

// A person takes one problem, or all of a batch, until it is over. It cancels the escalation, which goes on if the
// person gives the problem back.
func TestTakeAlerts(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		type states = []hive.DeliveryState
		first := x.escalated("failed:42:1")
		second := x.escalated("held:42:load:1")
		same(x, "not reported yet", must(x.ReportedTo(ctx, first))(x),
			[]hive.AlertPair{{Rule: "night", Channel: "mail"}})
		take := func(in hive.TakeAlerts) []hive.AlertEvent {
			x.Helper()
			in.Now = after(5 * time.Minute)
			return must(x.TakeAlerts(ctx, in))(x)
		}
		refuse := func(code hive.Code, reason hive.ErrorReason, in hive.TakeAlerts) {
			x.Helper()
			_, err := x.TakeAlerts(ctx, in)
			x.refusal(code, reason, err)
		}
		got := take(hive.TakeAlerts{Event: first, By: "ada", Note: "the disk"})
		same(x, "taken", []any{len(got), got[0].TakenBy, got[0].TakenAt, got[0].TakenNote},
			[]any{1, "ada", after(5 * time.Minute), "the disk"})
		same(x, "stored", must(x.AlertEvents(ctx, hive.AlertFilter{Batch: 42, Open: true}))(x)[1], got[0])
		same(x, "canceled", x.states(first), states{hive.DeliveryPending, hive.DeliveryCanceled})
		same(x, "of another batch", len(must(x.AlertEvents(ctx, hive.AlertFilter{Batch: 43}))(x)), 0)
		same(x, "all of the batch", len(take(hive.TakeAlerts{Batch: 42, By: "bob"})), 2)
		same(x, "handed over", must(x.OpenAlertEvents(ctx))(x)[0].TakenBy, "bob")
		same(x, "canceled, too", x.states(second), states{hive.DeliveryPending, hive.DeliveryCanceled})
		same(x, "given back", take(hive.TakeAlerts{Event: second})[0].TakenAt, time.Time{})
		same(x, "it goes on", x.states(second), states{hive.DeliveryPending, hive.DeliveryPending})

		x.ok(x.EndAlertProblem(ctx, second, after(time.Hour)))
		same(x, "over", x.states(second), states{hive.DeliveryPending, hive.DeliveryCanceled})
		refuse(hive.CodeConflict, hive.ErrorProblemOver, hive.TakeAlerts{Event: second, By: "ada"})
		refuse(hive.CodeNotFound, hive.ErrorNoAlert, hive.TakeAlerts{Event: second + 100, By: "ada"})
		refuse(hive.CodeConflict, hive.ErrorNoProblem, hive.TakeAlerts{Batch: 43, By: "ada"})
	})
}

// An escalation is sent apart from other messages, when it is due. One that is being sent when the problem is taken is
// not sent again.
func TestEscalations(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		lease := func(now time.Time) hive.DueDeliveries {
			x.Helper()
			return must(x.LeaseDeliveries(ctx, "a", time.Hour, now, 10))(x)
		}
		event := x.escalated("failed:42:1")
		due := lease(after(time.Minute))
		same(x, "first", []any{due.Channel, due.Escalation, len(due.Deliveries)}, []any{"mail", false, 1})
		same(x, "not yet", len(lease(after(14*time.Minute)).Deliveries), 0)
		due = lease(after(15 * time.Minute))
		same(x, "then", []any{due.Channel, due.Escalation, len(due.Deliveries)}, []any{"boss", true, 1})
		must(x.TakeAlerts(ctx, hive.TakeAlerts{Event: event, By: "ada", Now: after(16 * time.Minute)}))(x)
		same(x, "it is being sent", x.states(event)[1], hive.DeliveryPending)
		try := hive.AlertTry{Message: "m", Server: "a", At: after(17 * time.Minute), Detail: "503"}
		x.ok(x.EndDeliveries(ctx, "a", []int64{due.Deliveries[0].ID}, hive.DeliveryPending, after(20*time.Minute), try))
		same(x, "taken", len(lease(after(time.Hour)).Deliveries), 0)
		same(x, "canceled", x.states(event)[1], hive.DeliveryCanceled)
	})
}

// A delivery that was given up is sent again if a person asks for it, with all its tries.
func TestSendAgain(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		event := x.escalated("failed:42:1")
		due := must(x.LeaseDeliveries(ctx, "a", time.Hour, after(time.Minute), 10))(x)
		id := due.Deliveries[0].ID
		_, err := x.SendAgain(ctx, id, after(5*time.Minute))
		x.refusal(hive.CodeConflict, hive.ErrorDeliveryPending, err)
		try := hive.AlertTry{Message: "m", Server: "a", At: after(time.Minute), Detail: "404"}
		x.ok(x.EndDeliveries(ctx, "a", []int64{id}, hive.DeliveryFailed, time.Time{}, try))
		d := must(x.SendAgain(ctx, id, after(5*time.Minute)))(x)
		same(x, "again", []any{d.State, d.DueAt, d.Tries, d.DoneAt},
			[]any{hive.DeliveryPending, after(5 * time.Minute), 0, time.Time{}})
		same(x, "stored", must(x.Deliveries(ctx, []int64{event}))(x)[event][0], d)
		same(x, "due", must(x.LeaseDeliveries(ctx, "b", time.Hour, after(5*time.Minute), 10))(x).Deliveries[0].ID, id)
		_, err = x.SendAgain(ctx, id+100, t0)
		x.refusal(hive.CodeNotFound, hive.ErrorNoDelivery, err)
	})
}

// The problems of a batch are those that it has now.
func TestBatchProblems(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		img := x.batch(2)
		id := img.Batch.ID
		same(x, "none", len(must(x.BatchProblems(ctx, id))(x)), 0)
		hold := hive.RunChange{From: hive.RunWaiting, To: img.Runs[1]}
		hold.To.State, hold.To.Reason, hold.To.Detail = hive.RunUnknown, hive.ReasonHeld, "its executor is silent"
		hold.To.ChangedAt = after(time.Minute)
		x.ok(x.commit(hive.BatchWrite{BatchID: id, Runs: []hive.RunChange{hold}}))
		facts := must(x.AlertFacts(ctx, 10))(x)
		facts[0].ID, facts[0].Run = 0, 0
		same(x, "held", must(x.BatchProblems(ctx, id))(x), facts)
		ended := img.Batch
		ended.State, ended.Live, ended.FinishedAt = hive.BatchFailed, false, after(time.Hour)
		x.ok(x.commit(hive.BatchWrite{BatchID: id, Batch: &hive.BatchChange{From: hive.BatchRunning, To: ended}}))
		facts = must(x.AlertFacts(ctx, 10))(x)
		facts[1].ID = 0
		same(x, "failed", must(x.BatchProblems(ctx, id))(x), facts[1:])
		_, err := x.BatchProblems(ctx, id+1)
		x.code(hive.CodeNotFound, err)
	})
}
