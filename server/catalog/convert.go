package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// Convert writes a document as YAML and as JSON, even if it has faults, and saves nothing.
func (s *Service) Convert(ctx context.Context, text []byte) (hive.Conversion, error) {
	handlers, err := s.handlers(ctx)
	if err != nil {
		return hive.Conversion{}, err
	}
	release, err := s.parsing.acquire(ctx, len(text))
	if err != nil {
		return hive.Conversion{}, err
	}
	defer release()
	n, err := s.namedFor(ctx, text)
	if err != nil {
		return hive.Conversion{}, err
	}
	l, others := s.lookup(ctx), s.others(ctx)
	c, faults := document.Convert(text, document.Options{
		Handlers: handlers, Now: s.now(), Schedules: others.found(), Calendars: l.find,
		Secrets: n.secrets, Connections: n.connections, Pools: n.pools,
	})
	if err := cmp.Or(others.err, l.err); err != nil {
		return hive.Conversion{}, err
	}
	out := hive.Conversion{Verdict: hive.Verdict{Valid: c != nil && !hive.Refused(faults), Faults: faults}}
	if c != nil {
		out.Name, out.Canonical, out.Hash, out.Definition = c.Definition.Name, string(c.Canonical), c.Hash, c.JSON
	}
	return out, nil
}

// Forecast lists the moments at which triggers would be due.
func (s *Service) Forecast(ctx context.Context, r hive.ForecastRequest) (hive.Forecast, error) {
	size := 0
	for _, t := range r.Triggers {
		size += len(t)
	}
	release, err := s.parsing.acquire(ctx, size)
	if err != nil {
		return hive.Forecast{}, err
	}
	defer release()
	if r.After.IsZero() {
		r.After = s.now()
	}
	created, err := s.createdAt(ctx, r.Schedule)
	if err != nil {
		return hive.Forecast{}, err
	}
	out := hive.Forecast{Moments: []hive.ForecastMoment{}}
	l := s.lookup(ctx)
	_, out.Faults = readTriggers(r, l)
	zoned := !hive.Refused(out.Faults)
	if !zoned {
		r.Timezone = "" // so that the crons are checked nevertheless
	}
	all := &hive.Definition{Name: r.Schedule, Timezone: r.Timezone}
	var numbers []int // of the triggers of all, in the request
	for i, raw := range r.Triggers {
		def, faults := readTriggers(r, l, raw)
		for _, f := range faults {
			if rest, ok := strings.CutPrefix(f.Path, "triggers[0]"); ok {
				f.Path = fmt.Sprintf("triggers[%d]%s", i, rest)
				out.Faults = append(out.Faults, f)
			}
		}
		if !zoned || def == nil || hive.Refused(faults) {
			continue
		}
		all.Triggers, numbers = append(all.Triggers, def.Triggers...), append(numbers, i)
	}
	times, err := schedule.NewTimetable(all, created, l.find)
	if l.err != nil {
		return hive.Forecast{}, l.err
	}
	if err != nil {
		return hive.Forecast{}, err
	}
	for _, m := range times.Forecast(r.After, r.After, r.Count) {
		out.Moments = append(out.Moments, hive.ForecastMoment{At: m.Due, Trigger: numbers[m.Number]})
	}
	return out, nil
}

// createdAt returns when a schedule was created: now for one that does not exist.
func (s *Service) createdAt(ctx context.Context, name string) (time.Time, error) {
	if name == "" {
		return s.now(), nil
	}
	h, err := s.schedules.Schedule(ctx, name)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return s.now(), nil
	}
	return h.CreatedAt, err
}

// readTriggers parses triggers as part of a document. The definition is nil if they cannot be parsed.
func readTriggers(
	r hive.ForecastRequest, l *lookup, triggers ...json.RawMessage,
) (*hive.Definition, []hive.Fault) {
	text, err := json.Marshal(map[string]any{
		"apiVersion": hive.APIVersion, "kind": hive.KindSchedule, "name": "forecast", "timezone": r.Timezone,
		"triggers": append([]json.RawMessage{}, triggers...), "jobs": []any{},
	})
	if err != nil {
		return nil, []hive.Fault{hive.NewFault("syntax", hive.FaultNotJSON, "this is not JSON: ‹words›",
			"check quotes, commas and brackets", "words", err).At("triggers[0]")}
	}
	c, faults := document.Convert(text, document.Options{Now: r.After, Calendars: l.find})
	if c == nil {
		return nil, unplaced(faults)
	}
	return c.Definition, unplaced(faults)
}
