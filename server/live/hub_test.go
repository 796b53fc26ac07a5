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

	"github.com/rprp/hivego/server/hive"
)

// started returns a hub that runs with its goroutines.
func started(t *testing.T, s *source) *Hub {
	t.Helper()
	h := New(Config{Source: s, Encode: encodeStates, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	h.Session(1)
	require.NoError(t, h.Start(t.Context()))
	t.Cleanup(h.Stop)
	return h
}

// All clients of a batch see its last change, from one read of the store. Then the hub stops, and all get the reason.
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
		c, err := h.Connect(int64(i/maxOfUser), "ada", nil)
		require.NoError(t, err)
		left.Go(func() {
			defer c.Close()
			assert.ErrorIs(t, watch(c, tasks, begun.Done, ended.Done), hive.ErrStopping)
		})
	}
	begun.Wait()
	assert.Equal(t, clients, h.Clients())
	for _, state := range []hive.RunState{hive.RunReady, hive.RunRunning, hive.RunSucceeded} {
		for n := range tasks {
			h.Observe(change(n, state))
		}
	}
	ended.Wait()
	s.set(func() { assert.Equal(t, 1, s.reads) })
	h.Stop()
	left.Wait()
	assert.Zero(t, h.Clients())
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

// A client whose session ends gets the reason, even while it waits.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	h := started(t, &source{})
	over := make(chan struct{})
	c, err := h.Connect(1, "ada", over)
	require.NoError(t, err)
	defer c.Close()
	close(over)
	_, err = c.Next(t.Context())
	require.ErrorIs(t, err, hive.ErrEnded)
}

// A missing batch is refused. Following it again reads again.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := started(t, &source{})
	c, err := h.Connect(1, "ada", nil)
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
