package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// The sizes of the parts of a BackfillView.
const (
	nextMoments   = 100
	shownFailures = 3
)

// ActiveBackfills lists the ids of the backfills that may start something, oldest first.
func (s *Store) ActiveBackfills(ctx context.Context) ([]int64, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT id FROM backfills WHERE state NOT IN ('done', 'canceled') AND state <> 'paused' "+
		"ORDER BY id").Scan(ctx, &ids)
	return ids, s.fault("list backfills", err)
}

// DecideBackfill calls decide with a backfill under its row lock, and stores the answer in the same transaction. The
// new batches belong to the session of server, which is checked as in Commit. After an error of decide nothing is
// stored. It returns the new batches, and the batches that got a command.
func (s *Store) DecideBackfill(ctx context.Context, server hive.Server, id int64, now time.Time,
	decide func(hive.BackfillView) (hive.BackfillWrite, error),
) (made, commanded []int64, err error) {
	err = s.write(ctx, "decide backfill", func(ctx context.Context, tx bun.Tx) error {
		made, commanded = nil, nil
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		b, err := s.lockBackfill(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := s.lockSchedules(ctx, tx, b.Schedules); err != nil {
			return err
		}
		v, err := backfillView(ctx, tx, b)
		if err != nil {
			return err
		}
		w, err := decide(v)
		if err != nil {
			return err
		}
		if made, err = s.fillMoments(ctx, tx, server.ID, id, now, w.Moments); err != nil {
			return err
		}
		if commanded, err = s.rerunMoments(ctx, tx, id, w.Moments); err != nil {
			return err
		}
		if err := noteMoments(ctx, tx, id, w.Moments); err != nil {
			return err
		}
		if w.State == v.Backfill.State && w.StoppedBy == v.Backfill.StoppedBy {
			return nil
		}
		return setBackfillState(ctx, tx, id, w.State, w.StoppedBy, "", now)
	})
	return made, commanded, err
}

// lockSchedules locks the rows of a backfill's schedules, as each decision about their ticks does. So a moment cannot
// get a batch by its tick and another one by the backfill.
func (s *Store) lockSchedules(ctx context.Context, tx bun.Tx, list []hive.BackfillSchedule) error {
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].ScheduleID
	}
	var locked []int64
	err := tx.NewRaw("SELECT id FROM schedules WHERE id IN (?) ORDER BY id"+s.kind.lock("NO KEY UPDATE"),
		bun.List(ids)).Scan(ctx, &locked)
	if err != nil {
		return fmt.Errorf("lock the schedules: %w", err)
	}
	return nil
}

func setBackfillState(ctx context.Context, tx bun.Tx, id int64, state hive.BackfillState, stoppedBy int64, by string,
	now time.Time,
) error {
	q := tx.NewUpdate().Model((*backfillRow)(nil)).Set("state = ?", text(string(state))).
		Set("stopped_by = ?", stoppedBy).Set("changed_at = ?", ms(now)).Where("id = ?", id)
	if by != "" {
		q.Set("changed_by = ?", text(by))
	}
	if state.Final() {
		q.Set("finished_at = ?", ms(now))
	}
	if _, err := q.Exec(ctx); err != nil {
		return fmt.Errorf("change the state of the backfill: %w", err)
	}
	return nil
}

// lockBackfill locks the row of a backfill and reads it with its counts.
func (s *Store) lockBackfill(ctx context.Context, tx bun.Tx, id int64) (hive.Backfill, error) {
	var one int
	err := tx.NewRaw("SELECT 1 FROM backfills WHERE id = ?"+s.kind.lock("UPDATE"), id).Scan(ctx, &one)
	if err != nil {
		no := because(hive.ErrorNoBackfill, "backfill")
		return hive.Backfill{}, missingFor(err, no, "there is no backfill %d", id)
	}
	row := new(backfillRow)
	if err := selectBackfills(tx, row).Where("f.id = ?", id).Scan(ctx); err != nil {
		return hive.Backfill{}, fmt.Errorf("read the backfill: %w", err)
	}
	list, err := s.counted(ctx, tx, []*backfillRow{row})
	if err != nil {
		return hive.Backfill{}, err
	}
	return list[0], nil
}

// BackfillView reads what a decision about a backfill would see, without a lock.
func (s *Store) BackfillView(ctx context.Context, id int64) (hive.BackfillView, error) {
	b, err := s.Backfill(ctx, id)
	if err != nil {
		return hive.BackfillView{}, err
	}
	v, err := backfillView(ctx, s.r, b)
	return v, s.fault("read backfill", err)
}

