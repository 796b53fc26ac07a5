package retention

import (
	"context"
	"errors"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

const (
	every      = time.Hour            // from the end of a pass to the next one
	elsewhere  = 10 * time.Minute     // until a look whether the server that prunes is still there
	startAfter = time.Minute          // a start has more urgent work
	lease      = time.Minute          // how long others wait for a server that has died
	renew      = 10 * time.Second     // how often the lease is renewed
	pause      = 5 * time.Millisecond // between two chunks at least, in which others get their turn
	gentle     = 4                    // the pause is so many times as long as the chunk before, but
	longest    = time.Second          // no longer than this
	measure    = 6 * time.Hour        // from one measurement of the disk to the next
)

// Driver lets a Service work by itself. Each server has one; one of them prunes at a time.
type Driver struct {
	*service.Sweeper
	service *Service

	started  time.Time
	renewed  time.Time
	measured time.Time
}

// NewDriver makes a Driver; Start sets it going.
func NewDriver(s *Service) *Driver {
	d := &Driver{service: s}
	d.Sweeper = service.NewSweeper(d.RunOnce)
	return d
}

// RunOnce does what is due, and returns the time until the next call. Start calls it in a loop.
func (d *Driver) RunOnce(ctx context.Context) time.Duration {
	now := d.service.now()
	if d.started.IsZero() {
		d.started = now
	}
	if wait := d.started.Add(startAfter).Sub(now); wait > 0 {
		return wait
	}
	if !now.Before(d.measured.Add(measure)) {
		if err := d.service.Measure(ctx); err != nil {
			d.note(ctx, "the disk use cannot be measured; trying again later", err)
		}
		d.measured = now
	}
	d.renewed = time.Time{}
	if d.service.config.Doubt() || !d.hold(ctx) {
		return elsewhere
	}
	begun := d.service.config.Now()
	out, err := d.service.pass(ctx, "", nil, func(ctx context.Context) bool {
		took := d.service.config.Now().Sub(begun)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(min(max(gentle*took, pause), longest)):
		}
		begun = d.service.config.Now()
		return !d.service.config.Doubt() && d.hold(ctx)
	})
	if err != nil {
		d.note(ctx, "old data cannot be deleted now; trying again later", err)
		return elsewhere
	}
	if out.PruneCounts != (hive.PruneCounts{}) {
		d.service.config.Log.InfoContext(ctx, "old data was deleted", "batches", out.Batches, "runs", out.Runs,
			"ticks", out.Ticks, "drafts", out.Drafts, "log_bytes", out.LogBytes)
	}
	if out.More {
		return elsewhere
	}
	return every
}

// hold reports whether this server may prune, and renews its lease from time to time.
func (d *Driver) hold(ctx context.Context) bool {
	now := d.service.now()
	if now.Before(d.renewed.Add(renew)) && !now.Before(d.renewed) {
		return true
	}
	held, err := d.service.config.Lease.HoldPruning(ctx, d.service.config.Server().ID, lease)
	if err != nil {
		d.note(ctx, "the lease of pruning cannot be renewed", err)
		return false
	}
	d.renewed = now
	return held
}

func (d *Driver) note(ctx context.Context, words string, err error) {
	log := d.service.config.Log
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, hive.ErrSessionLost), errors.Is(err, hive.ErrConnection),
		hive.CodeOf(err) == hive.CodeUnavailable: // the store of logs is away
		log.WarnContext(ctx, words, "error", err)
	default:
		log.ErrorContext(ctx, words, "error", err)
	}
}
