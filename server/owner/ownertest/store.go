package ownertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Server is the id of the server that owns the batches of a Store.
const Server = "server-1"

// Start returns the moment at which a test begins.
func Start() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// Store is a database in memory with the guards of the real one. Each operation first calls Fault, if it is set, with
// the name of the operation, and fails if Fault returns an error.
type Store struct { //nolint:gocritic // a test locks it while it looks at the fields
	sync.Mutex

	Batches map[int64]*hive.BatchSnapshot
	Epoch   int64
	Number  int64 // of the latest commit of the session
	Commits int   // number of calls of Commit
	Fault   func(op string, batches []int64) error
}

// NewStore makes an empty store.
func NewStore() *Store { return &Store{Batches: map[int64]*hive.BatchSnapshot{}} }

// Fails returns the error of Fault for an operation. The caller holds the lock.
func (s *Store) Fails(op string, batches ...int64) error {
	if s.Fault == nil {
		return nil
	}
	return s.Fault(op, batches)
}

// SetFault sets Fault.
func (s *Store) SetFault(f func(op string, batches []int64) error) {
	s.Lock()
	defer s.Unlock()
	s.Fault = f
}

// BatchSnapshots returns the snapshots of batches. It leaves out batches that do not exist.
func (s *Store) BatchSnapshots(_ context.Context, ids []int64) ([]hive.BatchSnapshot, error) {
	s.Lock()
	defer s.Unlock()
	if err := s.Fails("batches", ids...); err != nil {
		return nil, err
	}
	var snaps []hive.BatchSnapshot
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if s.Batches[id] != nil {
			snaps = append(snaps, s.Snapshot(id))
		}
	}
	return snaps, nil
}

// Snapshot returns a copy of a batch's rows. The caller holds the lock, or no other goroutine uses the store.
func (s *Store) Snapshot(id int64) hive.BatchSnapshot {
	snap := *s.Batches[id]
	snap.Runs = slices.Clone(snap.Runs)
	snap.Attempts = slices.DeleteFunc(slices.Clone(snap.Attempts),
		func(a hive.Attempt) bool { return a.State == hive.AttemptEnded })
	snap.Commands = slices.DeleteFunc(slices.Clone(snap.Commands),
		func(c hive.Command) bool { return c.State != hive.CommandPending })
	return snap
}

// Commit checks all guards, then stores everything.
func (s *Store) Commit(_ context.Context, g hive.Group) error {
	s.Lock()
	defer s.Unlock()
	s.Commits++
	ids := make([]int64, 0, len(g.Batches))
	for i := range g.Batches {
		ids = append(ids, g.Batches[i].BatchID)
	}
	if err := s.Fails("commit", ids...); err != nil {
		return err
	}
	if g.Epoch != s.Epoch || s.Number != g.Number && s.Number != g.Number-1 {
		return hive.ErrSessionLost
	}
	var missed []int64
	for i := range g.Batches {
		if !s.fits(&g.Batches[i]) {
			missed = append(missed, g.Batches[i].BatchID)
		}
	}
	if missed != nil {
		return &hive.GuardError{Batches: missed, Detail: "fake"}
	}
	for i := range g.Batches {
		s.put(&g.Batches[i])
	}
	s.Number = g.Number
	return nil
}

func (s *Store) fits(w *hive.BatchWrite) bool {
	snap := s.Batches[w.BatchID]
	for _, c := range w.Runs {
		if snap.Runs[c.To.Number].State != c.From {
			return false
		}
	}
	for _, c := range w.Attempts {
		if slices.ContainsFunc(snap.Attempts,
			func(a hive.Attempt) bool { return a.ID == c.To.ID && a.State == hive.AttemptEnded }) {
			return false
		}
	}
	for _, d := range w.Commands {
		if !slices.ContainsFunc(snap.Commands,
			func(c hive.Command) bool { return c.ID == d.ID && c.State == hive.CommandPending }) {
			return false
		}
	}
	return w.Batch == nil || snap.Batch.State == w.Batch.From && !(w.Batch.Alone && s.behind(w.BatchID, false))
}

