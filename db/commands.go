package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type commandRow struct {
	bun.BaseModel `bun:"table:commands,alias:c"`

	ID        int64  `bun:"id,pk,autoincrement"`
	BatchID   int64  `bun:"batch_id"`
	Kind      string `bun:"kind"`
	Key       string `bun:"key"`
	Payload   string `bun:"payload"`
	State     string `bun:"state"`
	Answer    string `bun:"answer"`
	CreatedAt int64  `bun:"created_at"`
	CreatedBy string `bun:"created_by"`
	DoneAt    int64  `bun:"done_at"`
}

// commandColumns declares what an owner changes of a command.
func commandColumns() []column[commandRow] {
	return []column[commandRow]{
		word("state", func(c *commandRow) *string { return &c.State }),
		word("answer", func(c *commandRow) *string { return &c.Answer }),
		whole("done_at", func(c *commandRow) *int64 { return &c.DoneAt }),
	}
}

func commandOf(c *hive.Command) *commandRow {
	return &commandRow{
		BatchID: c.BatchID, Kind: text(string(c.Kind)), Key: text(c.Key), Payload: text(string(c.Payload)),
		State: string(hive.CommandPending), CreatedAt: ms(c.CreatedAt), CreatedBy: text(c.CreatedBy),
	}
}

func (r *commandRow) hive() hive.Command {
	return hive.Command{
		ID: r.ID, BatchID: r.BatchID, Kind: hive.CommandKind(r.Kind), Key: r.Key, Payload: bytesOf(r.Payload),
		State: hive.CommandState(r.State), Answer: bytesOf(r.Answer), CreatedAt: at(r.CreatedAt),
		CreatedBy: r.CreatedBy, DoneAt: at(r.DoneAt),
	}
}

