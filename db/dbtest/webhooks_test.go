package dbtest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// call is a call of the fixture's schedule.
func (x *fixture) call(key string, moment time.Time) hive.WebhookCall {
	return hive.WebhookCall{ScheduleID: x.schedule.ID, Webhook: "files", Key: key, Moment: moment}
}

// The secrets of a webhook: a new one lets the others expire, at the latest when it says so.
func TestWebhookSecrets(t *testing.T) {
	each(t, func(x *fixture) {
		add := func(webhook, hash string, at, until time.Time) {
			x.ok(x.AddWebhookSecret(x.Context(), hive.WebhookSecret{
				ScheduleID: x.schedule.ID, Webhook: webhook, Hash: hash, CreatedAt: at, CreatedBy: "ada",
			}, until))
		}
		hashes := func(now time.Time) []string {
			var out []string
			for _, s := range must(x.WebhookSecrets(x.Context(), x.schedule.ID, now))(x) {
				out = append(out, s.Hash)
			}
			return out
		}
		add("other", "o", t0, t0)
		add("files", "a", t0, t0)
		add("files", "b", after(time.Hour), after(25*time.Hour))
		same(x, "both hold", hashes(after(2*time.Hour)), []string{"b", "a", "o"})
		add("files", "c", after(2*time.Hour), after(3*time.Hour))
		same(x, "until the earlier end", hashes(after(3*time.Hour)), []string{"c", "o"})
		s := must(x.WebhookSecrets(x.Context(), x.schedule.ID, after(3*time.Hour)))(x)[0]
		same(x, "the newest", s, hive.WebhookSecret{
			ScheduleID: x.schedule.ID, Webhook: "files", Hash: "c", CreatedAt: after(2 * time.Hour), CreatedBy: "ada",
		})
	})
}

// A call has a moment that no other tick has, and is pending until that moment has its tick.
func TestWebhookCalls(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		second0 := t0.Truncate(time.Second).Add(time.Minute)
		at := func(ms int) time.Time { return second0.Add(time.Duration(ms) * time.Millisecond) }
		x.decide(fire(at(2), 1))
		in := x.call("k", at(0))
		in.Params = map[string]any{"region": "west", "day": 20261125}
		first, again, err := x.AddWebhookCall(ctx, in)
		x.ok(err)
		same(x, "a whole second belongs to crons", []any{first.Moment, again}, []any{at(1), false})
		second, _, err := x.AddWebhookCall(ctx, x.call("", at(0)))
		x.ok(err)
		same(x, "neither a tick's moment nor a call's", second.Moment, at(3))
		repeated, again, err := x.AddWebhookCall(ctx, x.call("k", after(time.Hour)))
		x.ok(err)
		same(x, "the same key", []any{repeated.Moment, again}, []any{at(1), true})
		same(x, "schedules with calls", must(x.WaitingSchedules(ctx))(x), []int64{x.schedule.ID})
		list := must(x.PendingCalls(ctx, x.schedule.ID, 10))(x)
		same(x, "pending", len(list), 2)
		same(x, "its parameters", fmt.Sprint(list[0].Params), "map[day:20261125 region:west]")

		write := fire(first.Moment, 1)
		write.Follows, write.Called = true, true
		same(x, "batches", len(x.decide(write)), 1)
		list = must(x.PendingCalls(ctx, x.schedule.ID, 10))(x)
		same(x, "still pending", []any{len(list), list[0].Moment}, []any{1, second.Moment})
		same(x, "the last calls", must(x.LastCalls(ctx, x.schedule.ID))(x),
			[]hive.WebhookView{{Name: "files", LastAt: second.Moment, Pending: 1}})
		_, again, err = x.AddWebhookCall(ctx, x.call("k", after(time.Hour)))
		x.ok(err)
		same(x, "the key is remembered", again, true)
		_, again, err = x.AddWebhookCall(ctx, x.call("k2", after(hive.CallsKept+time.Hour)))
		x.ok(err)
		_, again2, err := x.AddWebhookCall(ctx, x.call("k", after(hive.CallsKept+time.Hour)))
		x.ok(err)
		same(x, "and forgotten after a month", []bool{again, again2}, []bool{false, false})
	})
}

// More calls than a schedule can decide are refused.
func TestWebhookFlood(t *testing.T) {
	each(t, func(x *fixture) {
		for range hive.MaxPendingCalls {
			_, _, err := x.AddWebhookCall(x.Context(), x.call("", t0))
			x.ok(err)
		}
		_, _, err := x.AddWebhookCall(x.Context(), x.call("", t0))
		same(x, "code", hive.CodeOf(err), hive.CodeTooMany)
	})
}
