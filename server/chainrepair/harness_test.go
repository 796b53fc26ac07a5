package chainrepair

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/catalog"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// triggersOf has the schedules of the tests: hourly orders, a mart of the day, two that read the mart, and one that
// reads both of these.
func triggersOf() map[string]string {
	return map[string]string{
		"orders":  "{cron: 0 * * * *}",
		"mart":    "{cron: 30 23 * * *, after: [{schedule: orders, window: same_day}]}",
		"report":  "{after: [{schedule: mart, window: same_day}]}",
		"mail":    "{after: [{schedule: mart, window: same_day}]}",
		"summary": "{after: [{schedule: report, window: same_day}, {schedule: mail, window: same_day}]}",
	}
}

// harness is a store with the schedules, and one server's driver and service. Its owner obeys commands at once.
type harness struct {
	*testing.T
	store   *db.Store
	me      hive.Server
	service *Service
	driver  *Driver
}

func each(t *testing.T, f func(h *harness)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		t.Helper()
		h := newHarness(t, open(), "one")
		for _, name := range []string{"orders", "mart", "report", "mail", "summary"} {
			text := fmt.Sprintf("apiVersion: hivego/v1\nkind: Schedule\nname: %s\ntriggers:\n  - %s\njobs:\n"+
				"  - key: all\n    tasks:\n      - {key: a, handler: shell, params: {command: 'true'}}\n"+
				"      - {key: b, handler: shell, params: {command: 'true'}}\n", name, triggersOf()[name])
			def, faults := document.Read([]byte(text), document.Options{Stored: true, Now: testNow()})
			if def == nil {
				t.Fatal(faults)
			}
			_, _, _, err := h.store.SaveSchedule(t.Context(), hive.SaveSchedule{
				Name: name, Document: text, Hash: name, Now: testNow().AddDate(-1, 0, 0),
				Links: schedule.LinksOf(def),
			})
			h.ok(err)
		}
		f(h)
	})
}

func newHarness(t *testing.T, s *db.Store, server string) *harness {
	t.Helper()
	h := &harness{T: t, store: s, me: hive.Server{ID: server, StartedAt: testNow()}}
	var err error
	h.me.Epoch, err = s.StartSession(t.Context(), h.me, time.Hour)
	h.ok(err)
	h.use(s)
	return h
}

// use gives the driver a store.
func (h *harness) use(s DriverStore) {
	graphs := new(document.Graphs)
	cat := catalog.New(catalog.Config{
		Schedules: h.store, Directory: h.store, Lists: h.store, Drafts: h.store, Batches: h.store,
		Executors: h.store, Results: h.store, Now: testNow,
		Changed: func(int64) {}, Calendars: h.store, CalendarChanged: func() {}, Chains: h.store,
	})
	h.driver = NewDriver(DriverConfig{
		Store: s, Server: func() hive.Server { return h.me }, Notify: func(int64) {}, Now: testNow, Graphs: graphs,
		Log: slog.New(slog.DiscardHandler),
	})
	h.service = New(Config{
		Reader: h.store, Store: h.store, Repairs: single{h}, Followers: cat.Followers, Graphs: graphs, Now: testNow,
		Changed: func() {},
	})
}

// single is the use cases of single batches, with an owner that obeys at once.
type single struct{ h *harness }

func (s single) RepairCommand(_ context.Context, r hive.RepairRequest) (hive.Command, error) {
	payload, err := json.Marshal(r.PlanRequest)
	return hive.Command{
		BatchID: r.Batch, Kind: hive.CommandRepair, Key: "repair/" + r.Key, Payload: payload, CreatedAt: testNow(),
		CreatedBy: r.By,
	}, err
}

func (s single) Await(ctx context.Context, c hive.Command) (hive.Command, error) {
	s.h.obey()
	return s.h.store.Command(ctx, c.ID)
}

func (s single) Repair(ctx context.Context, r hive.RepairRequest) (hive.Command, error) {
	c, err := s.RepairCommand(ctx, r)
	if err != nil {
		return c, err
	}
	c, _, err = s.h.store.AddCommand(ctx, c)
	if err != nil {
		return c, err
	}
	return s.Await(ctx, c)
}

func (h *harness) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// obey handles the pending commands as their owner would: a rerun opens a round, unless the batch is in another one.
func (h *harness) obey() {
	h.Helper()
	commands, err := h.store.PendingCommands(h.Context(), h.me.ID)
	h.ok(err)
	for _, c := range commands {
		b := h.batch(c.BatchID)
		var req hive.PlanRequest
		h.ok(json.Unmarshal(c.Payload, &req))
		w := hive.BatchWrite{BatchID: b.ID, Commands: []hive.CommandDone{
			{ID: c.ID, State: hive.CommandApplied, At: testNow()},
		}}
		done := &w.Commands[0]
		switch {
		case req.Round != 0 && req.Round != b.Round:
			done.State = hive.CommandRefused
			done.Answer, err = json.Marshal(refusal(hive.ErrorRoundMoved))
		case req.Note == "refuse":
			done.State = hive.CommandRefused
			done.Answer, err = json.Marshal(refusal(hive.ErrorPlanMoved))
		default:
			to := b
			to.State, to.Live, to.FinishedAt, to.Round = hive.BatchRunning, true, time.Time{}, b.Round+1
			w.Batch = &hive.BatchChange{From: b.State, To: to}
			done.Answer = []byte("{}")
		}
		h.ok(err)
		h.commit(w)
	}
}

