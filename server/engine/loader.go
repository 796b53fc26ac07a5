package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// clerk reads what the loop asks for: batches to load, commands, ids. Work is done in the order it came, so that a
// batch's commands are never handled before the batch is there.
type loader struct {
	e          *Engine
	mu         sync.Mutex
	jobs       []func(ctx context.Context)
	signal     chan struct{}
	readFailed bool // commands could not be read at the last try, and that was said
}

func newLoader(e *Engine) *loader { return &loader{e: e, signal: make(chan struct{}, 1)} }

// do queues a job. It never blocks.
func (c *loader) enqueue(job func(ctx context.Context)) {
	c.mu.Lock()
	c.jobs = append(c.jobs, job)
	c.mu.Unlock()
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

func (c *loader) take() []func(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	jobs := c.jobs
	c.jobs = nil
	return jobs
}

func (c *loader) run(ctx context.Context) {
	tick := time.NewTicker(c.e.cfg.Sweep)
	defer tick.Stop()
	for {
		for _, job := range c.take() {
			if ctx.Err() != nil {
				return
			}
			job(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.signal:
		case <-tick.C:
			c.sweep()
		}
	}
}

// load brings a batch into the owner.
func (c *loader) load(id int64) {
	c.enqueue(func(ctx context.Context) { c.loadNow(ctx, id) })
}

func (c *loader) loadNow(ctx context.Context, id int64) {
	if img, epoch, ok := c.readOne(ctx, id); ok {
		c.install(ctx, img, epoch)
	}
}

// Limits of batches that are read together. All graphs that are made ahead of the loop are still remembered when it
// gets there (document.Graphs).
const (
	loadTogether = 50   // enough that one costs little more than its rows
	largeBatch   = 1000 // of one batch; after a larger one the loop is waited for
)

// loadAll brings many batches into the owner.
func (c *loader) loadAll(ids []int64) {
	for some := range slices.Chunk(ids, loadTogether) {
		c.enqueue(func(ctx context.Context) { c.loadSome(ctx, some, false) })
	}
}

// loadSome brings batches into the owner that are read together. With later it leaves out those that are queued, and
// answers them.
func (c *loader) loadSome(ctx context.Context, ids []int64, later bool) (queued []int64) {
	images, epoch, err := c.snapshots(ctx, ids...)
	if err != nil || len(images) != len(ids) { // one of them, perhaps: find out which
		for _, id := range ids {
			img, epoch, ok := c.readOne(ctx, id)
			switch {
			case !ok:
			case later && img.Batch.State == hive.BatchQueued:
				queued = append(queued, id)
			default:
				c.install(ctx, img, epoch)
			}
		}
		return queued
	}
	for i := range images {
		if later && images[i].Batch.State == hive.BatchQueued {
			queued = append(queued, images[i].Batch.ID)
			continue
		}
		c.prepare(&images[i])
		c.install(ctx, images[i], epoch)
		if len(images[i].Runs) > largeBatch && c.e.ask(ctx, func(time.Time) {}) != nil {
			return queued
		}
	}
	return queued
}

// read gets the image of a batch.
func (c *loader) readOne(ctx context.Context, id int64) (img hive.BatchSnapshot, epoch int64, ok bool) {
	images, epoch, err := c.snapshots(ctx, id)
	if err == nil && len(images) == 0 {
		err = fmt.Errorf("there is no batch %d", id)
		// the database went back: it holds up no other batch
		c.e.post(ctx, func(now time.Time) { c.e.owner.Disown(now, id) })
	}
	if err != nil {
		if ctx.Err() == nil {
			c.e.post(ctx, func(now time.Time) { c.e.markStuck(now, id, fmt.Errorf("it cannot be loaded: %w", err)) })
		}
		return img, epoch, false
	}
	c.prepare(&images[0])
	return images[0], epoch, true
}

// prepare makes the graph of a batch here, not in the loop; that finds it made, or tells the fault.
func (c *loader) prepare(img *hive.BatchSnapshot) { _, _ = c.e.cfg.Graphs.Compile(&img.Revision) }

// images gets the images of batches. They hold good in the session in which they were read, until the next are asked
// for.
func (c *loader) snapshots(ctx context.Context, ids ...int64) ([]hive.BatchSnapshot, int64, error) {
	e := c.e
	limited, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	var session int64
	if err := e.ask(ctx, func(time.Time) { session = e.session.epoch(); e.owner.BeginRead(ids...) }); err != nil {
		return nil, 0, err // the loop may still write to session
	}
	epoch := session
	images, err := e.cfg.Store.BatchSnapshots(limited, ids)
	return images, epoch, err
}

func (c *loader) install(ctx context.Context, img hive.BatchSnapshot, epoch int64) {
	e, id := c.e, img.Batch.ID
	e.post(ctx, func(now time.Time) {
		switch {
		case e.lapsed: // the next session loads what it owns
			e.waiters.release(id)
		case e.session.epoch() != epoch, // somebody else may have owned it meanwhile
			!e.owner.ReadStillValid(id):
			c.load(id)
		case img.Batch.Owner != e.cfg.Server.ID: // somebody else decides it, also when it has ended
			e.unstick(id)
			e.owner.Disown(now, id)
			e.waiters.release(id)
		default:
			e.unstick(id)
			had := e.owner.Has(id)
			if err := e.owner.Load(now, img); err != nil {
				e.markStuck(now, id, err)
			} else if !had {
				e.notifier.commit(e.owner.LoadedDeltas(id), nil)
			}
		}
	})
}

// claim loads all batches that this server owns now, and looks for their commands. The executors come first: what
// they have of a batch is not lost because they registered with another server. Queued batches come last: they wait
// for others of their schedule, so those must be there.
func (c *loader) loadOwned() {
	c.enqueue(func(ctx context.Context) {
		ids, err := c.listOwned(ctx)
		if err != nil {
			if ctx.Err() == nil {
				c.e.cfg.Log.Error("live batches cannot be listed", "error", err)
				wait(ctx, time.Second)
				c.loadOwned()
			}
			return
		}
		var queued []int64
		for some := range slices.Chunk(ids, loadTogether) {
			if ctx.Err() != nil {
				return
			}
			queued = append(queued, c.loadSome(ctx, some, true)...)
		}
		for some := range slices.Chunk(queued, loadTogether) {
			c.loadSome(ctx, some, false)
		}
		c.sweep()
	})
}

// owned lists the batches of this server, after it has told the loop of all executors.
func (c *loader) listOwned(ctx context.Context) ([]int64, error) {
	limited, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	asked := c.e.cfg.Now()
	stored, err := c.e.cfg.Store.Executors(limited)
	if err != nil {
		return nil, err
	}
	c.e.post(ctx, func(now time.Time) { c.e.cfg.Driver.Learn(now, stored, asked) })
	return c.e.cfg.Store.LiveBatches(limited, c.e.cfg.Server.ID)
}

// command handles what people want of a batch.
func (c *loader) loadCommands(batch int64) {
	c.enqueue(func(ctx context.Context) {
		limited, cancel := context.WithTimeout(ctx, readWithin)
		defer cancel()
		cmds, err := c.e.cfg.Store.BatchCommands(limited, batch)
		c.handle(ctx, cmds, err)
	})
}

// sweep looks for commands that were stored while nobody listened.
func (c *loader) sweep() {
	c.enqueue(func(ctx context.Context) {
		limited, cancel := context.WithTimeout(ctx, readWithin)
		defer cancel()
		cmds, err := c.e.cfg.Store.PendingCommands(limited, c.e.cfg.Server.ID)
		c.handle(ctx, cmds, err)
	})
}

// handle gives commands to the owner, unless they could not be read: then the next sweep finds them.
func (c *loader) handle(ctx context.Context, cmds []hive.Command, err error) {
	if err != nil && ctx.Err() == nil && !c.readFailed {
		c.e.cfg.Log.Error("commands cannot be read", "error", err)
	}
	c.readFailed = err != nil
	for i := range cmds {
		cmd := cmds[i]
		latest, rev, refusal := c.revision(ctx, &cmd)
		if refusal != nil && hive.CodeOf(refusal) == hive.CodeInternal { // the store's fault, not the command's
			c.e.cfg.Log.Error("the revision of a repair cannot be read", "command", cmd.ID, "error", refusal)
			continue
		}
		var has, stuck bool
		err = c.e.ask(ctx, func(time.Time) {
			has, stuck = c.e.owner.Has(cmd.BatchID), c.e.stuck.why(cmd.BatchID) != ""
		})
		switch {
		case err != nil: // the engine ends
			return
		case stuck: // it waits with its batch, and is found again
			continue
		case !has:
			c.loadNow(ctx, cmd.BatchID)
		}
		c.e.post(ctx, func(now time.Time) {
			if refusal != nil {
				c.e.owner.RefuseCommand(now, cmd, refusal)
			} else {
				c.e.owner.HandleCommand(now, cmd, latest, rev)
			}
		})
	}
}

// revision reads the revision that a repair asks for; nil if it asks for none.
func (c *loader) revision(ctx context.Context, cmd *hive.Command) (*graph.Graph, hive.Revision, error) {
	var req hive.PlanRequest
	if cmd.Kind != hive.CommandRepair || json.Unmarshal(cmd.Payload, &req) != nil || req.RevisionID == 0 {
		return nil, hive.Revision{}, nil
	}
	limited, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	rev, err := c.e.cfg.Store.Revision(limited, req.RevisionID)
	if err != nil {
		return nil, rev, err
	}
	g, err := c.e.cfg.Graphs.Compile(&rev)
	if err != nil {
		c.e.cfg.Log.Error("a stored revision is not understood", "revision", rev.ID, "error", err)
		return nil, rev, hive.Errorf(hive.CodeConflict, "revision %d cannot be read any more; save the schedule again",
			rev.Number).
			WithReason(hive.ErrorUnreadable, "revision", rev.Number)
	}
	return g, rev, nil
}
