// Package live sends durable changes to the clients that follow them: it is the hub between the engine's observers and
// the sockets of browsers.
//
// The hub keeps one projection for each topic that has followers. A commit stages its changes, and a flush moves the
// staged changes into the projection. A topic has at most one flush in each flushEvery; the first change after a quiet
// time is flushed at once. A client only remembers the version of the last flush that it has seen. Its next frame holds
// the current state of everything that is newer. So there is no queue for each client, a slow client gets merged
// changes, and clients at the same version share one frame.
//
// A row that the hub has put into a projection never changes: a change replaces it. So projections, deltas of the
// engine and bodies of frames share rows instead of copying them.
//
// A projection is read from the store while commits go on. The rows that the read returns are from some time between
// its start and its end. Afterwards the source waits until all changes that were stored by then have been observed. The
// hub buffers all changes that it observes during the read, and merges them into the rows in order. As each change
// holds whole rows, the result is exact.
package live

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Source supplies the hub with data.
type Source interface {
	// Batch reads a batch from the store, waits until all changes stored by then have been observed, and then asks the
	// batch's owner.
	Batch(ctx context.Context, id int64) (View, error)
	// Runs is Batch for some runs of a batch by their numbers, and only as stored.
	Runs(ctx context.Context, id int64, numbers []int) (View, error)
	// Row reads a batch without its runs.
	Row(ctx context.Context, id int64) (hive.Batch, error)
	// Batches reads all live batches with their counts. After the same wait as in Batch, it takes the batches of this
	// server from their owner.
	Batches(ctx context.Context) ([]hive.Batch, error)
	// Others reads some batches with their counts, after the same wait, and leaves out those of this server.
	Others(ctx context.Context, ids []int64) ([]hive.Batch, error)
	// Published asks the owner for the published state of batches. A batch that is not in the owner's memory is left
	// out.
	Published(ctx context.Context, ids []int64) (map[int64]hive.PublishedBatch, error)
	// Executors returns a fingerprint of all executors. It changes when an executor comes, goes, or changes its state
	// or its load.
	Executors(ctx context.Context) (string, error)
}

// View is a batch with the rows of the store and the published state of its owner.
type View struct {
	hive.BatchView

	Published *hive.PublishedBatch // nil if it is not in this server's memory
	Mine      bool                 // this server is its owner, or was until it ended
}

// Config holds the dependencies of a Hub.
type Config struct {
	Source Source
	// Encode writes the body of a frame as bytes. It is called once for each body, by any goroutine.
	Encode func(*hive.LiveBody) []byte
	Log    *slog.Logger
	Now    func() time.Time
	// Shared is set if other servers write to the same database. Their changes are not observed here.
	Shared bool
	// LookEvery is the time between two looks at batches of other servers while nothing tells of their changes; 0 is a
	// second. While messages arrive, it is ten times as long.
	LookEvery time.Duration
}

// Pace.
const (
	// flushEvery is the time between two flushes of a topic. It is not shorter than the pace of a client: otherwise
	// each change would wait for a flush, and then for the client's next frame.
	flushEvery  = frameEvery
	sampleEvery = time.Second // between two samples of values that are never observed
	listEvery   = time.Second // between two changes of one batch in the topic `batches`
	readWithin  = 30 * time.Second
	readers     = 4
	stopWithin  = 3 * time.Second // for clients to leave
)

// Hub holds the topics and their clients. The mutex mu protects all fields below it.
type Hub struct {
	service.Base

	cfg  Config
	in   inbox
	work chan struct{} // there are jobs
	tell chan struct{} // unsent has something

	mu       sync.Mutex
	epoch    int64
	topics   map[key]*topic
	staged   map[*topic]bool
	clients  map[*Client]bool
	users    map[int64]int // clients by user
	jobs     []job
	marked   map[*topic]bool // with changes of other servers to read
	sampleAt time.Time
	lookAt   time.Time // of the next look at batches of other servers
	listens  bool      // messages of other servers arrive
	others   map[string]*otherServer
	expireAt time.Time       // of the earliest of the windows in others
	unsent   map[string]bool // schedules whose windows here other servers do not know
	sampling bool
	stopping bool
	empty    chan struct{} // closed when the last client has left, while stopping
}

