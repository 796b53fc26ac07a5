package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// The list shows each batch at most once a second, adds new ones, and removes ended ones. A client that was too slow to
// see their end begins again with a snapshot.
func TestList(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	b.live = []hive.Batch{{ID: 1, Live: true}}
	c, slow := b.follow(hive.TopicBatches, 0), b.follow(hive.TopicBatches, 0)
	b.pass(time.Second)

	b.hub.Observe(standing(2, true, 1))
	b.turn()
	f := b.nextFrame(c)
	require.NotNil(t, f)
	require.Len(t, f.body.content.Batches, 1)
	assert.Equal(t, int64(2), f.body.content.Batches[0].ID)

	for n := 2; n < 6; n++ {
		b.hub.Observe(standing(2, true, n))
		b.pass(flushEvery)
		assert.Nil(t, b.nextFrame(c))
	}
	b.pass(listEvery)
	f = b.nextFrame(c)
	require.NotNil(t, f)
	assert.Equal(t, 5, f.body.content.Batches[0].Counts[hive.RunRunning])

	b.pass(listEvery)
	b.hub.Observe(standing(2, false, 0))
	b.turn()
	f = b.nextFrame(c)
	require.NotNil(t, f)
	assert.False(t, f.body.content.Batches[0].Live)

	b.pass(keepEnded + time.Second)
	b.hub.Observe(standing(1, true, 1))
	b.turn()
	assert.False(t, b.nextFrame(c).Snapshot)
	f = b.nextFrame(slow)
	assert.True(t, f.Snapshot)
	assert.Len(t, f.body.content.Batches, 1)
}

// The topic of executors sends a frame without content, at most once a second, and only if something changed.
func TestExecutors(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	c := b.follow(hive.TopicExecutors, 0)
	b.pass(sampleEvery)
	assert.Nil(t, b.nextFrame(c))
	b.executors = "b"
	b.pass(sampleEvery / 2)
	assert.Nil(t, b.nextFrame(c))
	b.pass(sampleEvery / 2)
	f := b.nextFrame(c)
	require.NotNil(t, f)
	assert.False(t, f.Snapshot)
}