// QueuedBehind returns which of these batches are queued behind another batch of their schedule.
func (s *Store) QueuedBehind(_ context.Context, batches []int64) (waiting []int64, err error) {
	s.Lock()
	defer s.Unlock()
	if err := s.Fails("queued", batches...); err != nil {
		return nil, err
	}
	for _, id := range batches {
		if s.Batches[id] != nil && s.behind(id, true) {
			waiting = append(waiting, id)
		}
	}
	return waiting, nil
}

// behind reports whether another batch of the schedule runs or is about to; with inOrder also whether another server
// has an older one that is queued.
func (s *Store) behind(id int64, inOrder bool) bool {
	b := &s.Batches[id].Batch
	for _, snap := range s.Batches {
		o := &snap.Batch
		switch {
		case o.ID == id || o.ScheduleID != b.ScheduleID || !o.Live || !o.CountsForOverlap():
		case o.State == hive.BatchRunning, o.Reason != hive.ReasonQueued,
			inOrder && o.ID < id && o.Owner != b.Owner && o.Wish != hive.WishPause:
			return true
		}
	}
	return false
}

func (s *Store) put(w *hive.BatchWrite) {
	snap := s.Batches[w.BatchID]
	snap.Runs = append(snap.Runs, w.NewRuns...)
	for _, c := range w.Runs {
		snap.Runs[c.To.Number] = c.To
	}
	snap.Attempts = append(snap.Attempts, w.Offers...)
	for _, c := range w.Attempts {
		for i := range snap.Attempts {
			if snap.Attempts[i].ID == c.To.ID {
				snap.Attempts[i] = c.To
			}
		}
	}
	for _, d := range w.Commands {
		for i := range snap.Commands {
			if snap.Commands[i].ID == d.ID {
				snap.Commands[i].State, snap.Commands[i].Answer = d.State, d.Answer
			}
		}
	}
	if w.Batch != nil {
		snap.Batch = w.Batch.To
	}
}

// Stored returns the row of a batch, and the states of its runs by task.
func (s *Store) Stored(id int64) (hive.Batch, map[string]hive.RunState) {
	s.Lock()
	defer s.Unlock()
	snap, states := s.Batches[id], map[string]hive.RunState{}
	for i := range snap.Runs {
		if snap.Runs[i].Shard == 0 {
			states[snap.Runs[i].Task] = snap.Runs[i].State
		}
	}
	return snap.Batch, states
}

// Add stores a batch with a job for each task. Each task needs the task before it.
func (s *Store) Add(id, schedule int64, state hive.BatchState, reason hive.Reason, tasks ...string) {
	s.Lock()
	defer s.Unlock()
	name := fmt.Sprintf("s%d", schedule)
	snap := &hive.BatchSnapshot{
		Batch: hive.Batch{
			ID: id, ScheduleID: schedule, Schedule: name, RevisionID: 1, Revision: 1, Kind: hive.KindScheduled,
			State: state, Wish: hive.WishRun, Reason: reason, Round: 1, Moment: Start(), CreatedAt: Start(),
			Owner: Server, Live: true,
		},
		Revision: hive.Revision{ID: 1, Number: 1, Document: chain(name, tasks...)},
	}
	for i, key := range tasks {
		snap.Runs = append(snap.Runs, hive.Run{
			ID: id*100 + int64(i), BatchID: id, Number: i, Job: "j" + key, Task: key, State: hive.RunWaiting, Round: 1,
		})
	}
	s.Batches[id] = snap
}

func chain(name string, tasks ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: hivego/v1\nkind: Schedule\nname: %s\npolicy: {expire: 6h}\njobs:\n", name)
	for i, key := range tasks {
		fmt.Fprintf(&b, "  - key: j%s\n    tasks:\n      - {key: %s, handler: shell, params: {command: x}", key, key)
		if i > 0 {
			fmt.Fprintf(&b, ", needs: [%s]", tasks[i-1])
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// Command stores a pending command.
func (s *Store) Command(id, batch int64, kind hive.CommandKind, payload string) hive.Command {
	s.Lock()
	defer s.Unlock()
	c := hive.Command{
		ID: id, BatchID: batch, Kind: kind, Payload: []byte(payload), State: hive.CommandPending, CreatedBy: "ann",
	}
	s.Batches[batch].Commands = append(s.Batches[batch].Commands, c)
	return c
}
