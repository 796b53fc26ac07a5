package db

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// nightColumns names the columns that fill a hive.NightBatch. A query with them calls the table of batches b.
const nightColumns = "b.id, b.schedule_id, b.state, b.moment, b.round_at, b.finished_at, b.counts, " +
	"(b.state = 'failed' AND b.closed_note = '' AND " + sameDate + ") AS open"

type nightRow struct {
	ID         int64  `bun:"id"`
	ScheduleID int64  `bun:"schedule_id"`
	State      string `bun:"state"`
	Moment     int64  `bun:"moment"`
	RoundAt    int64  `bun:"round_at"`
	FinishedAt int64  `bun:"finished_at"`
	Counts     string `bun:"counts"`
	Open       bool   `bun:"open"`
}

func nightBatches(rows []nightRow) ([]hive.NightBatch, error) {
	out := make([]hive.NightBatch, len(rows))
	for i := range rows {
		r := &rows[i]
		counts, err := unpack[hive.Counts](r.Counts)
		if err != nil {
			return nil, err
		}
		out[i] = hive.NightBatch{
			ID: r.ID, Schedule: r.ScheduleID, State: hive.BatchState(r.State), Moment: moment(r.Moment),
			Begin: at(r.RoundAt), End: at(r.FinishedAt), Open: r.Open, Counts: counts,
		}
	}
	return out, nil
}

// LatestEnds lists the batches that ended in a span, the latest ends first, at most limit; with failed, only those that
// failed. It walks down the index batches_ended, so it reads no batch that it does not return. Batches of archived
// schedules are among them.
func (s *Store) LatestEnds(ctx context.Context, in hive.Span, failed bool, limit int) ([]hive.NightBatch, error) {
	only := ""
	if failed {
		only = " AND b.state = 'failed'"
	}
	var rows []nightRow
	err := s.r.NewRaw("SELECT "+nightColumns+" FROM batches AS b WHERE b.finished_at > 0 AND b.kind <> 'adhoc' "+
		"AND b.finished_at >= ? AND b.finished_at < ?"+only+" ORDER BY b.finished_at DESC LIMIT ?",
		ms(in.From), ms(in.To), limit).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list the latest ends", err)
	}
	return nightBatches(rows)
}

// EndedWithin lists by schedule the batches that ran in a span and have ended, latest first, at most limit of each.
// Without those that ended more than two weeks after the span: a span of last year would else be searched for among all
// batches since then.
func (s *Store) EndedWithin(ctx context.Context, schedules []int64, in hive.Span, limit int,
) (map[int64][]hive.NightBatch, error) {
	rows, err := forSchedules[nightRow](ctx, s, schedules, "SELECT "+nightColumns+" FROM batches AS b "+
		"WHERE b.schedule_id = ? AND b.finished_at > 0 AND b.finished_at >= ? AND b.finished_at < ? "+
		"AND b.round_at < ? ORDER BY b.finished_at DESC LIMIT ?",
		ms(in.From), ms(in.To.Add(hive.MostNightTime)), ms(in.To), limit)
	if err != nil {
		return nil, s.fault("list the batches of a time", err)
	}
	list, err := nightBatches(rows)
	out := make(map[int64][]hive.NightBatch, len(schedules))
	for i := range list {
		out[list[i].Schedule] = append(out[list[i].Schedule], list[i])
	}
	return out, err
}

// SoonSchedules lists the schedules that may have a tick up to a time, at most limit of each kind: those whose ticks
// wait for other schedules, and those whose next tick is the soonest. Without disabled and archived ones.
func (s *Store) SoonSchedules(ctx context.Context, until time.Time, limit int) (waiting, soon []int64, err error) {
	err = s.r.NewRaw("SELECT t.schedule_id FROM ticks AS t JOIN schedules AS s ON s.id = t.schedule_id "+
		"WHERE t.decision = 'waiting' AND s.enabled AND s.archived_at = 0 "+
		"GROUP BY t.schedule_id ORDER BY t.schedule_id LIMIT ?", limit).Scan(ctx, &waiting)
	if err != nil {
		return nil, nil, s.fault("list waiting schedules", err)
	}
	err = s.r.NewRaw("SELECT id FROM schedules WHERE next_at <= ? AND enabled AND archived_at = 0 "+
		"ORDER BY next_at LIMIT ?", ms(until), limit).Scan(ctx, &soon)
	return waiting, soon, s.fault("list the schedules that are due soon", err)
}

