package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// A change after a quiet time is sent at once. Further changes are merged, and clients at the same version share a
// body.
func TestPaceOfATopic(t *testing.T) {
	t.Parallel()
	b := newBench(t, 3)
	one, two := b.follow(hive.TopicBatch, 1), b.follow(hive.TopicBatch, 1)
	b.now = b.now.Add(time.Second)

	b.hub.Observe(change(0, hive.RunReady))
	b.turn()
	f, g := b.nextFrame(one), b.nextFrame(two)
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
	assert.Nil(t, b.nextFrame(one))
	b.pass(flushEvery)
	f = b.nextFrame(one)
	require.NotNil(t, f)
	require.Len(t, f.body.content.Runs, 2)
	assert.Equal(t, hive.RunSucceeded, f.body.content.Runs[0].State)
	written := 0
	for _, x := range []*frame{f, b.nextFrame(two)} {
		assert.Equal(t, "x", string(x.encoded(func(*hive.LiveBody) []byte { written++; return []byte("x") }).Body))
	}
	assert.Equal(t, 1, written)
}

// A client gets at most 20 frames in any second, whatever the number of changes and topics, and all of its topics get
// their turn.
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

// A client that reads nothing costs nothing: there is no queue, and one frame brings it up to date.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	slow := b.follow(hive.TopicBatch, 1)
	for i := range 1000 {
		b.hub.Observe(change(i%3, []hive.RunState{hive.RunReady, hive.RunRunning}[i/3%2]))
		b.pass(flushEvery)
	}
	assert.Empty(t, b.hub.topics[key{topic: hive.TopicBatch, batch: 1}].bodies)
	f := b.nextFrame(slow)
	require.NotNil(t, f)
	assert.Equal(t, int64(2), f.N)
	assert.Len(t, f.body.content.Runs, 3)
	assert.Nil(t, b.nextFrame(slow))
}

// The body of a frame stays for clients that read at the same time. Once all have it, the next sample drops it.
func TestQuietTopicKeepsNoBody(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	first := b.follow(hive.TopicBatch, 1)
	bodies := func() int { return len(b.hub.topics[key{topic: hive.TopicBatch, batch: 1}].bodies) }
	second := b.client()
	require.NoError(t, second.Follow(1, hive.TopicBatch, 1))
	b.pass(sampleEvery)
	assert.Equal(t, 1, bodies(), "the second client still waits for it")
	f := b.nextFrame(second)
	require.NotNil(t, f)
	assert.Len(t, f.body.content.Runs, 4)
	b.pass(sampleEvery)
	assert.Zero(t, bodies())
	assert.Nil(t, b.nextFrame(first))
	third := b.follow(hive.TopicBatch, 1)
	assert.Nil(t, b.nextFrame(third), "it has the whole batch")
}

// If nobody reads the inbox, its changes are dropped in the end, and the topics are read again.
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
	f := b.nextFrame(c)
	require.NotNil(t, f)
	assert.Equal(t, int64(8), f.Epoch)
	assert.Equal(t, int64(1), f.N)
	require.True(t, f.Snapshot)
	assert.Equal(t, hive.RunSucceeded, f.body.content.Runs[0].State)
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
	_, err := b.hub.Connect(1, "ada", nil)
	assert.Equal(t, hive.CodeUnavailable, hive.CodeOf(err))
	other, err := b.hub.Connect(2, "ada", nil)
	require.NoError(t, err)
	other.Close()
	other.Close()
	c.Close()
	assert.Empty(t, b.hub.topics)
	assert.Equal(t, map[int64]int{1: maxOfUser - 1}, b.hub.users)
	_, _, err = c.take(b.now)
	require.Error(t, err)
}
