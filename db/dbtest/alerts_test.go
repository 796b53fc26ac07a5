package dbtest_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// saveAlert makes a document the newest revision of a rule or a channel.
func (x *fixture) saveAlert(kind, name, document string) hive.AlertDocument {
	x.Helper()
	d, _, _, err := x.SaveAlertDocument(x.Context(), hive.SaveAlertDocument{
		Kind: kind, Name: name, Document: document, Hash: document, By: "ada", Note: "why", Now: t0,
	})
	x.ok(err)
	return d
}

func TestAlertDocuments(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		rule := x.saveAlert(hive.KindAlert, "night", "1")
		channel := x.saveAlert(hive.KindChannel, "night", "c1") // a name is unique with its kind
		same(x, "unchanged", x.saveAlert(hive.KindAlert, "night", "1"), rule)
		same(x, "next", x.saveAlert(hive.KindAlert, "night", "2").Revision, 2)
		all := must(x.AlertDocuments(ctx, hive.KindAlert))(x)
		same(x, "documents", len(all), 1)
		same(x, "current", all[0].Current, hive.AlertRevision{
			ID: all[0].Current.ID, DocumentID: rule.ID, Number: 2, Document: "2", Hash: "2", CreatedAt: t0,
			CreatedBy: "ada", Note: "why",
		})
		same(x, "by name", must(x.AlertDocument(ctx, hive.KindChannel, "night"))(x), channel)
		same(x, "first revision", must(x.AlertRevisionAt(ctx, rule.ID, 1))(x).Document, "1")
		list := must(x.AlertRevisions(ctx, rule.ID))(x)
		same(x, "history", []any{len(list), list[0].Number, list[0].Document}, []any{2, int64(2), ""})
		save := func(base int64, fresh bool) error {
			_, _, _, err := x.SaveAlertDocument(ctx, hive.SaveAlertDocument{
				Kind: hive.KindAlert, Name: "night", Document: "3", Hash: "3", Base: base, Fresh: fresh, Now: t0,
			})
			return err
		}
		x.refusal(hive.CodeConflict, hive.ErrorDocumentMoved, save(1, false))
		x.refusal(hive.CodeConflict, hive.ErrorDocumentExists, save(0, true))
		x.ok(x.DeleteAlertDocument(ctx, hive.KindAlert, "night", after(time.Hour)))
		x.refusal(hive.CodeNotFound, hive.ErrorNoDocument, x.DeleteAlertDocument(ctx, hive.KindAlert, "night", t0))
		_, err := x.AlertDocument(ctx, hive.KindAlert, "night")
		x.refusal(hive.CodeNotFound, hive.ErrorNoDocument, err)
		same(x, "deleted", len(must(x.AlertDocuments(ctx, hive.KindAlert))(x)), 0)
		x.ok(save(0, true))
		same(x, "it exists again", must(x.AlertDocument(ctx, hive.KindAlert, "night"))(x).Revision, 3)
	})
}

