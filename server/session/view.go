package session

import "github.com/rprp/hivego/server/hive"

// View answers a batch as it is in memory, provisional changes included; false if it is neither there nor stuck.
func (k *Keeper) View(batch int64) (hive.LiveView, bool) {
	v, ok := k.owner.View(batch)
	v.Stuck = k.stuck.why(batch)
	return v, ok || v.Stuck != ""
}

// Summary answers a batch in short; false if it is neither in memory nor stuck.
func (k *Keeper) Summary(batch int64) (hive.BatchSummary, bool) {
	s, ok := k.owner.Summary(batch)
	s.Stuck = k.stuck.why(batch)
	return s, ok || s.Stuck != ""
}

// Published answers a batch as observers know it; false if it is neither in memory nor stuck.
func (k *Keeper) Published(batch int64) (hive.PublishedBatch, bool) {
	p, ok := k.owner.Published(batch)
	p.Stuck = k.stuck.why(batch)
	return p, ok || p.Stuck != ""
}

// Batches answers the ids of the batches that are in memory or stuck.
func (k *Keeper) Batches() []int64 { return append(k.owner.LiveBatches(), k.stuck.ids()...) }

// PublishedRows answers all batches in memory as observers know them, with their counts, ordered by id.
func (k *Keeper) PublishedRows() []hive.Batch { return k.owner.PublishedRows() }

// AllPublished says that all that is stored was told to observers, or will never be.
func (k *Keeper) AllPublished() bool { return k.over || k.owner.AllPublished() }
