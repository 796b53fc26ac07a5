package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// hookTable declares the columns of an end that a commit stores because hooks follow it. The second is the batch, by
// which an error of the commit would name it.
func hookTable() *table[hive.HookCall] {
	type call = hive.HookCall
	return &table[call]{
		name: "hook_calls",
		what: "call of hooks",
		fixed: []column[call]{
			whole("revision_id", func(c *call) *int64 { return &c.RevisionID }),
			whole("batch_id", func(c *call) *int64 { return &c.Event.Batch }),
			whole("round", func(c *call) *int { return &c.Event.Round }),
			word("scope", func(c *call) *hive.HookScope { return &c.Event.Scope }),
			word("key", func(c *call) *string { return &c.Event.Key }),
			word("state", func(c *call) *hive.BatchState { return &c.Event.State }),
			word("error", func(c *call) *string { return &c.Event.Error }),
			word("task", func(c *call) *string { return &c.Event.Task }),
			instant("at", func(c *call) *time.Time { return &c.At }),
		},
	}
}

// HookCalls lists ends that hooks follow and for which no batch was made yet, from the one after this id, oldest first.
func (s *Store) HookCalls(ctx context.Context, after int64, limit int) ([]hive.HookCall, error) {
	var rows []struct {
		ID         int64  `bun:"id"`
		BatchID    int64  `bun:"batch_id"`
		RevisionID int64  `bun:"revision_id"`
		Round      int    `bun:"round"`
		Scope      string `bun:"scope"`
		Key        string `bun:"key"`
		State      string `bun:"state"`
		Error      string `bun:"error"`
		Task       string `bun:"task"`
		At         int64  `bun:"at"`
	}
	err := s.r.NewRaw("SELECT * FROM hook_calls WHERE id > ? ORDER BY id LIMIT ?", after, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list calls of hooks", err)
	}
	out := make([]hive.HookCall, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = hive.HookCall{
			ID: r.ID, RevisionID: r.RevisionID, At: at(r.At), Event: hive.HookEvent{
				Batch: r.BatchID, Round: r.Round, Scope: hive.HookScope(r.Scope), Key: r.Key,
				State: hive.BatchState(r.State), Error: r.Error, Task: r.Task,
			},
		}
	}
	return out, nil
}

// EndHookCall deletes a call whose batch is stored. It does nothing for one that was deleted already.
func (s *Store) EndHookCall(ctx context.Context, id int64) error {
	_, err := s.w.NewRaw("DELETE FROM hook_calls WHERE id = ?", id).Exec(ctx)
	return s.fault("end a call of hooks", err)
}

// hooksOf selects the batches of the hooks that follow some batches. The first condition is that of the index.
func hooksOf(batches string) string {
	return "SELECT h.id FROM batches AS h WHERE h.hook_of > 0 AND h.hook_of IN (" + batches + ")"
}

// holdFollowed returns hive.CodeNotFound if hooks would follow a batch that is deleted, or whose schedule is. Both stay
// locked, so that neither is deleted before the transaction ends. The schedule comes first, as in a deletion.
func (s *Store) holdFollowed(ctx context.Context, tx bun.Tx, batches []hive.NewBatch) error {
	var ids []int64
	for i := range batches {
		if e := batches[i].Batch.Hook; e != nil {
			ids = append(ids, e.Batch)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var deleting []bool
	err := tx.NewRaw("SELECT deleting FROM schedules WHERE id IN (SELECT schedule_id FROM batches WHERE id IN (?)) "+
		"ORDER BY id"+s.kind.lock("SHARE"), bun.List(ids)).Scan(ctx, &deleting)
	if err != nil {
		return fmt.Errorf("lock the schedule that hooks follow: %w", err)
	}
	var found []int64
	err = tx.NewRaw("SELECT id FROM batches WHERE id IN (?) ORDER BY id"+s.kind.lock("KEY SHARE"), bun.List(ids)).
		Scan(ctx, &found)
	if err != nil {
		return fmt.Errorf("lock the batch that hooks follow: %w", err)
	}
	if len(found) < len(ids) || slices.Contains(deleting, true) {
		return hive.Errorf(hive.CodeNotFound, "the batch that the hooks follow is deleted")
	}
	return nil
}
