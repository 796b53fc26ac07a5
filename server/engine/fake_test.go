package engine_test

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner/ownertest"
	"github.com/rprp/hivego/server/session"
)

var (
	_ session.Driver      = (*driver)(nil)
	_ engine.Store        = (*store)(nil)
	_ engine.SessionStore = (*store)(nil)
)

// driver is a fleet that the engine's loop calls.
type driver struct {
	*ownertest.Fleet
	learned  int
	resets   int
	epochs   []int64
	sessions []string
	later    *hive.Later
	launch   func() // called by each Launch
}

func newDriver() *driver { return &driver{Fleet: ownertest.NewFleet()} }

func (f *driver) Launch(time.Time) {
	if f.launch != nil {
		f.launch()
	}
}

func (f *driver) Wake() time.Time { return time.Time{} }

func (f *driver) Learn(time.Time, []hive.Executor, time.Time) {
	f.Lock()
	defer f.Unlock()
	f.learned++
}

func (f *driver) Later() (hive.Later, bool) {
	f.Lock()
	defer f.Unlock()
	later := f.later
	f.later = nil
	if later == nil {
		return hive.Later{}, false
	}
	return *later, true
}

func (f *driver) SetEpoch(epoch int64, text string) {
	f.Lock()
	defer f.Unlock()
	f.epochs, f.sessions = append(f.epochs, epoch), append(f.sessions, text)
}

func (f *driver) Reset() {
	f.Lock()
	defer f.Unlock()
	f.resets++
	f.Held = map[int64]bool{}
}

// store is a database in memory with the session of a server.
type store struct {
	*ownertest.Store
	ids   int64
	revs  map[int64]hive.Revision
	dead  []string // servers to be taken over
	looks int      // for dead servers
	beats int      // renewals that were tried
}

func newStore() *store {
	return &store{Store: ownertest.NewStore(), revs: map[int64]hive.Revision{}, ids: 1000}
}

func (s *store) StartSession(context.Context, hive.Server, time.Duration) (int64, error) {
	s.Lock()
	defer s.Unlock()
	if err := s.Fails("session"); err != nil {
		return 0, err
	}
	s.Epoch++
	s.Number = 0
	return s.Epoch, nil
}

func (s *store) Heartbeat(ctx context.Context, _ string, epoch, stored int64, _ time.Duration) error {
	s.Lock()
	s.beats++
	err := s.Fails("heartbeat")
	if err == nil && (epoch != s.Epoch || s.Number < stored) {
		err = hive.ErrSessionLost
	}
	s.Unlock()
	if err == errHangs { //nolint:errorlint // our own
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func (s *store) AnyDead(context.Context, string) (bool, error) {
	s.Lock()
	defer s.Unlock()
	s.looks++
	return len(s.dead) > 0, s.Fails("look")
}

func (s *store) TakeOver(context.Context, string, int64, time.Duration) ([]string, int64, error) {
	s.Lock()
	defer s.Unlock()
	if err := s.Fails("takeover"); err != nil {
		return nil, 0, err
	}
	dead := s.dead
	s.dead = nil
	if len(dead) > 0 {
		s.Epoch++
		for _, snap := range s.Batches {
			snap.Batch.Owner = ownertest.Server
		}
	}
	return dead, s.Epoch, nil
}

func (s *store) RaiseEpoch(_ context.Context, _ string, epoch int64, _ time.Duration, later hive.Later) (int64, error) {
	s.Lock()
	defer s.Unlock()
	if err := s.Fails("raise"); err != nil {
		return 0, err
	}
	if epoch != s.Epoch {
		return 0, hive.ErrSessionLost
	}
	s.Epoch = max(s.Epoch, later.Epoch) + 1
	return s.Epoch, nil
}

func (s *store) NextIDs(_ context.Context, _ string, n int) (int64, error) {
	s.Lock()
	defer s.Unlock()
	if err := s.Fails("ids"); err != nil {
		return 0, err
	}
	first := s.ids + 1
	s.ids += int64(n)
	return first, nil
}

func (s *store) LiveBatches(_ context.Context, owner string) ([]int64, error) {
	s.Lock()
	defer s.Unlock()
	var ids []int64
	for id, snap := range s.Batches {
		if snap.Batch.Live && snap.Batch.Owner == owner {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, s.Fails("live")
}

func (s *store) PendingCommands(_ context.Context, _ string) ([]hive.Command, error) {
	s.Lock()
	defer s.Unlock()
	var all []hive.Command
	for id := range s.Batches {
		all = append(all, s.Snapshot(id).Commands...)
	}
	slices.SortFunc(all, func(a, b hive.Command) int { return int(a.ID - b.ID) })
	return all, s.Fails("sweep")
}

func (s *store) BatchCommands(_ context.Context, batch int64) ([]hive.Command, error) {
	s.Lock()
	defer s.Unlock()
	return s.Snapshot(batch).Commands, s.Fails("commands", batch)
}

func (s *store) Revision(_ context.Context, id int64) (hive.Revision, error) {
	s.Lock()
	defer s.Unlock()
	rev, ok := s.revs[id]
	if !ok {
		return rev, hive.Errorf(hive.CodeNotFound, "there is no revision with id %d", id)
	}
	return rev, nil
}

func (s *store) Executors(context.Context) ([]hive.Executor, error) {
	s.Lock()
	defer s.Unlock()
	return nil, s.Fails("executors")
}
