package db

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// batchesAtOnce bounds the statement that counts the runs of many batches.
const batchesAtOnce = 1000

// CountRuns counts by batch the runs in each state, as they are stored. Ended batches carry their counts themselves;
// this is for the others.
func (s *Store) CountRuns(ctx context.Context, batches []int64) (map[int64]hive.Counts, error) {
	out := make(map[int64]hive.Counts, len(batches))
	for chunk := range slices.Chunk(batches, batchesAtOnce) {
		var rows []struct {
			BatchID int64  `bun:"batch_id"`
			State   string `bun:"state"`
			N       int    `bun:"n"`
		}
		err := s.r.NewRaw("SELECT batch_id, state, count(*) AS n FROM runs WHERE batch_id IN (?) AND shard = 0 "+
			"GROUP BY batch_id, state", bun.List(chunk)).Scan(ctx, &rows)
		if err != nil {
			return nil, s.fault("count task runs", err)
		}
		for _, r := range rows {
			if out[r.BatchID] == nil {
				out[r.BatchID] = hive.Counts{}
			}
			out[r.BatchID][hive.RunState(r.State)] = r.N
		}
	}
	return out, nil
}

// Ended counts the batches that have ended since a moment, without adhoc ones. It reads only the index batches_ended,
// from that moment on: a million of them take tens of milliseconds, however many older ones there are. Daily sums would
// be quicker still. But a repair takes back the end of a batch, so each commit that opens a round would have to correct
// the sum of the right day. Batches that were pruned have such sums, as nobody repairs them: whole days of UTC after
// the moment count.
func (s *Store) Ended(ctx context.Context, since time.Time) (succeeded, ended int, err error) {
	var rows []struct {
		State string `bun:"state"`
		N     int    `bun:"n"`
	}
	err = s.r.NewRaw("SELECT state, count(*) AS n FROM batches "+
		"WHERE finished_at > 0 AND kind <> 'adhoc' AND finished_at >= ?0 GROUP BY state "+
		"UNION ALL SELECT state, sum(batches) AS n FROM daily_counts WHERE day > ?1 AND schedule_id > 0 GROUP BY state",
		ms(since), ms(since)/dayMillis).Scan(ctx, &rows)
	if err != nil {
		return 0, 0, s.fault("count ended batches", err)
	}
	for _, r := range rows {
		ended += r.N
		if r.State == string(hive.BatchSucceeded) {
			succeeded += r.N
		}
	}
	return succeeded, ended, nil
}
