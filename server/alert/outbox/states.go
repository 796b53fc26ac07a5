package outbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
)

const (
	// ticksBehind is how many ids of ticks each look reads again, because a tick may become visible after a later one.
	ticksBehind = 1000
	// ticksAtFirst is how far the first look goes back.
	ticksAtFirst = 20_000
	// failedSince is for how long a channel that failed is reported.
	failedSince = 24 * time.Hour
)

// late finds batches that run past the deadline of a rule, or for much longer than usual if it has none.
func (p *watch) late(ctx context.Context) error {
	if !p.asks(hive.AlertLate) {
		return nil
	}
	live, err := p.config.Batches.AllLive(ctx)
	if err != nil {
		return err
	}
	live = slices.DeleteFunc(live, func(b hive.Batch) bool {
		return b.ScheduleID == 0 || b.Kind == hive.KindBackfill && b.Round == 1
	})
	var schedules []int64
	for i := range live {
		schedules = append(schedules, live[i].ScheduleID)
	}
	slices.Sort(schedules)
	usual, err := p.config.Batches.UsualDurations(ctx, slices.Compact(schedules))
	if err != nil {
		return err
	}
	for i := range live {
		if err := p.lateBatch(ctx, &live[i], usual[live[i].ScheduleID]); err != nil {
			return err
		}
	}
	return nil
}

