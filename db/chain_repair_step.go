package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// ActiveChainRepairs lists the ids of the chain repairs that are neither done nor canceled, oldest first.
func (s *Store) ActiveChainRepairs(ctx context.Context) ([]int64, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT id FROM chain_repairs WHERE state NOT IN ('done', 'canceled') ORDER BY id").
		Scan(ctx, &ids)
	return ids, s.fault("list chain repairs", err)
}

// DecideChainRepair calls decide with a chain repair under its row lock, and stores the answer in the same transaction,
// which checks the session of server as Commit does. After an error of decide nothing is stored. It returns the batches
// that got a command.
func (s *Store) DecideChainRepair(ctx context.Context, server hive.Server, id int64, now time.Time,
	decide func(hive.ChainRepair) (hive.ChainRepairWrite, error),
) (commanded []int64, err error) {
	err = s.write(ctx, "decide chain repair", func(ctx context.Context, tx bun.Tx) error {
		commanded = nil
		if err := s.sessionHolds(ctx, tx, server.ID, server.Epoch, "SHARE"); err != nil {
			return err
		}
		r, err := s.lockChainRepair(ctx, tx, id)
		if err != nil {
			return err
		}
		w, err := decide(r)
		if err != nil {
			return err
		}
		for i := range w.Steps {
			step := &w.Steps[i]
			command, err := s.sendStep(ctx, tx, step)
			if err != nil {
				return err
			}
			if err := decideStep(ctx, tx, id, step, command); err != nil {
				return err
			}
			if step.Command != nil {
				commanded = append(commanded, step.Command.BatchID)
			}
		}
		if w.State == r.State && w.StoppedBy == r.StoppedBy {
			return nil
		}
		return setChainRepairState(ctx, tx, id, w.State, w.StoppedBy, "", now)
	})
	return commanded, err
}

// sendStep stores the command of a step and returns its id; 0 if the step has none.
func (s *Store) sendStep(ctx context.Context, tx bun.Tx, step *hive.ChainStepWrite) (int64, error) {
	if step.Command == nil {
		return 0, nil
	}
	row := commandOf(step.Command)
	if _, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx); err != nil {
		return 0, fmt.Errorf("store a repair: %w", err)
	}
	if err := s.wakeOwner(ctx, tx, step.Command.BatchID); err != nil {
		return 0, fmt.Errorf("find an owner for batch %d: %w", step.Command.BatchID, err)
	}
	return row.ID, nil
}

func decideStep(ctx context.Context, tx bun.Tx, id int64, step *hive.ChainStepWrite, command int64) error {
	_, err := tx.NewUpdate().Model((*chainStepRow)(nil)).Set("act = ?", text(string(step.Act))).
		Set("command_id = ?", command).Set("open = ?", step.Act == hive.StepSent).
		Where("repair_id = ?", id).Where("position = ?", step.Position).Exec(ctx)
	if err != nil {
		return fmt.Errorf("store what became of a step: %w", err)
	}
	return nil
}

func setChainRepairState(ctx context.Context, tx bun.Tx, id int64, state hive.ChainRepairState, stoppedBy int64,
	by string, now time.Time,
) error {
	q := tx.NewUpdate().Model((*chainRepairRow)(nil)).Set("state = ?", text(string(state))).
		Set("stopped_by = ?", stoppedBy).Set("changed_at = ?", ms(now)).Where("id = ?", id)
	if by != "" {
		q.Set("changed_by = ?", text(by))
	}
	if state.Final() {
		q.Set("finished_at = ?", ms(now))
	}
	if _, err := q.Exec(ctx); err != nil {
		return fmt.Errorf("change the state of the chain repair: %w", err)
	}
	if !state.Final() {
		return nil
	}
	if _, err := tx.NewUpdate().Model((*chainStepRow)(nil)).Set("open = FALSE").Where("repair_id = ?", id).
		Where("open").Exec(ctx); err != nil {
		return fmt.Errorf("end the steps of the chain repair: %w", err)
	}
	return nil
}

func (s *Store) lockChainRepair(ctx context.Context, tx bun.Tx, id int64) (hive.ChainRepair, error) {
	var one int
	err := tx.NewRaw("SELECT 1 FROM chain_repairs WHERE id = ?"+s.kind.lock("UPDATE"), id).Scan(ctx, &one)
	if err != nil {
		no := because(hive.ErrorNoChainRepair, "chainRepair")
		return hive.ChainRepair{}, missingFor(err, no, "there is no chain repair %d", id)
	}
	return readChainRepair(ctx, tx, id)
}

// CancelChainRepair ends a chain repair: it runs no further batch again, and those that run go on. hive.CodeConflict if
// it is done already; a repeat does nothing.
func (s *Store) CancelChainRepair(ctx context.Context, id int64, by string, now time.Time) (hive.ChainRepair, error) {
	var after hive.ChainRepair
	err := s.write(ctx, "cancel chain repair", func(ctx context.Context, tx bun.Tx) error {
		r, err := s.lockChainRepair(ctx, tx, id)
		if err != nil || r.State == hive.ChainRepairCanceled {
			after = r
			return err
		}
		if r.State.Final() {
			return hive.Errorf(hive.CodeConflict, "chain repair %d is done already", id).
				WithReason(hive.ErrorChainCanceling, "chainRepair", id)
		}
		if err := setChainRepairState(ctx, tx, id, hive.ChainRepairCanceled, 0, by, now); err != nil {
			return err
		}
		after, err = s.lockChainRepair(ctx, tx, id)
		return err
	})
	return after, err
}
