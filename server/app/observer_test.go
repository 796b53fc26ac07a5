package app

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// A batch is logged when its state or its wish changes. Batches that have ended, or belong to an earlier session, are
// forgotten.
func TestBatchesInTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	tr := newTransitions(slog.New(slog.NewTextHandler(&log, nil)))
	lines := func() int {
		defer log.Reset()
		return bytes.Count(log.Bytes(), []byte("msg=batch"))
	}
	running := hive.Delta{Batch: 1, Run: -1, BState: hive.BatchRunning, Wish: hive.WishRun}
	paused, other := running, running
	paused.Wish, other.Batch = hive.WishPause, 2
	tr.Observe([]hive.Delta{running, running, other})
	assert.Equal(t, 2, lines())
	tr.Observe([]hive.Delta{paused})
	assert.Equal(t, 1, lines())

	ended := running
	ended.BState = hive.BatchFailed
	tr.Observe([]hive.Delta{ended})
	assert.Zero(t, lines(), "the engine logs the end")
	assert.Len(t, tr.last, 1)
	tr.Session(2)
	assert.Empty(t, tr.last)
	tr.Observe([]hive.Delta{other})
	assert.Equal(t, 1, lines())
}
