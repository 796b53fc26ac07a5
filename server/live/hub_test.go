package live

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rprp/hivego/server/hive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source answers what it holds. It is read while others change it.
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
	c, err := b.hub.Connect(1, nil)
	require.NoError(b, err)
	return c
}

// follow connects a client that has the snapshot of a topic.
func (b *bench) follow(topic hive.LiveTopic, batch int64) *Client {
	b.Helper()
	c := b.client()
	require.NoError(b, c.Follow(1, topic, batch))
	b.turn()
	f := b.take(c)
	require.True(b, f.Snapshot)
	return c
}

func (b *bench) take(c *Client) *frame {
	b.Helper()
	f, _, err := c.take(b.now)
	require.NoError(b, err)
	return f
}

// change makes a run ready, running, and so on.
func change(n int, s hive.RunState) []hive.Delta {
	return []hive.Delta{{
		Batch: 1, Run: n, State: s, Now: &hive.RunView{Run: hive.Run{Number: n, State: s, Round: 1}},
		Whole: &hive.Batch{ID: 1, State: hive.BatchRunning, Live: true},
	}}
}

func standing(id int64, live bool, running int) []hive.Delta {
	return []hive.Delta{{
		Batch: id, Run: -1,
		Whole: &hive.Batch{ID: id, Live: live, Counts: hive.Counts{hive.RunRunning: running}},
	}}
}

// A change after a quiet time is seen at once. What follows is gathered, and clients at the same point share a body.
func TestPaceOfATopic(t *testing.T) {
	t.Parallel()
	b := newBench(t, 3)
	one, two := b.follow(hive.TopicBatch, 1), b.follow(hive.TopicBatch, 1)
	b.now = b.now.Add(time.Second)

	b.hub.Observe(change(0, hive.RunReady))
	b.turn()
	f, g := b.take(one), b.take(two)
	require.NotNil(t, f)
	assert.Len(t, f.body.content.Runs, 1)
	assert.Same(t, f.body, g.body)
	assert.Equal(t, int64(2), f.N)
	assert.Equal(t, int64(7), f.Epoch)
	assert.Nil(t, f.body.content.Batch, "the batch itself is as it was")

	for _, s := range []hive.RunState{hive.RunRunning, hive.RunSucceeded} {
		b.hub.Observe(change(0, s))
		b.hub.Observe(change(1, s))
	}
	next := b.turn()
	assert.Equal(t, b.now.Add(flushEvery), next)
	assert.Nil(t, b.take(one))
	b.pass(flushEvery)
	f = b.take(one)
	require.NotNil(t, f)
	require.Len(t, f.body.content.Runs, 2)
	assert.Equal(t, hive.RunSucceeded, f.body.content.Runs[0].State)
	written := 0
	for _, x := range []*frame{f, b.take(two)} {
		assert.Equal(t, "x", string(x.encoded(func(*hive.LiveBody) []byte { written++; return []byte("x") }).Body))
	}
	assert.Equal(t, 1, written)
}

// However much happens and however many topics it follows, a client gets at most 20 frames in any second, and all of
// its topics get their turn.
func TestPaceOfAClient(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	c := b.client()
	for id := 1; id <= 5; id++ {
		require.NoError(t, c.Follow(id, hive.TopicBatch, 1))
	}
	var sent []time.Time
	topics := map[int]int{}
	states := []hive.RunState{hive.RunReady, hive.RunRunning}
	for i := range 4000 {
		b.hub.Observe(change(0, states[i%2]))
		b.pass(time.Millisecond)
		if f, wait, _ := c.take(b.now); f != nil {
			sent = append(sent, b.now)
			topics[f.ID]++
		} else if wait > 0 {
			assert.LessOrEqual(t, wait, frameEvery)
		}
	}
	for i := 20; i < len(sent); i++ {
		assert.GreaterOrEqual(t, sent[i].Sub(sent[i-20]), time.Second)
	}
	assert.Greater(t, len(sent), 60)
	assert.Len(t, topics, 5)
	for id, n := range topics {
		assert.Greater(t, n, 10, "topic %d", id)
	}
}

// A client that takes nothing costs nothing: there is no queue, and one frame brings it up to date.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	slow := b.follow(hive.TopicBatch, 1)
	for i := range 1000 {
		b.hub.Observe(change(i%3, []hive.RunState{hive.RunReady, hive.RunRunning}[i/3%2]))
		b.pass(flushEvery)
	}
	assert.Empty(t, b.hub.topics[key{hive.TopicBatch, 1}].bodies)
	f := b.take(slow)
	require.NotNil(t, f)
	assert.Equal(t, int64(2), f.N)
	assert.Len(t, f.body.content.Runs, 3)
	assert.Nil(t, b.take(slow))
}

