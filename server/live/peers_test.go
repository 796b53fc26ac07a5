package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// A server's changes are gathered into one message. What cannot be sent is named as a whole later.
func TestPeersSend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sent []string
		take := func() []string {
			mu.Lock()
			defer mu.Unlock()
			taken := sent
			sent = nil
			return taken
		}
		var fails atomic.Bool
		fails.Store(true)
		p := NewPeers(PeersConfig{
			Hub: New(Config{}), Server: "me", Log: slog.New(slog.DiscardHandler),
			Send: func(_ context.Context, m string) error {
				if fails.Load() {
					return hive.ErrConnection
				}
				mu.Lock()
				defer mu.Unlock()
				sent = append(sent, m)
				return nil
			},
			Listen: func(ctx context.Context, _ func(), _ func(string)) error {
				<-ctx.Done()
				return ctx.Err()
			},
		})
		assert.NoError(t, p.Start(t.Context()))
		p.Observe(change(3, hive.RunRunning))
		synctest.Wait()
		fails.Store(false)
		var first []string
		for rest(t.Context(), gatherEvery) && len(first) == 0 {
			p.Observe(change(4, hive.RunRunning))
			synctest.Wait()
			first = take()
		}
		assert.Equal(t, []string{"me *"}, first)
		rest(t.Context(), gatherEvery*2)
		take()
		p.Observe(change(3, hive.RunRunning))
		synctest.Wait()
		p.Observe(change(3, hive.RunSucceeded))
		p.Observe(standing(1, true, 1))
		p.Reread([]int64{2})
		rest(t.Context(), gatherEvery)
		synctest.Wait()
		assert.Equal(t, []string{"me 1:3", "me 1:3 2:*"}, take())
		p.Stop()
	})
}

// While the connection is broken, the hub looks by itself; the connection is tried again. Messages of this server are
// not for its hub.
func TestPeersListen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{})
		var tries atomic.Int32
		broken := make(chan error)
		p := NewPeers(PeersConfig{
			Hub: h, Server: "me", Log: slog.New(slog.DiscardHandler),
			Send: func(context.Context, string) error { return nil },
			Listen: func(ctx context.Context, ready func(), got func(string)) error {
				if tries.Add(1) == 1 {
					return hive.ErrConnection
				}
				ready()
				got("me 1:3")
				got("you 2:4")
				select {
				case err := <-broken:
					return err
				case <-ctx.Done():
					return ctx.Err()
				}
			},
		})
		assert.NoError(t, p.Start(t.Context()))
		rest(t.Context(), 2*listenAgain)
		events := h.in.take()
		assert.Len(t, events, 3)
		assert.False(t, *events[0].listening)
		assert.True(t, *events[1].listening)
		assert.Equal(t, []hive.FarChange{{Batch: 2, Runs: []int{4}}}, events[2].far)
		broken <- errors.New("gone")
		rest(t.Context(), 2*listenAgain)
		events = h.in.take()
		assert.False(t, *events[0].listening)
		assert.True(t, *events[1].listening)
		assert.EqualValues(t, 3, tries.Load())
		p.Stop()
	})
}
