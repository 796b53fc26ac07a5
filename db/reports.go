package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// Reports read many rows. The database joins them to a few long texts, because a row for each of them takes several
// times as long, and because sorting them there for percentiles takes longer still.

// reportChunk bounds the batches of one text, and reportRunChunk those whose runs or attempts one statement reads.
const (
	reportChunk    = 20_000
	reportRunChunk = 200
)

// join returns the SQL that joins the values of the rows of a group.
func (s *Store) join(value, separator string) string {
	name := "string_agg"
	if s.file != "" {
		name = "group_concat"
	}
	return name + "(" + value + ", '" + separator + "')"
}

// reportValues are the values of a batch in the texts of ReportBatches, as reportBatch reads them.
var reportValues = [...]string{ //nolint:gochecknoglobals // it is a constant
	"b.id", "coalesce(b.schedule_id, 0)", "b.revision_id", "b.state", "b.kind", "b.round", "b.created_at", "b.moment",
	"b.started_at", "b.finished_at",
	"CASE WHEN b.finished_at > 0 THEN b.finished_at - b.round_at - b.paused_for ELSE 0 END",
}

// ReportBatches calls each with the batches that a filter selects, newest first. It reads them in parts of some
// thousands, and reports whether there are more than f.Most.
func (s *Store) ReportBatches(ctx context.Context, f hive.ReportFilter, each func(*hive.ReportBatch)) (more bool,
	err error,
) {
	values := make([]string, len(reportValues))
	for i, v := range reportValues {
		values[i] = "CAST(" + v + " AS TEXT)"
	}
	list := "coalesce(" + s.join(strings.Join(values, " || ',' || "), ";") + ", '') AS list"
	made, id := f.To.UnixMilli(), int64(0)
	for left := f.Most; ; {
		var part struct {
			List string
			N    int
		}
		limit := min(left, reportChunk)
		selected := s.reported(&f).
			Where("b.created_at <= ?0 AND (b.created_at < ?0 OR b.id < ?1)", made, id).Limit(int64(limit) + 1)
		err := s.r.NewSelect().ColumnExpr(list).ColumnExpr("count(*) AS n").TableExpr("(?) AS b", selected).
			Scan(ctx, &part)
		if err != nil {
			return false, s.fault("read batches for a report", err)
		}
		batches := make([]hive.ReportBatch, 0, part.N)
		for text := range strings.SplitSeq(part.List, ";") {
			if text == "" {
				continue
			}
			b, err := reportBatch(text)
			if err != nil {
				return false, err
			}
			batches = append(batches, b)
		}
		// The order of joined rows is not certain.
		slices.SortFunc(batches, func(a, b hive.ReportBatch) int {
			return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
		})
		for i := range batches[:min(len(batches), limit)] {
			each(&batches[i])
			made, id = batches[i].CreatedAt, batches[i].ID
		}
		if left -= limit; part.N <= limit || left <= 0 {
			return part.N > limit, nil
		}
	}
}

// reported selects the batches of a report that were made at f.From or later, newest first.
func (s *Store) reported(f *hive.ReportFilter) *bun.SelectQuery {
	q := s.r.NewSelect().ColumnExpr("b.*").TableExpr("batches AS b").Where("b.created_at >= ?", f.From.UnixMilli()).
		OrderExpr("b.created_at DESC, b.id DESC")
	if f.Schedules != nil {
		q.Where("b.schedule_id IN (?)", bun.List(append([]int64{-1}, f.Schedules...)))
	}
	if !f.Hooks {
		q.Where("b.hook_of = 0")
	}
	if f.By != nil {
		byStarter(q, *f.By)
	}
	byExecutor(q, f.Executor)
	s.byParams(q, f.Params)
	return q
}

// reportBatch reads the text of a batch.
func reportBatch(text string) (b hive.ReportBatch, err error) {
	words := make([]string, 0, len(reportValues))
	for word := range strings.SplitSeq(text, ",") {
		words = append(words, word)
	}
	if len(words) != len(reportValues) {
		return b, fmt.Errorf("a batch of a report is stored as %.100q", text)
	}
	var numbers [len(reportValues)]int64
	for i, word := range words {
		if i == 3 || i == 4 { // state and kind
			continue
		}
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return b, fmt.Errorf("read a batch of a report: %w", err)
		}
	}
	return hive.ReportBatch{
		ID: numbers[0], ScheduleID: numbers[1], RevisionID: numbers[2], State: hive.BatchState(words[3]),
		Kind: hive.BatchKind(words[4]), Round: int(numbers[5]), CreatedAt: numbers[6], Moment: numbers[7],
		StartedAt: numbers[8], FinishedAt: numbers[9], Took: max(numbers[10], 0),
	}, nil
}

// ReportRuns reads the runs of batches, by batch. A batch without runs is left out.
func (s *Store) ReportRuns(ctx context.Context, batches []int64) (map[int64]hive.ReportRuns, error) {
	out := make(map[int64]hive.ReportRuns, len(batches))
	query := "SELECT batch_id, " + s.join("job || '/' || task", ",") + " AS tasks, " +
		s.join("CASE state WHEN 'succeeded' THEN CASE WHEN reason <> 'person' AND "+
			"(failures + losses > 0 OR round > 1) THEN 'r' ELSE 's' END WHEN 'failed' THEN 'f' ELSE '-' END", "") +
		" AS cells, " +
		s.join("CAST(started_at AS TEXT)", ",") + " AS began, " + s.join("CAST(finished_at AS TEXT)", ",") +
		" AS ended FROM runs WHERE batch_id IN (?) AND shard = 0 GROUP BY batch_id"
	err := s.eachJoined(ctx, query, batches, nil, func(r *joinedRow, began, ended []int64) {
		out[r.BatchID] = hive.ReportRuns{Tasks: r.Tasks, Cells: r.Cells, StartedAt: began, EndedAt: ended}
	})
	return out, s.fault("read runs for a report", err)
}

