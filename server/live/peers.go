package live

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Pace of messages.
const (
	gatherEvery = 20 * time.Millisecond // between two messages to other servers
	sendWithin  = 5 * time.Second
	listenAgain = time.Second // after a failure; ten times as long while it goes on
)

// PeersConfig holds the dependencies of Peers.
type PeersConfig struct {
	Hub    *Hub
	Server string // id of this server
	// Send sends a short message to all servers that listen.
	Send func(ctx context.Context, message string) error
	// Listen passes the messages of all servers to got until it fails. It calls ready once messages arrive.
	Listen func(ctx context.Context, ready func(), got func(message string)) error
	Log    *slog.Logger
}

// Peers lets the hubs of servers that share a database know of each other's changes. As an observer of the engine, it
// names what this server has changed to the others; they read it from the database. What others name, it passes to this
// server's hub. It also tells the others who has schedules open here.
//
// A message may get lost: with its server, or while a connection is broken. So nothing depends on it but the time at
// which a page shows the change.
type Peers struct {
	service.Base

	cfg    PeersConfig
	signal chan struct{}

	mu      sync.Mutex
	pending changes

	process string      // marks this process among those of the same server
	ask     atomic.Bool // the other servers must be asked who is there
}

// NewPeers makes Peers. Observe and Reread may be called before Start.
func NewPeers(cfg PeersConfig) *Peers {
	return &Peers{cfg: cfg, signal: make(chan struct{}, 1), process: rand.Text()}
}

// Observe gathers durable changes.
func (p *Peers) Observe(deltas []hive.Delta) {
	p.gather(func(c *changes) {
		for i := range deltas {
			c.add(deltas[i].Batch, deltas[i].Run)
		}
	})
}

// Reread gathers batches whose stored rows may differ from the observed changes.
func (p *Peers) Reread(batches []int64) {
	p.gather(func(c *changes) {
		for _, id := range batches {
			c.addWhole(id)
		}
	})
}

// Session does nothing: what a session begins with is observed.
func (p *Peers) Session(int64) {}

func (p *Peers) gather(add func(c *changes)) {
	p.mu.Lock()
	add(&p.pending)
	p.mu.Unlock()
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

// Start begins to send and to listen.
func (p *Peers) Start(ctx context.Context) error {
	work, err := p.Begin(ctx)
	if err != nil {
		return err
	}
	p.Go(func() { p.sendAll(work) })
	p.Go(func() { p.listen(work) })
	p.Go(func() { p.sharePresence(work) })
	p.Ready()
	return nil
}

// sendAll sends what is gathered, the first change after a quiet time at once.
func (p *Peers) sendAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.signal:
		}
		pause := gatherEvery
		if !p.send(ctx) {
			pause = listenAgain
		}
		if !rest(ctx, pause) {
			return
		}
	}
}

// send reports whether everything was sent. What was not sent waits for the next call.
func (p *Peers) send(ctx context.Context) bool {
	p.mu.Lock()
	now := p.pending
	p.pending = changes{}
	p.mu.Unlock()
	if now.empty() {
		return true
	}
	limited, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	for _, m := range now.messages(p.cfg.Server) {
		if err := p.cfg.Send(limited, m); err != nil {
			p.cfg.Log.Debug("other servers do not learn of changes", "error", err)
			p.gather(func(c *changes) { c.all, c.batches = true, nil })
			return false
		}
	}
	return true
}

// listen keeps a connection for messages.
func (p *Peers) listen(ctx context.Context) {
	for failures := 0; ; failures++ {
		err := p.cfg.Listen(ctx, func() {
			failures = 0
			p.cfg.Hub.Listening(true)
			p.askPresence()
		}, p.receive)
		p.cfg.Hub.Listening(false)
		if ctx.Err() != nil {
			return
		}
		pause := listenAgain
		if failures > 0 {
			pause *= 10
		}
		if failures == 1 {
			p.cfg.Log.Warn("changes of other servers' batches are shown with a delay: their messages do not arrive",
				"error", err)
		}
		if !rest(ctx, pause) {
			return
		}
	}
}

func (p *Peers) receive(message string) {
	if server, process, n, ok := readPresence(message); ok {
		if server != p.cfg.Server {
			p.cfg.Hub.FarPresence(server, process, n)
		}
		return
	}
	server, list, all := readNotice(message)
	if server != p.cfg.Server {
		p.cfg.Hub.Far(list, all)
	}
}

// rest waits, and reports whether ctx still goes on.
func rest(ctx context.Context, pause time.Duration) bool {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