func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// AddCommand stores a command for a batch's owner. A command whose key is known already is not stored again: existed is
// true, and the result is the first command in its current state. hive.CodeConflict if that command is a different
// request, or if the batch has ended and its schedule is archived; hive.CodeNotFound if there is no such batch.
//
// If the batch is not live and its owner does not exist any more, it gets an owner that exists.
func (s *Store) AddCommand(ctx context.Context, c hive.Command) (stored hive.Command, existed bool, err error) {
	if c.Key == "" {
		return hive.Command{}, false, hive.Errorf(hive.CodeInvalid, "a command needs an idempotency key")
	}
	err = s.write(ctx, "store command", func(ctx context.Context, tx bun.Tx) error {
		row := commandOf(&c)
		err := tx.NewInsert().Model(row).On("CONFLICT (key) DO NOTHING").Returning("id").Scan(ctx, &row.ID)
		if err == nil {
			stored = row.hive()
			if err := s.refuseEnded(ctx, tx, c.BatchID); err != nil {
				return err
			}
			return s.wakeOwner(ctx, tx, c.BatchID)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		existed = true
		first := new(commandRow)
		if err := tx.NewSelect().Model(first).Where("key = ?", row.Key).Scan(ctx); err != nil {
			return err
		}
		stored = first.hive()
		if first.BatchID != row.BatchID || first.Kind != row.Kind || first.Payload != row.Payload {
			return hive.Errorf(hive.CodeConflict,
				"the idempotency key %q was used for another command; use a new key", c.Key).
				WithReason(hive.ErrorKeyReused)
		}
		return nil
	})
	if err != nil && s.sortOf(err) == failureReference {
		err = hive.Errorf(hive.CodeNotFound, "there is no batch %d", c.BatchID).
			WithReason(hive.ErrorNoBatch, "batch", c.BatchID)
	}
	if err != nil {
		return hive.Command{}, false, err
	}
	return stored, existed, nil
}

// refuseEnded returns hive.CodeConflict if a batch has ended and its schedule is archived. The schedule of hooks is the
// one of the batch that they follow.
func (s *Store) refuseEnded(ctx context.Context, tx bun.Tx, batchID int64) error {
	var id int64
	err := tx.NewRaw("SELECT coalesce(b.schedule_id, f.schedule_id, 0) FROM batches AS b "+
		"LEFT JOIN batches AS f ON f.id = b.hook_of WHERE b.id = ?", batchID).Scan(ctx, &id)
	if err != nil || id == 0 {
		return err
	}
	archived := s.refuseArchived(ctx, tx, id) // the lock comes before the look at the batch, as in a deletion
	if hive.CodeOf(archived) != hive.CodeConflict {
		return archived
	}
	var live bool
	if err := tx.NewRaw("SELECT live FROM batches WHERE id = ?", batchID).Scan(ctx, &live); err != nil {
		return err
	}
	if live {
		return nil
	}
	return archived
}

// wakeOwner gives a batch that is not live to a living session, if its own session has ended.
func (s *Store) wakeOwner(ctx context.Context, tx bun.Tx, batchID int64) error {
	there := "lease_until > " + s.kind.now()
	_, err := tx.NewRaw("UPDATE batches SET owner = (SELECT id FROM servers WHERE "+there+" ORDER BY id LIMIT 1)"+
		" WHERE id = ? AND NOT live AND owner NOT IN (SELECT id FROM servers WHERE "+there+")"+
		" AND EXISTS (SELECT 1 FROM servers WHERE "+there+")", batchID).Exec(ctx)
	return err
}

// Command finds a command by its id.
func (s *Store) Command(ctx context.Context, id int64) (hive.Command, error) {
	row := new(commandRow)
	err := s.r.NewSelect().Model(row).Where("id = ?", id).Scan(ctx)
	return row.hive(), s.fault("read command",
		missingFor(err, because(hive.ErrorNoCommand, "command"), "there is no command %d", id))
}

// CommandByKey finds a command by its idempotency key.
func (s *Store) CommandByKey(ctx context.Context, key string) (hive.Command, error) {
	row := new(commandRow)
	err := s.r.NewSelect().Model(row).Where("key = ?", text(key)).Scan(ctx)
	no := because(hive.ErrorNoCommand, "command")
	return row.hive(), s.fault("read command", missingFor(err, no, "there is no command with the key %s", key))
}

// PendingCommands lists the pending commands for an owner, oldest first, also of batches that are not live.
func (s *Store) PendingCommands(ctx context.Context, owner string) ([]hive.Command, error) {
	commands, err := readCommands(ctx, s.r.NewSelect().
		Join("JOIN batches AS b ON b.id = c.batch_id").
		Where("c.state = 'pending'").Where("b.owner = ?", text(owner)).OrderExpr("c.id"))
	return commands, s.fault("list commands", err)
}

// Commands lists commands of a batch in any state, newest first.
func (s *Store) Commands(ctx context.Context, f hive.CommandFilter) ([]hive.Command, error) {
	q := s.r.NewSelect().Where("c.batch_id = ?", f.Batch).OrderExpr("c.id DESC").Limit(int64(f.Limit))
	if f.Before > 0 {
		q.Where("c.id < ?", f.Before)
	}
	commands, err := readCommands(ctx, q)
	return commands, s.fault("list commands", err)
}

func readCommands(ctx context.Context, q *bun.SelectQuery) ([]hive.Command, error) {
	var rows []commandRow
	if err := q.Model(&rows).ColumnExpr("c.*").Scan(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, nil
	}
	out := make([]hive.Command, len(rows))
	for i := range rows {
		out[i] = rows[i].hive()
	}
	return out, nil
}

// BatchCommands lists the pending commands of one batch, oldest first.
func (s *Store) BatchCommands(ctx context.Context, batchID int64) ([]hive.Command, error) {
	commands, err := readCommands(ctx, s.r.NewSelect().
		Where("c.state = 'pending'").Where("c.batch_id = ?", batchID).OrderExpr("c.id"))
	return commands, s.fault("list commands", err)
}
