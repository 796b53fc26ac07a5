package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// nobody is the id of a session that never lives. Batches that were given away belong to it, and the next server that
// looks takes them over.
const nobody = "nobody"

// HandOver gives the batches of the session me to another server, as the last act of the session, if another server is
// there. Live batches that have an attempt on the given executor stay until the lease ends. The session writes nothing
// more afterwards. hive.ErrSessionLost if it has ended.
func (s *Store) HandOver(ctx context.Context, me string, epoch int64, executor string) (h hive.HandOver, err error) {
	err = s.write(ctx, "hand over", func(ctx context.Context, tx bun.Tx) error {
		if err := s.sessionHolds(ctx, tx, me, epoch, "UPDATE"); err != nil {
			return err
		}
		err := tx.NewRaw("SELECT EXISTS (SELECT 1 FROM servers WHERE id <> ? AND lease_until > "+s.kind.now()+")",
			text(me)).
			Scan(ctx, &h.Heir) // the session "nobody" has no lease
		if err != nil || !h.Heir {
			return err
		}
		err = tx.NewRaw("SELECT b.id FROM batches AS b WHERE b.live AND b.owner = ? AND EXISTS ("+
			"SELECT 1 FROM attempts AS a WHERE a.batch_id = b.id AND a.executor = ? AND a.state <> 'ended') "+
			"ORDER BY b.id", text(me), text(executor)).Scan(ctx, &h.Kept)
		if err != nil {
			return fmt.Errorf("look for batches to keep: %w", err)
		}
		if len(h.Kept) == 0 { // the end of the lease gives away everything
			_, err = tx.NewUpdate().Model((*serverRow)(nil)).Set("lease_until = "+s.kind.now()).Where("id = ?",
				text(me)).Exec(ctx)
			return err
		}
		return s.giveAway(ctx, tx, me, h.Kept)
	})
	return h, err
}

// giveAway gives all batches but kept ones to nobody. The session keeps its lease for the kept ones, and loses its
// epoch: its later commits fail, as after a takeover.
func (s *Store) giveAway(ctx context.Context, tx bun.Tx, me string, kept []int64) error {
	res, err := tx.NewUpdate().Model((*batchRow)(nil)).Set("owner = ?", nobody).Where("owner = ?", text(me)).
		Where("live OR id IN (SELECT batch_id FROM commands WHERE state = 'pending')").
		Where("id NOT IN (?)", bun.List(kept)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("give batches away: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	// As everywhere: rows of servers first, then the counter.
	_, err = tx.NewInsert().Model(&serverRow{ID: nobody}).On("CONFLICT (id) DO UPDATE").Set("taken = FALSE").Exec(ctx)
	if err != nil {
		return fmt.Errorf("make them nobody's: %w", err)
	}
	fresh, err := reserve(ctx, tx, counterEpoch, 1)
	if err != nil {
		return err
	}
	_, err = tx.NewUpdate().Model((*serverRow)(nil)).Set("epoch = ?", fresh).Where("id = ?", text(me)).Exec(ctx)
	return err
}
