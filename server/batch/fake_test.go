package batch

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

var t0 = time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant, if Go had it

const warehouse = `apiVersion: hivego/v1
kind: Schedule
name: warehouse
params: {region: east, days: 3, full: false, ratio: 0.5}
jobs:
  - key: extract
    tasks:
      - {key: a, handler: shell, params: {command: "true"}}
      - {key: b, handler: shell, group: etl, params: {command: "true"}}
  - key: load
    timeout: 10m
    tasks:
      - {key: c, handler: shell, needs: [a, b], rule: all_done, when: "params.full", disabled: true,
         retry: {max: 2}, params: {command: "true"}}
  - key: publish
    tasks:
      - {key: d, handler: shell, params: {command: "true"}}
`

// store is a database in memory.
type store struct {
	times     map[string][]hive.TaskTime
	mu        sync.Mutex
	schedules []hive.Schedule
	revisions []hive.Revision
	batches   []hive.BatchSnapshot
	attempts  []hive.Attempt
	history   []hive.Run
	causes    []hive.BatchLink
	commands  []hive.Command
	executors []hive.Executor
	keys      map[string]int64
	looks     int
	counted   []int64
	sinces    []time.Time
	urgent    []int64
	onLook    func(c *hive.Command, looks int)
}

func newStore() *store {
	s := &store{keys: map[string]int64{}}
	s.schedules = []hive.Schedule{{ID: 1, Name: "warehouse", Enabled: true}}
	s.save(warehouse)
	return s
}

// save makes a document the newest revision.
func (s *store) save(text string) {
	n := int64(1)
	for _, r := range s.revisions {
		if r.ScheduleID == 1 {
			n = r.Number + 1
		}
	}
	s.revisions = append(s.revisions,
		hive.Revision{ID: int64(100 + len(s.revisions)), ScheduleID: 1, Number: n, Document: text})
	s.schedules[0].Revision = n
}

func (s *store) Schedule(_ context.Context, name string) (hive.Schedule, error) {
	for _, h := range s.schedules {
		if h.Name == name {
			return h, nil
		}
	}
	return hive.Schedule{}, hive.Errorf(hive.CodeNotFound, "there is no schedule %q", name)
}

func (s *store) ScheduleByID(_ context.Context, id int64) (hive.Schedule, error) {
	return s.schedules[id-1], nil
}

func (s *store) Revision(_ context.Context, id int64) (hive.Revision, error) {
	for _, r := range s.revisions {
		if r.ID == id {
			return r, nil
		}
	}
	return hive.Revision{}, hive.Errorf(hive.CodeNotFound, "there is no revision %d", id)
}

func (s *store) RevisionAt(_ context.Context, schedule, number int64) (hive.Revision, error) {
	for _, r := range s.revisions {
		if r.ScheduleID == schedule && r.Number == number {
			return r, nil
		}
	}
	return hive.Revision{}, hive.Errorf(hive.CodeNotFound, "there is no revision %d", number)
}

func (s *store) AdhocRevision(_ context.Context, text, hash, by string, now time.Time) (hive.Revision, error) {
	r := hive.Revision{ID: int64(100 + len(s.revisions)), Document: text, Hash: hash, CreatedBy: by, CreatedAt: now}
	s.revisions = append(s.revisions, r)
	return r, nil
}

func (s *store) CreateBatch(_ context.Context, server hive.Server, b hive.NewBatch) (hive.Batch, error) {
	if id, ok := s.keys[b.Key]; ok && b.Key != "" {
		return s.batches[id-1].Batch, nil
	}
	if server.Epoch == 0 {
		return hive.Batch{}, hive.ErrSessionLost
	}
	rev, err := s.Revision(context.Background(), b.Batch.RevisionID)
	if err != nil {
		return hive.Batch{}, err
	}
	b.Batch.ID = int64(len(s.batches) + 1)
	for i := range b.Runs {
		b.Runs[i].ID, b.Runs[i].BatchID = b.Batch.ID*1000+int64(i), b.Batch.ID
	}
	s.batches = append(s.batches, hive.BatchSnapshot{Batch: b.Batch, Revision: rev, Runs: b.Runs})
	s.keys[b.Key] = b.Batch.ID
	return b.Batch, nil
}