// RunTimes returns when the tasks of batches ran in their latest attempts. The end of a task that runs is zero.
func (s *Store) RunTimes(ctx context.Context, batches []int64) ([]hive.Span, error) {
	var out []hive.Span
	for start := 0; start < len(batches); start += schedulesAtOnce {
		chunk := batches[start:min(start+schedulesAtOnce, len(batches))]
		var rows []struct {
			StartedAt  int64
			FinishedAt int64
		}
		err := s.r.NewRaw("SELECT started_at, finished_at FROM runs WHERE batch_id IN (?) AND started_at > 0 "+
			"AND shard = 0 ORDER BY batch_id, number", bun.List(chunk)).Scan(ctx, &rows)
		if err != nil {
			return nil, s.fault("read when tasks ran", err)
		}
		for _, r := range rows {
			out = append(out, hive.Span{From: at(r.StartedAt), To: at(r.FinishedAt)})
		}
	}
	return out, nil
}

// sameDate is the condition that no later batch of the logical date of batch b has succeeded. A success of another date
// does not settle a failure.
const sameDate = "NOT EXISTS (SELECT 1 FROM batches AS n WHERE n.schedule_id = b.schedule_id " +
	"AND n.moment = b.moment AND n.id > b.id AND n.state = 'succeeded')"

// notSettled is the condition that batch b of schedule s failed and that nobody has settled it.
const notSettled = "b.state = 'failed' AND b.closed_note = '' AND s.archived_at = 0 AND " + sameDate

// CountOpen counts the failed batches of schedules that nobody has settled. It reads the index batches_failed, and for
// each of its entries the batches of the same date.
func (s *Store) CountOpen(ctx context.Context) (int, error) {
	var n int
	err := s.r.NewRaw("SELECT count(*) FROM batches AS b JOIN schedules AS s ON s.id = b.schedule_id WHERE "+
		notSettled).Scan(ctx, &n)
	return n, s.fault("count open batches", err)
}

// CountOpenOf counts the failed batches of schedules that nobody has settled, by schedule, like CountOpen.
func (s *Store) CountOpenOf(ctx context.Context, schedules []int64) (map[int64]int, error) {
	out := map[int64]int{}
	for chunk := range slices.Chunk(schedules, schedulesAtOnce) {
		var rows []struct {
			ScheduleID int64 `bun:"schedule_id"`
			Open       int   `bun:"open"`
		}
		err := s.r.NewRaw("SELECT b.schedule_id, count(*) AS open FROM batches AS b "+
			"JOIN schedules AS s ON s.id = b.schedule_id WHERE b.schedule_id IN (?) AND "+notSettled+
			" GROUP BY b.schedule_id", bun.List(chunk)).Scan(ctx, &rows)
		if err != nil {
			return nil, s.fault("count open batches", err)
		}
		for _, r := range rows {
			out[r.ScheduleID] = r.Open
		}
	}
	return out, nil
}

type openRow struct {
	ID         int64  `bun:"id"`
	ScheduleID int64  `bun:"schedule_id"`
	Schedule   string `bun:"schedule"`
	Kind       string `bun:"kind"`
	Round      int    `bun:"round"`
	Moment     int64  `bun:"moment"`
	FinishedAt int64  `bun:"finished_at"`
	Counts     string `bun:"counts"`
}

