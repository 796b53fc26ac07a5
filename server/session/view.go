package session

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// View returns the state of a batch in memory, including changes that are not stored yet. It returns false if the batch
// is neither in memory nor stuck.
func (k *Keeper) View(batch int64) (hive.LiveView, bool) {
	v, ok := k.owner.View(batch)
	v.Stuck = k.stuck.why(batch)
	return v, ok || k.stuck.has(batch)
}

// Summary returns the short form of View, and false if the batch is neither in memory nor stuck.
func (k *Keeper) Summary(batch int64) (hive.BatchSummary, bool) {
	s, ok := k.owner.Summary(batch)
	s.Stuck = k.stuck.has(batch)
	return s, ok || s.Stuck
}

// Published returns a batch as observers know it; false if it is neither in memory nor stuck.
func (k *Keeper) Published(batch int64) (hive.PublishedBatch, bool) {
	p, ok := k.owner.Published(batch)
	p.Stuck = k.stuck.why(batch)
	return p, ok || k.stuck.has(batch)
}

// Batches returns the ids of the batches that are in memory or stuck.
func (k *Keeper) Batches() []int64 { return append(k.owner.LiveBatches(), k.stuck.ids()...) }

// PublishedRows returns all batches in memory as observers know them, with their counts, ordered by id.
func (k *Keeper) PublishedRows() []hive.Batch { return k.owner.PublishedRows() }

// Totals counts what is in memory. Between two sessions that is nothing.
func (k *Keeper) Totals(now time.Time) hive.LiveTotals {
	t := k.owner.Totals()
	t.Stuck = len(k.stuck.ids())
	t.LeaseLeft = max(k.until.Sub(now), 0)
	return t
}

// AllPublished reports whether everything stored is published. Between two sessions it is true, because nothing more
// will be published.
func (k *Keeper) AllPublished() bool { return k.over || k.owner.AllPublished() }
