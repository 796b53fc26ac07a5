package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type batchRow struct {
	bun.BaseModel `bun:"table:batches,alias:b"`

	ID         int64  `bun:"id,pk"`
	ScheduleID int64  `bun:"schedule_id,nullzero"`
	Schedule   string `bun:"schedule,scanonly"` // joined
	RevisionID int64  `bun:"revision_id"`
	Revision   int64  `bun:"revision"`
	Kind       string `bun:"kind"`
	State      string `bun:"state"`
	Wish       string `bun:"wish"`
	Reason     string `bun:"reason"`
	Round      int    `bun:"round"`
	Moment     int64  `bun:"moment"`
	Params     string `bun:"params"`
	CreatedAt  int64  `bun:"created_at"`
	CreatedBy  string `bun:"created_by"`
	StartedAt  int64  `bun:"started_at"`
	RoundAt    int64  `bun:"round_at"`
	FinishedAt int64  `bun:"finished_at"`
	PausedAt   int64  `bun:"paused_at"`
	PausedFor  int64  `bun:"paused_for"`
	JobClocks  string `bun:"job_clocks"`
	Owner      string `bun:"owner"`
	Live       bool   `bun:"live"`
	ClosedNote string `bun:"closed_note"`
	BackfillID int64  `bun:"backfill_id"`
	Counts     string `bun:"counts"`
	HookOf     int64  `bun:"hook_of"`
	Hook       string `bun:"hook"`
	Key        string `bun:"key,nullzero"` // of a new batch; only batchOfKey reads it
}

func batchOf(b *hive.Batch) (batchRow, error) {
	params, err := pack(b.Params, b.Params == nil)
	if err != nil {
		return batchRow{}, err
	}
	clocks, err := packTimes(b.JobClocks)
	if err != nil {
		return batchRow{}, err
	}
	counts, err := pack(b.Counts, b.Counts == nil)
	if err != nil {
		return batchRow{}, err
	}
	kind, hookOf := b.Kind, int64(0)
	if b.Hook != nil { // see the migration
		kind, hookOf = hive.KindAdhoc, b.Hook.Batch
	}
	hook, err := pack(b.Hook, b.Hook == nil)
	return batchRow{
		ID: b.ID, ScheduleID: b.ScheduleID, RevisionID: b.RevisionID, Revision: b.Revision, Kind: text(string(kind)),
		State: text(string(b.State)), Wish: text(string(b.Wish)), Reason: text(string(b.Reason)), Round: b.Round,
		Moment: b.Moment.UnixMilli(), Params: text(params), CreatedAt: ms(b.CreatedAt), CreatedBy: text(b.CreatedBy),
		StartedAt: ms(b.StartedAt), RoundAt: ms(b.RoundAt), FinishedAt: ms(b.FinishedAt), PausedAt: ms(b.PausedAt),
		PausedFor: b.PausedFor.Milliseconds(), JobClocks: clocks, Owner: text(b.Owner), Live: b.Live,
		ClosedNote: text(b.ClosedNote), BackfillID: b.Backfill, Counts: counts,
		HookOf: hookOf, Hook: text(hook),
	}, err
}

func (r *batchRow) hive() (hive.Batch, error) {
	params, err := unpackParams(r.Params)
	if err != nil {
		return hive.Batch{}, fmt.Errorf("batch %d: %w", r.ID, err)
	}
	clocks, err := unpackTimes(r.JobClocks)
	if err != nil {
		return hive.Batch{}, fmt.Errorf("batch %d: %w", r.ID, err)
	}
	counts, err := unpack[hive.Counts](r.Counts)
	if err != nil {
		return hive.Batch{}, fmt.Errorf("batch %d: %w", r.ID, err)
	}
	hook, err := hookEvent(r.HookOf, r.Hook)
	if err != nil {
		return hive.Batch{}, fmt.Errorf("batch %d: %w", r.ID, err)
	}
	kind := hive.BatchKind(r.Kind)
	if hook != nil {
		kind = hive.KindHook
	}
	return hive.Batch{
		ID: r.ID, ScheduleID: r.ScheduleID, Schedule: r.Schedule, RevisionID: r.RevisionID, Revision: r.Revision,
		Kind: kind, State: hive.BatchState(r.State), Wish: hive.Wish(r.Wish),
		Reason: hive.Reason(r.Reason), Round: r.Round, Moment: moment(r.Moment), Params: params,
		CreatedAt: at(r.CreatedAt), CreatedBy: r.CreatedBy, StartedAt: at(r.StartedAt), RoundAt: at(r.RoundAt),
		FinishedAt: at(r.FinishedAt), PausedAt: at(r.PausedAt),
		PausedFor: time.Duration(r.PausedFor) * time.Millisecond, JobClocks: clocks, Owner: r.Owner, Live: r.Live,
		ClosedNote: r.ClosedNote, Backfill: r.BackfillID, Counts: counts, Hook: hook,
	}, nil
}

