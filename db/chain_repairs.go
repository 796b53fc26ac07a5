package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type chainRepairRow struct {
	bun.BaseModel `bun:"table:chain_repairs,alias:r"`

	ID         int64  `bun:"id,pk,autoincrement"`
	BatchID    int64  `bun:"batch_id"`
	State      string `bun:"state"`
	Note       string `bun:"note"`
	CreatedAt  int64  `bun:"created_at"`
	CreatedBy  string `bun:"created_by"`
	ChangedAt  int64  `bun:"changed_at"`
	ChangedBy  string `bun:"changed_by"`
	FinishedAt int64  `bun:"finished_at"`
	StoppedBy  int64  `bun:"stopped_by"`
	Key        string `bun:"key,nullzero"`
}

func (r *chainRepairRow) hive() hive.ChainRepair {
	return hive.ChainRepair{
		ID: r.ID, Batch: r.BatchID, State: hive.ChainRepairState(r.State), Note: r.Note, CreatedAt: at(r.CreatedAt),
		CreatedBy: r.CreatedBy, ChangedAt: at(r.ChangedAt), ChangedBy: r.ChangedBy, FinishedAt: at(r.FinishedAt),
		StoppedBy: r.StoppedBy,
	}
}

type chainStepRow struct {
	bun.BaseModel `bun:"table:chain_repair_steps,alias:t"`

	RepairID  int64  `bun:"repair_id,pk"`
	Position  int    `bun:"position,pk"`
	BatchID   int64  `bun:"batch_id"`
	Round     int    `bun:"round"`
	Fate      string `bun:"fate"`
	Act       string `bun:"act"`
	Needs     string `bun:"needs"`
	Tasks     int    `bun:"tasks"`
	CommandID int64  `bun:"command_id"`
	Open      bool   `bun:"open"`

	// joined
	ScheduleID int64  `bun:"schedule_id,scanonly"`
	Schedule   string `bun:"schedule,scanonly"`
	Moment     int64  `bun:"moment,scanonly"`
	RevisionID int64  `bun:"revision_id,scanonly"`
	State      string `bun:"state,scanonly"`
	Live       bool   `bun:"live,scanonly"`
	RoundNow   int    `bun:"round_now,scanonly"`
	Command    string `bun:"command,scanonly"`
	Answer     string `bun:"answer,scanonly"`
}

func (r *chainStepRow) hive() (hive.ChainStep, error) {
	needs, err := unpack[[]int](r.Needs)
	if err != nil {
		return hive.ChainStep{}, fmt.Errorf("chain repair %d: %w", r.RepairID, err)
	}
	s := hive.ChainStep{
		Position: r.Position, Needs: needs, ScheduleID: r.ScheduleID, Schedule: r.Schedule, Moment: moment(r.Moment),
		Batch: r.BatchID, RevisionID: r.RevisionID, Fate: hive.StepFate(r.Fate), Round: r.Round,
		State: hive.BatchState(r.State), Live: r.Live, RoundNow: r.RoundNow, Tasks: r.Tasks, Act: hive.StepAct(r.Act),
		Command: hive.CommandState(r.Command),
	}
	if s.Command == hive.CommandRefused {
		s.Refusal = new(hive.Problem)
		if err := json.Unmarshal([]byte(r.Answer), s.Refusal); err != nil {
			return s, fmt.Errorf("read the answer of command %d: %w", r.CommandID, err)
		}
	}
	return s, nil
}

