package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
)

var (
	_ engine.Driver       = (*fleet)(nil)
	_ engine.SessionStore = (*store)(nil)
)

const me = "server-1"

func epochStart() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// fleet is an executor group of one executor that does what the test says. It is called by the loop alone, or by a
// test that is one.
type fleet struct {
	mu       sync.Mutex
	slots    int
	held     map[int64]bool   // reserved or offered
	keys     map[int64]string // of attempts that were reserved or adopted
	offered  []hive.Assignment
	kills    []hive.KillOrder
	acks     []int64
	adopted  []int64
	events   []hive.AttemptEvent
	learned  int
	resets   int
	epochs   []int64
	sessions []string
	later    *hive.Later
	launch   func() // called by each Launch
	asked    hive.Requirement
	wanted   map[int64]hive.Requirement // by which an attempt was picked
}

func newFleet() *fleet {
	return &fleet{slots: 100, held: map[int64]bool{}, keys: map[int64]string{}, wanted: map[int64]hive.Requirement{}}
}

func (f *fleet) Pick(r hive.Requirement) (id, name string, hold hive.WaitReason) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = r
	if len(f.held) >= f.slots {
		return "", "", hive.WaitBusy
	}
	return "x1", "first", hive.WaitNone
}

func (f *fleet) Reserve(_ string, attempt hive.AttemptRef) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[attempt.ID], f.keys[attempt.ID], f.wanted[attempt.ID] = true, attempt.Key, f.asked
}

func (f *fleet) Offer(a hive.Assignment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.offered = append(f.offered, a)
}

func (f *fleet) Kill(_ string, o hive.KillOrder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kills = append(f.kills, o)
}

func (f *fleet) Ack(attempt hive.AttemptRef, _ int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acks = append(f.acks, attempt.ID)
	delete(f.held, attempt.ID)
}

func (f *fleet) Drop(attempt hive.AttemptRef) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.offered, func(a hive.Assignment) bool { return a.Ref() == attempt }) {
		return false
	}
	delete(f.held, attempt.ID)
	return true
}

func (f *fleet) Adopt(_ time.Time, _ string, h hive.HeldAttempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[h.Assignment.Attempt], f.keys[h.Assignment.Attempt] = true, h.Assignment.Key
	f.adopted = append(f.adopted, h.Assignment.Attempt)
}

func (f *fleet) Rendering(string, string) *hive.Rendering { return nil }

func (f *fleet) Events(time.Time) []hive.AttemptEvent {
	f.mu.Lock()
	defer f.mu.Unlock()
	evs := f.events
	f.events = nil
	return evs
}

func (f *fleet) Launch(time.Time) {
	if f.launch != nil {
		f.launch()
	}
}

func (f *fleet) Wake() time.Time { return time.Time{} }

func (f *fleet) Learn(time.Time, []hive.Executor, time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.learned++
}

func (f *fleet) Later() (hive.Later, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	later := f.later
	f.later = nil
	if later == nil {
		return hive.Later{}, false
	}
	return *later, true
}

func (f *fleet) SetEpoch(epoch int64, session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epochs, f.sessions = append(f.epochs, epoch), append(f.sessions, session)
}

func (f *fleet) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resets++
	f.held = map[int64]bool{}
}

// tell has an event delivered in the loop's next turn. Without a key of its own it is of the attempt that this fleet
// has.
func (f *fleet) tell(ev hive.AttemptEvent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ev.Key == "" {
		ev.Key = f.keys[ev.Attempt]
	}
	f.events = append(f.events, ev)
}

// tasks are the offered tasks, with their batches, in order.
func (f *fleet) tasks() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]string, 0, len(f.offered))
	for i := range f.offered {
		out = append(out, fmt.Sprintf("%d.%s", f.offered[i].BatchID, f.offered[i].Task))
	}
	return out
}

func (f *fleet) attempt(batch int64, task string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range slices.Backward(f.offered) {
		if a := &f.offered[i]; a.BatchID == batch && a.Task == task {
			return a.Attempt
		}
	}
	return 0
}

