package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/alert/outbox"
	"github.com/rprp/hivego/server/hive"
)

// t0 is when the world begins.
//
//nolint:gochecknoglobals // a constant
var t0 = time.Date(2026, 3, 6, 3, 20, 0, 0, time.UTC)

// world is a database with a schedule, a watcher and a deliverer, with a clock of its own.
type world struct {
	*testing.T
	store    *db.Store
	me       hive.Server
	schedule hive.Schedule
	revision hive.Revision

	documents *outbox.Documents
	watcher   *outbox.Watcher
	deliverer *outbox.Deliverer

	mu        sync.Mutex
	now       time.Time
	sent      []string          // channel: title
	ids       []string          // of messages
	secrets   map[string]string // of the last message
	refuse    map[string]*channel.Error
	summaries map[int64]hive.BatchSummary
	executors []hive.ExecutorView
	alarms    []hive.TickAlarm
	short     error // of space
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, dbtest.Open(t, dbtest.SQLite(t)))
}

func newWorldOn(t *testing.T, store *db.Store) *world {
	t.Helper()
	w := &world{
		T: t, store: store, now: t0, refuse: map[string]*channel.Error{},
		me: hive.Server{ID: "server-1", StartedAt: t0},
	}
	var err error
	w.me.Epoch, err = w.store.StartSession(t.Context(), w.me, time.Hour)
	require.NoError(t, err)
	w.schedule, w.revision = w.save("warehouse")
	w.documents = outbox.NewDocuments(w.store, slog.New(slog.DiscardHandler))
	w.watcher = w.newWatcher("server-1")
	w.deliverer = w.newDeliverer("server-1")
	for _, name := range []string{"mail", "chat"} {
		w.document(hive.KindChannel, name, "type: slack\n")
	}
	return w
}

func (w *world) save(name string) (hive.Schedule, hive.Revision) {
	w.Helper()
	s, r, _, err := w.store.SaveSchedule(w.Context(), hive.SaveSchedule{
		Name: name, Document: name, Hash: name, By: "ada", Now: t0,
	})
	require.NoError(w, err)
	return s, r
}

func (w *world) newWatcher(server string) *outbox.Watcher {
	return outbox.NewWatcher(outbox.WatcherConfig{
		Facts: w.store, Events: w.store, Reported: w.store, Batches: w.store, Ticks: w.store, Local: w,
		Rules: w.documents.Rules,
		Describe: func(context.Context, int64) (hive.AlertFacets, error) {
			return hive.AlertFacets{Schedule: "warehouse", Tags: []string{"finance"}}, nil
		},
		Server: server, Stored: func() {}, Now: w.clock, Log: slog.New(slog.DiscardHandler),
	})
}

func (w *world) newDeliverer(server string) *outbox.Deliverer {
	return outbox.NewDeliverer(outbox.DelivererConfig{
		Store: w.store, Documents: w.documents, Server: server, Now: w.clock, Log: slog.New(slog.DiscardHandler),
		Base: func() string { return "https://hive.example" },
		Send: func(_ context.Context, def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message) (
			string, error,
		) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.secrets = secrets
			if why := w.refuse[def.Name]; why != nil {
				return "", why
			}
			w.sent, w.ids = append(w.sent, def.Name+": "+m.Title), append(w.ids, m.ID)
			return "200 OK", nil
		},
	})
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// document stores a rule or a channel.
func (w *world) document(kind, name, rest string) {
	w.Helper()
	text := fmt.Sprintf("apiVersion: hivego/v1\nkind: %s\nname: %s\n%s", kind, name, rest)
	_, rev, _, err := w.store.SaveAlertDocument(w.Context(), hive.SaveAlertDocument{
		Kind: kind, Name: name, Document: text, Hash: text, Now: t0,
	})
	require.NoError(w, err)
	require.Equal(w, text, rev.Document)
}

func (w *world) rule(name, rest string) { w.document(hive.KindAlert, name, rest) }

