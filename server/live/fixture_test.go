package live

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rprp/hivego/server/hive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source serves its rows. It is read while others change it.
type source struct {
	mu        sync.Mutex
	runs      []hive.RunView
	live      []hive.Batch
	executors string
	reads     int
}

func (s *source) Batch(_ context.Context, id int64) (View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if id != 1 {
		return View{}, hive.Errorf(hive.CodeNotFound, "there is no batch %d", id)
	}
	v := View{Mine: true}
	v.Batch = hive.Batch{ID: 1, State: hive.BatchRunning, Live: true}
	v.Runs = append(v.Runs, s.runs...)
	return v, nil
}

func (s *source) Runs(context.Context, int64, []int) (View, error) {
	return View{}, hive.ErrConnection
}

func (s *source) Others(context.Context, []int64) ([]hive.Batch, error) {
	return nil, hive.ErrConnection
}

func (s *source) Row(context.Context, int64) (hive.Batch, error) {
	return hive.Batch{}, hive.ErrConnection
}

func (s *source) Batches(context.Context) ([]hive.Batch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]hive.Batch(nil), s.live...), nil
}

func (s *source) Published(context.Context, []int64) (map[int64]hive.PublishedBatch, error) {
	return nil, nil
}

func (s *source) Executors(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.executors, nil
}

func (s *source) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// bench is a hub without its goroutines, on a clock of its own.
type bench struct {
	*testing.T
	*source
	hub *Hub
	now time.Time
}

func newBench(t *testing.T, runs int) *bench {
	t.Helper()
	b := &bench{T: t, source: &source{executors: "a"}, now: t0}
	for n := range runs {
		b.runs = append(b.runs, hive.RunView{Run: hive.Run{Number: n, State: hive.RunWaiting, Round: 1}})
	}
	b.hub = New(Config{Source: b.source, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return b.now }})
	b.hub.Session(7)
	b.turn()
	return b
}

// turn does all work that is due at this moment.
func (b *bench) turn() (next time.Time) {
	for {
		next = b.hub.turn(b.now)
		j, ok := b.hub.nextJob()
		if !ok {
			return next
		}
		b.hub.do(b.Context(), j)
	}
}

func (b *bench) pass(d time.Duration) {
	b.now = b.now.Add(d)
	b.turn()
}

func (b *bench) client() *Client {
	b.Helper()
	c, err := b.hub.Connect(1, "ada", nil)
	require.NoError(b, err)
	return c
}

// follow connects a client that has the snapshot of a topic.
func (b *bench) follow(topic hive.LiveTopic, batch int64) *Client {
	b.Helper()
	c := b.client()
	require.NoError(b, c.Follow(1, topic, batch))
	b.turn()
	f := b.nextFrame(c)
	require.True(b, f.Snapshot)
	return c
}

func (b *bench) nextFrame(c *Client) *frame {
	b.Helper()
	f, _, err := c.take(b.now)
	require.NoError(b, err)
	return f
}

// change makes a run ready, running, and so on.
func change(n int, s hive.RunState) []hive.Delta {
	return []hive.Delta{{
		Batch: 1, Run: n, State: s, Now: &hive.RunView{Run: hive.Run{Number: n, State: s, Round: 1}},
		BatchRow: &hive.Batch{ID: 1, State: hive.BatchRunning, Live: true},
	}}
}

func standing(id int64, live bool, running int) []hive.Delta {
	return []hive.Delta{{
		Batch: id, Run: -1,
		BatchRow: &hive.Batch{ID: id, Live: live, Counts: hive.Counts{hive.RunRunning: running}},
	}}
}
