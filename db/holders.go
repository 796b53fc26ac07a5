package db

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// The bounds of a search for slot holders: the ends of batches and the batches that it looks at.
const (
	holderEnds    = 3_000
	holderBatches = 200
)

// SlotHolders finds the batches, except one, that had attempts on executors during a time. Of the batches that have
// ended, it looks at those that ended the soonest after the begin of that time; adhoc ones among them are left out,
// because the index batches_ended does not have them.
func (s *Store) SlotHolders(ctx context.Context, except int64, executors []string, in hive.Span) (hive.SlotHolders,
	error,
) {
	var out hive.SlotHolders
	from, to := ms(in.From), ms(in.To)
	var ended []struct {
		ID      int64
		RoundAt int64
	}
	err := s.r.NewRaw("SELECT id, round_at FROM batches WHERE finished_at > 0 AND kind <> 'adhoc' "+
		"AND finished_at > ? ORDER BY finished_at LIMIT ?", from, holderEnds).Scan(ctx, &ended)
	if err != nil {
		return out, s.fault("find batches of a time", err)
	}
	out.More = len(ended) == holderEnds
	var ids []int64
	err = s.r.NewRaw("SELECT id FROM batches WHERE live AND round_at > 0 AND round_at < ? AND id <> ? "+
		"ORDER BY id LIMIT ?", to, except, holderBatches).Scan(ctx, &ids)
	if err != nil {
		return out, s.fault("find live batches of a time", err)
	}
	for _, b := range ended {
		if b.RoundAt >= to || b.ID == except {
			continue
		}
		if len(ids) == holderBatches {
			out.More = true
			break
		}
		ids = append(ids, b.ID)
	}
	if len(ids) == 0 {
		return out, nil
	}
	var rows []struct {
		ID       int64
		Schedule string
		Moment   int64
		Tasks    int
		Held     int64
	}
	end := "CASE WHEN a.finished_at > 0 AND a.finished_at < ?1 THEN a.finished_at ELSE ?1 END"
	begin := "CASE WHEN a.started_at > ?0 THEN a.started_at ELSE ?0 END"
	query := strings.Join([]string{
		"SELECT b.id, coalesce(s.name, '') AS schedule, b.moment, count(*) AS tasks,",
		"CAST(sum(" + end + " - " + begin + ") AS BIGINT) AS held",
		"FROM attempts AS a JOIN batches AS b ON b.id = a.batch_id LEFT JOIN schedules AS s ON s.id = b.schedule_id",
		"WHERE a.batch_id IN (?2) AND a.executor IN (?3) AND a.started_at > 0 AND a.started_at < ?1",
		"AND (a.finished_at = 0 OR a.finished_at > ?0)",
		"GROUP BY b.id, s.name, b.moment ORDER BY held DESC, b.id LIMIT ?4",
	}, " ")
	err = s.r.NewRaw(query, from, to, bun.List(ids), bun.List(executors), hive.MostSlotHolders+1).Scan(ctx, &rows)
	if err != nil {
		return out, s.fault("find slot holders", err)
	}
	if len(rows) > hive.MostSlotHolders {
		rows, out.More = rows[:hive.MostSlotHolders], true
	}
	for _, r := range rows {
		out.List = append(out.List, hive.SlotHolder{
			Batch: r.ID, Schedule: r.Schedule, Moment: moment(r.Moment), Tasks: r.Tasks,
			Held: time.Duration(r.Held) * time.Millisecond,
		})
	}
	return out, nil
}
