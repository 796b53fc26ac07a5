package outbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// hooksLast is how long the failure of hooks is a problem that nobody has solved. What they were to tell or to clean up
// is old then, and no later batch makes up for it.
const hooksLast = 7 * 24 * time.Hour

// end says whether a problem is over.
type end int

const (
	lasts     end = iota
	quiet         // it is over, and there is nothing to tell
	recovered     // it is over, and who was notified of it is reported
)

// known is what the ends of problems are judged by.
type known struct {
	newest    map[int64]int        // by batch, the latest round with an open failure
	batches   map[int64]hive.Batch // of the open problems that have one; without those that are deleted
	successes map[int64]int64      // by schedule with an open failure, the last batch that succeeded
	alive     []string             // servers, if another one has an open problem
}

// know reads what the ends of all open problems are judged by, with few queries however many there are.
func (p *watch) know(ctx context.Context) (known, error) {
	k := known{newest: map[int64]int{}, batches: map[int64]hive.Batch{}}
	var ids, schedules []int64
	others := false
	for i := range p.open {
		e := &p.open[i]
		if e.BatchID != 0 {
			ids = append(ids, e.BatchID)
		}
		switch e.Kind {
		case hive.AlertFailed:
			k.newest[e.BatchID] = max(k.newest[e.BatchID], e.Round)
			schedules = append(schedules, e.ScheduleID)
		case hive.AlertHookFailed:
			k.newest[e.BatchID] = max(k.newest[e.BatchID], e.Round)
		default: // it ends by itself
		}
		others = others || e.Server != "" && e.Server != p.config.Server
	}
	slices.Sort(ids)
	batches, err := p.config.Batches.BatchesByID(ctx, slices.Compact(ids))
	if err != nil {
		return k, err
	}
	for i := range batches {
		k.batches[batches[i].ID] = batches[i]
	}
	slices.Sort(schedules)
	if k.successes, err = p.config.Batches.LastSuccesses(ctx, slices.Compact(schedules)); err != nil {
		return k, err
	}
	if others {
		k.alive, err = p.config.Ticks.AliveServers(ctx)
	}
	return k, err
}

