package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) GetLog(ctx context.Context, r stub.GetLogRequestObject) (stub.GetLogResponseObject, error) {
	a, err := h.attempt(ctx, r.ID, r.Task, r.Params.Attempt)
	if err != nil {
		return nil, err
	}
	if orZero(r.Params.Range) != "" {
		return h.logRange(ctx, a, r.Params)
	}
	limit, err := positive("limit", r.Params.Limit)
	switch {
	case err != nil:
		return nil, err
	case limit > hive.MaxLogPart:
		return nil, hive.Errorf(hive.CodeInvalid, "limit may be at most %d", hive.MaxLogPart).
			WithReason(hive.ErrorRange, "name", "limit", "least", 1, "most", hive.MaxLogPart)
	case limit == 0:
		limit = hive.MaxLogPart
	}
	offset := orZero(r.Params.Offset)
	if offset < 0 {
		end, err := h.Logs.Read(ctx, a, 0, 1)
		if err != nil {
			return nil, err
		}
		offset = max(end.Size+offset, 0)
	}
	part, err := h.Logs.Read(ctx, a, offset, limit)
	if err != nil {
		return nil, err
	}
	return logPart{LogPart: part, attempt: a.Number, status: http.StatusOK}, nil
}

// attempt returns the attempt with the given number, or the latest attempt that an executor had.
func (h *handlers) attempt(ctx context.Context, batch int64, task string, number *int) (hive.Attempt, error) {
	list, err := h.Runs.Attempts(ctx, batch, task)
	if err != nil {
		return hive.Attempt{}, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		a := &list[i]
		if a.Shard != nil && a.Task == task {
			return hive.Attempt{}, hive.Errorf(hive.CodeInvalid,
				"task %q is sharded, and each shard has a log; name one, such as %s", task, hive.ShardName(task, 0)).
				WithReason(hive.ErrorNameShard, "task", task)
		}
		if number == nil && a.Outcome != hive.OutcomeReturned || number != nil && *number == a.Number {
			return a.Attempt, nil
		}
	}
	if number != nil {
		return hive.Attempt{},
			hive.Errorf(hive.CodeNotFound, "task %q of batch %d has no attempt %d", task, batch, *number).
				WithReason(hive.ErrorNoAttempt, "batch", batch, "task", task, "attempt", *number)
	}
	return hive.Attempt{},
		hive.Errorf(hive.CodeNotFound, "task %q of batch %d has not started yet, so it has no log", task, batch).
			WithReason(hive.ErrorNotStarted, "batch", batch, "task", task)
}

func (h *handlers) logRange(ctx context.Context, a hive.Attempt,
	p model.GetLogParams,
) (stub.GetLogResponseObject, error) {
	if p.Offset != nil || p.Limit != nil {
		return nil, hive.Errorf(hive.CodeInvalid, "give a Range header or offset and limit, not both").
			WithReason(hive.ErrorLogRangeTwice)
	}
	end, err := h.Logs.Read(ctx, a, 0, 1)
	if err != nil {
		return nil, err
	}
	header := orZero(p.Range)
	first, last, ok := parseRange(header, end.Size)
	if !ok {
		return nil, hive.Errorf(hive.CodeInvalid,
			"the Range header %.64q is none of bytes=FIRST-LAST, bytes=FIRST-, bytes=-LAST", header).
			WithReason(hive.ErrorLogRange)
	}
	if first >= end.Size {
		return noSuchRange(end.Size), nil
	}
	part, err := h.Logs.Read(ctx, a, first, min(last-first+1, hive.MaxLogPart))
	if err != nil {
		return nil, err
	}
	if len(part.Data) == 0 {
		return noSuchRange(part.Size), nil
	}
	return logPart{LogPart: part, attempt: a.Number, status: http.StatusPartialContent}, nil
}

// parseRange parses a Range header with one range of a log of size bytes. last is inclusive, and may be beyond the end.
func parseRange(header string, size int64) (first, last int64, ok bool) {
	spec, ok := strings.CutPrefix(header, "bytes=")
	if !ok {
		return 0, 0, false
	}
	from, to, ok := strings.Cut(strings.TrimSpace(spec), "-")
	number := func(s string) (int64, bool) {
		n, err := strconv.ParseUint(s, 10, 62)
		return int64(n), err == nil
	}
	switch {
	case !ok:
		return 0, 0, false
	case from == "":
		n, ok := number(to)
		return max(size-n, 0), max(size-1, 0), ok && n > 0
	case to == "":
		n, ok := number(from)
		return n, n + hive.MaxLogPart - 1, ok
	default:
		a, okA := number(from)
		b, okB := number(to)
		return a, b, okA && okB && a <= b
	}
}

// logPart writes raw bytes, which the generated responses cannot do.
type logPart struct {
	hive.LogPart

	attempt int
	status  int
}

// VisitGetLogResponse writes the bytes with their headers.
func (p logPart) VisitGetLogResponse(c *fiber.Ctx) error {
	next := p.Offset + int64(len(p.Data))
	c.Set("X-Log-Attempt", strconv.Itoa(p.attempt))
	c.Set("X-Log-Size", strconv.FormatInt(p.Size, 10))
	c.Set("X-Log-Next", strconv.FormatInt(next, 10))
	c.Set("X-Log-Complete", strconv.FormatBool(p.Complete))
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	if p.status == http.StatusPartialContent {
		c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes %d-%d/%d", p.Offset, next-1, p.Size))
	}
	c.Set(fiber.HeaderContentType, "text/plain; charset=utf-8")
	return c.Status(p.status).Send(p.Data)
}

// noSuchRange is the response to a range that begins at or after the end.
type noSuchRange int64

// VisitGetLogResponse writes the problem and the size of the log.
func (size noSuchRange) VisitGetLogResponse(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes */%d", int64(size)))
	p := newProblem(http.StatusRequestedRangeNotSatisfiable, string(hive.CodeInvalid),
		fmt.Sprintf("the log has %d bytes; the range begins after them", int64(size)))
	p.Reason = model.ProblemReason(hive.ErrorLogRangeEnd)
	p.Params = map[string]string{"size": strconv.FormatInt(int64(size), 10)}
	p.Instance = edge.RequestID(c)
	c.Status(p.Status)
	return c.JSON(p, "application/problem+json")
}