// The secrets of channels are encrypted, change with the key, and go with the channel.
func TestChannelSecrets(t *testing.T) {
	t.Parallel()
	first, second := bytes.Repeat([]byte{1}, db.KeySize), bytes.Repeat([]byte{2}, db.KeySize)
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		ctx := t.Context()
		x := newFixture(t, open())
		a, b := x.saveAlert(hive.KindChannel, "a", "a"), x.saveAlert(hive.KindChannel, "b", "b")
		set := func(channel string, secrets map[string]string) {
			t.Helper()
			x.ok(x.SetChannelSecrets(ctx, channel, secrets, "ada", t0))
		}
		has := func(id int64, want map[string]string) {
			t.Helper()
			same(x, "secrets", must(x.OpenChannelSecrets(ctx, id))(x), want)
		}
		set("a", map[string]string{"url": "before the key"})
		x.ok(x.UseSecretKey(ctx, x.me.ID, first))
		set("a", map[string]string{"key": "k"})
		set("b", map[string]string{"url": "other"})
		has(a.ID, map[string]string{"url": "before the key", "key": "k"})
		same(x, "shown", must(x.ChannelSecrets(ctx, a.ID))(x),
			[]hive.ChannelSecret{{Name: "key", SetAt: t0, SetBy: "ada"}, {Name: "url", SetAt: t0, SetBy: "ada"}})
		set("a", map[string]string{"key": ""})
		has(a.ID, map[string]string{"url": "before the key"})
		x.refusal(hive.CodeNotFound, hive.ErrorNoDocument, x.SetChannelSecrets(ctx, "none", nil, "ada", t0))
		x.ok(x.EndSession(ctx, x.me.ID, x.me.Epoch))
		x.ok(x.ChangeSecretKey(ctx, first, second))
		x.ok(x.Close())
		x.Store = open()
		if _, err := x.OpenChannelSecrets(ctx, a.ID); err == nil {
			t.Error("the secrets can be read without a key")
		}
		x.ok(x.UseSecretKey(ctx, x.me.ID, second))
		has(a.ID, map[string]string{"url": "before the key"})
		x.ok(x.DeleteAlertDocument(ctx, hive.KindChannel, "a", t0))
		x.saveAlert(hive.KindChannel, "a", "a")
		has(a.ID, map[string]string{})
		has(b.ID, map[string]string{"url": "other"})
	})
}

// A commit that ends a batch as failed, or holds a task, stores a fact. A commit that is refused stores none.
func TestAlertFacts(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		img := x.batch(2)
		hold := hive.RunChange{From: hive.RunWaiting, To: img.Runs[1]}
		hold.To.State, hold.To.Reason, hold.To.Detail = hive.RunUnknown, hive.ReasonHeld, "its executor is silent"
		hold.To.ChangedAt = after(time.Minute)
		x.ok(x.commit(hive.BatchWrite{BatchID: img.Batch.ID, Runs: []hive.RunChange{hold}}))
		ended := img.Batch
		ended.State, ended.Live, ended.Round, ended.FinishedAt = hive.BatchFailed, false, 2, after(time.Hour)
		ready, attempt := x.offer(img.Runs[0])
		ready.To.Round, attempt.Round = 2, 2
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt},
		}))
		failed, done := end(ready.To, attempt, after(time.Hour))
		failed.To.State, done.To.Outcome, done.To.Error = hive.RunFailed, hive.OutcomeFailure, "exit 1"
		write := hive.BatchWrite{
			BatchID: img.Batch.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: ended},
			Runs: []hive.RunChange{failed}, Attempts: []hive.AttemptChange{done},
		}
		x.ok(x.commit(write))
		x.guards(x.commit(write), img.Batch.ID)
		facts := must(x.AlertFacts(ctx, 10))(x)
		want := []hive.AlertFact{
			{
				Kind: hive.AlertNeedsPerson, ScheduleID: x.schedule.ID, BatchID: img.Batch.ID, Round: 1,
				Run: img.Runs[1].ID, Task: "task-1", Detail: "its executor is silent", At: after(time.Minute),
				Moment: t0,
			},
			{
				Kind: hive.AlertFailed, ScheduleID: x.schedule.ID, BatchID: img.Batch.ID, Round: 2,
				At: after(time.Hour), Moment: t0,
			},
		}
		for i := range facts {
			want[i].ID = facts[i].ID
		}
		same(x, "facts", facts, want)
		same(x, "failure", must(x.FailureOf(ctx, img.Batch.ID, 2))(x),
			hive.AlertFacets{Task: "task-0", Attempt: attempt.ID, Error: "exit 1"})
		same(x, "no failure", must(x.FailureOf(ctx, img.Batch.ID, 1))(x), hive.AlertFacets{})
		x.ok(x.DropAlertFact(ctx, facts[0].ID))
		same(x, "facts", len(must(x.AlertFacts(ctx, 10))(x)), 1)
	})
}

