package outbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// end says whether a problem is over.
type end int

const (
	lasts     end = iota
	quiet         // it is over, and there is nothing to tell
	recovered     // it is over, and who was notified of it is reported
)

// ends finds the problems that are over.
func (p *watch) ends(ctx context.Context) error {
	var alive []string
	newest := map[int64]int{} // by batch, the latest round with an open failure
	for i := range p.open {
		if e := &p.open[i]; e.Kind == hive.AlertFailed {
			newest[e.BatchID] = max(newest[e.BatchID], e.Round)
		}
	}
	for i := range p.open {
		e := &p.open[i]
		if e.Server != "" && e.Server != p.config.Server && alive == nil {
			var err error
			if alive, err = p.config.Ticks.AliveServers(ctx); err != nil {
				return err
			}
		}
		what, batch, err := p.endOf(ctx, e, newest, alive)
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
func (p *watch) endOf(ctx context.Context, e *hive.AlertEvent, newest map[int64]int, alive []string) (
	end, int64, error,
) {
	switch {
	case e.Kind == hive.AlertFailed && e.Round < newest[e.BatchID]:
		return quiet, 0, nil // the failure of a later round stands for it
	case e.Kind == hive.AlertFailed:
		return p.failureEnd(ctx, e)
	case e.Kind == hive.AlertNeedsPerson:
		held, err := p.config.Batches.RunIsHeld(ctx, e.BatchID, e.Task)
		return over(!held), e.BatchID, err
	case e.Kind == hive.AlertLate:
		return p.lateEnd(ctx, e)
	case e.Kind == hive.AlertNotStarted:
		return p.waitEnd(ctx, e)
	case e.Kind == hive.AlertSkipped:
		ticks, err := p.config.Ticks.Ticks(ctx, e.ScheduleID, time.Time{}, 1)
		return over(len(ticks) == 0 || !overlapped(&ticks[0])), 0, err
	case e.Kind == hive.AlertStuck:
		return p.stuckEnd(ctx, e)
	case e.Kind == hive.AlertDeliveryFailed:
		return p.channelEnd(ctx, e)
	case e.Server != p.config.Server && !slices.Contains(alive, e.Server):
		return quiet, 0, nil // nobody can see it any more
	case e.Server != p.config.Server:
		return lasts, 0, nil
	case e.Kind == hive.AlertExecutorLost:
		return p.executorEnd(ctx, e)
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
func (p *watch) failureEnd(ctx context.Context, e *hive.AlertEvent) (end, int64, error) {
	b, err := p.config.Batches.Batch(ctx, e.BatchID)
	switch {
	case err != nil:
		return lasts, 0, err
	case b.State == hive.BatchSucceeded:
		return recovered, b.ID, nil
	case b.State == hive.BatchCanceled, b.ClosedNote != "":
		return quiet, 0, nil
	case e.ScheduleID == 0:
		return lasts, 0, nil
	}
	next, err := p.config.Batches.NextSuccess(ctx, e.ScheduleID, e.BatchID)
	return over(next != 0), next, err
}

func (p *watch) lateEnd(ctx context.Context, e *hive.AlertEvent) (end, int64, error) {
	b, err := p.config.Batches.Batch(ctx, e.BatchID)
	switch {
	case err != nil:
		return lasts, 0, err
	case b.State == hive.BatchSucceeded:
		return recovered, b.ID, nil
	case b.State.Final() || b.Round != e.Round:
		return quiet, 0, nil // a failure is reported by itself
	default:
		return lasts, 0, nil
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
func (p *watch) stuckEnd(ctx context.Context, e *hive.AlertEvent) (end, int64, error) {
	b, err := p.config.Batches.Batch(ctx, e.BatchID)
	if err != nil {
		return lasts, 0, err
	}
	if b.State.Final() {
		return recovered, b.ID, nil
	}
	seen, err := p.config.Local.Summaries(ctx, e.BatchID)
	s, mine := seen[e.BatchID]
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