func (s *store) BatchSnapshot(_ context.Context, id int64) (hive.BatchSnapshot, error) {
	if id < 1 || int(id) > len(s.batches) {
		return hive.BatchSnapshot{}, hive.Errorf(hive.CodeNotFound, "there is no batch %d", id)
	}
	img := s.batches[id-1]
	img.Runs = slices.Clone(img.Runs)
	for _, a := range s.attempts {
		if a.BatchID == id && a.State != hive.AttemptEnded {
			img.Attempts = append(img.Attempts, a)
		}
	}
	return img, nil
}

func (s *store) Batch(ctx context.Context, id int64) (hive.Batch, error) {
	img, err := s.BatchSnapshot(ctx, id)
	return img.Batch, err
}

func (s *store) Batches(_ context.Context, f hive.BatchFilter) ([]hive.Batch, error) {
	s.urgent = f.Urgent
	var out []hive.Batch
	for _, img := range slices.Backward(s.batches) {
		if b := img.Batch; (f.Schedule == "" || f.Schedule == b.Schedule) && (!f.Live || b.Live) {
			out = append(out, b)
		}
	}
	return out, nil
}

func (s *store) Attempts(_ context.Context, id int64) ([]hive.Attempt, error) {
	var out []hive.Attempt
	for _, a := range s.attempts {
		if a.BatchID == id {
			out = append(out, a)
		}
	}
	return out, nil
}

func (s *store) Causes(context.Context, int64, int) (causes, caused []hive.BatchLink, err error) {
	return s.causes, nil, nil
}

func (s *store) History(context.Context, int64) ([]hive.Run, error) { return s.history, nil }

func (s *store) AddCommand(_ context.Context, c hive.Command) (hive.Command, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.commands {
		if o.Key == c.Key && !bytes.Equal(o.Payload, c.Payload) {
			return hive.Command{}, false, hive.Errorf(hive.CodeConflict, "the key %s was used", c.Key).
				WithReason(hive.ErrorKeyReused)
		}
		if o.Key == c.Key {
			return o, true, nil
		}
	}
	c.ID = int64(len(s.commands) + 1)
	s.commands = append(s.commands, c)
	return c, false, nil
}

func (s *store) Commands(_ context.Context, f hive.CommandFilter) ([]hive.Command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []hive.Command
	for _, c := range s.commands {
		if c.BatchID == f.Batch {
			out = append(out, c)
		}
	}
	return out, nil
}

func (s *store) CommandByKey(_ context.Context, key string) (hive.Command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.commands {
		if c.Key == key {
			return c, nil
		}
	}
	return hive.Command{}, hive.Errorf(hive.CodeNotFound, "no command with key %s", key)
}

func (s *store) Command(_ context.Context, id int64) (hive.Command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id < 1 || int(id) > len(s.commands) {
		return hive.Command{}, hive.Errorf(hive.CodeNotFound, "there is no command %d", id)
	}
	s.looks++
	if s.onLook != nil {
		s.onLook(&s.commands[id-1], s.looks)
	}
	return s.commands[id-1], nil
}

func (s *store) Executors(context.Context) ([]hive.Executor, error) { return s.executors, nil }

func (s *store) Held(_ context.Context, executors ...string) ([]hive.HeldView, error) {
	var out []hive.HeldView
	for _, a := range s.attempts {
		if a.State == hive.AttemptEnded || !slices.Contains(executors, a.Executor) {
			continue
		}
		img := s.batches[a.BatchID-1]
		i := slices.IndexFunc(img.Runs, func(r hive.Run) bool { return r.ID == a.RunID })
		out = append(out, hive.HeldView{Attempt: a, Schedule: img.Batch.Schedule, Task: img.Runs[i].Task})
	}
	return out, nil
}

func (s *store) AllLive(ctx context.Context) ([]hive.Batch, error) {
	return s.Batches(ctx, hive.BatchFilter{Live: true})
}

func (s *store) CountRuns(_ context.Context, ids []int64) (map[int64]hive.Counts, error) {
	s.counted = append(s.counted, ids...)
	out := map[int64]hive.Counts{}
	for _, id := range ids {
		out[id] = hive.CountRuns(s.batches[id-1].Runs)
	}
	return out, nil
}