// store is a database in memory, with the guards of the real one. A fault, if there is one, comes instead of the
// operation of its name.
type store struct {
	mu      sync.Mutex
	images  map[int64]*hive.BatchSnapshot
	epoch   int64
	ids     int64
	commits int
	number  int64 // of the latest commit of the session
	fault   func(op string, batches []int64) error
	revs    map[int64]hive.Revision
	dead    []string // servers to be taken over
	looks   int      // for dead servers
	beats   int      // renewals that were tried
}

func newStore() *store {
	return &store{images: map[int64]*hive.BatchSnapshot{}, revs: map[int64]hive.Revision{}, ids: 1000}
}

func (s *store) fails(op string, batches ...int64) error {
	if s.fault == nil {
		return nil
	}
	return s.fault(op, batches)
}

func (s *store) setFault(f func(op string, batches []int64) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

func (s *store) StartSession(context.Context, hive.Server, time.Duration) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails("session"); err != nil {
		return 0, err
	}
	s.epoch++
	s.number = 0
	return s.epoch, nil
}

func (s *store) Heartbeat(ctx context.Context, _ string, epoch, stored int64, _ time.Duration) error {
	s.mu.Lock()
	s.beats++
	err := s.fails("heartbeat")
	if err == nil && (epoch != s.epoch || s.number < stored) {
		err = hive.ErrSessionLost
	}
	s.mu.Unlock()
	if err == errHangs { //nolint:errorlint // our own
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func (s *store) AnyDead(context.Context, string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	return len(s.dead) > 0, s.fails("look")
}

func (s *store) TakeOver(context.Context, string, int64, time.Duration) ([]string, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails("takeover"); err != nil {
		return nil, 0, err
	}
	dead := s.dead
	s.dead = nil
	if len(dead) > 0 {
		s.epoch++
		for _, img := range s.images {
			img.Batch.Owner = me
		}
	}
	return dead, s.epoch, nil
}

func (s *store) RaiseEpoch(_ context.Context, _ string, epoch int64, _ time.Duration, later hive.Later) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails("raise"); err != nil {
		return 0, err
	}
	if epoch != s.epoch {
		return 0, hive.ErrSessionLost
	}
	s.epoch = max(s.epoch, later.Epoch) + 1
	return s.epoch, nil
}

func (s *store) NextIDs(_ context.Context, _ string, n int) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails("ids"); err != nil {
		return 0, err
	}
	first := s.ids + 1
	s.ids += int64(n)
	return first, nil
}

func (s *store) LiveBatches(_ context.Context, owner string) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []int64
	for id, img := range s.images {
		if img.Batch.Live && img.Batch.Owner == owner {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, s.fails("live")
}

func (s *store) BatchSnapshots(_ context.Context, ids []int64) ([]hive.BatchSnapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails("image", ids...); err != nil {
		return nil, err
	}
	var images []hive.BatchSnapshot
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if s.images[id] != nil {
			images = append(images, s.image(id))
		}
	}
	return images, nil
}

// image copies what an owner reads of a batch.
func (s *store) image(id int64) hive.BatchSnapshot {
	img := *s.images[id]
	img.Runs = slices.Clone(img.Runs)
	img.Attempts = slices.DeleteFunc(slices.Clone(img.Attempts),
		func(a hive.Attempt) bool { return a.State == hive.AttemptEnded })
	img.Commands = slices.DeleteFunc(slices.Clone(img.Commands),
		func(c hive.Command) bool { return c.State != hive.CommandPending })
	return img
}

func (s *store) PendingCommands(_ context.Context, _ string) ([]hive.Command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []hive.Command
	for id := range s.images {
		all = append(all, s.image(id).Commands...)
	}
	slices.SortFunc(all, func(a, b hive.Command) int { return int(a.ID - b.ID) })
	return all, s.fails("sweep")
}

func (s *store) BatchCommands(_ context.Context, batch int64) ([]hive.Command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.image(batch).Commands, s.fails("commands", batch)
}

