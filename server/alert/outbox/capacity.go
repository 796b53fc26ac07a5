package outbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// full finds executors that had no free slot for longer than a rule allows. Each rule has a problem of its own, because
// each has its own time.
func (p *watch) full(ctx context.Context) error {
	if !p.asks(hive.AlertExecutorFull) {
		clear(p.fullSince)
		return nil
	}
	all, err := p.config.Local.Executors(ctx)
	if err != nil {
		return err
	}
	maps.DeleteFunc(p.fullSince, func(id string, _ time.Time) bool {
		return !slices.ContainsFunc(all, func(x hive.ExecutorView) bool { return x.ID == id && isFull(&x) })
	})
	for i := range all {
		x := &all[i]
		if !isFull(x) {
			continue
		}
		if _, known := p.fullSince[x.ID]; !known {
			p.fullSince[x.ID] = p.now
		}
		if err := p.fullExecutor(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

func (p *watch) fullExecutor(ctx context.Context, x *hive.ExecutorView) error {
	since := p.fullSince[x.ID]
	for _, r := range p.rules {
		problem := p.fullProblem(x.ID, r.Name)
		if !slices.Contains(r.On, hive.AlertExecutorFull) || p.now.Sub(since) < r.WaitFor() || p.isOpen(problem) {
			continue
		}
		e := hive.AlertEvent{Kind: hive.AlertExecutorFull, At: since, Problem: problem, Key: p.keyNow(problem)}
		e.Executor, e.Server, e.Rule, e.Count = x.Name, p.config.Server, r.Name, x.Running
		if err := p.tellState(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (p *watch) fullProblem(executor, rule string) string {
	return fmt.Sprintf("%s:%s", p.here("full", executor), rule)
}

// isFull reports whether an executor that is in contact has no free slot.
func isFull(x *hive.ExecutorView) bool {
	return x.State == hive.ExecutorOnline && x.Slots > 0 && x.Running >= x.Slots
}

// fullEnd looks for a free slot. An executor that is silent meanwhile may still be full.
func (p *watch) fullEnd(ctx context.Context, e *hive.AlertEvent) (end, int64, error) {
	all, err := p.config.Local.Executors(ctx)
	if err != nil {
		return lasts, 0, err
	}
	at := slices.IndexFunc(all, func(x hive.ExecutorView) bool { return p.fullProblem(x.ID, e.Rule) == e.Problem })
	switch {
	case at < 0:
		return quiet, 0, nil // it was deleted
	case isFull(&all[at]) || silent(&all[at]) || all[at].State == hive.ExecutorConnecting:
		return lasts, 0, nil
	default:
		return recovered, 0, nil
	}
}

// disk finds out whether the disk of this server is short of space.
func (p *watch) disk(ctx context.Context) error {
	problem := p.here("disk", "short")
	if !p.asks(hive.AlertDiskShort) || p.isOpen(problem) {
		return nil
	}
	why := p.config.Local.DiskShort()
	if why == nil {
		return nil
	}
	e := hive.AlertEvent{Kind: hive.AlertDiskShort, At: p.now, Problem: problem, Key: p.keyNow(problem)}
	e.Server, e.Error = p.config.Server, why.Error()
	return p.tellState(ctx, e)
}
