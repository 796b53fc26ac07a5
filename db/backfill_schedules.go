package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// shownSkips is how many skipped moments of a backfill are shown.
const shownSkips = 20

type backfillScheduleRow struct {
	bun.BaseModel `bun:"table:backfill_schedules,alias:p"`

	BackfillID int64  `bun:"backfill_id,pk"`
	Position   int    `bun:"position,pk"`
	ScheduleID int64  `bun:"schedule_id"`
	Schedule   string `bun:"schedule,scanonly"` // joined
	RevisionID int64  `bun:"revision_id"`
	Revision   int64  `bun:"revision"`
	First      int64  `bun:"first"`
	Last       int64  `bun:"last"`
}

func backfillSchedulesOf(id int64, list []hive.BackfillSchedule) []*backfillScheduleRow {
	out := make([]*backfillScheduleRow, len(list))
	for i := range list {
		s := &list[i]
		out[i] = &backfillScheduleRow{
			BackfillID: id, Position: i, ScheduleID: s.ScheduleID, RevisionID: s.RevisionID, Revision: s.Revision,
			First: ms(s.First), Last: ms(s.Last),
		}
	}
	return out
}

// counted turns rows into backfills with their schedules, their counts, and what they skip.
func (s *Store) counted(ctx context.Context, q bun.IDB, rows []*backfillRow) ([]hive.Backfill, error) {
	list := make([]hive.Backfill, len(rows))
	ids := make([]int64, len(rows))
	place := make(map[int64]int, len(rows))
	for i, r := range rows {
		b, err := r.hive()
		if err != nil {
			return nil, err
		}
		list[i], ids[i], place[r.ID] = b, r.ID, i
	}
	if len(rows) == 0 {
		return list, nil
	}
	counts, err := countMoments(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	var schedules []*backfillScheduleRow
	err = q.NewSelect().Model(&schedules).ColumnExpr("p.*").ColumnExpr("s.name AS schedule").
		Join("JOIN schedules AS s ON s.id = p.schedule_id").Where("p.backfill_id IN (?)", bun.List(ids)).
		Order("p.backfill_id", "p.position").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the schedules of the backfills: %w", err)
	}
	for _, r := range schedules {
		b := &list[place[r.BackfillID]]
		b.Schedules = append(b.Schedules, hive.BackfillSchedule{
			ScheduleID: r.ScheduleID, Schedule: r.Schedule, RevisionID: r.RevisionID, Revision: r.Revision,
			First: moment(r.First), Last: moment(r.Last),
		})
		of := &b.Schedules[len(b.Schedules)-1].Counts
		for _, c := range counts {
			if c.BackfillID == r.BackfillID && c.ScheduleID == r.ScheduleID {
				add(of, c.Progress, c.N)
				add(&b.Counts, c.Progress, c.N)
			}
		}
	}
	for i := range list {
		if list[i].Counts.Skipped > 0 {
			if list[i].Skipped, err = skipsOf(ctx, q, list[i].ID); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// momentCount is the number of moments of a schedule in a backfill with one progress.
type momentCount struct {
	BackfillID int64  `bun:"backfill_id"`
	ScheduleID int64  `bun:"schedule_id"`
	Progress   string `bun:"progress"`
	N          int    `bun:"n"`
}

func countMoments(ctx context.Context, q bun.IDB, ids []int64) (counts []momentCount, err error) {
	err = q.NewRaw("SELECT m.backfill_id, m.schedule_id, "+progressOf+" AS progress, count(*) AS n "+
		"FROM backfill_moments AS m"+progressJoins+"WHERE m.backfill_id IN (?) GROUP BY 1, 2, 3", bun.List(ids)).
		Scan(ctx, &counts)
	if err != nil {
		return nil, fmt.Errorf("count the moments: %w", err)
	}
	return counts, nil
}

func add(c *hive.BackfillCounts, progress string, n int) {
	switch progress {
	case string(hive.ActWaiting):
		c.Waiting += n
	case string(hive.ActKept):
		c.Kept += n
	case string(hive.ActSkipped):
		c.Skipped += n
	case string(hive.BatchSucceeded):
		c.Succeeded += n
	case string(hive.BatchFailed):
		c.Failed += n
	case string(hive.BatchCanceled):
		c.Canceled += n
	default:
		c.Running += n
	}
}

// skipsOf lists the first of the moments that a backfill skips.
func skipsOf(ctx context.Context, q bun.IDB, id int64) ([]hive.BackfillSkip, error) {
	var rows []struct {
		Schedule       string
		Moment         int64
		Upstream       string
		UpstreamMoment int64
		BatchID        int64
	}
	err := q.NewRaw("SELECT s.name AS schedule, m.moment, coalesce(us.name, '') AS upstream, "+
		"coalesce(u.moment, 0) AS upstream_moment, coalesce(u.batch_id, 0) AS batch_id FROM backfill_moments AS m "+
		"JOIN schedules AS s ON s.id = m.schedule_id "+
		"LEFT JOIN backfill_moments AS u ON u.backfill_id = m.backfill_id AND u.position = m.skipped_for "+
		"LEFT JOIN schedules AS us ON us.id = u.schedule_id "+
		"WHERE m.backfill_id = ? AND m.act = 'waiting' AND m.skipped_for >= 0 ORDER BY m.position LIMIT ?",
		id, shownSkips).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read the skipped moments: %w", err)
	}
	out := make([]hive.BackfillSkip, len(rows))
	for i, r := range rows {
		out[i] = hive.BackfillSkip{
			Schedule: r.Schedule, Moment: moment(r.Moment), Upstream: r.Upstream,
			UpstreamMoment: moment(r.UpstreamMoment), Batch: r.BatchID,
		}
	}
	return out, nil
}

// momentsRow is a moment of a backfill with the batch that it got, and the latest one that its schedule has for it.
type momentsRow struct {
	Position   int
	ScheduleID int64
	Moment     int64
	Needs      string
	SkippedFor int
	Outcome    string
	BatchID    int64
	FinishedAt int64
	HasID      int64
	HasState   string
	HasLive    bool
	HasCreated int64
	HasRound   int64
}

// allMoments reads all moments of a backfill, in their order.
func allMoments(ctx context.Context, q bun.IDB, id int64) ([]hive.BackfillMoment, error) {
	var rows []momentsRow
	err := q.NewRaw("SELECT m.position, m.schedule_id, m.moment, CASE WHEN m.act = 'waiting' THEN m.needs ELSE '' END "+
		"AS needs, m.skipped_for, CASE WHEN m.act = 'waiting' THEN '' WHEN c.state = 'refused' THEN 'failed' "+
		"WHEN b.live OR c.state = 'pending' THEN 'running' ELSE coalesce(b.state, 'canceled') END AS outcome, "+
		"m.batch_id, coalesce(b.finished_at, 0) AS finished_at, coalesce(h.id, 0) AS has_id, "+
		"coalesce(h.state, '') AS has_state, coalesce(h.live, FALSE) AS has_live, "+
		"coalesce(h.created_at, 0) AS has_created, coalesce(h.round_at, 0) AS has_round "+
		"FROM backfill_moments AS m"+progressJoins+
		"LEFT JOIN batches AS h ON m.act = 'waiting' AND h.schedule_id = m.schedule_id AND h.moment = m.moment "+
		"AND NOT EXISTS (SELECT 1 FROM batches AS n WHERE n.schedule_id = h.schedule_id AND n.moment = h.moment "+
		"AND n.id > h.id) WHERE m.backfill_id = ? ORDER BY m.position", id).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read the moments: %w", err)
	}
	out := make([]hive.BackfillMoment, len(rows))
	for i := range rows {
		r := &rows[i]
		needs, err := unpack[[]hive.BackfillNeed](r.Needs)
		if err != nil {
			return nil, fmt.Errorf("moment %d of backfill %d: %w", r.Position, id, err)
		}
		out[i] = hive.BackfillMoment{
			Position: r.Position, ScheduleID: r.ScheduleID, Moment: moment(r.Moment), Needs: needs,
			Outcome: hive.BatchState(r.Outcome), Got: r.BatchID, FinishedAt: at(r.FinishedAt), SkippedFor: r.SkippedFor,
		}
		if r.HasID != 0 {
			out[i].Batch = &hive.Batch{
				ID: r.HasID, ScheduleID: r.ScheduleID, Moment: moment(r.Moment), State: hive.BatchState(r.HasState),
				Live: r.HasLive, CreatedAt: at(r.HasCreated), RoundAt: at(r.HasRound),
			}
		}
	}
	return out, nil
}