func (h *harness) commit(w hive.BatchWrite) {
	h.Helper()
	h.ok(h.store.Commit(h.Context(), hive.Group{Server: h.me.ID, Epoch: h.me.Epoch, Batches: []hive.BatchWrite{w}}))
}

func (h *harness) batch(id int64) hive.Batch {
	h.Helper()
	b, err := h.store.Batch(h.Context(), id)
	h.ok(err)
	return b
}

// made makes a batch that has ended, and returns its id.
func (h *harness) made(name string, at time.Time, s hive.BatchState) int64 {
	h.Helper()
	sched, err := h.store.Schedule(h.Context(), name)
	h.ok(err)
	rev, err := h.store.RevisionAt(h.Context(), sched.ID, sched.Revision)
	h.ok(err)
	b, err := h.store.CreateBatch(h.Context(), h.me, hive.NewBatch{
		Runs: []hive.Run{{Number: 0, Job: "all", Task: "a", State: hive.RunWaiting, Round: 1}},
		Batch: hive.Batch{
			ScheduleID: sched.ID, Schedule: name, RevisionID: rev.ID, Revision: rev.Number, Kind: hive.KindScheduled,
			State: hive.BatchRunning, Wish: hive.WishRun, Round: 1, Moment: at, CreatedAt: at, CreatedBy: "cron",
			Owner: h.me.ID, Live: true,
		},
	})
	h.ok(err)
	h.end(b.ID, s)
	return b.ID
}

// end lets a live batch end.
func (h *harness) end(id int64, s hive.BatchState) {
	h.Helper()
	b := h.batch(id)
	if !b.Live {
		h.Fatalf("batch %d of %s is not live", id, b.Schedule)
	}
	to := b
	to.State, to.Live, to.FinishedAt = s, !s.Final(), testNow()
	h.commit(hive.BatchWrite{BatchID: id, Batch: &hive.BatchChange{From: b.State, To: to}})
}

// day makes a day of batches: the hour that is run again, the last hour, and what followed. It returns their ids.
func (h *harness) day() map[string]int64 {
	h.Helper()
	day := time.Date(2026, time.March, 19, 0, 0, 0, 0, time.UTC)
	h.made("orders", day.Add(-time.Hour), hive.BatchSucceeded)
	h.made("mart", day.Add(-30*time.Minute), hive.BatchSucceeded) // of the day before
	ids := map[string]int64{
		"orders": h.made("orders", day.Add(3*time.Hour), hive.BatchSucceeded),
		"mart":   h.made("mart", day.Add(23*time.Hour+30*time.Minute), hive.BatchSucceeded),
	}
	for _, name := range []string{"report", "mail", "summary"} {
		ids[name] = h.made(name, day, hive.BatchSucceeded)
	}
	return ids
}

func (h *harness) request(batch int64, key string) hive.ChainRepairRequest {
	return hive.ChainRepairRequest{RepairRequest: hive.RepairRequest{
		PlanRequest: hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"a"}, Note: "late file"}, Batch: batch,
		By: "ada", Key: key,
	}}
}

// apply makes a chain repair and returns its id.
func (h *harness) apply(batch int64) int64 {
	h.Helper()
	c, id, err := h.service.Apply(h.Context(), h.request(batch, "k"))
	h.ok(err)
	if c.State != hive.CommandApplied || id == 0 {
		h.Fatalf("command %+v, chain repair %d", c, id)
	}
	return id
}

// run lets the driver decide and the owner obey.
func (h *harness) run() {
	h.Helper()
	h.driver.RunOnce(h.Context())
	h.obey()
}

// expect compares the state of a chain repair and the progress of its steps.
func (h *harness) expect(id int64, want string) {
	h.Helper()
	r, err := h.service.Get(h.Context(), id)
	h.ok(err)
	out := []string{string(r.State)}
	for i := range r.Steps {
		out = append(out, fmt.Sprintf("%s %s", r.Steps[i].Schedule, r.Steps[i].Progress()))
	}
	if got := strings.Join(out, ", "); got != want {
		h.Fatalf("%s\nwant %s", got, want)
	}
}

// refusal demands an error with a reason.
func (h *harness) refusal(want hive.ErrorReason, err error) {
	h.Helper()
	if e := (*hive.Error)(nil); !asError(err, &e) || e.Reason != want {
		h.Fatalf("%v, want %s", err, want)
	}
}

func refusal(r hive.ErrorReason) hive.Problem {
	return hive.Problem{Code: hive.CodeConflict, Words: "moved", Reason: r}
}
