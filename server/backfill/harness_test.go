package backfill

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

const nightlyText = `apiVersion: hivego/v1
kind: Schedule
name: nightly
params:
  region: eu
triggers:
  - cron: 0 3 * * *
jobs:
  - key: load
    tasks:
      - {key: a, handler: shell, params: {command: "true"}}
      - {key: b, handler: shell, params: {command: "true"}, disabled: true}
`

func testNow() time.Time { return time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC) }

// harness is a store with one server's driver and service.
type harness struct {
	*testing.T
	store     *db.Store
	me        hive.Server
	service   *Service
	driver    *Driver
	made      []int64 // batches that the owner knows of
	commanded []int64 // batches that got a command
}

func each(t *testing.T, f func(h *harness)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		t.Helper()
		s := open()
		def, faults := document.Read([]byte(nightlyText), document.Options{Stored: true, Now: testNow()})
		if def == nil {
			t.Fatal(faults)
		}
		_, _, _, err := s.SaveSchedule(t.Context(), hive.SaveSchedule{
			Name: "nightly", Document: nightlyText, Hash: "1", Now: testNow().AddDate(-1, 0, 0),
		})
		if err != nil {
			t.Fatal(err)
		}
		f(newHarness(t, s, "one"))
	})
}

func newHarness(t *testing.T, s *db.Store, server string) *harness {
	t.Helper()
	h := &harness{T: t, store: s, me: hive.Server{ID: server, StartedAt: testNow()}}
	var err error
	if h.me.Epoch, err = s.StartSession(t.Context(), h.me, time.Hour); err != nil {
		t.Fatal(err)
	}
	h.use(s)
	return h
}

// use gives the driver a store.
func (h *harness) use(s DriverStore) {
	graphs := new(document.Graphs)
	now := testNow
	h.driver = NewDriver(DriverConfig{
		Store: s, Server: func() hive.Server { return h.me }, NewRuns: batch.NewRuns, Now: now, Graphs: graphs,
		Made:   func(ids []int64) { h.made = append(h.made, ids...) },
		Notify: func(id int64) { h.commanded = append(h.commanded, id) }, Log: slog.New(slog.DiscardHandler),
	})
	h.service = New(Config{
		Schedules: h.store, Store: h.store, Graphs: graphs, Now: now, Changed: func() {},
		Notify: func(id int64) { h.commanded = append(h.commanded, id) }, Dependants: h.members,
	})
}

func (h *harness) create(r hive.BackfillRequest) hive.Backfill {
	h.Helper()
	r.Schedule, r.By = "nightly", "ada"
	if r.From == "" {
		r.From, r.To = "2026-03-01", "2026-03-05"
	}
	b, err := h.service.Create(h.Context(), r)
	h.ok(err)
	return b
}

func (h *harness) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *harness) get(id int64) hive.Backfill {
	h.Helper()
	b, err := h.store.Backfill(h.Context(), id)
	h.ok(err)
	return b
}

// batches lists the batches of a backfill, oldest first.
func (h *harness) batches(id int64) []hive.Batch {
	h.Helper()
	list, err := h.store.Batches(h.Context(), hive.BatchFilter{Backfill: id, Limit: 500})
	h.ok(err)
	slices.Reverse(list)
	return list
}

// days names the moments of the batches of a backfill by their days, in the order in which the batches were made.
func (h *harness) days(id int64) string {
	h.Helper()
	var days []string
	for _, b := range h.batches(id) {
		days = append(days, fmt.Sprint(b.Moment.Day()))
	}
	return strings.Join(days, " ")
}

func (h *harness) expect(id int64, want string) {
	h.Helper()
	b := h.get(id)
	c := b.Counts
	got := fmt.Sprintf("%s, %d waiting, %d running, %d succeeded, %d failed, %d canceled, %d kept", b.State, c.Waiting,
		c.Running, c.Succeeded, c.Failed, c.Canceled, c.Kept)
	if got != want {
		h.Fatalf("%s, want %s", got, want)
	}
}

// end lets a live batch end, as its owner would.
func (h *harness) end(b hive.Batch, s hive.BatchState) {
	h.Helper()
	to := b
	to.State, to.Live, to.FinishedAt = s, !s.Final(), testNow()
	servers, err := h.store.Servers(h.Context())
	h.ok(err)
	owner := servers[slices.IndexFunc(servers, func(s hive.Server) bool { return s.ID == b.Owner })]
	h.ok(h.store.Commit(h.Context(), hive.Group{Server: owner.ID, Epoch: owner.Epoch, Batches: []hive.BatchWrite{
		{BatchID: b.ID, Batch: &hive.BatchChange{From: b.State, To: to}},
	}}))
}

// endAll lets all live batches of a backfill end.
func (h *harness) endAll(id int64, s hive.BatchState) {
	h.Helper()
	for _, b := range h.batches(id) {
		if b.Live {
			h.end(b, s)
		}
	}
}

func (h *harness) run() {
	h.Helper()
	h.driver.RunOnce(h.Context())
}
