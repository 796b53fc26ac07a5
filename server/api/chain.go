package api

import (
	"context"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// GetChain shows a schedule with those that it waits for and those that wait for it, over time.
func (h *handlers) GetChain(ctx context.Context, r stub.GetChainRequestObject) (stub.GetChainResponseObject, error) {
	c, err := h.Forecasts.Chain(ctx, hive.ChainRequest{Schedule: r.Name, ResumeAt: orZero(r.Params.ResumeAt).Time})
	if err != nil {
		return nil, err
	}
	out := stub.GetChain200JSONResponse{
		Schedule: c.Schedule, Now: wire.At(c.Now), From: wire.At(c.From), Until: wire.At(c.Until),
		ResumeAt: wire.At(c.ResumeAt), Cut: c.Cut, Schedules: make([]model.ChainSchedule, 0, len(c.Links)),
		Edges: make([]model.ChainEdge, 0, len(c.Edges)), Failures: make([]model.ChainFailure, 0, len(c.Failures)),
	}
	for i := range c.Links {
		out.Schedules = append(out.Schedules, chainSchedule(&c.Links[i]))
	}
	for i := range c.Edges {
		e := &c.Edges[i]
		out.Edges = append(out.Edges, model.ChainEdge{
			From: e.From, FromMoment: wire.At(e.FromMoment), To: e.To, ToMoment: wire.At(e.ToMoment),
			Needed: e.Needed, Met: e.Met, Any: e.Any, Decides: e.Decides, Missing: e.Missing,
		})
	}
	for i := range c.Failures {
		f := &c.Failures[i]
		m := model.ChainFailure{
			Schedule: f.Schedule, Moment: wire.At(f.Moment), Batch: f.Batch, State: model.BatchState(f.State),
			Tasks: f.Tasks, Of: f.Of, Holds: f.Holds,
		}
		if m.Holds == nil {
			m.Holds = []string{}
		}
		if seconds := f.Takes.Seconds(); seconds > 0 {
			m.TakesSeconds = &seconds
		}
		out.Failures = append(out.Failures, m)
	}
	return out, nil
}

func chainSchedule(l *hive.ChainLink) model.ChainSchedule {
	out := model.ChainSchedule{
		Name: l.Schedule, Title: l.Title, Place: model.ChainSchedulePlace(l.Place), Missing: l.Missing,
		Enabled: l.Enabled, Archived: l.Archived, Timezone: l.Timezone, NextAt: wire.At(l.NextAt), More: l.More,
		Triggers: make([]model.ChainTrigger, 0, len(l.Triggers)), Bars: make([]model.ChainBar, 0, len(l.Bars)),
	}
	if l.UsualKnown {
		seconds := l.Usual.Seconds()
		out.UsualSeconds = &seconds
	}
	if l.Expire > 0 {
		seconds := l.Expire.Seconds()
		out.ExpireSeconds = &seconds
	}
	for i := range l.Triggers {
		t := &l.Triggers[i]
		m := model.ChainTrigger{Text: t.String(), Cron: t.Cron, Serial: t.Serial}
		for _, u := range t.After {
			m.After = append(m.After, model.ChainUpstream{Schedule: u.Schedule, Policy: u.Policy, Window: u.Window})
		}
		out.Triggers = append(out.Triggers, m)
	}
	for i := range l.Bars {
		out.Bars = append(out.Bars, chainBar(&l.Bars[i]))
	}
	return out
}

func chainBar(b *hive.ChainBar) model.ChainBar {
	out := model.ChainBar{
		Moment: wire.At(b.Moment), Own: b.Own, Present: b.Present, Waiting: b.Waiting, Batch: b.Batch,
		State: model.BatchState(b.State), Paused: b.Paused, StartedAt: wire.At(b.StartedAt),
		FinishedAt: wire.At(b.FinishedAt), UsualStart: wire.At(b.UsualStart), UsualEnd: wire.At(b.UsualEnd),
		Outcome: model.ChainBarOutcome(b.Outcome), StartsAt: wire.At(b.StartsAt), EndsAt: wire.At(b.EndsAt),
		LateSeconds: b.Late.Seconds(), DelaySeconds: b.Delay.Seconds(), MayBeginUntil: wire.At(b.MayBeginUntil),
		Repairable: b.Saved, InTimeUntil: wire.At(b.InTimeUntil), BeginsUntil: wire.At(b.BeginsUntil),
	}
	if len(b.Counts) > 0 {
		out.Counts = counts(b.Counts)
	}
	return out
}