func (s *store) RunColumns(_ context.Context, ids []int64) (map[int64]hive.RunColumn, error) {
	out := map[int64]hive.RunColumn{}
	for _, id := range ids {
		var c hive.RunColumn
		for _, r := range s.batches[id-1].Runs {
			if c.Tasks != "" {
				c.Tasks += ","
			}
			c.Tasks += r.Job + "/" + r.Task
			c.Cells += string(r.State[:1])
			c.Took = append(c.Took, r.FinishedAt.Sub(t0).Milliseconds())
		}
		if c.Cells != "" {
			out[id] = c
		}
	}
	return out, nil
}

func (s *store) UsualDurations(_ context.Context, schedules []int64) (map[int64]time.Duration, error) {
	out := map[int64]time.Duration{}
	for _, id := range schedules {
		out[id] = time.Minute
	}
	return out, nil
}

func (s *store) CountOpen(context.Context) (int, error) { return 1, nil }

func (s *store) Ended(_ context.Context, since time.Time) (succeeded, ended int, err error) {
	s.sinces = append(s.sinces, since)
	return 8, 10, nil
}

// engine records calls, and shows the live batches of a test.
type engine struct {
	adopted, notified []int64
	live              map[int64]hive.LiveView
	needs             map[int64]bool // a person
	// answers is the channel that Await returns. If it is nil, Await returns a closed one, as if another server owned
	// the batch.
	answers          chan hive.CommandDone
	awaited, stopped int
}

func (e *engine) Adopt(id int64)  { e.adopted = append(e.adopted, id) }
func (e *engine) Notify(id int64) { e.notified = append(e.notified, id) }

func (e *engine) Await(int64, int64) (answer <-chan hive.CommandDone, stop func()) {
	e.awaited++
	if e.answers != nil {
		return e.answers, func() { e.stopped++ }
	}
	closed := make(chan hive.CommandDone)
	close(closed)
	return closed, func() { e.stopped++ }
}

func (e *engine) Live(id int64) (hive.LiveView, bool) {
	v, ok := e.live[id]
	return v, ok
}

func (e *engine) Summaries(_ context.Context, ids ...int64) map[int64]hive.BatchSummary {
	seen := map[int64]hive.BatchSummary{}
	if ids == nil {
		ids = slices.Collect(maps.Keys(e.live))
	}
	for _, id := range ids {
		if v, ok := e.live[id]; ok {
			seen[id] = hive.BatchSummary{
				Counts: hive.CountRuns(v.Runs), NeedsPerson: e.needs[id], Stuck: v.Stuck.Text != "",
			}
		}
	}
	return seen
}

type world struct {
	*testing.T
	*Service

	db  *store
	eng *engine
	now time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, db: newStore(), eng: &engine{live: map[int64]hive.LiveView{}}, now: t0}
	w.Service = New(Config{
		Revisions: w.db, Batches: w.db, Commands: w.db, Statistics: w.db, Executors: w.db, Engine: w.eng,
		Now:    func() time.Time { return w.now },
		Server: func() hive.Server { return hive.Server{ID: "s1", Epoch: 3} },
	})
	return w
}

// create makes a batch; an error fails the test.
func (w *world) create(r hive.RunRequest) hive.BatchView {
	w.Helper()
	if r.Schedule == "" {
		r.Schedule = "warehouse"
	}
	r.By = "ada"
	v, err := w.Create(w.Context(), r)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// set changes a stored run.
func (w *world) set(batch int64, task string, change func(*hive.Run)) *hive.Run {
	w.Helper()
	runs := w.db.batches[batch-1].Runs
	for i := range runs {
		if runs[i].Task == task {
			change(&runs[i])
			return &runs[i]
		}
	}
	w.Fatalf("no task %s", task)
	return nil
}

// running marks a batch as running.
func (w *world) running(id int64) {
	b := &w.db.batches[id-1].Batch
	b.State, b.StartedAt, b.RoundAt = hive.BatchRunning, w.now, w.now
}

func parse(t *testing.T, text string) *hive.Definition {
	t.Helper()
	doc, faults := document.Parse([]byte(text), document.Options{})
	if doc == nil {
		t.Fatal(faults)
	}
	return doc.Definition
}
