package owner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
	"github.com/rprp/hivego/server/owner/ownertest"
)

// watched keeps the assignments of adopted attempts.
type watched struct {
	*ownertest.Fleet
	adopted []hive.Assignment
}

// Adopt keeps the assignment.
func (w *watched) Adopt(now time.Time, executor string, h hive.HeldAttempt) {
	w.adopted = append(w.adopted, h.Assignment)
	w.Fleet.Adopt(now, executor, h)
}

// An attempt has its trace context in its environment, and the same one after a takeover.
func TestTraceParent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	begin := func() *watched {
		fleet := &watched{Fleet: ownertest.NewFleet()}
		f.Fleet = fleet.Fleet
		f.owner = owner.New(owner.Config{
			Fleet: fleet, Chooser: fleet, Graphs: f.graphs, NewKey: f.newKey,
			Session: owner.Session{Server: ownertest.Server, Epoch: 1},
			TraceParent: func(b *hive.Batch, a hive.AttemptRef) string {
				return fmt.Sprint(b.ID, " ", b.CreatedAt.UnixMilli(), " ", a.Name())
			},
		})
		f.owner.AddIDs(owner.AttemptIDs, 10_000, 1000)
		return fleet
	}
	begin()
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.load(1)
	f.settle()
	require.Len(t, f.Offered, 1)
	first := f.Offered[0].Env["TRACEPARENT"]
	assert.Equal(t, fmt.Sprint("1 ", f.Batches[1].Batch.CreatedAt.UnixMilli(), " 10000-key-1"), first)

	second := begin()
	f.load(1)
	require.Len(t, second.adopted, 1)
	assert.Equal(t, first, second.adopted[0].Env["TRACEPARENT"])
}