func (p *watch) lateBatch(ctx context.Context, b *hive.Batch, usual time.Duration) error {
	for _, r := range p.rules {
		if !slices.Contains(r.On, hive.AlertLate) {
			continue
		}
		due := r.DeadlineAfter(b.Moment)
		switch {
		case due.IsZero() && (b.State != hive.BatchRunning || !b.RunsLate(usual, p.now)):
			continue
		case !due.IsZero() && (b.Round > 1 || p.now.Before(due)): // a person has seen the first round
			continue
		}
		key := fmt.Sprintf("late:%d:%d:%s", b.ID, b.Round, r.Name)
		if p.isOpen(key) {
			continue
		}
		e, err := p.about(ctx, hive.AlertLate, b.ScheduleID)
		if err != nil {
			return err
		}
		e.Key, e.Problem, e.Rule, e.BatchID, e.Round = key, key, r.Name, b.ID, b.Round
		e.Moment, e.Due = b.Moment, due
		if err := p.tellState(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// notStarted finds moments whose batch has not started in time: those that wait for other schedules, and those whose
// batch is queued.
func (p *watch) notStarted(ctx context.Context) error {
	if !p.asks(hive.AlertNotStarted) {
		return nil
	}
	ids, err := p.config.Ticks.WaitingSchedules(ctx)
	if err != nil {
		return err
	}
	waiting, err := p.config.Ticks.WaitingTicks(ctx, ids)
	if err != nil {
		return err
	}
	for schedule, ticks := range waiting {
		for i := range ticks {
			since := later(ticks[i].Moment, ticks[i].DecidedAt)
			if err := p.waits(ctx, schedule, ticks[i].Moment, since, 0); err != nil {
				return err
			}
		}
	}
	live, err := p.config.Batches.AllLive(ctx)
	if err != nil {
		return err
	}
	for i := range live {
		b := &live[i]
		if b.State == hive.BatchQueued && (b.Kind == hive.KindScheduled || b.Kind == hive.KindDependent) {
			if err := p.waits(ctx, b.ScheduleID, b.Moment, later(b.Moment, b.CreatedAt), b.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// waits tells the rules for which a moment waits too long.
func (p *watch) waits(ctx context.Context, schedule int64, moment, since time.Time, batch int64) error {
	for _, r := range p.rules {
		due := since.Add(r.WaitFor())
		key := fmt.Sprintf("not_started:%d:%d:%s", schedule, moment.UnixMilli(), r.Name)
		if !slices.Contains(r.On, hive.AlertNotStarted) || p.now.Before(due) || p.isOpen(key) {
			continue
		}
		e, err := p.about(ctx, hive.AlertNotStarted, schedule)
		if err != nil {
			return err
		}
		e.Key, e.Problem, e.Rule, e.BatchID, e.Moment, e.Due = key, key, r.Name, batch, moment, due
		if err := p.tellState(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// skipped finds schedules with so many skipped moments in a row that a rule reports it.
func (p *watch) skipped(ctx context.Context) error {
	if !p.asks(hive.AlertSkipped) {
		p.lastTick = 0
		return nil
	}
	after := p.lastTick - ticksBehind
	if p.lastTick == 0 {
		_, last, err := p.config.Ticks.SkippingSchedules(ctx, 1<<62)
		if err != nil {
			return err
		}
		after = last - ticksAtFirst
	}
	schedules, last, err := p.config.Ticks.SkippingSchedules(ctx, max(after, 0))
	if err != nil {
		return err
	}
	for _, id := range schedules {
		if err := p.skippedOf(ctx, id); err != nil {
			return err
		}
	}
	p.lastTick = max(last, 1)
	return nil
}

func (p *watch) skippedOf(ctx context.Context, schedule int64) error {
	for _, r := range p.rules {
		if !slices.Contains(r.On, hive.AlertSkipped) {
			continue
		}
		ticks, err := p.config.Ticks.Ticks(ctx, schedule, time.Time{}, r.SkipsFor())
		if err != nil {
			return err
		}
		if len(ticks) < r.SkipsFor() || slices.ContainsFunc(ticks, func(t hive.Tick) bool { return !overlapped(&t) }) {
			continue
		}
		// A streak is one problem, however long it gets. Its key has the moment at which it became one.
		problem := fmt.Sprintf("skipped:%d:%s", schedule, r.Name)
		if p.isOpen(problem) {
			continue
		}
		e, err := p.about(ctx, hive.AlertSkipped, schedule)
		if err != nil {
			return err
		}
		e.Key = fmt.Sprintf("%s:%d", problem, ticks[0].Moment.UnixMilli())
		e.Problem, e.Rule, e.Count, e.Moment = problem, r.Name, len(ticks), ticks[0].Moment
		if err := p.tellState(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// overlapped reports whether a tick was skipped because a batch still ran.
func overlapped(t *hive.Tick) bool { return t.Decision == hive.DecisionSkipped && t.Rule == "overlap" }

// stuck finds batches of this server that cannot be read or stored. Their own rows may be what is broken, so that a
// commit cannot store a fact about them.
func (p *watch) stuck(ctx context.Context) error {
	if !p.asks(hive.AlertStuck) {
		return nil
	}
	seen, err := p.config.Local.Summaries(ctx)
	if err != nil {
		return err
	}
	for id, s := range seen {
		problem := fmt.Sprintf("stuck:%d", id)
		if !s.Stuck || p.isOpen(problem) {
			continue
		}
		b, err := p.config.Batches.Batch(ctx, id)
		if err != nil {
			continue // its row cannot be read either; the log has it
		}
		of := b
		if b.Hook != nil { // it names no schedule
			if of, err = p.config.Batches.Batch(ctx, b.Hook.Batch); err != nil {
				continue
			}
		}
		e, err := p.about(ctx, hive.AlertStuck, of.ScheduleID)
		if err != nil {
			return err
		}
		e.Key, e.Problem = p.keyNow(problem), problem
		e.BatchID, e.Moment, e.Round, e.Error = id, b.Moment, b.Round, p.config.Local.StuckWords(ctx, id)
		if err := p.tellState(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// keyNow makes the key of a problem that may come again.
func (p *watch) keyNow(problem string) string {
	return fmt.Sprintf("%s:%d", problem, p.now.UnixMilli())
}

// executors finds executors that this server does not reach.
func (p *watch) executors(ctx context.Context) error {
	if !p.asks(hive.AlertExecutorLost) {
		return nil
	}
	all, err := p.config.Local.Executors(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		x := &all[i]
		if !silent(x) {
			continue
		}
		e := hive.AlertEvent{Kind: hive.AlertExecutorLost, At: p.now, Problem: p.here("executor", x.ID)}
		e.Executor, e.Server, e.Error, e.Key = x.Name, p.config.Server, x.Trouble.Text, p.keyNow(e.Problem)
		if p.isOpen(e.Problem) {
			continue
		}
		if err := p.tellState(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func silent(x *hive.ExecutorView) bool {
	return x.State == hive.ExecutorSilent || x.State == hive.ExecutorLost
}

// here names a problem that this server alone can see.
func (p *watch) here(what, id string) string { return what + ":" + id + ":" + p.config.Server }

// clock finds out whether the clock of this server has jumped.
func (p *watch) clock(ctx context.Context) error {
	problem := p.here("clock", "jumped")
	alarm, jumped := p.jump()
	if !p.asks(hive.AlertClockJumped) || !jumped || p.isOpen(problem) {
		return nil
	}
	e := hive.AlertEvent{Kind: hive.AlertClockJumped, At: alarm.Since, Problem: problem, Key: p.keyNow(problem)}
	e.Server, e.Error = p.config.Server, alarm.Words
	return p.tellState(ctx, e)
}

func (p *watch) jump() (hive.TickAlarm, bool) {
	for _, a := range p.config.Local.TickAlarms() {
		if a.Reason == hive.AlarmClockJumped {
			return a, true
		}
	}
	return hive.TickAlarm{}, false
}

// channels finds channels whose last message was given up.
func (p *watch) channels(ctx context.Context) error {
	if !p.asks(hive.AlertDeliveryFailed) {
		return nil
	}
	failed, err := p.config.Reported.FailedChannels(ctx, p.now.Add(-failedSince))
	if err != nil {
		return err
	}
	for i := range failed {
		d := &failed[i]
		e := hive.AlertEvent{
			Kind: hive.AlertDeliveryFailed, At: d.DoneAt, Problem: "channel:" + d.Channel,
			Key: fmt.Sprintf("delivery_failed:%d", d.ID),
		}
		e.Channel, e.Error = d.Channel, d.Error
		if p.isOpen(e.Problem) {
			continue
		}
		if err := p.tellState(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// recovery makes the event that a problem is over.
func (p *watch) recovery(ctx context.Context, of *hive.AlertEvent, batch int64) error {
	pairs, err := p.config.Reported.ReportedTo(ctx, of.ID)
	if err != nil {
		return err
	}
	e := hive.AlertEvent{
		Kind: hive.AlertRecovered, Key: fmt.Sprintf("recovered:%d", of.ID), At: p.now, ScheduleID: of.ScheduleID,
		BatchID: batch, AlertFacets: of.AlertFacets,
	}
	if of.ScheduleID != 0 { // it may have got another name meanwhile
		about, err := p.config.Describe(ctx, of.ScheduleID)
		if err != nil {
			return err
		}
		e.Schedule, e.Former, e.Tags = about.Schedule, about.Former, about.Tags
	}
	e.Of, e.Error, e.Task, e.Attempt, e.Due = of.Kind, "", "", 0, time.Time{}
	return p.tell(ctx, hive.NewAlertEvent{Event: e, Over: of.ID}, alert.Reported{Pairs: pairs})
}