// ends finds the problems that are over.
func (p *watch) ends(ctx context.Context) error {
	if len(p.open) == 0 {
		return nil
	}
	k, err := p.know(ctx)
	if err != nil {
		return err
	}
	for i := range p.open {
		e := &p.open[i]
		what, batch, err := p.endOf(ctx, e, &k)
		if hive.CodeOf(err) == hive.CodeNotFound {
			what, err = quiet, nil // what it was about is deleted
		}
		switch {
		case err != nil:
			return fmt.Errorf("event %d: %w", e.ID, err)
		case what == quiet:
			err = p.config.Events.EndAlertProblem(ctx, e.ID, p.now)
		case what == recovered:
			err = p.recovery(ctx, e, batch)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endOf returns whether a problem is over, and the batch that shows it.
func (p *watch) endOf(ctx context.Context, e *hive.AlertEvent, k *known) (end, int64, error) {
	b, there := k.batches[e.BatchID]
	switch {
	case e.BatchID != 0 && !there && e.Kind != hive.AlertNotStarted:
		return quiet, 0, nil // it is deleted
	case (e.Kind == hive.AlertFailed || e.Kind == hive.AlertHookFailed) && e.Round < k.newest[e.BatchID]:
		return quiet, 0, nil // the failure of a later round stands for it
	case e.Kind == hive.AlertHookFailed && p.now.Sub(e.At) > hooksLast:
		return quiet, 0, nil
	case e.Kind == hive.AlertHookFailed:
		return p.failureEnd(ctx, e, &b, 0)
	case e.Kind == hive.AlertFailed:
		return p.failureEnd(ctx, e, &b, k.successes[e.ScheduleID])
	case e.Kind == hive.AlertNeedsPerson:
		held, err := p.config.Batches.RunIsHeld(ctx, e.BatchID, e.Task)
		return over(!held), e.BatchID, err
	case e.Kind == hive.AlertLate:
		return lateEnd(e, &b), b.ID, nil
	case e.Kind == hive.AlertNotStarted:
		return p.waitEnd(ctx, e)
	case e.Kind == hive.AlertSkipped:
		ticks, err := p.config.Ticks.Ticks(ctx, e.ScheduleID, time.Time{}, 1)
		return over(len(ticks) == 0 || !overlapped(&ticks[0])), 0, err
	case e.Kind == hive.AlertStuck:
		return p.stuckEnd(ctx, &b)
	case e.Kind == hive.AlertDeliveryFailed:
		return p.channelEnd(ctx, e)
	case e.Server != p.config.Server && !slices.Contains(k.alive, e.Server):
		return quiet, 0, nil // nobody can see it any more
	case e.Server != p.config.Server:
		return lasts, 0, nil
	case e.Kind == hive.AlertExecutorLost:
		return p.executorEnd(ctx, e)
	case e.Kind == hive.AlertExecutorFull:
		return p.fullEnd(ctx, e)
	case e.Kind == hive.AlertDiskShort:
		return over(p.config.Local.DiskShort() == nil), 0, nil
	default: // the clock
		_, jumped := p.jump()
		return over(!jumped), 0, nil
	}
}

func over(yes bool) end {
	if yes {
		return recovered
	}
	return lasts
}

// failureEnd looks for a success of the batch, or of a later one of its schedule.
func (p *watch) failureEnd(ctx context.Context, e *hive.AlertEvent, b *hive.Batch, lastSuccess int64) (
	end, int64, error,
) {
	switch {
	case b.State == hive.BatchSucceeded:
		return recovered, b.ID, nil
	case b.State == hive.BatchCanceled, b.ClosedNote != "", p.now.Sub(e.At) > keepFor:
		return quiet, 0, nil
	case lastSuccess <= b.ID:
		return lasts, 0, nil
	}
	next, err := p.config.Batches.NextSuccess(ctx, e.ScheduleID, e.BatchID)
	return over(next != 0), next, err
}

func lateEnd(e *hive.AlertEvent, b *hive.Batch) end {
	switch {
	case b.State == hive.BatchSucceeded:
		return recovered
	case b.State.Final() || b.Round != e.Round:
		return quiet // a failure is reported by itself
	default:
		return lasts
	}
}

func (p *watch) waitEnd(ctx context.Context, e *hive.AlertEvent) (end, int64, error) {
	s, err := p.config.Ticks.StartOf(ctx, e.ScheduleID, e.Moment)
	switch {
	case err != nil:
		return lasts, 0, err
	case s.Waits || s.State == hive.BatchQueued:
		return lasts, 0, nil
	case s.Batch == 0 || s.State == hive.BatchCanceled:
		return quiet, 0, nil // it was decided not to run
	default:
		return recovered, s.Batch, nil
	}
}

// stuckEnd ends the problem of a batch that its owner has in memory again, or that is final.
func (p *watch) stuckEnd(ctx context.Context, b *hive.Batch) (end, int64, error) {
	if b.State.Final() {
		return recovered, b.ID, nil
	}
	seen, err := p.config.Local.Summaries(ctx, b.ID)
	s, mine := seen[b.ID]
	return over(mine && !s.Stuck), b.ID, err
}

func (p *watch) executorEnd(ctx context.Context, e *hive.AlertEvent) (end, int64, error) {
	all, err := p.config.Local.Executors(ctx)
	if err != nil {
		return lasts, 0, err
	}
	at := slices.IndexFunc(all, func(x hive.ExecutorView) bool { return p.here("executor", x.ID) == e.Problem })
	switch {
	case at < 0:
		return quiet, 0, nil // it was deleted
	case silent(&all[at]) || all[at].State == hive.ExecutorConnecting:
		return lasts, 0, nil
	default:
		return recovered, 0, nil
	}
}

func (p *watch) channelEnd(ctx context.Context, e *hive.AlertEvent) (end, int64, error) {
	failed, err := p.config.Reported.FailedChannels(ctx, p.now.Add(-failedSince))
	still := slices.ContainsFunc(failed, func(d hive.AlertDelivery) bool { return d.Channel == e.Channel })
	if err != nil || still {
		return lasts, 0, err
	}
	return quiet, 0, nil
}
