package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type serverRow struct {
	bun.BaseModel `bun:"table:servers,alias:sv"`

	ID         string `bun:"id,pk"`
	Epoch      int64  `bun:"epoch"`
	Address    string `bun:"address"`
	Version    string `bun:"version"`
	StartedAt  int64  `bun:"started_at"`
	LeaseUntil int64  `bun:"lease_until"`
	Taken      bool   `bun:"taken"`
}

// StartSession begins a session of the server me.ID with a lease from now on. It returns the session's epoch, which is
// higher than any before in the cluster. An earlier session of the same id ends; its batches belong to the new one.
func (s *Store) StartSession(ctx context.Context, me hive.Server, lease time.Duration) (epoch int64, err error) {
	err = s.write(ctx, "start the session", func(ctx context.Context, tx bun.Tx) error {
		row := &serverRow{
			ID: text(me.ID), Address: text(me.Address), Version: text(me.Version), StartedAt: ms(me.StartedAt),
		}
		// The row first, then the counter: a takeover locks them in the same order.
		_, err := tx.NewInsert().Model(row).Value("lease_until", s.kind.now()+" + ?", lease.Milliseconds()).
			On("CONFLICT (id) DO UPDATE").
			Set("address = EXCLUDED.address").Set("version = EXCLUDED.version").Set("started_at = EXCLUDED.started_at").
			Set("lease_until = EXCLUDED.lease_until").Set("taken = EXCLUDED.taken").Exec(ctx)
		if err != nil {
			return err
		}
		if epoch, err = reserve(ctx, tx, counterEpoch, 1); err != nil {
			return err
		}
		if _, err = tx.NewUpdate().Model(row).Set("epoch = ?", epoch).WherePK().Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO session_commits (server, number) VALUES (?, 0)"+
			" ON CONFLICT (server) DO UPDATE SET number = 0", row.ID).Exec(ctx)
		return err
	})
	return epoch, err
}

// Heartbeat extends a session's lease to now + lease. A lease that has run out is extended too, as long as nobody
// took the session over; if somebody did, or if the database does not have the last commit that the session knows to be
// stored: hive.ErrSessionLost.
func (s *Store) Heartbeat(ctx context.Context, id string, epoch, stored int64, lease time.Duration) error {
	return s.setLease(ctx, "extend the session's lease", id, epoch, stored, lease)
}

// EndSession gives the lease back, so that others may take over at once. hive.ErrSessionLost if it was lost before.
func (s *Store) EndSession(ctx context.Context, id string, epoch int64) error {
	return s.setLease(ctx, "end the session", id, epoch, 0, 0)
}

func (s *Store) setLease(ctx context.Context, what, id string, epoch, stored int64, lease time.Duration) error {
	res, err := s.beat.NewUpdate().Model((*serverRow)(nil)).
		Set("lease_until = "+s.kind.now()+" + ?", lease.Milliseconds()).
		Where("id = ?", text(id)).Where("epoch = ?", epoch).
		Where("EXISTS (SELECT 1 FROM session_commits AS c WHERE c.server = sv.id AND c.number >= ?)", stored).
		Where("NOT taken"). // its new epoch may be that of a session which began before the database went back
		Exec(ctx)
	if err != nil {
		return s.fault(what, err)
	}
	changed, err := res.RowsAffected()
	if err == nil && changed == 0 {
		err = hive.ErrSessionLost
	}
	return s.fault(what, err)
}

// sessionHolds returns hive.ErrSessionLost if the session has lost its epoch, or if its lease has ended by the
// database's clock. The row stays locked until the transaction ends, so no takeover comes between.
func (s *Store) sessionHolds(ctx context.Context, tx bun.Tx, id string, epoch int64, strength string) error {
	var one int
	err := tx.NewRaw("SELECT 1 FROM servers WHERE id = ? AND epoch = ? AND lease_until > "+s.kind.now()+
		s.kind.lock(strength), text(id), epoch).Scan(ctx, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return hive.ErrSessionLost
	}
	return err
}