// CreateChainRepair stores a chain repair with the repair of its first batch. If a chain repair has the same key
// already, nothing is stored, existed is true, and the result is that one. hive.CodeConflict if another chain repair
// under way has one of the batches.
func (s *Store) CreateChainRepair(ctx context.Context, n hive.NewChainRepair) (made hive.ChainRepair,
	command hive.Command, existed bool, err error,
) {
	r := &n.Repair
	row := &chainRepairRow{
		BatchID: r.Batch, State: text(string(r.State)), Note: text(r.Note), CreatedAt: ms(r.CreatedAt),
		CreatedBy: text(r.CreatedBy), ChangedAt: ms(r.ChangedAt), Key: text(n.Key),
	}
	err = s.write(ctx, "create chain repair", func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(row).Returning("id").Exec(ctx); err != nil {
			return err
		}
		first := commandOf(&n.First)
		if _, err := tx.NewInsert().Model(first).Returning("id").Exec(ctx); err != nil {
			return err
		}
		command = first.hive()
		if err := s.wakeOwner(ctx, tx, n.First.BatchID); err != nil {
			return err
		}
		steps, err := chainStepRows(row.ID, first.ID, r.Steps)
		if err != nil {
			return err
		}
		return insertAll(ctx, tx, steps)
	})
	if err != nil && s.sortOf(err) == failureUnique {
		return s.existingChainRepair(ctx, &n, err)
	}
	if err != nil && s.sortOf(err) == failureReference {
		err = hive.Errorf(hive.CodeNotFound, "a batch of the chain is gone; look at the chain again").
			WithReason(hive.ErrorNoBatch, "batch", r.Batch)
	}
	if err != nil {
		return made, command, false, err
	}
	made, err = s.ChainRepair(ctx, row.ID)
	return made, command, false, err
}

func chainStepRows(repair, command int64, steps []hive.ChainStep) ([]*chainStepRow, error) {
	rows := make([]*chainStepRow, len(steps))
	for i := range steps {
		step := &steps[i]
		needs, err := pack(step.Needs, step.Needs == nil)
		if err != nil {
			return nil, err
		}
		rows[i] = &chainStepRow{
			RepairID: repair, Position: i, BatchID: step.Batch, Round: step.Round, Fate: text(string(step.Fate)),
			Act: text(string(step.Act)), Needs: text(needs), Tasks: step.Tasks, Open: step.Fate == hive.StepRerun,
		}
		if i == 0 {
			rows[i].CommandID = command
		}
	}
	return rows, nil
}

// existingChainRepair finds what has taken a unique key of a new chain repair: the same request before, or a chain
// repair under way that has one of its batches.
func (s *Store) existingChainRepair(ctx context.Context, n *hive.NewChainRepair, taken error) (hive.ChainRepair,
	hive.Command, bool, error,
) {
	old, command, found, err := s.ChainRepairByKey(ctx, n.Key)
	if err != nil || found {
		return old, command, found, err
	}
	batches := make([]int64, 0, len(n.Repair.Steps))
	for i := range n.Repair.Steps {
		if n.Repair.Steps[i].Fate == hive.StepRerun {
			batches = append(batches, n.Repair.Steps[i].Batch)
		}
	}
	busy, err := s.OpenChainRepair(ctx, batches)
	if err == nil && busy == 0 {
		err = taken
	} else if err == nil {
		err = hive.Errorf(hive.CodeConflict, "chain repair %d runs some of these batches already; wait until it is "+
			"over, or cancel it", busy).WithReason(hive.ErrorChainBusy, "chainRepair", busy)
	}
	return hive.ChainRepair{}, hive.Command{}, false, err
}

// ChainRepairByKey finds a chain repair by its idempotency key, with the command to its first batch.
func (s *Store) ChainRepairByKey(ctx context.Context, key string) (r hive.ChainRepair, first hive.Command, found bool,
	err error,
) {
	var rows []struct {
		ID        int64
		CommandID int64
	}
	if key == "" {
		return r, first, false, nil
	}
	err = s.r.NewRaw("SELECT r.id, t.command_id FROM chain_repairs AS r JOIN chain_repair_steps AS t "+
		"ON t.repair_id = r.id AND t.position = 0 WHERE r.key = ?", text(key)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return r, first, false, s.fault("read chain repair", err)
	}
	if r, err = s.ChainRepair(ctx, rows[0].ID); err == nil {
		first, err = s.Command(ctx, rows[0].CommandID)
	}
	return r, first, err == nil, err
}

// OpenChainRepair finds a chain repair under way that may run one of the batches again; 0 if there is none.
func (s *Store) OpenChainRepair(ctx context.Context, batches []int64) (int64, error) {
	var ids []int64
	if len(batches) == 0 {
		return 0, nil
	}
	err := s.r.NewRaw("SELECT repair_id FROM chain_repair_steps WHERE open AND batch_id IN (?) "+
		"ORDER BY repair_id LIMIT 1", bun.List(batches)).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, s.fault("find a chain repair", err)
	}
	return ids[0], nil
}