// key names a topic.
type key struct {
	topic    hive.LiveTopic
	batch    int64
	schedule string
}

func presenceOf(schedule string) key { return key{topic: hive.TopicPresence, schedule: schedule} }

// New makes a hub. Observe, Reread and Session may be called before Start.
func New(cfg Config) *Hub {
	cfg.LookEvery = cmp.Or(cfg.LookEvery, sampleEvery)
	return &Hub{
		cfg: cfg, in: inbox{signal: make(chan struct{}, 1)},
		work: make(chan struct{}, readers), empty: make(chan struct{}),
		topics: map[key]*topic{}, staged: map[*topic]bool{}, marked: map[*topic]bool{}, clients: map[*Client]bool{},
		users: map[int64]int{}, tell: make(chan struct{}, 1), others: map[string]*otherServer{},
		unsent: map[string]bool{},
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

// Stop asks all clients to leave, waits for them a while, and ends.
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

// goneLocked closes empty if the hub is stopping and has no client left.
func (h *Hub) goneLocked() {
	if h.stopping && len(h.clients) == 0 {
		select {
		case <-h.empty:
		default:
			close(h.empty)
		}
	}
}

// loop applies observed changes as they arrive.
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

// turn applies observed changes, makes the flushes that are due, and returns when the next turn is due. Zero means that
// only a signal makes one.
func (h *Hub) turn(now time.Time) (next time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.applyLocked()
	next = earlier(h.readFarLocked(now), h.expireLocked(now))
	for f := range h.staged {
		if !now.Before(f.due) {
			f.due = f.publish(now)
		}
		if f.due.IsZero() {
			delete(h.staged, f)
		}
		next = earlier(next, f.due)
	}
	if len(h.topics) > 0 {
		if !now.Before(h.sampleAt) {
			h.sampleAt = now.Add(sampleEvery)
			h.sampleLocked()
		}
		next = earlier(next, h.sampleAt)
	}
	return next
}

// stageLocked marks a topic as having staged changes, and wakes the loop.
func (h *Hub) stageLocked(f *topic) {
	if !f.shown {
		return
	}
	if due := f.flushed.Add(flushEvery); !h.staged[f] || due.Before(f.due) {
		f.due = due
	}
	h.staged[f] = true
	h.in.wake()
}

// applyLocked applies all events of the inbox.
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
		for _, f := range h.topics {
			f.shown = false
			delete(h.staged, f)
			h.readLocked(f)
		}
	case e.lost:
		for _, f := range h.topics {
			h.readLocked(f)
		}
	}
	if e.listening != nil && *e.listening != h.listens {
		h.listens = *e.listening
		h.lookAt = time.Time{} // what happened before is not named
		h.sampleAt = time.Time{}
	}
	if e.presence != nil {
		h.farPresenceLocked(e.presence)
	}
	h.farLocked(e)
	for _, id := range e.reread {
		if f := h.topics[key{topic: hive.TopicBatch, batch: id}]; f != nil {
			h.readLocked(f)
		}
	}
	if len(e.reread) > 0 {
		if f := h.topics[key{topic: hive.TopicBatches}]; f != nil {
			h.readLocked(f)
		}
	}
	list := h.topics[key{topic: hive.TopicBatches}]
	for i := range e.deltas {
		d := &e.deltas[i]
		if f := h.topics[key{topic: hive.TopicBatch, batch: d.Batch}]; f != nil {
			h.observeLocked(f, d)
		}
		if list != nil {
			h.observeLocked(list, d)
		}
	}
}

func (h *Hub) observeLocked(f *topic, d *hive.Delta) {
	staged, reread := f.projection.observe(d, f.reading)
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