// ReportAttempts reads the started attempts of batches, by batch: those on one executor if it is named, else all. A
// batch without any is left out.
func (s *Store) ReportAttempts(ctx context.Context, batches []int64, executor string) (
	map[int64]hive.ReportAttempts, error,
) {
	out := make(map[int64]hive.ReportAttempts, len(batches))
	query := "SELECT batch_id, " + s.join("executor_name", ",") + " AS names, " +
		s.join("CAST(started_at AS TEXT)", ",") + " AS began, " + s.join("CAST(finished_at AS TEXT)", ",") +
		" AS ended FROM attempts WHERE batch_id IN (?) AND started_at > 0"
	var args []any
	if executor != "" {
		query += " AND executor_name = ?"
		args = append(args, text(executor))
	}
	query += " GROUP BY batch_id"
	err := s.eachJoined(ctx, query, batches, args, func(r *joinedRow, began, ended []int64) {
		out[r.BatchID] = hive.ReportAttempts{Executors: strings.Split(r.Names, ","), StartedAt: began, EndedAt: ended}
	})
	return out, s.fault("read attempts for a report", err)
}

// joinedRow has the joined values of one batch: of its runs, or of its attempts.
type joinedRow struct {
	BatchID                           int64
	Tasks, Cells, Names, Began, Ended string
}

// eachJoined runs a query for batches in chunks, and calls each with its rows and their times. The query's first
// argument is the batches; args are the others.
func (s *Store) eachJoined(ctx context.Context, query string, batches []int64, args []any,
	each func(r *joinedRow, began, ended []int64),
) error {
	for chunk := range slices.Chunk(batches, reportRunChunk) {
		var rows []joinedRow
		if err := s.r.NewRaw(query, append([]any{bun.List(chunk)}, args...)...).Scan(ctx, &rows); err != nil {
			return err
		}
		for i := range rows {
			began, err := numbersOf(rows[i].Began)
			if err != nil {
				return err
			}
			ended, err := numbersOf(rows[i].Ended)
			if err != nil {
				return err
			}
			each(&rows[i], began, ended)
		}
	}
	return nil
}

// numbersOf reads whole numbers that are separated by commas.
func numbersOf(text string) ([]int64, error) {
	list := make([]int64, 0, strings.Count(text, ",")+1)
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the times of a report: %w", err)
		}
		list = append(list, n)
	}
	return list, nil
}

// ReportDeleted counts the batches that retention has deleted and that ended on some days, by day and by schedule. Days
// are counted from 1970, and both are included. schedules nil stands for all.
func (s *Store) ReportDeleted(ctx context.Context, schedules []int64, first, last int64) (byDay,
	bySchedule []hive.ReportDeleted, err error,
) {
	where := " FROM daily_counts WHERE day BETWEEN ? AND ?"
	args := []any{first, last}
	if schedules != nil {
		where += " AND schedule_id IN (?)"
		args = append(args, bun.List(append([]int64{-1}, schedules...)))
	}
	err = s.r.NewRaw("SELECT day, state, CAST(sum(batches) AS BIGINT) AS batches"+where+
		" GROUP BY day, state ORDER BY day, state", args...).Scan(ctx, &byDay)
	if err == nil {
		err = s.r.NewRaw("SELECT schedule_id, state, CAST(sum(batches) AS BIGINT) AS batches"+where+
			" GROUP BY schedule_id, state ORDER BY schedule_id, state", args...).Scan(ctx, &bySchedule)
	}
	return byDay, bySchedule, s.fault("count deleted batches", err)
}

// LateBatches lists the batches that alerts have called late since a time, in UTC milliseconds.
func (s *Store) LateBatches(ctx context.Context, since int64) (map[int64]bool, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT DISTINCT batch_id FROM alert_events WHERE kind = ? AND at >= ? AND batch_id > 0",
		string(hive.AlertLate), since).Scan(ctx, &ids)
	out := make(map[int64]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out, s.fault("list late batches", err)
}

// ReportLabels reads the newest revisions of all schedules whose documents have a word. If the word is empty, it reads
// the newest revisions of the given schedules.
func (s *Store) ReportLabels(ctx context.Context, word string, schedules []int64) ([]hive.ReportLabels, error) {
	where, args := "s.id IN (?)", []any{bun.List(append([]int64{-1}, schedules...))}
	if word != "" {
		where, args = "r.document LIKE ? ESCAPE '!'", []any{"%" + likeWord(word) + "%"}
	}
	var rows []hive.ReportLabels
	err := s.r.NewRaw("SELECT s.id AS schedule_id, s.name, r.id AS revision_id, r.document FROM schedules AS s "+
		"JOIN revisions AS r ON r.schedule_id = s.id AND r.number = s.revision WHERE "+where+" ORDER BY s.id", args...).
		Scan(ctx, &rows)
	return rows, s.fault("read schedules for a report", err)
}

// likeWord escapes a word for a pattern of LIKE.
func likeWord(word string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(word)
}
