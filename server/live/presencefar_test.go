package live

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// deliver passes a message of another server.
func (b *bench) deliver(message string) {
	b.Helper()
	server, process, n, ok := readPresence(message)
	require.True(b, ok, message)
	b.hub.FarPresence(server, process, n)
	b.pass(presenceEvery)
}

// People at another server are shown until it says that they have gone, starts again, or says nothing for a while.
func TestPresenceOfAnotherServer(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.hub.cfg.Shared = true
	b.deliver(`other @1 {"here":{"orders":[{"n":"bob","w":5,"c":2,"t":["load"]}]}}`)
	ada := b.named("ada")
	b.join(ada, 1, 0)
	assert.Equal(t, "bob[5]:2 load, ada[1]:0", b.here(ada), "also who was there before")
	b.deliver(`third @1 {"here":{"orders":[{"n":"ada","w":1,"c":9},{"n":"ada","w":2}]}}`)
	assert.Equal(t, "bob[5]:2 load, ada[1 2]:0", b.here(ada), "the window that has come here is not there any more")
	b.deliver(`third @1 {"here":{"orders":[]}}`)
	assert.Equal(t, "bob[5]:2 load, ada[1]:0", b.here(ada))

	b.pass(presenceFor - 5*time.Second)
	b.deliver(`other @1 {"here":{"orders":[{"n":"bob","w":5,"c":2,"t":["load"]}]}}`)
	b.pass(presenceFor - time.Second)
	assert.Equal(t, "no frame", b.here(ada), "he was named again in time")
	b.pass(time.Second)
	assert.Equal(t, "ada[1]:0", b.here(ada), "the server is silent")

	b.deliver(`other @1 {"here":{"orders":[{"n":"bob","w":5}]}}`)
	assert.Equal(t, "ada[1]:0, bob[5]:0", b.here(ada))
	b.hub.unsent = map[string]bool{}
	b.deliver(`other @2 {"ask":true}`)
	assert.Equal(t, "ada[1]:0", b.here(ada), "it has begun anew")
	assert.Equal(t, map[string]bool{"orders": true}, b.hub.unsent, "and learns who is here")
	assert.Empty(t, b.hub.others)

	b.deliver(`other @2 {"here":{"orders":[null,{"n":"bob","w":"x"}]}}`)
	b.deliver(`other @2 of a later version`)
	assert.Equal(t, "no frame", b.here(ada), "what cannot be read changes nothing")
}

func TestPresenceMessages(t *testing.T) {
	t.Parallel()
	many, tasks := map[string][]*window{}, []string{}
	for n := range hive.MaxPresenceTasks {
		tasks = append(tasks, strings.Repeat("t", 120)+fmt.Sprint(n))
	}
	for n := range 100 {
		many["crowd"] = append(many["crowd"], &window{
			Name:     strings.Repeat("n", 60) + fmt.Sprintf("%03d", n),
			Presence: hive.Presence{Window: 1<<31 - 1, Tasks: tasks},
		})
		many[fmt.Sprint("quiet", n)] = []*window{{Name: "ada", Presence: hive.Presence{Window: 4}}}
	}
	many["gone"] = nil
	found := map[string][]*window{}
	for _, m := range presenceMessages("me", "p", many) {
		assert.Less(t, len(m), 7900)
		server, process, n, ok := readPresence(m)
		require.True(t, ok)
		assert.Equal(t, []string{"me", "p"}, []string{server, process})
		maps.Copy(found, n.Here)
	}
	assert.Len(t, found, len(many))
	assert.Empty(t, found["gone"])
	assert.Greater(t, len(found["crowd"]), 40, "of a crowd, some are named")
	assert.Equal(t, "ada", found["quiet7"][0].Name)
	for _, m := range []string{"me 1:3", "me *", "me", "", "me @"} {
		_, _, _, ok := readPresence(m)
		assert.False(t, ok, m)
	}
	_, _, all := readNotice("me @p {}")
	assert.True(t, all, "a version without presence reads everything again")
}

// network passes the messages of servers to all of them, until it is broken.
type network struct {
	mu     sync.Mutex
	broken bool
	to     []func(string)
}

func (n *network) send(_ context.Context, m string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken {
		return hive.ErrConnection
	}
	for _, got := range n.to {
		got(m)
	}
	return nil
}

func (n *network) cut(broken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.broken = broken
}

func (n *network) server(t *testing.T, id string) (*Hub, *Peers) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	h := New(Config{
		Source: &source{}, Log: log, Now: time.Now, Shared: true,
		Encode: func(b *hive.LiveBody) []byte {
			names := ""
			for _, p := range b.People {
				names += fmt.Sprintf(" %s:%d", p.Name, p.Changes)
			}
			return []byte(names)
		},
	})
	h.Session(1)
	p := NewPeers(PeersConfig{
		Hub: h, Server: id, Log: log, Send: n.send,
		Listen: func(ctx context.Context, ready func(), got func(string)) error {
			n.mu.Lock()
			n.to = append(n.to, got)
			n.mu.Unlock()
			ready()
			<-ctx.Done()
			return ctx.Err()
		},
	})
	assert.NoError(t, h.Start(t.Context()))
	assert.NoError(t, p.Start(t.Context()))
	return h, p
}

// last reads all frames that a client has waiting, and returns the body of the last.
func last(t *testing.T, c *Client) (body string) {
	t.Helper()
	for {
		limited, cancel := context.WithTimeout(t.Context(), time.Second)
		f, err := c.Next(limited)
		cancel()
		if err != nil {
			return body
		}
		body = string(f.Body)
	}
}

// Two servers show each other who has a schedule open. One that has died is forgotten after a while, and one that was
// cut off comes back.
func TestPeersSharePresence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var wire network
		one, peersOne := wire.server(t, "one")
		ada, err := one.Connect(1, "ada", nil)
		assert.NoError(t, err)
		assert.NoError(t, ada.Join(1, "orders", hive.Presence{Window: 1}))
		assert.Equal(t, " ada:0", last(t, ada))

		two, peersTwo := wire.server(t, "two") // it asks who is there
		bob, err := two.Connect(2, "bob", nil)
		assert.NoError(t, err)
		assert.NoError(t, bob.Join(1, "orders", hive.Presence{Window: 2}))
		assert.Equal(t, " ada:0 bob:0", last(t, bob))
		assert.Equal(t, " ada:0 bob:0", last(t, ada))
		ada.Present(1, hive.Presence{Changes: 3})
		assert.Equal(t, " ada:3 bob:0", last(t, bob))

		wire.cut(true)
		ada.Present(1, hive.Presence{Changes: 4})
		rest(t.Context(), presenceFor+time.Second)
		assert.Equal(t, " bob:0", last(t, bob))
		wire.cut(false)
		rest(t.Context(), 2*listenAgain)
		assert.Equal(t, " ada:4 bob:0", last(t, bob))
		last(t, ada)

		peersTwo.Stop() // as if it had died: it says no good-bye
		two.Stop()
		assert.Empty(t, last(t, ada))
		rest(t.Context(), presenceFor)
		assert.Equal(t, " ada:4", last(t, ada))
		ada.Close()
		peersOne.Stop()
		one.Stop()
	})
}