// Changes that nobody takes in are dropped in the end, and the topics are read again.
func TestInboxOverflows(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	c := b.follow(hive.TopicBatch, 1)
	for range maxInbox + 10 {
		b.hub.Observe(change(0, hive.RunReady))
	}
	assert.Less(t, len(b.hub.in.events), maxInbox)
	b.runs[0].State = hive.RunSucceeded
	b.hub.Session(8)
	b.turn()
	f := b.take(c)
	require.NotNil(t, f)
	assert.Equal(t, int64(8), f.Epoch)
	assert.Equal(t, int64(1), f.N)
	require.True(t, f.Snapshot)
	assert.Equal(t, hive.RunSucceeded, f.body.content.Runs[0].State)
}

// The list tells of each batch at most once a second, brings new ones, and forgets ended ones. A client that
// was too slow to see their end begins again with a snapshot.
func TestList(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	b.live = []hive.Batch{{ID: 1, Live: true}}
	c, slow := b.follow(hive.TopicBatches, 0), b.follow(hive.TopicBatches, 0)
	b.pass(time.Second)

	b.hub.Observe(standing(2, true, 1))
	b.turn()
	f := b.take(c)
	require.NotNil(t, f)
	require.Len(t, f.body.content.Batches, 1)
	assert.Equal(t, int64(2), f.body.content.Batches[0].ID)

	for n := 2; n < 6; n++ {
		b.hub.Observe(standing(2, true, n))
		b.pass(flushEvery)
		assert.Nil(t, b.take(c))
	}
	b.pass(listEvery)
	f = b.take(c)
	require.NotNil(t, f)
	assert.Equal(t, 5, f.body.content.Batches[0].Counts[hive.RunRunning])

	b.pass(listEvery)
	b.hub.Observe(standing(2, false, 0))
	b.turn()
	f = b.take(c)
	require.NotNil(t, f)
	assert.False(t, f.body.content.Batches[0].Live)

	b.pass(keepEnded + time.Second)
	b.hub.Observe(standing(1, true, 1))
	b.turn()
	assert.False(t, b.take(c).Snapshot)
	f = b.take(slow)
	assert.True(t, f.Snapshot)
	assert.Len(t, f.body.content.Batches, 1)
}

// The topic of executors sends a frame without content, at most once a second, and only if something changed.
func TestExecutors(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	c := b.follow(hive.TopicExecutors, 0)
	b.pass(sampleEvery)
	assert.Nil(t, b.take(c))
	b.executors = "b"
	b.pass(sampleEvery / 2)
	assert.Nil(t, b.take(c))
	b.pass(sampleEvery / 2)
	f := b.take(c)
	require.NotNil(t, f)
	assert.False(t, f.Snapshot)
}

// Values that are never stored are set if the owner's state of the run is the same, and go with the run's next step.
func TestSample(t *testing.T) {
	t.Parallel()
	p := newBatchProjection()
	running := hive.RunView{Run: hive.Run{Number: 0, State: hive.RunRunning, Attempts: 2}}
	ready := hive.RunView{Run: hive.Run{Number: 1, State: hive.RunReady}}
	p.begin()
	_, _, ok := p.read(&View{BatchView: hive.BatchView{Runs: []hive.RunView{running, ready}}, Mine: true})
	require.True(t, ok)
	told := hive.PublishedBatch{
		States: []hive.RunState{hive.RunRunning, hive.RunReady}, Attempts: []int{1, 0},
		Progress: map[int]float64{0: 0.5}, WaitReasons: map[int]hive.WaitReason{1: "busy"},
	}
	assert.True(t, p.sample(&told))
	p.publish(2, t0)
	assert.Nil(t, p.runs[0].Progress, "of an earlier attempt")
	assert.Equal(t, hive.WaitReason("busy"), p.runs[1].WaitReason)
	told.Attempts[0] = 2
	assert.True(t, p.sample(&told))
	p.publish(3, t0)
	assert.InDelta(t, 0.5, *p.runs[0].Progress, 0)
	assert.False(t, p.sample(&told))

	ended := running
	ended.State = hive.RunSucceeded
	p.observe(&hive.Delta{Run: 0, Now: &ended, Whole: &p.whole}, false)
	p.publish(4, t0)
	assert.Nil(t, p.runs[0].Progress)
}

