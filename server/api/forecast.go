package api

import (
	"context"
	"strings"
	"time"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// The size of a forecast that a request leaves open.
const (
	forecastTicks = 1000
	forecastTime  = 24 * time.Hour
	slotTicks     = 10_000
	slotParts     = 96
)

func (h *handlers) ForecastTicks(
	ctx context.Context, r stub.ForecastTicksRequestObject,
) (stub.ForecastTicksResponseObject, error) {
	req := hive.TickForecastRequest{
		Schedule: orZero(r.Params.Schedule), From: orZero(r.Params.From).Time, Until: orZero(r.Params.Until).Time,
		Most: forecastTicks,
	}
	if req.Until.IsZero() {
		req.Until = h.now().Add(forecastTime)
	}
	if r.Params.Limit != nil {
		req.Most = *r.Params.Limit
	}
	var err error
	if req.Down, err = readSpans(orZero(r.Params.Down)); err != nil {
		return nil, err
	}
	if req.Shift, err = readShifts(orZero(r.Params.Shift)); err != nil {
		return nil, err
	}
	f, err := h.Forecasts.ForecastTicks(ctx, req)
	if err != nil {
		return nil, err
	}
	out := stub.ForecastTicks200JSONResponse{
		From: wire.At(f.From), Until: wire.At(f.Until), Items: make([]model.ForecastTick, 0, len(f.Ticks)),
	}
	for i := range f.Ticks {
		t := &f.Ticks[i]
		out.Items = append(out.Items, model.ForecastTick{
			Schedule: t.Schedule, Moment: wire.At(t.Moment), Until: wire.At(t.Until), Count: t.Count,
			Trigger: t.Trigger, Decision: model.ForecastTickDecision(t.Decision), Rule: t.Rule, Detail: t.Detail,
			DecidedAt: wire.At(t.DecidedAt), StartsAt: wire.At(t.StartsAt), EndsAt: wire.At(t.EndsAt),
			Ends: model.ForecastTickEnds(t.Ends), StartsUnknown: t.Unsure, PlannedChange: plannedChange(t.Change),
		})
	}
	return out, nil
}

func (h *handlers) ForecastSlots(
	ctx context.Context, r stub.ForecastSlotsRequestObject,
) (stub.ForecastSlotsResponseObject, error) {
	req := hive.SlotsRequest{
		TickForecastRequest: hive.TickForecastRequest{
			Schedule: orZero(r.Params.Schedule), From: orZero(r.Params.From).Time, Until: orZero(r.Params.Until).Time,
			Most: slotTicks,
		},
		Parts: slotParts,
	}
	if req.Until.IsZero() {
		req.Until = h.now().Add(forecastTime)
	}
	if r.Params.Parts != nil {
		req.Parts = *r.Params.Parts
	}
	var err error
	if req.Down, err = readSpans(orZero(r.Params.Down)); err != nil {
		return nil, err
	}
	if req.Shift, err = readShifts(orZero(r.Params.Shift)); err != nil {
		return nil, err
	}
	f, err := h.Forecasts.ForecastSlots(ctx, req)
	if err != nil {
		return nil, err
	}
	there, err := h.slotsThere(ctx)
	if err != nil {
		return nil, err
	}
	return stub.ForecastSlots200JSONResponse{
		From: wire.At(f.From), Until: wire.At(f.Until), Wanted: f.Wanted, Unknown: f.Unknown, There: there,
	}, nil
}

// slotsThere counts the slots of the executors that are online and take work.
func (h *handlers) slotsThere(ctx context.Context) (int, error) {
	executors, err := h.Executors.List(ctx)
	there := 0
	for i := range executors {
		if e := &executors[i]; e.State == hive.ExecutorOnline && !e.Offline && !e.Drained {
			there += e.Slots
		}
	}
	return there, err
}

func (h *handlers) ForecastMonth(
	ctx context.Context, r stub.ForecastMonthRequestObject,
) (stub.ForecastMonthResponseObject, error) {
	req := hive.MonthRequest{
		Schedule: orZero(r.Params.Schedule), Month: orZero(r.Params.Month), Timezone: orZero(r.Params.Timezone),
	}
	var err error
	if req.Down, err = readSpans(orZero(r.Params.Down)); err != nil {
		return nil, err
	}
	m, err := h.Forecasts.ForecastMonth(ctx, req)
	if err != nil {
		return nil, err
	}
	out := stub.ForecastMonth200JSONResponse{
		From: wire.At(m.From), Schedules: m.Schedules, Disabled: m.Disabled, Following: m.Following,
		Uncounted: m.Uncounted, Days: make([]model.ForecastDay, 0, len(m.Days)),
	}
	for i := range m.Days {
		out.Days = append(out.Days, dayOf(&m.Days[i]))
	}
	return out, nil
}

func dayOf(d *hive.ForecastDay) model.ForecastDay {
	out := model.ForecastDay{
		Date: d.Date.Format(time.DateOnly), Ticks: d.Ticks, Down: d.Down, Hours: d.Hours[:], More: d.More,
		Items:   make([]model.ForecastDayItem, 0, len(d.Items)),
		Entries: make([]model.ForecastDayEntry, 0, len(d.Entries)),
	}
	for i := range d.Items {
		item := &d.Items[i]
		x := model.ForecastDayItem{
			Kind: model.ForecastDayItemKind(item.Kind), Schedule: item.Schedule, At: wire.At(item.At),
			Count: item.Count,
		}
		if !item.From.IsZero() {
			x.From = item.From.Format(time.DateOnly)
		}
		out.Items = append(out.Items, x)
	}
	for _, e := range d.Entries {
		kind := model.ForecastDayEntryKindMakeUp
		if e.Holiday {
			kind = model.ForecastDayEntryKindHoliday
		}
		out.Entries = append(out.Entries, model.ForecastDayEntry{Calendar: e.Calendar, Kind: kind, Name: e.Name})
	}
	return out
}

func readSpans(texts []string) (spans []hive.Span, err error) {
	for _, text := range texts {
		d, err := readSpan(text)
		if err != nil {
			return nil, err
		}
		spans = append(spans, d)
	}
	return spans, nil
}

// readShifts reads what moves schedules, such as mart=1h or mart=-30m.
func readShifts(texts []string) (map[string]time.Duration, error) {
	shifts := map[string]time.Duration{}
	for _, text := range texts {
		name, by, found := strings.Cut(text, "=")
		by, negative := strings.CutPrefix(by, "-")
		d, err := hive.ParseDuration(by)
		if !found || name == "" || err != nil || shifts[name] != 0 {
			return nil, hive.Errorf(hive.CodeInvalid,
				"shift: %.80q is not NAME=TIME; write a schedule once and how much later it runs, such as mart=1h or "+
					"mart=-30m", text).WithReason(hive.ErrorForecastShift)
		}
		if shifts[name] = d.Std(); negative {
			shifts[name] = -d.Std()
		}
	}
	return shifts, nil
}

// readSpan reads a time without a server, such as 2026-12-01T02:00:00Z..2026-12-01T05:00:00Z.
func readSpan(text string) (hive.Span, error) {
	from, to, _ := strings.Cut(text, "..")
	begin, err := time.Parse(time.RFC3339, from)
	if err == nil {
		var end time.Time
		if end, err = time.Parse(time.RFC3339, to); err == nil {
			return hive.Span{From: begin, To: end}, nil
		}
	}
	return hive.Span{}, hive.Errorf(hive.CodeInvalid,
		"down: %.80q is not FROM..TO; write two moments such as 2026-12-01T02:00:00Z..2026-12-01T05:00:00Z", text).
		WithReason(hive.ErrorForecastDown)
}
