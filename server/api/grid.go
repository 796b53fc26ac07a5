package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

// defaultGrid is the number of batches of a grid if the caller gives none.
const defaultGrid = 30

// GetRunGrid shows many batches of a schedule with the states of their tasks.
func (h *handlers) GetRunGrid(ctx context.Context,
	r stub.GetRunGridRequestObject,
) (stub.GetRunGridResponseObject, error) {
	limit := defaultGrid
	if r.Params.Limit != nil {
		limit = *r.Params.Limit
	}
	if limit < 1 || limit > hive.MostGridBatches {
		return nil, hive.Errorf(hive.CodeInvalid, "limit must be from 1 to %d", hive.MostGridBatches).
			WithReason(hive.ErrorRange, "name", "limit", "least", 1, "most", hive.MostGridBatches)
	}
	before, err := positive("before", r.Params.Before)
	if err != nil {
		return nil, err
	}
	var states []hive.BatchState
	for _, s := range orZero(r.Params.State) {
		states = append(states, hive.BatchState(s))
	}
	params, err := paramFilters(r.Params.Param)
	if err != nil {
		return nil, err
	}
	g, err := h.Batches.Grid(ctx, hive.BatchFilter{
		Schedule: r.Name, States: states, Kind: hive.BatchKind(orZero(r.Params.Kind)),
		Executor: orZero(r.Params.Executor), By: starter(r.Params.By), Params: params,
		From: orZero(r.Params.From).Time, To: orZero(r.Params.To).Time, Before: before, Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	out := runGrid{
		Cut: g.Cut, Batches: make([]model.BatchSummary, 0, len(g.Batches)), Rows: make([]model.GridRow, 0, len(g.Rows)),
	}
	for i := range g.Batches {
		out.Batches = append(out.Batches, batchSummary(&g.Batches[i]))
	}
	for i := range g.Rows {
		row := &g.Rows[i]
		for x, v := range row.Took {
			row.Took[x] = threeDigits(v)
		}
		out.Rows = append(out.Rows, model.GridRow{
			Job: row.Job, Task: row.Task, Cells: string(row.Cells), Took: row.Took,
		})
	}
	if n := len(g.Batches); n > 0 && (n == limit || g.Cut) {
		out.Next = g.Batches[n-1].ID
	}
	return out, nil
}

// threeDigits rounds a number to three significant digits. People see no difference, and a year of a thousand tasks
// needs half as much of the line.
func threeDigits(v int64) int64 {
	unit := int64(1)
	for v/unit >= 1000 {
		unit *= 10
	}
	return (v + unit/2) / unit * unit
}

// runGrid is a grid that is compressed on its way.
type runGrid model.RunGrid

// VisitGetRunGridResponse writes the grid.
func (g runGrid) VisitGetRunGridResponse(c *fiber.Ctx) error {
	text, err := json.Marshal(model.RunGrid(g))
	if err != nil {
		return fmt.Errorf("write the grid of runs: %w", err)
	}
	c.Set(fiber.HeaderContentType, edge.TypeJSON)
	c.Vary(fiber.HeaderAcceptEncoding)
	if c.Get(fiber.HeaderAcceptEncoding) == "" || c.AcceptsEncodings("gzip") == "" {
		return c.Send(text)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("compress the grid of runs: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("compress the grid of runs: %w", err)
	}
	c.Set(fiber.HeaderContentEncoding, "gzip")
	return c.Send(packed.Bytes())
}