// OpenBatches lists the failed batches of schedules that nobody has settled and whose ids are below before, newest
// first, at most limit; from the newest if before is 0. Each has the task that failed first, and who is on it. The
// order is that of a sum, so that no planner walks down all batches in search of the few that failed.
func (s *Store) OpenBatches(ctx context.Context, before int64, limit int) ([]hive.OpenBatch, error) {
	var rows []openRow
	err := s.r.NewRaw("SELECT b.id, b.schedule_id, s.name AS schedule, b.kind, b.round, b.moment, b.finished_at, "+
		"b.counts FROM batches AS b JOIN schedules AS s ON s.id = b.schedule_id WHERE (?0 = 0 OR b.id < ?0) AND "+
		notSettled+" ORDER BY b.id + 0 DESC LIMIT ?1", before, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list open batches", err)
	}
	out := make([]hive.OpenBatch, len(rows))
	byID := make(map[int64]*hive.OpenBatch, len(rows))
	ids := make([]int64, len(rows))
	for i := range rows {
		r := &rows[i]
		counts, err := unpack[hive.Counts](r.Counts)
		if err != nil {
			return nil, err
		}
		out[i] = hive.OpenBatch{
			ID: r.ID, ScheduleID: r.ScheduleID, Schedule: r.Schedule, Kind: hive.BatchKind(r.Kind), Round: r.Round,
			Moment: moment(r.Moment), FailedAt: at(r.FinishedAt), Counts: counts,
		}
		ids[i], byID[r.ID] = r.ID, &out[i]
	}
	if len(ids) == 0 {
		return out, nil
	}
	if err := s.addErrors(ctx, ids, byID); err != nil {
		return nil, s.fault("read what failed", err)
	}
	return out, s.fault("read who is on open batches", s.addTakers(ctx, ids, byID))
}

// addErrors adds to batches the task that failed first, and the error of its latest attempt.
func (s *Store) addErrors(ctx context.Context, ids []int64, byID map[int64]*hive.OpenBatch) error {
	type failure struct {
		BatchID int64  `bun:"batch_id"`
		RunID   int64  `bun:"run_id"`
		Job     string `bun:"job"`
		Task    string `bun:"task"`
		Round   int    `bun:"round"`
		Text    string `bun:"text"`
		Reason  string `bun:"reason"`
	}
	runs, err := forSchedules[failure](ctx, s, ids, "SELECT batch_id, id AS run_id, job, task, round, detail AS text, "+
		"detail_reason AS reason FROM runs WHERE batch_id = ? AND shard = 0 AND state IN ('failed', 'unknown') "+
		"ORDER BY finished_at, number LIMIT ?", 1)
	if err != nil {
		return err
	}
	failed, rounds := make([]int64, len(runs)), make(map[int64]int, len(runs))
	for i := range runs {
		r, b := &runs[i], byID[runs[i].BatchID]
		failed[i], rounds[r.BatchID] = r.RunID, r.Round
		b.Job, b.Task, b.Error = r.Job, r.Task, r.Text
		if b.Reason, err = unpack[*hive.TextReason](r.Reason); err != nil {
			return err
		}
	}
	if len(failed) == 0 {
		return nil
	}
	var attempts []struct {
		BatchID int64  `bun:"batch_id"`
		Round   int    `bun:"round"`
		Error   string `bun:"error"`
		Reasons string `bun:"reasons"`
	}
	err = s.r.NewRaw("SELECT batch_id, round, error, reasons FROM attempts WHERE batch_id IN (?) AND run_id IN (?) "+
		"AND error <> '' AND outcome <> 'returned' ORDER BY number", bun.List(ids), bun.List(failed)).
		Scan(ctx, &attempts)
	if err != nil {
		return err
	}
	for i := range attempts { // the latest one is the last
		a, b := &attempts[i], byID[attempts[i].BatchID]
		if a.Round != rounds[a.BatchID] {
			continue
		}
		reasons, err := unpack[*hive.AttemptReasons](a.Reasons)
		if err != nil {
			return err
		}
		b.Error, b.Reason = a.Error, reasons.OfError()
	}
	return nil
}

// addTakers adds to batches who is on their open problems.
func (s *Store) addTakers(ctx context.Context, ids []int64, byID map[int64]*hive.OpenBatch) error {
	var rows []struct {
		BatchID int64  `bun:"batch_id"`
		TakenBy string `bun:"taken_by"`
	}
	err := s.r.NewRaw("SELECT batch_id, taken_by FROM alert_events WHERE batch_id IN (?) AND open AND taken_by <> '' "+
		"ORDER BY taken_at", bun.List(ids)).Scan(ctx, &rows)
	for _, r := range rows {
		byID[r.BatchID].TakenBy = r.TakenBy
	}
	return err
}
