// Package deletion carries out the deletions of schedules: chunk by chunk, so that nobody has to wait for it.
package deletion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

const (
	look  = 10 * time.Second // another server may have begun a deletion, or died during one
	pause = 20 * time.Millisecond
	rows  = 1000 // of one chunk
)

// Store is what the driver needs of the database.
type Store interface {
	// ActiveDeletions lists the ids of the deletions that are not finished.
	ActiveDeletions(ctx context.Context) ([]int64, error)
	// DeletionAttempts lists attempts that the next chunk may delete.
	DeletionAttempts(ctx context.Context, deletion int64, limit int) ([]hive.AttemptRef, error)
	// DeleteChunk deletes at most limit rows, of the attempts only the given ones, and reports whether none is left.
	DeleteChunk(ctx context.Context, server hive.Server, deletion int64, attempts []int64, limit int, now time.Time) (
		done bool, err error)
}

// Config holds the dependencies of a Driver.
type Config struct {
	Store  Store
	Server func() hive.Server
	// RemoveLogs deletes logs, as far as this server has them.
	RemoveLogs func(ctx context.Context, attempts []hive.AttemptRef) error
	Done       func() // called when a schedule is gone; it must not block
	Now        func() time.Time
	Log        *slog.Logger
}

// Driver carries out all deletions. Each server has one. A chunk is one transaction that holds the row of the deletion,
// so it does not matter how many servers try at once, and when one dies.
type Driver struct {
	*service.Sweeper
	config Config
}

// New makes a Driver; Start sets it going. Notify tells it that a deletion has begun.
func New(c Config) *Driver {
	d := &Driver{config: c}
	d.Sweeper = service.NewSweeper(func(ctx context.Context) time.Duration {
		if d.RunOnce(ctx) {
			return pause // others get their turn
		}
		return look
	})
	return d
}

// RunOnce deletes one chunk of each deletion, and reports whether there is more to do. Start calls it in a loop.
func (d *Driver) RunOnce(ctx context.Context) (more bool) {
	ids, err := d.config.Store.ActiveDeletions(ctx)
	if err != nil {
		d.note(ctx, "deletions cannot be listed; trying again", err)
		return false
	}
	for _, id := range ids {
		done, err := d.chunk(ctx, id)
		switch {
		case err != nil:
			d.note(ctx, "a schedule cannot be deleted now; trying again", err)
		case done:
			d.config.Done()
		default:
			more = true
		}
	}
	return more
}

// chunk deletes the logs of some attempts, and then their rows with others. Whatever happens in between, the next one
// finds the rows again.
func (d *Driver) chunk(ctx context.Context, id int64) (done bool, err error) {
	attempts, err := d.config.Store.DeletionAttempts(ctx, id, rows)
	if err != nil {
		return false, err
	}
	ids := make([]int64, len(attempts))
	for i, a := range attempts {
		ids[i] = a.ID
	}
	if err := d.config.RemoveLogs(ctx, attempts); err != nil {
		return false, fmt.Errorf("delete logs: %w", err)
	}
	now := d.config.Now().UTC().Truncate(time.Millisecond)
	return d.config.Store.DeleteChunk(ctx, d.config.Server(), id, ids, rows, now)
}

func (d *Driver) note(ctx context.Context, words string, err error) {
	level := slog.LevelError
	if errors.Is(err, hive.ErrSessionLost) || errors.Is(err, hive.ErrConnection) ||
		hive.CodeOf(err) == hive.CodeUnavailable { // the store of logs is away
		level = slog.LevelWarn
	}
	if ctx.Err() == nil {
		d.config.Log.Log(ctx, level, words, "error", err)
	}
}
