package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/server/api/model"
)

// The size of the memory measure: as many tasks of the batch run as the executor has slots.
const (
	memorySlots   = 100
	memorySamples = 8
	memoryPause   = 300 * time.Millisecond // between two samples of the heap
)

// gate is a handler that works until it is killed. It counts the tasks that are inside.
type gate struct{ inside atomic.Int64 }

// Info describes it.
func (g *gate) Info() sdk.Info { return sdk.Info{Name: "gate", ParamsSchema: `{"type":"object"}`} }

// Run waits for the kill.
func (g *gate) Run(ctx context.Context, _ *sdk.Task) error {
	g.inside.Add(1)
	defer g.inside.Add(-1)
	<-ctx.Done()
	return ctx.Err()
}

// memory measures the heap that a live batch takes, by task: without and with a client that follows it, after its start
// and after half of its tasks have succeeded. Server, executor and client share this process, so the figure includes
// the memory of all three. The executor has few slots, and the client keeps nothing.
func (b *bench) memory(ctx context.Context) error {
	if !b.asked("memory") {
		return nil
	}
	s, err := startSystem(ctx, filepath.Join(b.dir, "memory"), "", memorySlots)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, m := range []struct {
		state string
		done  int // layers that succeed
	}{
		{fmt.Sprintf("%d of them run, the others wait", memorySlots), 0},
		{fmt.Sprintf("half of them have succeeded, %d run", memorySlots), layers / 2},
	} {
		if err := b.weighBatches(ctx, s, m.state, m.done); err != nil {
			return err
		}
	}
	return nil
}

// weighBatches weighs one batch after another, of a schedule whose tasks do nothing in the first layers and never end
// in the others.
func (b *bench) weighBatches(ctx context.Context, s *system, state string, done int) error {
	document := layered(b.tasks, layers)
	at := strings.Index(document+fmt.Sprintf("key: j%d\n", done), fmt.Sprintf("key: j%d\n", done))
	document = document[:at] + strings.ReplaceAll(document[at:], "handler: noop", "handler: gate")
	if err := s.save(ctx, "layered", document); err != nil {
		return err
	}
	var alone, followed []float64
	for i := range b.reps + 1 {
		a, f, err := s.weighBatch(ctx, "layered")
		if err != nil {
			return err
		}
		if i > 0 { // the first one also opens and prepares what stays
			alone, followed = append(alone, a/float64(b.tasks)), append(followed, f/float64(b.tasks))
		}
	}
	b.rep.Measures = append(b.rep.Measures,
		row{
			Name: fmt.Sprintf("memory of a live task (heap), of %d in one batch, %s", b.tasks, state),
			Unit: "B", Stat: statOf(alone), Floor: "600 B", Goal: "400 B",
		},
		row{
			Name: "  and a browser follows it", Unit: "B", Stat: statOf(followed), Floor: "1000 B", Goal: "750 B",
		})
	return nil
}

// weighBatch runs a batch and returns by how many bytes the heap is larger with it, without and with a follower.
func (s *system) weighBatch(ctx context.Context, name string) (alone, followed float64, err error) {
	before := liveHeap()
	r, err := s.api.RunScheduleWithResponse(ctx, name, nil, model.RunRequest{})
	if err != nil {
		return 0, 0, err
	}
	if r.JSON201 == nil {
		return 0, 0, fmt.Errorf("run %s: %s", name, r.Body)
	}
	id := r.JSON201.ID
	err = s.await(ctx, func() (bool, error) { return s.gate.inside.Load() == memorySlots, nil })
	if err != nil {
		return 0, 0, err
	}
	alone = liveHeap() - before
	ws, err := followBatch(ctx, strings.TrimPrefix(s.app.URL(), "http://"), s.tokens[0], id)
	if err != nil {
		return 0, 0, err
	}
	defer ws.Close() //nolint:errcheck // it has seen what it came for
	if err := awaitSnapshot(ws); err != nil {
		return 0, 0, err
	}
	go discardFrames(ws)
	followed = liveHeap() - before
	return alone, followed, s.cancelBatch(ctx, id)
}

// cancelBatch cancels a batch and waits for its end.
func (s *system) cancelBatch(ctx context.Context, id int64) error {
	w, err := s.api.SetWishWithResponse(ctx, id, nil, model.WishRequest{Wish: model.WishCancel})
	if err != nil {
		return err
	}
	if w.StatusCode() != http.StatusOK {
		return fmt.Errorf("cancel batch %d: %s", id, w.Body)
	}
	without := false
	return s.await(ctx, func() (bool, error) {
		g, err := s.api.GetBatchWithResponse(ctx, id, &model.GetBatchParams{Tasks: &without})
		return err == nil && g.JSON200 != nil && !g.JSON200.Live, err
	})
}

// liveHeap returns how many bytes are reachable: the least of some samples, since requests come and go.
func liveHeap() float64 {
	least := 0.0
	for range memorySamples {
		time.Sleep(memoryPause)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if v := float64(m.HeapAlloc); least == 0 || v < least {
			least = v
		}
	}
	return least
}

// awaitSnapshot reads frames until the snapshot of the topic has come.
func awaitSnapshot(ws *websocket.Conn) error {
	for {
		_, raw, err := ws.ReadMessage()
		if err != nil {
			return fmt.Errorf("follow: %w", err)
		}
		var f struct {
			Op string `json:"op"`
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			return fmt.Errorf("read a frame: %w", err)
		}
		switch f.Op {
		case "snapshot":
			return nil
		case "refused":
			return errors.New("the batch cannot be followed")
		}
	}
}

// discardFrames takes all further frames, as a browser does, until the connection ends.
func discardFrames(ws *websocket.Conn) {
	for {
		_, r, err := ws.NextReader()
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return
		}
	}
}