func backfillView(ctx context.Context, q bun.IDB, b hive.Backfill) (hive.BackfillView, error) {
	v := hive.BackfillView{Backfill: b}
	err := q.NewRaw("SELECT m.batch_id FROM backfill_moments AS m"+progressJoins+
		"WHERE m.backfill_id = ? AND NOT m.passed AND "+progressOf+" IN ('failed', 'canceled') "+
		"AND b.closed_note = '' ORDER BY m.position LIMIT ?", b.ID, shownFailures).Scan(ctx, &v.Failed)
	if err != nil {
		return v, fmt.Errorf("read the failed batches: %w", err)
	}
	if len(b.Schedules) > 1 {
		v.Next, err = allMoments(ctx, q, b.ID)
		return v, err
	}
	var rows []*backfillMomentRow
	err = q.NewSelect().Model(&rows).Where("backfill_id = ?", b.ID).Where("act = 'waiting'").Order("position").
		Limit(nextMoments).Scan(ctx)
	if err != nil {
		return v, fmt.Errorf("read the moments that wait: %w", err)
	}
	if len(rows) == 0 {
		return v, nil
	}
	moments := make([]int64, len(rows))
	for i, r := range rows {
		moments[i] = r.Moment
	}
	var found []*batchRow
	err = selectBatches(q, &found).Where("b.schedule_id = ?", b.ScheduleID).
		Where("b.moment IN (?)", bun.List(moments)).Order("b.id").Scan(ctx)
	if err != nil {
		return v, fmt.Errorf("read the batches of the moments: %w", err)
	}
	batches, err := hiveBatches(found)
	if err != nil {
		return v, err
	}
	latest := make(map[int64]*hive.Batch, len(batches))
	for i := range batches {
		latest[batches[i].Moment.UnixMilli()] = &batches[i]
	}
	for _, r := range rows {
		v.Next = append(v.Next, hive.BackfillMoment{
			Position: r.Position, ScheduleID: r.ScheduleID, Moment: moment(r.Moment), Batch: latest[r.Moment],
		})
	}
	return v, nil
}

// fillMoments stores the new batches, with the links from those that they read. A tick that waits for such a moment
// ends with its batch.
func (s *Store) fillMoments(ctx context.Context, tx bun.Tx, owner string, id int64, now time.Time,
	all []hive.BackfillMomentWrite,
) ([]int64, error) {
	var batches []hive.NewBatch
	var writes []*hive.BackfillMomentWrite
	for i := range all {
		if all[i].Act == hive.ActCreated {
			batches, writes = append(batches, *all[i].New), append(writes, &all[i])
		}
	}
	if len(batches) == 0 {
		return nil, nil
	}
	ids, err := s.kind.batchIDs(ctx, tx, len(batches))
	if err != nil {
		return nil, err
	}
	first := int64(0)
	if n := countRuns(batches); n > 0 {
		if first, err = reserve(ctx, tx, CounterRun, n); err != nil {
			return nil, err
		}
	}
	if _, err := insertBatches(ctx, tx, owner, ids, first, batches); err != nil {
		return nil, err
	}
	var causes []*causeRow
	for i, batch := range ids {
		w := writes[i]
		if err := decideMoment(ctx, tx, id, w.Position, hive.ActCreated, batch, 0); err != nil {
			return nil, err
		}
		for _, cause := range w.Causes {
			causes = append(causes, &causeRow{BatchID: batch, CauseID: cause})
		}
		if err := endWait(ctx, tx, id, batch, now, &w.New.Batch); err != nil {
			return nil, err
		}
	}
	return ids, insertAll(ctx, tx, causes)
}

// endWait decides the waiting tick of a moment that a backfill has given a batch, if there is one.
func endWait(ctx context.Context, tx bun.Tx, id, batch int64, now time.Time, b *hive.Batch) error {
	_, err := tx.NewUpdate().Model((*tickRow)(nil)).Set("decision = ?", string(hive.DecisionFired)).
		Set("rule = ?", hive.RuleBackfill).Set("detail = ?", fmt.Sprintf("backfill %d", id)).
		Set("batch_id = ?", batch).Set("revision_id = ?", b.RevisionID).Set("decided_at = ?", ms(now)).
		Set("missing = ''").Set("missing_more = 0").Where("schedule_id = ?", b.ScheduleID).
		Where("moment = ?", b.Moment.UnixMilli()).Where("decision = 'waiting'").Exec(ctx)
	if err != nil {
		return fmt.Errorf("end the wait of a tick: %w", err)
	}
	return nil
}

// rerunMoments stores the commands to batches that the moments had before.
func (s *Store) rerunMoments(ctx context.Context, tx bun.Tx, id int64, all []hive.BackfillMomentWrite) ([]int64,
	error,
) {
	var batches []int64
	for i := range all {
		w := &all[i]
		if w.Act != hive.ActRerun {
			continue
		}
		row := commandOf(w.Command)
		if _, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx); err != nil {
			return nil, fmt.Errorf("store a repair: %w", err)
		}
		if err := s.wakeOwner(ctx, tx, w.Batch); err != nil {
			return nil, fmt.Errorf("find an owner for batch %d: %w", w.Batch, err)
		}
		if err := decideMoment(ctx, tx, id, w.Position, w.Act, w.Batch, row.ID); err != nil {
			return nil, err
		}
		batches = append(batches, w.Batch)
	}
	return batches, nil
}