// event makes an event of a problem with deliveries of the rule night to channels.
func (x *fixture) event(key, problem string, channels ...string) hive.NewAlertEvent {
	in := hive.NewAlertEvent{Event: hive.AlertEvent{
		Key: key, Kind: hive.AlertFailed, Problem: problem, ScheduleID: x.schedule.ID, BatchID: 42, At: t0,
		StoredAt: after(time.Second), AlertFacets: hive.AlertFacets{
			Schedule: "warehouse", Tags: []string{"finance"}, Moment: t0, Error: "exit 1",
		},
	}}
	for _, c := range channels {
		in.Deliveries = append(in.Deliveries, hive.AlertDelivery{
			AlertPair: hive.AlertPair{Rule: "night", Channel: c}, Subject: "failed:warehouse",
			State: hive.DeliveryPending, DueAt: after(time.Minute), CreatedAt: after(time.Second),
		})
	}
	return in
}

// An event is stored once, whoever sees it, and of a problem one is open at a time.
func TestAlertEvents(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		stored := func(want bool, in hive.NewAlertEvent) {
			x.Helper()
			same(x, "stored "+in.Event.Key, must(x.StoreAlertEvent(ctx, in))(x), want)
		}
		stored(true, x.event("failed:42:1", "batch:42", "mail", "chat"))
		stored(false, x.event("failed:42:1", "batch:42", "mail"))
		stored(false, x.event("failed:42:2", "batch:42", "mail")) // the problem lasts
		stored(true, x.event("failed:43:1", "batch:43"))
		open := must(x.OpenAlertEvents(ctx))(x)
		same(x, "open", len(open), 2)
		want := x.event("failed:42:1", "batch:42").Event
		want.ID, want.Open, want.Gone = open[0].ID, true, true // there is no batch 42
		same(x, "event", open[0], want)
		same(x, "known key", must(x.AlertEventKnown(ctx, "failed:42:1", ""))(x), true)
		same(x, "known problem", must(x.AlertEventKnown(ctx, "x", "batch:43"))(x), true)
		same(x, "unknown", must(x.AlertEventKnown(ctx, "x", "y"))(x), false)
		same(x, "reported of", must(x.ReportedTo(ctx, open[0].ID))(x),
			[]hive.AlertPair{{Rule: "night", Channel: "mail"}, {Rule: "night", Channel: "chat"}})
		last := must(x.LastReported(ctx, "failed:warehouse"))(x)
		same(x, "last reported", last[hive.AlertPair{Rule: "night", Channel: "mail"}], after(time.Second))

		over := x.event("recovered:"+fmt.Sprint(open[0].ID), "", "mail")
		over.Over, over.Event.StoredAt = open[0].ID, after(time.Hour)
		stored(true, over)
		stored(false, over) // it is over already
		x.ok(x.EndAlertProblem(ctx, open[1].ID, after(time.Hour)))
		same(x, "open", len(must(x.OpenAlertEvents(ctx))(x)), 0)
		stored(false, x.event("failed:42:1", "batch:42", "mail")) // a key is unique for ever
		stored(true, x.event("failed:42:2", "batch:42", "mail"))
		list := must(x.AlertEvents(ctx, hive.AlertFilter{Limit: 2}))(x)
		same(x, "latest first", []string{list[0].Key, list[1].Key},
			[]string{"failed:42:2", "recovered:" + fmt.Sprint(open[0].ID)})
		same(x, "older", must(x.AlertEvents(ctx, hive.AlertFilter{Before: list[1].ID, Limit: 10}))(x)[1].OverAt,
			after(time.Hour))
		for n, f := range map[int][]hive.AlertFilter{
			4: {{Schedule: "warehouse"}, {Since: t0}, {Until: after(time.Second)}},
			0: {{Schedule: "other"}, {Since: after(time.Second)}, {Until: t0}},
		} {
			for _, one := range f {
				same(x, fmt.Sprintf("filtered by %+v", one), len(must(x.AlertEvents(ctx, one))(x)), n)
			}
		}
		same(x, "pruned", must(x.PruneAlerts(ctx, after(2*time.Hour), 10))(x), 1) // the others wait to be reported

		img := x.batch(1)
		ended := img.Batch
		ended.State, ended.Live, ended.FinishedAt = hive.BatchFailed, false, after(time.Hour)
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: ended},
		}))
		in := x.event("failed:44:1", "batch:44")
		in.Fact = must(x.AlertFacts(ctx, 1))(x)[0].ID
		stored(true, in)
		in.Event.Key, in.Event.Problem = "again", "again"
		stored(false, in) // the fact is gone
		same(x, "facts", len(must(x.AlertFacts(ctx, 10))(x)), 0)
	})
}

