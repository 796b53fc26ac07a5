// Package otlp exports the spans of batches to an OpenTelemetry collector, by OTLP over HTTP. Spans are made of what
// commits have stored, in a goroutine of their own: nothing waits for the collector, and nothing fails without it.
package otlp

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	pb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
	"github.com/rprp/hivego/server/trace"
)

// Store is what the spans need of the database. The exporter reads once for each batch, and more only for a batch with
// retries that this server has taken over.
type Store interface {
	Batch(ctx context.Context, id int64) (hive.Batch, error)
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	Runs(ctx context.Context, batch int64) ([]hive.Run, error)
	Attempts(ctx context.Context, batch int64) ([]hive.Attempt, error)
	// Causes lists the batches whose success let a batch start.
	Causes(ctx context.Context, batch int64, limit int) (causes, effects []hive.BatchLink, err error)
}

// Config of an exporter. Fields are required unless their comment names a default.
type Config struct {
	Collector Collector
	Cluster   trace.Cluster
	Server    string // id of this server
	Version   string // of the program
	Store     Store
	// Definition reads a revision.
	Definition func(*hive.Revision) (*hive.Definition, error)
	Log        *slog.Logger
	Every      time.Duration // how long an ended span may wait for others; 1 s when 0
	Pause      time.Duration // before the first repetition of a request; 1 s when 0
	Queue      int           // how much that has ended may wait; 8192 when 0
}

const (
	queueSize   = 8192
	sendEvery   = time.Second
	firstPause  = time.Second
	longPause   = 30 * time.Second
	tries       = 6               // of one request: about a minute
	spansAtOnce = 512             // of one request
	lookWithin  = 5 * time.Second // one look at the database
	stopWithin  = 3 * time.Second // for what is left at the end
)

// Exporter sends spans. A nil Exporter sends none.
type Exporter struct {
	service.Base
	cfg   Config
	send  *sender
	queue chan *ended

	sent, dropped atomic.Int64
	away          bool // the collector has not taken the last request
	books         books
}

// New makes an exporter; Start sets it going.
func New(cfg Config) *Exporter {
	if cfg.Every == 0 {
		cfg.Every = sendEvery
	}
	if cfg.Pause == 0 {
		cfg.Pause = firstPause
	}
	if cfg.Queue == 0 {
		cfg.Queue = queueSize
	}
	return &Exporter{
		cfg: cfg, send: newSender(cfg.Collector, cfg.Server, cfg.Version), queue: make(chan *ended, cfg.Queue),
		books: newBooks(cfg),
	}
}

// Spans returns how many spans the collector has taken since the start, and how many were dropped.
func (x *Exporter) Spans() (sent, dropped int64) {
	if x == nil {
		return 0, 0
	}
	return x.sent.Load(), x.dropped.Load()
}

// Committed takes what a commit has stored. It never blocks: when the queue is full, spans are dropped and counted.
func (x *Exporter) Committed(g *hive.Group) {
	if x == nil {
		return
	}
	for i := range g.Batches {
		for _, e := range endings(&g.Batches[i]) {
			select {
			case x.queue <- e:
			default:
				x.dropped.Add(e.spans())
			}
		}
	}
}

// Start begins to send.
func (x *Exporter) Start(ctx context.Context) error {
	work, err := x.Begin(ctx)
	if err != nil {
		return err
	}
	x.Go(func() { x.loop(work) })
	x.Ready()
	return nil
}

// loop gathers spans, and sends them when there are enough or when the first has waited.
func (x *Exporter) loop(ctx context.Context) {
	defer x.send.close()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	var spans []*pb.Span
	for {
		select {
		case <-ctx.Done():
			x.finish(ctx, spans)
			return
		case e := <-x.queue:
			if len(spans) == 0 {
				timer.Reset(x.cfg.Every)
			}
			if spans = append(spans, x.spansOf(ctx, e)...); len(spans) < spansAtOnce {
				continue
			}
			timer.Stop()
		case <-timer.C:
		}
		if !x.deliver(ctx, spans) { // the server stops
			x.finish(ctx, spans)
			return
		}
		spans = nil
	}
}

// finish sends what is left, once and within a limit.
func (x *Exporter) finish(ctx context.Context, spans []*pb.Span) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	for {
		select {
		case e := <-x.queue:
			spans = append(spans, x.spansOf(ctx, e)...)
			continue
		default:
		}
		break
	}
	for len(spans) > 0 {
		part := spans[:min(len(spans), spansAtOnce)]
		spans = spans[len(part):]
		if rejected, _, err := x.send.send(ctx, part); err != nil {
			x.drop(part, err)
		} else {
			x.took(part, rejected)
		}
	}
}

// spansOf makes spans. If the database does not answer, they are dropped.
func (x *Exporter) spansOf(ctx context.Context, e *ended) []*pb.Span {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	spans, err := x.books.spans(ctx, e)
	if err != nil {
		x.dropped.Add(e.spans())
		x.cfg.Log.Debug("spans cannot be made", "batch", e.batch, "error", err)
	}
	return spans
}

// deliver sends spans until the collector has them, refuses them, or has been away for too long. It returns false if
// ctx ends before.
func (x *Exporter) deliver(ctx context.Context, spans []*pb.Span) bool {
	request, end := lasting(ctx)
	defer end()
	pause := x.cfg.Pause
	for try := 1; ; try++ {
		rejected, again, err := x.send.send(request, spans)
		switch {
		case err == nil:
			x.took(spans, rejected)
			return true
		case ctx.Err() != nil:
			return false
		case !again || try == tries:
			x.drop(spans, err)
			return true
		}
		x.complain(err)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
		pause = min(2*pause, longPause)
	}
}

// lasting returns a context that ends some time after ctx. A request under way may have been taken already when the
// server stops, and spans that are sent again would be there twice.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	request, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopWithin, end) })
	return request, func() {
		stop()
		end()
	}
}

// took counts spans after an answer of the collector, which may have rejected some.
func (x *Exporter) took(spans []*pb.Span, rejected int64) {
	rejected = min(rejected, int64(len(spans)))
	x.sent.Add(int64(len(spans)) - rejected)
	x.dropped.Add(rejected)
	if x.away {
		x.away = false
		_, dropped := x.Spans()
		x.cfg.Log.Info("traces are sent again", "collector", x.cfg.Collector.Name(), "dropped", dropped)
	}
}

func (x *Exporter) drop(spans []*pb.Span, err error) {
	x.dropped.Add(int64(len(spans)))
	x.complain(err)
}

// complain writes into the log that the collector does not take spans, once until it does.
func (x *Exporter) complain(err error) {
	if !x.away {
		x.away = true
		x.cfg.Log.Warn("traces cannot be sent; batches go on, and spans are dropped while the queue is full",
			"collector", x.cfg.Collector.Name(), "error", err)
	}
}
