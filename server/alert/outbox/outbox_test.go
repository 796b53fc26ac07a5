package outbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/hive"
)

const minute = time.Minute

// A failure is reported once, whoever looks and however often, and its recovery to who was notified of it.
func TestFailureAndRecovery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [failed, recovered]\nchannels: [mail]\ntags: [finance]\n")
	w.rule("failures", "on: [failed]\nchannels: [chat]\n")
	img := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&img, hive.BatchFailed) // the server dies now, before it tells anybody
	other := w.newWatcher("server-2")
	other.RunOnce(t.Context())
	assert.Empty(t, w.pass(0), "more may come within the group's time")
	assert.ElementsMatch(t, []string{"chat: warehouse: batch 1 failed", "mail: warehouse: batch 1 failed"},
		w.pass(minute))
	assert.Empty(t, w.pass(minute))

	w.change(&img, func(b *hive.Batch) { b.State, b.Live, b.Round = hive.BatchRunning, true, 2 },
		func(r *hive.Run) { r.State, r.Round = hive.RunWaiting, 2 })
	assert.Empty(t, w.pass(minute), "it runs again")
	w.ends(&img, hive.BatchFailed)
	assert.Empty(t, w.pass(0))
	assert.Len(t, w.pass(minute), 2, "another round is another failure")
	w.change(&img, func(b *hive.Batch) { b.State, b.Live, b.Round = hive.BatchRunning, true, 3 },
		func(r *hive.Run) { r.State, r.Round = hive.RunWaiting, 3 })
	w.ends(&img, hive.BatchSucceeded)
	other.RunOnce(t.Context())
	assert.Empty(t, w.pass(0))
	assert.Equal(t, []string{"mail: warehouse has recovered: batch 1 succeeded"}, w.pass(minute),
		"chat does not ask for it")
	assert.Empty(t, w.pass(time.Hour))
	open, err := w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	assert.Empty(t, open)
}

// The success of a later batch ends the problem of an earlier one; a person who closes a batch ends it silently.
func TestRecoveryByALaterBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [failed, recovered]\nchannels: [mail]\n")
	first := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&first, hive.BatchFailed)
	w.pass(0)
	w.pass(minute)
	second := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&second, hive.BatchSucceeded)
	w.pass(0)
	assert.Equal(t, []string{"mail: warehouse has recovered: batch 2 succeeded"}, w.pass(minute))
	third := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&third, hive.BatchFailed)
	w.pass(0)
	assert.Len(t, w.pass(minute), 1)
	w.change(&third, func(b *hive.Batch) { b.ClosedNote = "known" }, nil)
	w.pass(minute)
	fourth := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&fourth, hive.BatchSucceeded)
	w.pass(0)
	assert.Empty(t, w.pass(minute))
}

// What comes within the group's time is one message. In quiet hours nothing is sent, and all of it at their end.
func TestGroupsAndQuietHours(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [failed]\nchannels: [mail]\ngroup: 2m\nquiet: [{from: \"03:30\", to: \"04:00\"}]\n")
	for range 2 {
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		assert.Empty(t, w.pass(minute))
	}
	assert.Equal(t, []string{"mail: 2 alerts: warehouse: batch 1 failed and others"}, w.pass(minute))
	w.pass(7 * minute) // 03:30
	for range 3 {
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		assert.Empty(t, w.pass(5*minute))
	}
	assert.Equal(t, []string{"mail: 3 alerts: warehouse: batch 3 failed and others"}, w.pass(15*minute))
}

// The same is reported again only after the time of repeat; what comes before is stored as suppressed.
func TestRepeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [failed]\nchannels: [mail]\nrepeat: 1h\ngroup: 0s\n")
	reported := 0
	for range 4 {
		img := w.batch(hive.KindManual, hive.BatchRunning)
		w.ends(&img, hive.BatchFailed)
		reported += len(w.pass(25 * minute))
	}
	assert.Equal(t, 2, reported)
	events, err := w.store.AlertEvents(t.Context(), hive.AlertFilter{Limit: 10})
	require.NoError(t, err)
	all, err := w.store.Deliveries(t.Context(), []int64{events[0].ID, events[1].ID})
	require.NoError(t, err)
	assert.Equal(t, hive.DeliverySent, all[events[0].ID][0].State)
	assert.Equal(t, hive.DeliverySuppressed, all[events[1].ID][0].State)
}

