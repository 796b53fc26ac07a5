package hook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

const (
	look  = 5 * time.Second // another server may have died after it stored a call
	calls = 200             // that are read at once
)

// Store is what the driver needs of the database.
type Store interface {
	// HookCalls lists ends that hooks follow and for which no batch was made yet, from the one after this id, oldest
	// first.
	HookCalls(ctx context.Context, after int64, limit int) ([]hive.HookCall, error)
	// EndHookCall deletes a call whose batch is stored.
	EndHookCall(ctx context.Context, id int64) error
	Batch(ctx context.Context, id int64) (hive.Batch, error)
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	// AdhocRevision stores a definition as a revision of its own.
	AdhocRevision(ctx context.Context, document, hash, by string, now time.Time) (hive.Revision, error)
	// CreateBatch stores a batch, or returns the one that has its key already.
	CreateBatch(ctx context.Context, server hive.Server, b hive.NewBatch) (hive.Batch, error)
}

// Config holds the dependencies of a Driver.
type Config struct {
	Store   Store
	Server  func() hive.Server // the session that owns the batches of hooks
	NewRuns func(g *graph.Graph) []hive.Run
	Adopt   func(batch int64) // called with a new batch; it must not block
	Now     func() time.Time
	Graphs  *document.Graphs // the cache of compiled revisions
	Log     *slog.Logger
}

// Driver makes the batches of hooks. Each server has one. The key of a batch names the end and the round, so it does
// not matter how many servers try at once, and when one dies: there is one batch.
type Driver struct {
	*service.Sweeper
	config Config
}

// New makes a Driver; Start sets it going. Notify tells it that a call may be stored.
func New(c Config) *Driver {
	d := &Driver{config: c}
	d.Sweeper = service.NewSweeper(func(ctx context.Context) time.Duration {
		d.RunOnce(ctx)
		return look
	})
	return d
}

// RunOnce makes the batches of all calls. One that cannot be made is tried again at the next look, and holds up no
// other. Start calls it in a loop.
func (d *Driver) RunOnce(ctx context.Context) {
	for after, more := int64(0), true; more; {
		found, err := d.config.Store.HookCalls(ctx, after, calls)
		if err != nil {
			d.note(ctx, "calls of hooks cannot be listed; trying again", 0, err)
			return
		}
		for i := range found {
			if ctx.Err() != nil {
				return
			}
			if err := d.make(ctx, &found[i]); err != nil {
				d.note(ctx, "the hooks of a batch cannot be started now; trying again", found[i].Event.Batch, err)
			}
			after = found[i].ID
		}
		more = len(found) == calls
	}
}

// make makes the batch of a call, and then deletes the call. If the server dies in between, the next one finds the
// batch by its key. The owner of the batch may not know of it, if the answer of the store was lost. So only the owner
// deletes the call before the batch has begun.
func (d *Driver) make(ctx context.Context, c *hive.HookCall) error {
	made, err := d.create(ctx, c)
	if err != nil && hive.CodeOf(err) != hive.CodeNotFound { // what ended may have been deleted meanwhile
		return err
	}
	if made.Live {
		switch {
		case made.Owner == d.config.Server().ID:
			d.config.Adopt(made.ID)
		case made.State == hive.BatchQueued:
			return nil
		}
	}
	return d.config.Store.EndHookCall(ctx, c.ID)
}

// create stores the batch of a call. It is empty if the revision has no such hooks.
func (d *Driver) create(ctx context.Context, c *hive.HookCall) (hive.Batch, error) {
	of, err := d.config.Store.Batch(ctx, c.Event.Batch)
	if err != nil {
		return hive.Batch{}, err
	}
	rev, err := d.config.Store.Revision(ctx, c.RevisionID)
	if err != nil {
		return hive.Batch{}, err
	}
	g, err := d.config.Graphs.Compile(&rev)
	if err != nil {
		return hive.Batch{}, err
	}
	def := Definition(g, &c.Event)
	if def == nil {
		return hive.Batch{}, nil
	}
	doc, faults := document.FromDefinition(def, document.Options{Stored: true})
	if doc == nil {
		return hive.Batch{}, &hive.Error{
			Code: hive.CodeInternal, Words: "the definition of the hooks cannot be written", Faults: faults,
		}
	}
	now := d.config.Now().UTC().Truncate(time.Millisecond)
	own, err := d.config.Store.AdhocRevision(ctx, string(doc.Canonical), doc.Hash, of.CreatedBy, now)
	if err != nil {
		return hive.Batch{}, err
	}
	compiled, err := d.config.Graphs.Compile(&own)
	if err != nil {
		return hive.Batch{}, err
	}
	event := c.Event
	server := d.config.Server()
	return d.config.Store.CreateBatch(ctx, server, hive.NewBatch{
		Key: event.BatchKey(), Runs: d.config.NewRuns(compiled), Batch: hive.Batch{
			RevisionID: own.ID, Kind: hive.KindHook, State: hive.BatchQueued, Wish: hive.WishRun, Round: 1,
			Moment: of.Moment, Params: of.Params, CreatedAt: now, CreatedBy: of.CreatedBy, Owner: server.ID, Live: true,
			Hook: &event,
		},
	})
}

func (d *Driver) note(ctx context.Context, words string, batch int64, err error) {
	level := slog.LevelError
	if errors.Is(err, hive.ErrSessionLost) || errors.Is(err, hive.ErrConnection) {
		level = slog.LevelWarn
	}
	if ctx.Err() == nil {
		d.config.Log.Log(ctx, level, words, "batch", batch, "error", err)
	}
}
