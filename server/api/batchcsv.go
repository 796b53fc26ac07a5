package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

// The rows of a file of batches.
const (
	defaultRows = 10_000
	maxRows     = 100_000
)

// ExportBatches is of the generated interface.
func (h *handlers) ExportBatches(ctx context.Context,
	r stub.ExportBatchesRequestObject,
) (stub.ExportBatchesResponseObject, error) {
	f, err := exported(&r.Params).filter(h.now())
	if err != nil {
		return nil, err
	}
	left := defaultRows
	if n := r.Params.Rows; n != nil {
		if left = *n; left < 1 || left > maxRows {
			return nil, hive.Errorf(hive.CodeInvalid, "rows must be from 1 to %d", maxRows).
				WithReason(hive.ErrorRange, "name", "rows", "least", 1, "most", maxRows)
		}
	}
	// The first page is read before the answer begins, so that an error has its own status.
	page, err := h.page(ctx, &f, &left)
	if err != nil {
		return nil, err
	}
	now := h.now()
	file := &csvFile{
		name: "batches-" + now.UTC().Format("2006-01-02") + ".csv", mark: orZero(r.Params.Bom), head: batchColumns(),
	}
	file.body = csvBody{ctx: context.WithoutCancel(ctx), next: func(ctx context.Context) ([][]string, error) {
		rows := make([][]string, len(page))
		for i := range page {
			rows[i] = batchRow(&page[i], now)
		}
		page, err = h.page(ctx, &f, &left)
		return rows, err
	}}
	return file, nil
}

// page returns the next batches of a file, and moves the filter behind them.
func (h *handlers) page(ctx context.Context, f *hive.BatchFilter, left *int) ([]hive.Batch, error) {
	if *left == 0 {
		return nil, nil
	}
	f.Limit = min(*left, maxLimit)
	page, err := h.Batches.List(ctx, *f)
	if err != nil {
		return nil, err
	}
	if *left -= len(page); len(page) < f.Limit {
		*left = 0
	}
	if len(page) > 0 {
		f.Before = page[len(page)-1].ID
	}
	return page, nil
}

func batchColumns() []string {
	head := []string{
		"id", "schedule", "revision", "kind", "state", "reason", "round", "moment", "created_at", "created_by",
		"started_at", "round_at", "finished_at", "seconds", "tasks",
	}
	for _, s := range hive.RunStates() {
		head = append(head, string(s))
	}
	return append(head, "backfill", "params", "closed_note")
}

func batchRow(b *hive.Batch, now time.Time) []string {
	end := b.FinishedAt
	if b.Live {
		end = now
	}
	row := []string{
		strconv.FormatInt(b.ID, 10), hive.Cell(b.Schedule), csvNumber(b.Revision), string(b.Kind), string(b.State),
		string(b.Reason), strconv.Itoa(b.Round), csvTime(b.Moment), csvTime(b.CreatedAt), hive.Cell(b.CreatedBy),
		csvTime(b.StartedAt), csvTime(b.RoundAt), csvTime(b.FinishedAt), csvSpan(b.RoundAt, end),
	}
	row = append(row, csvCounts(b.Counts)...)
	params := ""
	if len(b.Params) > 0 {
		if text, err := json.Marshal(b.Params); err == nil { // it was read from JSON
			params = string(text)
		}
	}
	return append(row, csvNumber(b.Backfill), hive.Cell(params), hive.Cell(b.ClosedNote))
}

// ExportTasks is of the generated interface.
func (h *handlers) ExportTasks(ctx context.Context,
	r stub.ExportTasksRequestObject,
) (stub.ExportTasksResponseObject, error) {
	v, err := h.Batches.View(ctx, r.ID, true)
	if err != nil {
		return nil, err
	}
	now := h.now()
	file := &csvFile{
		name: fmt.Sprintf("batch-%d-tasks.csv", r.ID), mark: orZero(r.Params.Bom), head: taskColumns(),
	}
	runs := slices.DeleteFunc(slices.Clone(v.Runs), func(r hive.RunView) bool { return r.Shard != 0 && r.Part == nil })
	at := 0
	file.body = csvBody{ctx: context.WithoutCancel(ctx), next: func(context.Context) ([][]string, error) {
		end := min(at+maxLimit, len(runs))
		rows := make([][]string, 0, end-at)
		for ; at < end; at++ {
			rows = append(rows, taskRow(&runs[at], now))
		}
		return rows, nil
	}}
	return file, nil
}

func taskColumns() []string {
	return []string{
		"job", "task", "state", "reason", "cause", "round", "attempts", "executor", "started_at", "finished_at",
		"seconds", "exit_code", "error",
	}
}

func taskRow(r *hive.RunView, now time.Time) []string {
	end := r.FinishedAt
	if r.State == hive.RunRunning || r.State == hive.RunUnknown {
		end = now
	}
	code := ""
	if r.ExitCode != nil {
		code = strconv.Itoa(*r.ExitCode)
	}
	task := r.Task
	if r.Shard != 0 {
		task = hive.ShardName(task, r.Shard-1)
	}
	return []string{
		hive.Cell(r.Job), hive.Cell(task), string(r.State), string(r.Reason), hive.Cell(r.Cause),
		strconv.Itoa(r.Round), strconv.Itoa(r.Attempts), hive.Cell(r.Executor), csvTime(r.StartedAt),
		csvTime(r.FinishedAt), csvSpan(r.StartedAt, end), code, hive.Cell(r.Error),
	}
}