// What may be tried again is tried later and later, with the same id, and given up after a day. That is an alert too,
// on other channels.
func TestRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [failed]\nchannels: [mail]\n")
	w.rule("us", "on: [delivery_failed]\nchannels: [mail, chat]\n")
	w.refuse["mail"] = &channel.Error{Detail: "503", Retry: true}
	img := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&img, hive.BatchFailed)
	w.pass(0)
	var reported []string
	for range 100 {
		reported = append(reported, w.pass(20*minute)...)
	}
	assert.Equal(t, []string{"chat: A message to channel mail could not be delivered"}, reported)
	events, err := w.store.AlertEvents(t.Context(), hive.AlertFilter{Limit: 10})
	require.NoError(t, err)
	failed := events[1]
	all, err := w.store.Deliveries(t.Context(), []int64{failed.ID})
	require.NoError(t, err)
	d := all[failed.ID][0]
	assert.Equal(t, []any{hive.DeliveryFailed, 11, "503"}, []any{d.State, d.Tries, d.Error})
	tries, err := w.store.AlertTries(t.Context(), d.ID)
	require.NoError(t, err)
	require.Len(t, tries, 11)
	assert.Equal(t, tries[0].Message, tries[10].Message)

	w.set(func() { delete(w.refuse, "mail") })
	img = w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&img, hive.BatchFailed)
	w.pass(0)
	assert.Len(t, w.pass(minute), 1)
	w.pass(minute)
	open, err := w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	for i := range open {
		assert.Equal(t, hive.AlertFailed, open[i].Kind, "the channel works again")
	}
}

// A message that a service refuses for good, and one to a channel that is gone, are not tried again.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [failed]\nchannels: [mail, chat]\ngroup: 0s\n")
	w.refuse["mail"] = &channel.Error{Detail: "404"}
	require.NoError(t, w.store.DeleteAlertDocument(t.Context(), hive.KindChannel, "chat", t0))
	img := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&img, hive.BatchFailed)
	assert.Empty(t, w.pass(0))
	events, err := w.store.AlertEvents(t.Context(), hive.AlertFilter{Limit: 10})
	require.NoError(t, err)
	all, err := w.store.Deliveries(t.Context(), []int64{events[0].ID})
	require.NoError(t, err)
	assert.Equal(t, []string{"404", `there is no channel "chat" any more`},
		[]string{all[events[0].ID][0].Error, all[events[0].ID][1].Error})
	for _, d := range all[events[0].ID] {
		assert.Equal(t, hive.DeliveryFailed, d.State)
	}
	result, err := w.deliverer.Test(t.Context(), "mail", "")
	require.NoError(t, err)
	assert.Equal(t, hive.ChannelTest{Detail: "404"}, result)
	w.set(func() { delete(w.refuse, "mail") })
	result, err = w.deliverer.Test(t.Context(), "mail", "zh")
	require.NoError(t, err)
	assert.Equal(t, hive.ChannelTest{Sent: true, Detail: "200 OK"}, result)
	assert.Equal(t, []string{"mail: 通道 mail 的测试消息"}, w.sent)
}

// A test of a channel that is not saved goes where the form says, with its secrets in place of the stored ones.
func TestTryUnsaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stored, err := w.store.AlertDocument(t.Context(), hive.KindChannel, "mail")
	require.NoError(t, err)
	old := map[string]string{"url": "old", "key": "old"}
	require.NoError(t, w.store.SetChannelSecrets(t.Context(), "mail", old, "ada", t0))
	def := &hive.ChannelDefinition{Name: "mail", Type: hive.ChannelDingTalk, Language: "zh"}
	trial := hive.PreparedTrial{Channel: def, Stored: stored.ID, Secrets: map[string]string{"url": "new"}, By: "ada"}
	result, err := w.deliverer.Try(t.Context(), trial)
	require.NoError(t, err)
	assert.True(t, result.Sent)
	assert.Equal(t, []string{"mail: 通道 mail 的测试消息"}, w.sent)
	assert.Equal(t, map[string]string{"url": "new", "key": "old"}, w.secrets)

	def.Name, trial.Stored = "new", 0
	_, err = w.deliverer.Try(t.Context(), trial)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"url": "new"}, w.secrets)
	w.refuse["new"] = &channel.Error{Detail: "404"}
	result, err = w.deliverer.Try(t.Context(), trial)
	require.NoError(t, err)
	assert.Equal(t, hive.ChannelTest{Detail: "404"}, result)
}