// noteMoments stores which moments are kept, which are skipped, and which wait again.
func noteMoments(ctx context.Context, tx bun.Tx, id int64, all []hive.BackfillMomentWrite) error {
	for i := range all {
		w := &all[i]
		var err error
		switch w.Act {
		case hive.ActKept:
			err = decideMoment(ctx, tx, id, w.Position, w.Act, w.Batch, 0)
		case hive.ActSkipped:
			err = skipMoment(ctx, tx, id, w.Position, w.SkippedFor)
		case hive.ActWaiting:
			err = skipMoment(ctx, tx, id, w.Position, -1)
		default:
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func skipMoment(ctx context.Context, tx bun.Tx, id int64, position, because int) error {
	_, err := tx.NewUpdate().Model((*backfillMomentRow)(nil)).Set("skipped_for = ?", because).
		Where("backfill_id = ?", id).Where("position = ?", position).Where("act = 'waiting'").Exec(ctx)
	if err != nil {
		return fmt.Errorf("store why a moment is skipped: %w", err)
	}
	return nil
}

func decideMoment(ctx context.Context, tx bun.Tx, id int64, position int, act hive.BackfillAct, batch, command int64,
) error {
	_, err := tx.NewUpdate().Model((*backfillMomentRow)(nil)).Set("act = ?", text(string(act))).
		Set("batch_id = ?", batch).Set("command_id = ?", command).Set("skipped_for = -1").
		Where("backfill_id = ?", id).Where("position = ?", position).Exec(ctx)
	if err != nil {
		return fmt.Errorf("store what became of a moment: %w", err)
	}
	return nil
}

// PauseBackfill lets a backfill start nothing until it is continued. hive.CodeConflict if it is over, as for the other
// two changes; a repeat of a change does nothing.
func (s *Store) PauseBackfill(ctx context.Context, id int64, by string, now time.Time) (hive.Backfill, error) {
	return s.changeBackfill(ctx, id, hive.BackfillPaused, by, now, func(context.Context, bun.Tx) error { return nil })
}

// ContinueBackfill lets a backfill go on. The failures of its batches up to now do not stop it again.
func (s *Store) ContinueBackfill(ctx context.Context, id int64, by string, now time.Time) (hive.Backfill, error) {
	return s.changeBackfill(ctx, id, hive.BackfillRunning, by, now, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("UPDATE backfill_moments SET passed = TRUE WHERE backfill_id = ? AND position IN "+
			"(SELECT m.position FROM backfill_moments AS m"+progressJoins+"WHERE m.backfill_id = ? AND "+
			progressOf+" IN ('failed', 'canceled'))", id, id).Exec(ctx)
		return err
	})
}

// CancelBackfill ends a backfill. The commands, made by cancel for each of its live batches, are stored with it.
func (s *Store) CancelBackfill(ctx context.Context, id int64, by string, now time.Time,
	cancel func(batch int64) (hive.Command, error),
) (after hive.Backfill, batches []int64, err error) {
	after, err = s.changeBackfill(ctx, id, hive.BackfillCanceled, by, now, func(ctx context.Context, tx bun.Tx) error {
		err := tx.NewRaw("SELECT m.batch_id FROM backfill_moments AS m"+progressJoins+
			"WHERE m.backfill_id = ? AND "+progressOf+" = 'running' ORDER BY m.batch_id", id).Scan(ctx, &batches)
		if err != nil {
			return err
		}
		batches = slices.Compact(batches)
		rows := make([]*commandRow, len(batches))
		for i, batch := range batches {
			c, err := cancel(batch)
			if err != nil {
				return err
			}
			rows[i] = commandOf(&c)
		}
		return insertAll(ctx, tx, rows)
	})
	return after, batches, err
}

func (s *Store) changeBackfill(ctx context.Context, id int64, state hive.BackfillState, by string, now time.Time,
	with func(context.Context, bun.Tx) error,
) (hive.Backfill, error) {
	var after hive.Backfill
	err := s.write(ctx, "change backfill", func(ctx context.Context, tx bun.Tx) error {
		b, err := s.lockBackfill(ctx, tx, id)
		if err != nil || b.State == state {
			after = b
			return err
		}
		if b.State.Final() {
			return hive.Errorf(hive.CodeConflict, "backfill %d is %s already; make a new one for what is left", id,
				b.State).WithReason(hive.ErrorBackfillState, "backfill", id, "state", b.State)
		}
		if err := with(ctx, tx); err != nil {
			return err
		}
		if err := setBackfillState(ctx, tx, id, state, 0, by, now); err != nil {
			return err
		}
		after, err = s.lockBackfill(ctx, tx, id)
		return err
	})
	return after, err
}