// ChainRepair finds a chain repair by its id.
func (s *Store) ChainRepair(ctx context.Context, id int64) (hive.ChainRepair, error) {
	r, err := readChainRepair(ctx, s.r, id)
	return r, s.fault("read chain repair", err)
}

func readChainRepair(ctx context.Context, q bun.IDB, id int64) (hive.ChainRepair, error) {
	row := new(chainRepairRow)
	if err := q.NewSelect().Model(row).Where("r.id = ?", id).Scan(ctx); err != nil {
		no := because(hive.ErrorNoChainRepair, "chainRepair")
		return hive.ChainRepair{}, missingFor(err, no, "there is no chain repair %d", id)
	}
	list, err := withSteps(ctx, q, []*chainRepairRow{row})
	if err != nil {
		return hive.ChainRepair{}, err
	}
	return list[0], nil
}

// withSteps turns rows into chain repairs with their steps.
func withSteps(ctx context.Context, q bun.IDB, rows []*chainRepairRow) ([]hive.ChainRepair, error) {
	list := make([]hive.ChainRepair, len(rows))
	ids := make([]int64, len(rows))
	place := make(map[int64]int, len(rows))
	for i, r := range rows {
		list[i], ids[i], place[r.ID] = r.hive(), r.ID, i
	}
	if len(rows) == 0 {
		return list, nil
	}
	var steps []*chainStepRow
	err := q.NewSelect().Model(&steps).ColumnExpr("t.*").
		ColumnExpr("coalesce(b.schedule_id, 0) AS schedule_id, coalesce(s.name, '') AS schedule, b.moment").
		ColumnExpr("b.revision_id, b.state, b.live, b.round AS round_now").
		ColumnExpr("coalesce(c.state, '') AS command, coalesce(c.answer, '') AS answer").
		Join("JOIN batches AS b ON b.id = t.batch_id").Join("LEFT JOIN schedules AS s ON s.id = b.schedule_id").
		Join("LEFT JOIN commands AS c ON c.id = t.command_id").Where("t.repair_id IN (?)", bun.List(ids)).
		OrderExpr("t.repair_id, t.position").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the steps: %w", err)
	}
	for _, step := range steps {
		s, err := step.hive()
		if err != nil {
			return nil, err
		}
		r := &list[place[step.RepairID]]
		r.Steps = append(r.Steps, s)
	}
	return list, nil
}

// ChainRepairs lists what a filter selects, newest first.
func (s *Store) ChainRepairs(ctx context.Context, f hive.ChainRepairFilter) ([]hive.ChainRepair, error) {
	var rows []*chainRepairRow
	q := s.r.NewSelect().Model(&rows).OrderExpr("r.id DESC").Limit(pageSize(f.Limit))
	if f.Batch > 0 {
		q.Where("r.id IN (SELECT repair_id FROM chain_repair_steps WHERE batch_id = ?)", f.Batch)
	}
	if f.Live {
		q.Where("r.state NOT IN ('done', 'canceled')")
	}
	if f.Before > 0 {
		q.Where("r.id < ?", f.Before)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.fault("list chain repairs", err)
	}
	list, err := withSteps(ctx, s.r, rows)
	return list, s.fault("list chain repairs", err)
}

// CausedMoments lists the moments of other schedules at which a batch of one moment of a schedule let one start, at
// most limit.
func (s *Store) CausedMoments(ctx context.Context, scheduleID int64, at time.Time, limit int) ([]hive.ScheduleMoment,
	error,
) {
	var rows []struct {
		ScheduleID int64
		Moment     int64
	}
	err := s.r.NewRaw("SELECT DISTINCT b.schedule_id, b.moment FROM batches AS u JOIN batch_causes AS c "+
		"ON c.cause_id = u.id JOIN batches AS b ON b.id = c.batch_id WHERE u.schedule_id = ? AND u.moment = ? "+
		"AND b.schedule_id IS NOT NULL ORDER BY b.moment, b.schedule_id LIMIT ?", scheduleID, at.UnixMilli(), limit).
		Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("read what followed a moment", err)
	}
	out := make([]hive.ScheduleMoment, len(rows))
	for i, r := range rows {
		out[i] = hive.ScheduleMoment{ScheduleID: r.ScheduleID, Moment: moment(r.Moment)}
	}
	return out, nil
}
