// Package live brings what has become durable to those who follow it: the hub between the engine's observers and the
// sockets of browsers.
//
// For each topic that somebody follows the hub keeps one picture. What commits change is staged, and becomes part of
// the picture in cuts, at most one each cutEvery; the first change after a quiet time is cut at once. A client only
// remembers which cut it has seen. Its next frame holds whatever is newer, as it is now. So there is no queue for each
// client, a slow one gets changes merged, and clients at the same cut share one frame.
//
// A picture is read from the store while commits go on. The read says how things were at some time between its begin
// and its end; after it the source waits until everything that was stored by then was observed; and all that was
// observed since the begin is laid over it, in order. As each observation holds whole rows, that is exactly how things
// are.
package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Source is what the hub reads.
type Source interface {
	// Batch reads a batch as it is stored, then waits until all that was stored by then was observed, and then asks its
	// owner.
	Batch(ctx context.Context, id int64) (View, error)
	// Row reads a batch without its runs.
	Row(ctx context.Context, id int64) (hive.Batch, error)
	// Batches reads all live batches with their counts. Those of this server it asks of their owner, after it has
	// waited as Batch does.
	Batches(ctx context.Context) ([]hive.Batch, error)
	// Told asks the owner for what observers know of batches; those that are not in its memory are left out.
	Told(ctx context.Context, ids []int64) (map[int64]hive.PublishedBatch, error)
	// Executors is a text that is another one once an executor has come, gone, or changed its state or its load.
	Executors(ctx context.Context) (string, error)
}

// View is a batch as the store and its owner have it.
type View struct {
	hive.BatchView

	Told *hive.PublishedBatch // nil if it is not in this server's memory
	Mine bool                 // this server is its owner, or was until it ended
}

// Config is what a Hub needs.
type Config struct {
	Source Source
	Log    *slog.Logger
	Now    func() time.Time
	// Shared: other servers write to the same database, and what they do is not observed here.
	Shared bool
}

// Pace.
const (
	cutEvery    = 50 * time.Millisecond // between two cuts of a topic
	sampleEvery = time.Second           // between two looks at what is never observed
	listEvery   = time.Second           // between two changes of one batch in the topic `batches`
	readWithin  = 30 * time.Second
	readers     = 4
	stopWithin  = 3 * time.Second // for clients to leave
)

// Hub is the meeting place. What stands below mu belongs to it.
type Hub struct {
	service.Base

	cfg  Config
	in   inbox
	work chan struct{} // there are jobs

	mu       sync.Mutex
	epoch    int64
	feeds    map[key]*feed
	staged   map[*feed]bool
	clients  map[*Client]bool
	users    map[int64]int // clients by user
	jobs     []job
	sampleAt time.Time
	sampling bool
	stopping bool
	empty    chan struct{} // closed when the last client has left, while stopping
}

// key names a topic.
type key struct {
	topic hive.LiveTopic
	batch int64
}

// New makes a hub. It may be told of changes at once.
func New(cfg Config) *Hub {
	return &Hub{
		cfg: cfg, in: inbox{signal: make(chan struct{}, 1)}, work: make(chan struct{},
			readers), empty: make(chan struct{}),
		feeds: map[key]*feed{}, staged: map[*feed]bool{}, clients: map[*Client]bool{}, users: map[int64]int{},
	}
}

// Start begins to serve clients.
func (h *Hub) Start(ctx context.Context) error {
	work, err := h.Begin(ctx)
	if err != nil {
		return err
	}
	h.turn(h.cfg.Now()) // the session that has begun is known before the first client
	h.Go(func() { h.loop(work) })
	for range readers {
		h.Go(func() { h.read(work) })
	}
	h.Ready()
	return nil
}

// Stop tells all clients to leave, waits for them a while, and ends.
func (h *Hub) Stop() {
	h.mu.Lock()
	if !h.stopping {
		h.stopping = true
		for c := range h.clients {
			c.end(hive.ErrStopping)
		}
		h.goneLocked()
	}
	h.mu.Unlock()
	patience := time.NewTimer(stopWithin)
	defer patience.Stop()
	select {
	case <-h.empty:
	case <-patience.C:
	}
	h.Base.Stop()
}

// goneLocked notes that nobody is here any more, if so.
func (h *Hub) goneLocked() {
	if h.stopping && len(h.clients) == 0 {
		select {
		case <-h.empty:
		default:
			close(h.empty)
		}
	}
}

// loop applies what is observed, as it comes.
func (h *Hub) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.in.signal:
		case <-timer.C:
		}
		now := h.cfg.Now()
		if next := h.turn(now); !next.IsZero() {
			timer.Reset(max(next.Sub(now), time.Millisecond))
		}
	}
}

// turn takes in what was observed, makes the cuts that are due, and answers when to come back; zero: when told.
func (h *Hub) turn(now time.Time) (next time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.applyLocked()
	for f := range h.staged {
		if !now.Before(f.due) {
			f.due = f.publish(now)
		}
		if f.due.IsZero() {
			delete(h.staged, f)
		}
		next = earlier(next, f.due)
	}
	if len(h.feeds) > 0 {
		if !now.Before(h.sampleAt) {
			h.sampleAt = now.Add(sampleEvery)
			h.sampleLocked()
		}
		next = earlier(next, h.sampleAt)
	}
	return next
}

// stageLocked notes that a feed has something to show, and has the loop see to it.
func (h *Hub) stageLocked(f *feed) {
	if !f.shown {
		return
	}
	if due := f.cut.Add(cutEvery); !h.staged[f] || due.Before(f.due) {
		f.due = due
	}
	h.staged[f] = true
	h.in.wake()
}

// applyLocked takes in what was observed.
func (h *Hub) applyLocked() {
	events := h.in.take()
	for i := range events {
		h.event(&events[i])
	}
}

func (h *Hub) event(e *event) {
	switch {
	case e.epoch != 0:
		h.epoch = e.epoch
		for _, f := range h.feeds {
			f.shown = false
			delete(h.staged, f)
			h.readLocked(f)
		}
	case e.lost:
		for _, f := range h.feeds {
			h.readLocked(f)
		}
	}
	for _, id := range e.reread {
		if f := h.feeds[key{hive.TopicBatch, id}]; f != nil {
			h.readLocked(f)
		}
	}
	if len(e.reread) > 0 {
		if f := h.feeds[key{topic: hive.TopicBatches}]; f != nil {
			h.readLocked(f)
		}
	}
	list := h.feeds[key{topic: hive.TopicBatches}]
	for i := range e.deltas {
		d := &e.deltas[i]
		if f := h.feeds[key{hive.TopicBatch, d.Batch}]; f != nil {
			h.observeLocked(f, d)
		}
		if list != nil {
			h.observeLocked(list, d)
		}
	}
}

func (h *Hub) observeLocked(f *feed, d *hive.Delta) {
	staged, reread := f.picture.observe(d, f.reading)
	if staged {
		h.stageLocked(f)
	}
	if reread {
		h.readLocked(f)
	}
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
