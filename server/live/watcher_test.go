package live

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// watcher is a client that builds its own copy of each topic from the frames.
type watcher struct {
	w      *world
	c      *Client
	topics map[int]*seenTopic
}

type seenTopic struct {
	epoch, n int64
	batch    int64 // 0: all
	state    hive.Batch
	runs     []hive.RunView
	list     map[int64]hive.Batch
}

// follow: numbers 1 to 3 are batches, 4 is the list, 5 is a batch that is not there.
func (c *watcher) follow(id int) {
	k, batch := hive.TopicBatch, int64(id)
	if id == 4 {
		k, batch = hive.TopicBatches, 0
	}
	require.NoError(c.w, c.c.Follow(id, k, batch))
	c.topics[id] = &seenTopic{batch: batch}
}

// receiveFrame receives the next frame, if there is one, and checks it.
func (c *watcher) receiveFrame() {
	f, _, err := c.c.take(c.w.now)
	require.NoError(c.w, err)
	if f == nil {
		return
	}
	t := c.topics[f.ID]
	require.NotNil(c.w, t, "a frame of a topic that is not followed")
	if f.Refused != nil {
		require.Equal(c.w, 5, f.ID)
		delete(c.topics, f.ID)
		return
	}
	require.GreaterOrEqual(c.w, f.Epoch, t.epoch)
	if f.Epoch != t.epoch {
		require.True(c.w, f.Snapshot, "an epoch begins with a snapshot")
		*t = seenTopic{epoch: f.Epoch, batch: t.batch}
	}
	require.Equal(c.w, t.n+1, f.N, "frames come one by one")
	t.n = f.N
	if t.batch == 0 {
		t.applyList(f)
		return
	}
	c.apply(t, f)
}

func (t *seenTopic) applyList(f *frame) {
	if f.Snapshot {
		t.list = map[int64]hive.Batch{}
	}
	for _, b := range f.body.content.Batches {
		t.list[b.ID] = b
	}
}

func (c *watcher) apply(t *seenTopic, f *frame) {
	before := t.runs
	if f.Snapshot {
		t.runs = nil
		for _, r := range f.body.content.Runs {
			t.runs = append(t.runs, *r)
		}
	} else {
		t.runs = slices.Clone(before)
		for _, r := range f.body.content.Runs {
			t.runs[r.Number] = *r
		}
	}
	if f.body.content.Batch != nil {
		t.state = f.body.content.Batch.Batch
	}
	stored := c.w.batches[t.batch]
	require.LessOrEqual(c.w, len(before), len(t.runs))
	for n := range t.runs {
		require.LessOrEqual(c.w, t.runs[n].Detail, stored.runs[n].Detail, "nothing is seen before it is stored")
		c.w.saw(t.batch, n, order(&t.runs[n]), f.Snapshot)
		if n < len(before) {
			require.GreaterOrEqual(c.w, order(&t.runs[n]), order(&before[n]), "run %d goes back", n)
		}
	}
}

// saw records the state of a run that a client sees. A snapshot may not show an older state than one seen before.
func (w *world) saw(batch int64, n int, now string, snapshot bool) {
	for len(w.seen[batch]) <= n {
		w.seen[batch] = append(w.seen[batch], "")
	}
	if snapshot {
		require.GreaterOrEqual(w, now, w.seen[batch][n], "a snapshot shows the past of run %d", n)
	}
	w.seen[batch][n] = max(w.seen[batch][n], now)
}

// order compares two views of a run by time.
func order(r *hive.RunView) string {
	if r.State == hive.RunWaiting {
		return r.Detail + "0"
	}
	return r.Detail + "1"
}

// settled compares all copies with the stored rows.
func (c *watcher) settled() {
	for id, t := range c.topics {
		if t.batch == 0 {
			live := map[int64]hive.Batch{}
			for _, r := range c.w.sorted() {
				if r.batch.Live {
					live[r.batch.ID] = *c.w.batchDelta(r).BatchRow
				}
			}
			for id, b := range t.list {
				if !b.Live {
					require.False(c.w, c.w.batches[id].batch.Live)
					delete(t.list, id)
				}
			}
			require.Equal(c.w, live, t.list)
			continue
		}
		r := c.w.batches[t.batch]
		require.Len(c.w, t.runs, len(r.runs), "topic %d, frame %d", id, t.n)
		for n := range r.runs {
			require.Equal(c.w, r.shown(n), t.runs[n])
		}
		require.Equal(c.w, r.batch.State, t.state.State)
		require.Equal(c.w, r.batch.Wish, t.state.Wish)
		require.Equal(c.w, r.batch.Round, t.state.Round)
	}
}
