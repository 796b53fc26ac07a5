package db

import (
	"context"

	"github.com/uptrace/bun"
)

// occupied is the condition that the schedule of a batch has another batch that runs, or that is about to start because
// it does not wait for others. The batch is the row of table batches in the query around it. Batches of backfills do
// not count, unless a person has resumed them.
const occupied = "EXISTS (SELECT 1 FROM batches AS o WHERE o.live AND o.schedule_id = batches.schedule_id " +
	"AND o.id <> batches.id AND (o.kind <> 'backfill' OR o.round > 1) " +
	"AND (o.state = 'running' OR o.reason <> 'queued'))"

// queuedBefore is the condition that another server has an older queued batch of the same schedule. An owner itself
// knows the order of its own.
const queuedBefore = "EXISTS (SELECT 1 FROM batches AS o WHERE o.live AND o.schedule_id = batches.schedule_id " +
	"AND o.id < batches.id AND o.owner <> batches.owner AND o.wish <> 'pause' AND o.kind <> 'backfill')"

// QueuedBehind returns which of these queued batches wait for another batch of their schedule, in the order of their
// ids. The answer may be outdated when it comes; the guard of a commit (hive.BatchChange.Alone) decides.
func (s *Store) QueuedBehind(ctx context.Context, batches []int64) ([]int64, error) {
	var waiting []int64
	err := s.r.NewRaw("SELECT id FROM batches WHERE id IN (?) AND ("+occupied+" OR "+queuedBefore+") ORDER BY id",
		bun.List(batches)).Scan(ctx, &waiting)
	return waiting, s.fault("check queued batches", err)
}