// AnyDead reports whether there is a session for TakeOver. It locks nothing and reads one small table, which has a row
// for each data folder that ever existed. The table has no index of leases, so that PostgreSQL renews a lease in place.
func (s *Store) AnyDead(ctx context.Context, me string) (dead bool, err error) {
	err = s.beat.NewRaw("SELECT EXISTS (SELECT 1 FROM servers "+
		"WHERE id <> ? AND NOT taken AND lease_until <= "+s.kind.now()+")", text(me)).Scan(ctx, &dead)
	return dead, s.fault("look for dead sessions", err)
}

// TakeOver gives the batches of sessions whose lease has ended to the session me, and returns the ids of their servers.
// A server that is taken over gets another epoch, so whatever it still sends fails. If there was one, me gets a new
// epoch too, higher than any that the dead ones used with executors. From then on only newEpoch is valid, so no Commit
// of this session may be under way. A session in the middle of a transaction is left for the next call.
// hive.ErrSessionLost if the lease of me has ended.
func (s *Store) TakeOver(ctx context.Context, me string, epoch int64, lease time.Duration) (
	dead []string, newEpoch int64, err error,
) {
	err = s.write(ctx, "take sessions over", func(ctx context.Context, tx bun.Tx) error {
		newEpoch = epoch
		if err := s.sessionHolds(ctx, tx, me, epoch, "UPDATE"); err != nil {
			return err
		}
		if dead, err = s.deadOwners(ctx, tx, me); err != nil || len(dead) == 0 {
			return err
		}
		first, err := reserve(ctx, tx, counterEpoch, 2)
		if err != nil {
			return err
		}
		_, err = tx.NewUpdate().Model((*serverRow)(nil)).Set("epoch = ?", first).Set("taken = TRUE").
			Where("id IN (?)", bun.List(dead)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("end the dead sessions: %w", err)
		}
		_, err = tx.NewUpdate().Model((*batchRow)(nil)).Set("owner = ?", text(me)).Where("owner IN (?)",
			bun.List(dead)).
			Where("live OR id IN (SELECT batch_id FROM commands WHERE state = 'pending')").Exec(ctx)
		if err != nil {
			return fmt.Errorf("take the batches: %w", err)
		}
		newEpoch = first + 1
		_, err = tx.NewUpdate().Model((*serverRow)(nil)).Set("epoch = ?", newEpoch).
			Set("lease_until = "+s.kind.now()+" + ?", lease.Milliseconds()).Where("id = ?", text(me)).Exec(ctx)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return dead, newEpoch, nil
}

// deadOwners lists the sessions whose lease has ended, and owners of live batches that have no row at all (after a
// database was copied, say).
func (s *Store) deadOwners(ctx context.Context, tx bun.Tx, me string) ([]string, error) {
	var expired, unknown []string
	err := tx.NewRaw("SELECT id FROM servers WHERE id <> ? AND NOT taken AND lease_until <= "+s.kind.now()+
		" ORDER BY id"+s.kind.lock("UPDATE SKIP LOCKED"), text(me)).Scan(ctx, &expired)
	if err != nil {
		return nil, fmt.Errorf("look for dead sessions: %w", err)
	}
	err = tx.NewRaw("SELECT DISTINCT owner FROM batches WHERE live AND owner NOT IN (SELECT id FROM servers)"+
		" ORDER BY owner").Scan(ctx, &unknown)
	if err != nil {
		return nil, fmt.Errorf("look for batches without an owner: %w", err)
	}
	return slices.Concat(expired, unknown), nil
}

// Servers lists the session rows of all servers, also of ended sessions, by id.
func (s *Store) Servers(ctx context.Context) ([]hive.Server, error) {
	var rows []serverRow
	if err := s.r.NewSelect().Model(&rows).Where("id <> ?", nobody).Order("id").Scan(ctx); err != nil {
		return nil, s.fault("list servers", err)
	}
	out := make([]hive.Server, len(rows))
	for i, r := range rows {
		out[i] = hive.Server{
			ID: r.ID, Epoch: r.Epoch, Address: r.Address, Version: r.Version,
			StartedAt: at(r.StartedAt), LeaseUntil: at(r.LeaseUntil),
		}
	}
	return out, nil
}
