package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// Values that are never stored are set if the owner's state of the run is the same, and end with the run's next step.
func TestSample(t *testing.T) {
	t.Parallel()
	p := newBatchProjection()
	running := hive.RunView{Run: hive.Run{Number: 0, State: hive.RunRunning, Attempts: 2}}
	ready := hive.RunView{Run: hive.Run{Number: 1, State: hive.RunReady}}
	p.begin()
	_, _, ok := p.read(&View{BatchView: hive.BatchView{Runs: []hive.RunView{running, ready}}, Mine: true})
	require.True(t, ok)
	published := hive.PublishedBatch{
		States: []hive.RunState{hive.RunRunning, hive.RunReady}, Attempts: []int{1, 0},
		Progress: map[int]float64{0: 0.5}, WaitReasons: map[int]hive.WaitReason{1: "busy"},
	}
	assert.True(t, p.sample(&published))
	p.publish(2, t0)
	assert.Nil(t, p.runs[0].Progress, "of an earlier attempt")
	assert.Equal(t, hive.WaitReason("busy"), p.runs[1].WaitReason)
	published.Attempts[0] = 2
	assert.True(t, p.sample(&published))
	p.publish(3, t0)
	assert.InDelta(t, 0.5, *p.runs[0].Progress, 0)
	assert.False(t, p.sample(&published))

	ended := running
	ended.State = hive.RunSucceeded
	p.observe(&hive.Delta{Run: 0, Now: &ended, BatchRow: &p.row}, false)
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
	b.runs[0].State, b.runs[0].Error = hive.RunFailed, "the words in the store"
	d := change(0, hive.RunFailed)
	d[0].Now.Attempts, d[0].Partial = 1, true
	b.hub.Observe(d)
	b.turn()
	f := b.nextFrame(c)
	require.NotNil(t, f)
	assert.Equal(t, "x", f.body.content.Runs[0].Executor)
	b.pass(flushEvery)
	f = b.nextFrame(c)
	require.NotNil(t, f)
	assert.Equal(t, "the words in the store", f.body.content.Runs[0].Error)
}

// The engine's change, the projection and the body of a frame share a row. Values that the engine does not have are
// added to a copy.
func TestRowsAreShared(t *testing.T) {
	t.Parallel()
	p := newBatchProjection()
	p.begin()
	row := hive.RunView{Run: hive.Run{State: hive.RunReady, Round: 1}}
	_, _, ok := p.read(&View{BatchView: hive.BatchView{Runs: []hive.RunView{row}}, Mine: true})
	require.True(t, ok)
	d := change(0, hive.RunRunning)[0]
	p.observe(&d, false)
	p.publish(2, t0)
	assert.Same(t, d.Now, p.runs[0].RunView)
	assert.Same(t, d.Now, p.body(0).Runs[0])

	assert.True(t, p.sample(&hive.PublishedBatch{
		States: []hive.RunState{hive.RunRunning}, Attempts: []int{0}, Progress: map[int]float64{0: 0.5},
	}))
	p.publish(3, t0)
	assert.InDelta(t, 0.5, *p.runs[0].Progress, 0)
	assert.Nil(t, d.Now.Progress, "the engine's row stays")
}