// The values of an attempt from before this server's session are kept out of the projection, and read from the store.
func TestPartial(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	b.runs[0] = hive.RunView{Executor: "x", Run: hive.Run{State: hive.RunReady, Round: 1, Attempts: 1}}
	c := b.follow(hive.TopicBatch, 1)
	b.pass(time.Second)
	b.runs[0].State, b.runs[0].Error = hive.RunFailed, "told by the store"
	d := change(0, hive.RunFailed)
	d[0].Now.Attempts, d[0].Partial = 1, true
	b.hub.Observe(d)
	b.turn()
	f := b.take(c)
	require.NotNil(t, f)
	assert.Equal(t, "x", f.body.content.Runs[0].Executor)
	b.pass(flushEvery)
	f = b.take(c)
	require.NotNil(t, f)
	assert.Equal(t, "told by the store", f.body.content.Runs[0].Error)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	c := b.client()
	for id := range maxTopics {
		require.NoError(t, c.Follow(id+1, hive.TopicBatches, 0))
	}
	require.ErrorIs(t, c.Follow(maxTopics+1, hive.TopicBatches, 0), errTopics)
	require.NoError(t, c.Follow(1, hive.TopicBatch, 1), "a number that is used again ends its topic")
	for range maxOfUser - 1 {
		b.client()
	}
	_, err := b.hub.Connect(1, nil)
	assert.Equal(t, hive.CodeUnavailable, hive.CodeOf(err))
	other, err := b.hub.Connect(2, nil)
	require.NoError(t, err)
	other.Close()
	other.Close()
	c.Close()
	assert.Empty(t, b.hub.topics)
	assert.Equal(t, map[int64]int{1: maxOfUser - 1}, b.hub.users)
	_, _, err = c.take(b.now)
	require.Error(t, err)
}

// started is a hub that runs with its goroutines.
func started(t *testing.T, s *source) *Hub {
	t.Helper()
	h := New(Config{Source: s, Encode: encodeStates, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	h.Session(1)
	require.NoError(t, h.Start(t.Context()))
	t.Cleanup(h.Stop)
	return h
}

// All clients of a batch see its last change, from one read of the store. Then the hub stops, and all are told.
func TestThousandClients(t *testing.T) {
	t.Parallel()
	const clients, tasks = 1000, 50
	s := &source{}
	for n := range tasks {
		s.runs = append(s.runs, hive.RunView{Run: hive.Run{Number: n, State: hive.RunWaiting, Round: 1}})
	}
	h := started(t, s)
	var begun, ended, left sync.WaitGroup
	begun.Add(clients)
	ended.Add(clients)
	for i := range clients {
		c, err := h.Connect(int64(i/maxOfUser), nil)
		require.NoError(t, err)
		left.Go(func() {
			defer c.Close()
			assert.ErrorIs(t, watch(c, tasks, begun.Done, ended.Done), hive.ErrStopping)
		})
	}
	begun.Wait()
	for _, state := range []hive.RunState{hive.RunReady, hive.RunRunning, hive.RunSucceeded} {
		for n := range tasks {
			h.Observe(change(n, state))
		}
	}
	ended.Wait()
	s.set(func() { assert.Equal(t, 1, s.reads) })
	h.Stop()
	left.Wait()
}

// encodeStates encodes the states of the runs, by number.
func encodeStates(b *hive.LiveBody) []byte {
	states := map[int]hive.RunState{}
	for _, r := range b.Runs {
		states[r.Number] = r.State
	}
	raw, _ := json.Marshal(states)
	return raw
}

// watch follows batch 1 until all its runs have succeeded, and then until the hub stops.
func watch(c *Client, tasks int, begun, ended func()) error {
	if err := c.Follow(1, hive.TopicBatch, 1); err != nil {
		return err
	}
	states := make([]hive.RunState, tasks)
	for {
		f, err := c.Next(context.Background())
		if err != nil {
			return err
		}
		var changed map[int]hive.RunState
		if err := json.Unmarshal(f.Body, &changed); err != nil {
			return err
		}
		for n, state := range changed {
			states[n] = state
		}
		done := 0
		for _, s := range states {
			if s == hive.RunSucceeded {
				done++
			}
		}
		switch {
		case f.Snapshot && f.N == 1:
			begun()
		case f.Snapshot:
			return fmt.Errorf("a second snapshot: frame %d", f.N)
		}
		if done == tasks {
			ended()
		}
	}
}

// A client whose session ends is told so, also while it waits.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	h := started(t, &source{})
	over := make(chan struct{})
	c, err := h.Connect(1, over)
	require.NoError(t, err)
	defer c.Close()
	close(over)
	_, err = c.Next(t.Context())
	require.ErrorIs(t, err, hive.ErrEnded)
}

// A batch that is not there is refused; following it again asks again.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := started(t, &source{})
	c, err := h.Connect(1, nil)
	require.NoError(t, err)
	defer c.Close()
	for range 2 {
		require.NoError(t, c.Follow(9, hive.TopicBatch, 404))
		f, err := c.Next(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 9, f.ID)
		assert.Equal(t, hive.CodeNotFound, hive.CodeOf(f.Refused))
	}
}
