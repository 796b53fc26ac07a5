package api

import (
	"strings"
	"time"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// batchQuery has the filters that the list of batches and the file share.
type batchQuery struct {
	model.ListBatchesParams
}

// exported returns the filters of a request for the file.
func exported(p *model.ExportBatchesParams) *batchQuery {
	return &batchQuery{model.ListBatchesParams{
		Schedule: p.Schedule, Tag: p.Tag, Owner: p.Owner, State: p.State, Kind: p.Kind, Backfill: p.Backfill,
		HookOf: p.HookOf, Live: p.Live, NeedsPerson: p.NeedsPerson, Executor: p.Executor, By: p.By,
		Param: p.Param, From: p.From, To: p.To, Since: p.Since, Until: p.Until, MomentFrom: p.MomentFrom,
		MomentTo: p.MomentTo, Longer: p.Longer, Before: p.Before,
	}}
}

// filter checks the filters, without the size of a page.
func (q *batchQuery) filter(now time.Time) (hive.BatchFilter, error) {
	f := hive.BatchFilter{
		Schedule: orZero(q.Schedule), Tag: orZero(q.Tag), Owner: orZero(q.Owner), Kind: hive.BatchKind(orZero(q.Kind)),
		Backfill: orZero(q.Backfill), Live: orZero(q.Live), From: orZero(q.From).Time, To: orZero(q.To).Time,
		HookOf: orZero(q.HookOf), Executor: orZero(q.Executor), NeedsPerson: orZero(q.NeedsPerson), By: starter(q.By),
	}
	for _, s := range orZero(q.State) {
		f.States = append(f.States, hive.BatchState(s))
	}
	var err error
	if f.Before, err = positive("before", q.Before); err != nil {
		return f, err
	}
	for _, m := range []struct {
		name string
		from *string
		to   *time.Time
	}{
		{"since", q.Since, &f.Since},
		{"until", q.Until, &f.Until},
		{"momentFrom", q.MomentFrom, &f.MomentFrom},
		{"momentTo", q.MomentTo, &f.MomentTo},
	} {
		if *m.to, err = momentParam(m.name, m.from, now); err != nil {
			return f, err
		}
	}
	if f.Params, err = paramFilters(q.Param); err != nil || q.Longer == nil {
		return f, err
	}
	d, err := hive.ParseDuration(*q.Longer)
	if err != nil || d == 0 {
		return f, hive.Errorf(hive.CodeInvalid, "longer: %.40q is not a duration above 0; write one such as 90s, 10m "+
			"or 2h", *q.Longer).WithReason(hive.ErrorValue, "name", "longer", "value", *q.Longer)
	}
	f.Longer = d.Std()
	return f, nil
}

// starter reads the parameter that names what made batches; nil for none.
func starter(text *string) *hive.Starter {
	if text == nil {
		return nil
	}
	by := hive.ParseStarter(*text)
	return &by
}

// momentParam reads an optional moment. What has no zone of its own is one of UTC.
func momentParam(name string, text *string, now time.Time) (time.Time, error) {
	if text == nil {
		return time.Time{}, nil
	}
	t, ok := hive.ParseMoment(*text, now.UTC())
	if !ok {
		return t, hive.Errorf(hive.CodeInvalid, "%s: %.40q is not a moment; write one such as 2026-12-24, "+
			"2026-12-24T18:00:00Z, 24h, 7d, today or yesterday", name, *text).
			WithReason(hive.ErrorValue, "name", name, "value", *text)
	}
	return t, nil
}

// times reads the parameters since and until.
func (h *handlers) times(since, until *string) (from, to time.Time, err error) {
	now := h.now()
	if from, err = momentParam("since", since, now); err != nil {
		return from, to, err
	}
	to, err = momentParam("until", until, now)
	return from, to, err
}

// mostParams is the number of parameters that one list is filtered by.
const mostParams = 10

// paramFilters reads NAME=VALUE,NAME=VALUE, where \ stands before a comma or a backslash of a value.
func paramFilters(text *string) ([]hive.ParamFilter, error) {
	if text == nil {
		return nil, nil
	}
	var out []hive.ParamFilter
	for _, part := range splitEscaped(*text) {
		p, ok := hive.ParseParamFilter(part)
		if !ok || len(out) == mostParams {
			return nil, hive.Errorf(hive.CodeInvalid, "param: %.80q is not NAME=VALUE; write up to %d of them, "+
				"such as region=east,day=5", part, mostParams).
				WithReason(hive.ErrorValue, "name", "param", "value", part)
		}
		out = append(out, p)
	}
	return out, nil
}

// splitEscaped splits a text at its commas, except for those after a backslash.
func splitEscaped(text string) []string {
	var parts []string
	var b strings.Builder
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == ',':
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteRune(r)
		}
	}
	return append(parts, b.String())
}