// A failure that nobody repairs in a quarter of a year is over for the alerts.
func TestFailureThatStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [failed, recovered]\nchannels: [mail]\ngroup: 0s\n")
	img := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&img, hive.BatchFailed)
	assert.Len(t, w.pass(0), 1)
	assert.Empty(t, w.pass(90*24*time.Hour))
	open, err := w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	assert.Len(t, open, 1)
	assert.Empty(t, w.pass(time.Second))
	open, err = w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	assert.Empty(t, open)
}

// A rule that cannot be read any more does not keep the others from their work.
func TestUnreadableRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("broken", "on: {}\n")
	w.rule("night", "on: [failed]\nchannels: [mail]\ngroup: 0s\n")
	img := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&img, hive.BatchFailed)
	assert.Len(t, w.pass(0), 1)
}

// Without a rule that asks for them, facts go.
func TestNobodyAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [late]\nchannels: [mail]\n")
	img := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&img, hive.BatchFailed)
	assert.Empty(t, w.pass(minute))
	facts, err := w.store.AlertFacts(t.Context(), 10)
	require.NoError(t, err)
	assert.Empty(t, facts)
	events, err := w.store.AlertEvents(t.Context(), hive.AlertFilter{Limit: 10})
	require.NoError(t, err)
	assert.Empty(t, events)
}

// The failure of a hook concerns the rules of the schedule whose batch it follows. A success of its batch ends the
// problem, and a later batch of the schedule does not.
func TestHookFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rule("night", "on: [hook_failed, recovered]\nchannels: [mail]\ntags: [finance]\ngroup: 0s\n")
	w.rule("other", "on: [failed, started, succeeded]\nchannels: [chat]\ngroup: 0s\n")
	w.watcher.RunOnce(t.Context())
	of := w.batch(hive.KindManual, hive.BatchRunning)
	w.pass(minute)
	img := w.hooks(&of, hive.HookOfTask, "load")
	w.ends(&img, hive.BatchFailed)
	assert.Equal(t, []string{"mail: warehouse: a hook of task load of batch 1 failed"}, w.pass(minute))
	later := w.batch(hive.KindManual, hive.BatchRunning)
	w.ends(&later, hive.BatchSucceeded)
	assert.Equal(t, []string{"chat: warehouse: batch 3 succeeded"}, w.pass(minute))
	open, err := w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
	assert.Equal(t, []any{img.Batch.ID, w.schedule.ID, "load", "exit 1"},
		[]any{open[0].BatchID, open[0].ScheduleID, open[0].Task, open[0].Error})

	w.change(&img, func(b *hive.Batch) { b.State, b.Live, b.Round = hive.BatchRunning, true, 2 },
		func(r *hive.Run) { r.State, r.Round = hive.RunWaiting, 2 })
	w.ends(&img, hive.BatchSucceeded)
	assert.Equal(t, []string{"mail: warehouse has recovered: a hook of task load of batch 1 succeeded"}, w.pass(minute))

	old := w.hooks(&of, hive.HookOfBatch, "")
	w.ends(&old, hive.BatchFailed)
	assert.Equal(t, []string{"mail: warehouse: a hook of batch 1 failed"}, w.pass(minute))
	assert.Empty(t, w.pass(8*24*time.Hour), "nobody hears of a problem that nobody solves")
	open, err = w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	assert.Empty(t, open)
}

// A person may take the failure of a hook, without a rule for it.
func TestTakeHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	of := w.batch(hive.KindManual, hive.BatchRunning)
	img := w.hooks(&of, hive.HookOfBatch, "")
	w.ends(&img, hive.BatchFailed)
	require.NoError(t, w.watcher.Ensure(t.Context(), img.Batch.ID))
	open, err := w.store.OpenAlertEvents(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
	assert.Equal(t, []any{hive.AlertHookFailed, w.schedule.ID}, []any{open[0].Kind, open[0].ScheduleID})
}