func (s *store) Revision(_ context.Context, id int64) (hive.Revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rev, ok := s.revs[id]
	if !ok {
		return rev, hive.Errorf(hive.CodeNotFound, "there is no revision with id %d", id)
	}
	return rev, nil
}

func (s *store) Executors(context.Context) ([]hive.Executor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nil, s.fails("executors")
}

// Commit checks all guards, then stores everything.
func (s *store) Commit(_ context.Context, g hive.Group) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
	var ids []int64
	for i := range g.Batches {
		ids = append(ids, g.Batches[i].BatchID)
	}
	if err := s.fails("commit", ids...); err != nil {
		return err
	}
	if g.Epoch != s.epoch || s.number != g.Number && s.number != g.Number-1 {
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
	s.number = g.Number
	return nil
}

func (s *store) fits(w *hive.BatchWrite) bool {
	img := s.images[w.BatchID]
	for _, c := range w.Runs {
		if img.Runs[c.To.Number].State != c.From {
			return false
		}
	}
	for _, c := range w.Attempts {
		if slices.ContainsFunc(img.Attempts,
			func(a hive.Attempt) bool { return a.ID == c.To.ID && a.State == hive.AttemptEnded }) {
			return false
		}
	}
	for _, d := range w.Commands {
		if !slices.ContainsFunc(img.Commands,
			func(c hive.Command) bool { return c.ID == d.ID && c.State == hive.CommandPending }) {
			return false
		}
	}
	return w.Batch == nil || img.Batch.State == w.Batch.From
}

func (s *store) put(w *hive.BatchWrite) {
	img := s.images[w.BatchID]
	img.Runs = append(img.Runs, w.NewRuns...)
	for _, c := range w.Runs {
		img.Runs[c.To.Number] = c.To
	}
	img.Attempts = append(img.Attempts, w.Offers...)
	for _, c := range w.Attempts {
		for i := range img.Attempts {
			if img.Attempts[i].ID == c.To.ID {
				img.Attempts[i] = c.To
			}
		}
	}
	for _, d := range w.Commands {
		for i := range img.Commands {
			if img.Commands[i].ID == d.ID {
				img.Commands[i].State, img.Commands[i].Answer = d.State, d.Answer
			}
		}
	}
	if w.Batch != nil {
		img.Batch = w.Batch.To
	}
}

// stored is a batch's row and the states of its runs by task.
func (s *store) stored(id int64) (hive.Batch, map[string]hive.RunState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	img, states := s.images[id], map[string]hive.RunState{}
	for i := range img.Runs {
		states[img.Runs[i].Task] = img.Runs[i].State
	}
	return img.Batch, states
}

// add stores a batch of one job for each of tasks; each task needs the one before it.
func (s *store) add(id, schedule int64, state hive.BatchState, reason hive.Reason, tasks ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprintf("s%d", schedule)
	img := &hive.BatchSnapshot{
		Batch: hive.Batch{
			ID: id, ScheduleID: schedule, Schedule: name, RevisionID: 1, Revision: 1, Kind: hive.KindScheduled,
			State: state, Wish: hive.WishRun, Reason: reason, Round: 1, Moment: epochStart(), CreatedAt: epochStart(),
			Owner: me, Live: true,
		},
		Revision: hive.Revision{ID: 1, Number: 1, Document: chain(name, tasks...)},
	}
	for i, key := range tasks {
		img.Runs = append(img.Runs, hive.Run{
			ID: id*100 + int64(i), BatchID: id, Number: i, Job: "j" + key, Task: key, State: hive.RunWaiting, Round: 1,
		})
	}
	s.images[id] = img
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

func (s *store) command(id, batch int64, kind hive.CommandKind, payload string) hive.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := hive.Command{
		ID: id, BatchID: batch, Kind: kind, Payload: []byte(payload), State: hive.CommandPending, CreatedBy: "ann",
	}
	s.images[batch].Commands = append(s.images[batch].Commands, c)
	return c
}