// hookEvent reads the end that a batch of hooks follows. It is nil for all other batches, which follow no batch.
func hookEvent(of int64, stored string) (*hive.HookEvent, error) {
	if of == 0 {
		return nil, nil
	}
	e, err := unpack[hive.HookEvent](stored)
	e.Batch = of
	return &e, err
}

// batchTable declares what an owner changes of a batch.
func batchTable() *table[batchRow] {
	return &table[batchRow]{
		name: "batches", what: "batch",
		common: []column[batchRow]{
			word("state", func(b *batchRow) *string { return &b.State }),
			word("wish", func(b *batchRow) *string { return &b.Wish }),
			word("reason", func(b *batchRow) *string { return &b.Reason }),
			boolean("live", func(b *batchRow) *bool { return &b.Live }),
		},
		varying: []column[batchRow]{
			whole("revision_id", func(b *batchRow) *int64 { return &b.RevisionID }),
			whole("revision", func(b *batchRow) *int64 { return &b.Revision }),
			whole("round", func(b *batchRow) *int { return &b.Round }),
			whole("started_at", func(b *batchRow) *int64 { return &b.StartedAt }),
			whole("round_at", func(b *batchRow) *int64 { return &b.RoundAt }),
			whole("finished_at", func(b *batchRow) *int64 { return &b.FinishedAt }),
			whole("paused_at", func(b *batchRow) *int64 { return &b.PausedAt }),
			whole("paused_for", func(b *batchRow) *int64 { return &b.PausedFor }),
			word("job_clocks", func(b *batchRow) *string { return &b.JobClocks }),
			word("closed_note", func(b *batchRow) *string { return &b.ClosedNote }),
			word("counts", func(b *batchRow) *string { return &b.Counts }),
		},
	}
}

func hiveBatches(rows []*batchRow) ([]hive.Batch, error) {
	out := make([]hive.Batch, len(rows))
	for i, r := range rows {
		b, err := r.hive()
		if err != nil {
			return nil, err
		}
		out[i] = b
	}
	return out, nil
}

// selectBatches reads batches with the names of their schedules.
func selectBatches(q bun.IDB, model any) *bun.SelectQuery {
	return q.NewSelect().Model(model).ColumnExpr("b.*").ColumnExpr("coalesce(s.name, '') AS schedule").
		Join("LEFT JOIN schedules AS s ON s.id = b.schedule_id")
}

// Batch finds a batch by its id.
func (s *Store) Batch(ctx context.Context, id int64) (hive.Batch, error) {
	b, err := readBatch(ctx, s.r, id)
	return b, s.fault("read batch", err)
}

func readBatch(ctx context.Context, q bun.IDB, id int64) (hive.Batch, error) {
	row := new(batchRow)
	if err := selectBatches(q, row).Where("b.id = ?", id).Scan(ctx); err != nil {
		return hive.Batch{}, missingFor(err, because(hive.ErrorNoBatch, "batch"), "there is no batch %d", id)
	}
	return row.hive()
}

// AllLive lists the live batches of all owners, oldest first.
func (s *Store) AllLive(ctx context.Context) ([]hive.Batch, error) {
	var rows []*batchRow
	if err := selectBatches(s.r, &rows).Where("b.live").OrderExpr("b.id").Scan(ctx); err != nil {
		return nil, s.fault("list live batches", err)
	}
	return hiveBatches(rows)
}

// LiveBatches lists the ids of an owner's live batches, oldest first.
func (s *Store) LiveBatches(ctx context.Context, owner string) ([]int64, error) {
	var ids []int64
	err := s.r.NewSelect().Model((*batchRow)(nil)).Column("id").
		Where("live").Where("owner = ?", text(owner)).Order("id").Scan(ctx, &ids)
	return ids, s.fault("list live batches", err)
}
