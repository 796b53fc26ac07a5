package api

import (
	"context"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

// maxFind is the greatest length of a search text in bytes.
const maxFind = 800

func (h *handlers) FindInLog(ctx context.Context, r stub.FindInLogRequestObject) (stub.FindInLogResponseObject, error) {
	q, err := logQuery(&r.Params)
	if err != nil {
		return nil, err
	}
	a, err := h.attempt(ctx, r.ID, r.Task, r.Params.Attempt)
	if err != nil {
		return nil, err
	}
	p, err := h.Logs.Find(ctx, a, q)
	if err != nil {
		return nil, err
	}
	out := stub.FindInLog200JSONResponse{Found: p.Found, Next: p.Next, Size: p.Size, Complete: p.Complete}
	if p.Found {
		out.Offset = &p.Offset
		if p.Line > 0 {
			out.Line = &p.Line
		}
	}
	return out, nil
}

func logQuery(p *model.FindInLogParams) (hive.LogQuery, error) {
	line, err := positive("line", p.Line)
	if err != nil {
		return hive.LogQuery{}, err
	}
	q := hive.LogQuery{
		Line: line, Text: orZero(p.Text), From: orZero(p.From), Next: p.From != nil, Backwards: orZero(p.Backwards),
	}
	switch {
	case q.From < 0:
		return q, hive.Errorf(hive.CodeInvalid, "from must be 0 or more").WithReason(hive.ErrorRange, "name", "from",
			"least", 0)
	case len(q.Text) > maxFind:
		return q, hive.Errorf(hive.CodeInvalid, "text may have at most %d bytes", maxFind).
			WithReason(hive.ErrorLong, "name", "text", "most", maxFind)
	case q.Line > 0 && (q.Text != "" || p.From != nil || q.Backwards):
		return q, hive.Errorf(hive.CodeInvalid, "line goes without text, from and backwards").
			WithReason(hive.ErrorValue, "name", "line", "value", q.Line)
	}
	return q, nil
}
