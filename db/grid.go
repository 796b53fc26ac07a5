package db

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// columnsAtOnce bounds the batches of one statement, so that neither the database nor this program holds much at once.
const columnsAtOnce = 25

// columnRow is the text of a hive.RunColumn.
type columnRow struct {
	Batch int64  `bun:"batch_id"`
	Tasks string `bun:"tasks"`
	Cells string `bun:"cells"`
	Took  string `bun:"took"`
}

// cellOf is the hive.GridCell of a row of runs.
const cellOf = "CASE state WHEN 'succeeded' THEN CASE WHEN reason = 'person' THEN 'm' " +
	"WHEN failures + losses > 0 OR round > 1 THEN 'r' ELSE 's' END WHEN 'failed' THEN 'f' WHEN 'canceled' THEN 'c' " +
	"WHEN 'skipped' THEN 'k' WHEN 'ignored' THEN CASE reason WHEN 'when' THEN 'n' ELSE 'i' END " +
	"WHEN 'waiting' THEN 'w' WHEN 'ready' THEN 'y' WHEN 'running' THEN 'u' ELSE 'x' END"

// RunColumns reads the runs of batches in short, by batch. A batch without runs is left out. The database joins the
// runs of a batch to three texts, because a row for each of many thousand runs takes several times as long.
func (s *Store) RunColumns(ctx context.Context, batches []int64) (map[int64]hive.RunColumn, error) {
	out := make(map[int64]hive.RunColumn, len(batches))
	join := "string_agg"
	if s.file != "" {
		join = "group_concat"
	}
	list := func(value, separator string) string {
		return join + "(" + value + ", '" + separator + "' ORDER BY number)"
	}
	statement := "SELECT batch_id, " + list("job || '/' || task", ",") + " AS tasks, " +
		list(cellOf, "") + " AS cells, " +
		list("CAST(CASE WHEN started_at > 0 AND finished_at > started_at THEN finished_at - started_at ELSE 0 END "+
			"AS TEXT)", ",") + " AS took FROM runs WHERE batch_id IN (?) AND shard = 0 GROUP BY batch_id"
	for chunk := range slices.Chunk(batches, columnsAtOnce) {
		var rows []columnRow
		if err := s.r.NewRaw(statement, bun.List(chunk)).Scan(ctx, &rows); err != nil {
			return nil, s.fault("read the runs of batches", err)
		}
		for i := range rows {
			c, err := rows[i].hive()
			if err != nil {
				return nil, err
			}
			out[rows[i].Batch] = c
		}
	}
	return out, nil
}

func (r *columnRow) hive() (hive.RunColumn, error) {
	c := hive.RunColumn{Tasks: r.Tasks, Cells: r.Cells, Took: make([]int64, 0, len(r.Cells))}
	for text := range strings.SplitSeq(r.Took, ",") {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return c, fmt.Errorf("read how long the runs of batch %d took: %w", r.Batch, err)
		}
		c.Took = append(c.Took, v)
	}
	return c, nil
}