// Deliveries of one rule and channel go together, to one server at a time, until one of its tries ends them.
func TestAlertDeliveries(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		for i := range 2 {
			must(x.StoreAlertEvent(ctx, x.event(fmt.Sprint("failed:", i), fmt.Sprint(i), "mail", "chat")))(x)
		}
		take := func(server string, now time.Time, lease time.Duration) hive.DueDeliveries {
			x.Helper()
			return must(x.LeaseDeliveries(ctx, server, lease, now, 10))(x)
		}
		same(x, "next", must(x.NextDelivery(ctx))(x), after(time.Minute))
		same(x, "not yet due", len(take("a", t0, time.Hour).Deliveries), 0)
		chat := take("a", after(time.Minute), time.Hour)
		same(x, "first", []any{chat.Channel, len(chat.Deliveries), chat.Events[1].Key}, []any{"chat", 2, "failed:1"})
		mail := take("b", after(time.Minute), -time.Second) // the lease is over at once: server b has died
		same(x, "second", mail.Channel, "mail")
		mine := []int64{mail.Deliveries[0].ID, mail.Deliveries[1].ID}
		renew := func(server string, lease time.Duration) bool {
			x.Helper()
			return must(x.RenewDeliveries(ctx, server, mine, lease))(x)
		}
		same(x, "renewed", renew("b", time.Hour), true)
		same(x, "the lease is b's again", len(take("c", after(time.Minute), time.Hour).Deliveries), 0)
		same(x, "another server's", renew("a", time.Hour), false)
		same(x, "over at once", renew("b", -time.Second), true)
		same(x, "taken over", take("c", after(time.Minute), time.Hour).Deliveries[0].ID, mail.Deliveries[0].ID)
		same(x, "nothing is left", len(take("d", after(time.Minute), time.Hour).Deliveries), 0)

		same(x, "b has lost it", renew("b", time.Hour), false)
		ids := []int64{mail.Deliveries[0].ID, mail.Deliveries[1].ID}
		try := hive.AlertTry{Message: "m", Server: "b", At: after(time.Hour), Took: time.Second, Detail: "too late"}
		x.ok(x.EndDeliveries(ctx, "b", ids, hive.DeliveryFailed, t0, try))
		same(x, "it is not b's any more", len(must(x.AlertTries(ctx, ids[0]))(x)), 0)
		try.Server, try.Detail = "c", "429"
		x.ok(x.EndDeliveries(ctx, "c", ids, hive.DeliveryPending, after(2*time.Hour), try))
		same(x, "tries", must(x.AlertTries(ctx, ids[0]))(x), []hive.AlertTry{try})
		same(x, "later", len(take("c", after(time.Hour), time.Hour).Deliveries), 0)
		again := take("d", after(2*time.Hour), time.Hour)
		same(x, "again", []any{len(again.Deliveries), again.Deliveries[0].Tries, again.Deliveries[0].Error},
			[]any{2, 1, "429"})
		try.Server, try.Done, try.Detail = "d", true, "200 OK"
		x.ok(x.EndDeliveries(ctx, "d", ids, hive.DeliverySent, time.Time{}, try))
		d := must(x.Deliveries(ctx, []int64{again.Events[0].ID}))(x)[again.Events[0].ID][0]
		same(x, "sent", []any{d.State, d.Tries, d.Error, d.DoneAt},
			[]any{hive.DeliverySent, 2, "", after(time.Hour + time.Second)})
		same(x, "the log", len(must(x.AlertTries(ctx, ids[1]))(x)), 2)
	})
}