// pass lets time pass, and then lets watcher and deliverer work once.
func (w *world) pass(d time.Duration) []string {
	w.Helper()
	w.mu.Lock()
	w.now = w.now.Add(d)
	w.mu.Unlock()
	w.watcher.RunOnce(w.Context())
	require.NoError(w, w.deliverer.RunOnce(w.Context()))
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.sent
	w.sent = nil
	return out
}

// batch makes a batch of one task.
func (w *world) batch(kind hive.BatchKind, state hive.BatchState) hive.BatchSnapshot {
	w.Helper()
	now := w.clock()
	b, err := w.store.CreateBatch(w.Context(), w.me, hive.NewBatch{
		Batch: hive.Batch{
			ScheduleID: w.schedule.ID, Schedule: w.schedule.Name, RevisionID: w.revision.ID, Revision: 1, Kind: kind,
			State: state, Wish: hive.WishRun, Round: 1, Live: true, Moment: now, CreatedAt: now, StartedAt: now,
			RoundAt: now,
		},
		Runs: []hive.Run{{Job: "load", Task: "load", State: hive.RunWaiting, Round: 1, ChangedAt: now}},
	})
	require.NoError(w, err)
	img, err := w.store.BatchSnapshot(w.Context(), b.ID)
	require.NoError(w, err)
	return img
}

// hooks makes the batch of the hooks that follow a failure in another one.
func (w *world) hooks(of *hive.BatchSnapshot, scope hive.HookScope, key string) hive.BatchSnapshot {
	w.Helper()
	now := w.clock()
	b, err := w.store.CreateBatch(w.Context(), w.me, hive.NewBatch{
		Batch: hive.Batch{
			RevisionID: w.revision.ID, Kind: hive.KindHook, State: hive.BatchRunning, Wish: hive.WishRun, Round: 1,
			Live: true, Moment: now, CreatedAt: now, StartedAt: now, RoundAt: now,
			Hook: &hive.HookEvent{Batch: of.Batch.ID, Round: 1, Scope: scope, Key: key, State: hive.BatchFailed},
		},
		Runs: []hive.Run{{Job: "load", Task: "load", State: hive.RunWaiting, Round: 1, ChangedAt: now}},
	})
	require.NoError(w, err)
	img, err := w.store.BatchSnapshot(w.Context(), b.ID)
	require.NoError(w, err)
	return img
}

// change commits a change of a batch and its run.
func (w *world) change(img *hive.BatchSnapshot, batch func(*hive.Batch), run func(*hive.Run)) {
	w.Helper()
	write := hive.BatchWrite{BatchID: img.Batch.ID}
	if batch != nil {
		change := hive.BatchChange{From: img.Batch.State, To: img.Batch}
		batch(&change.To)
		write.Batch, img.Batch = &change, change.To
	}
	if run != nil {
		change := hive.RunChange{From: img.Runs[0].State, To: img.Runs[0]}
		run(&change.To)
		write.Runs, img.Runs[0] = []hive.RunChange{change}, change.To
	}
	require.NoError(w, w.store.Commit(w.Context(), hive.Group{
		Server: w.me.ID, Epoch: w.me.Epoch, Batches: []hive.BatchWrite{write},
	}))
}

// ends makes a batch final.
func (w *world) ends(img *hive.BatchSnapshot, state hive.BatchState) {
	w.Helper()
	now := w.clock()
	w.change(img, func(b *hive.Batch) { b.State, b.Live, b.FinishedAt = state, false, now }, func(r *hive.Run) {
		r.State, r.FinishedAt = hive.RunSucceeded, now
		if state == hive.BatchFailed {
			r.State, r.Detail = hive.RunFailed, "exit 1"
		}
	})
}

// The world is what only the server knows.

func (w *world) Summaries(context.Context, ...int64) (map[int64]hive.BatchSummary, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.summaries, nil
}

func (w *world) StuckWords(context.Context, int64) string { return "a row is broken" }

func (w *world) Executors(context.Context) ([]hive.ExecutorView, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.executors, nil
}

func (w *world) TickAlarms() []hive.TickAlarm {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alarms
}

func (w *world) DiskShort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.short
}

// set changes the world under its lock.
func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}
