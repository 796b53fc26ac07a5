package db

import (
	"cmp"
	"context"
	"errors"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type executorRow struct {
	bun.BaseModel `bun:"table:executors,alias:e"`

	ID        string `bun:"id,pk"`
	Name      string `bun:"name"`
	Group     string `bun:"grp"`
	Labels    string `bun:"labels"`
	Address   string `bun:"address"`
	TLS       bool   `bun:"tls"`
	Secret    string `bun:"secret"`
	Slots     int    `bun:"slots"`
	Handlers  string `bun:"handlers"`
	Version   string `bun:"version"`
	BootID    string `bun:"boot_id"`
	Durable   bool   `bun:"durable"`
	CreatedAt int64  `bun:"created_at"`
	SeenAt    int64  `bun:"seen_at"`
	Offline   bool   `bun:"offline,scanonly"` // joined

	Origin        string `bun:"origin"`
	SlotsByPerson bool   `bun:"slots_by_hand"`
	Drained       bool   `bun:"drained,scanonly"` // see SetDrained
	DrainedBoot   string `bun:"drained_boot,scanonly"`
}

type offlineRow struct {
	bun.BaseModel `bun:"table:executors_offline"`

	Name string `bun:"name,pk"`
}

func executorOf(e *hive.Executor) (*executorRow, error) {
	labels, err := pack(texts(e.Labels), e.Labels == nil)
	if err != nil {
		return nil, err
	}
	handlers, err := pack(e.Handlers, e.Handlers == nil)
	return &executorRow{
		ID: text(e.ID), Name: text(e.Name), Group: text(e.Group), Labels: labels, Address: text(e.Address), TLS: e.TLS,
		Secret: text(e.Secret), Slots: e.Slots, Handlers: handlers, Version: text(e.Version), BootID: text(e.BootID),
		Durable: e.Durable, CreatedAt: ms(e.CreatedAt), SeenAt: ms(e.SeenAt),
		Origin: string(cmp.Or(e.Origin, hive.OriginRegistered)), SlotsByPerson: e.SlotsByPerson,
	}, err
}

// hive returns the executor of a row. With an error, it has no labels or no handlers, so no task that needs them.
func (r *executorRow) hive() (hive.Executor, error) {
	labels, lerr := unpack[map[string]string](r.Labels)
	handlers, herr := unpack[[]hive.Handler](r.Handlers)
	return hive.Executor{
		ID: r.ID, Name: r.Name, Group: r.Group, Labels: labels, Address: r.Address, TLS: r.TLS, Secret: r.Secret,
		Slots: r.Slots, Handlers: handlers, Version: r.Version, BootID: r.BootID, Offline: r.Offline,
		Durable: r.Durable, CreatedAt: at(r.CreatedAt), SeenAt: at(r.SeenAt),
		Origin: hive.Origin(r.Origin), SlotsByPerson: r.SlotsByPerson, Drained: r.Drained && r.DrainedBoot == r.BootID,
	}, errors.Join(lerr, herr)
}

// SaveExecutor stores a new or known executor under its id. It keeps the CreatedAt of a known one, and does not touch
// Offline and Drained (see SetOffline, SetDrained). hive.CodeConflict if another executor has the name.
func (s *Store) SaveExecutor(ctx context.Context, e hive.Executor) error {
	row, err := executorOf(&e)
	if err != nil {
		return err
	}
	return s.write(ctx, "store executor", func(ctx context.Context, tx bun.Tx) error {
		if err := s.sealExecutor(ctx, tx, row); err != nil {
			return err
		}
		return s.upsertExecutor(ctx, tx, row)
	})
}

// RegisterExecutor stores an executor as SaveExecutor does, unless admit refuses the stored one with its id. Of two
// calls at once with a new id, one stores it, and the other one's admit decides about that.
func (s *Store) RegisterExecutor(ctx context.Context, e hive.Executor, admit func(known hive.Executor) error) error {
	row, err := executorOf(&e)
	if err != nil {
		return err
	}
	return s.write(ctx, "register executor", func(ctx context.Context, tx bun.Tx) error {
		if err := s.sealExecutor(ctx, tx, row); err != nil {
			return err
		}
		res, err := tx.NewInsert().Model(row).On("CONFLICT (id) DO NOTHING").Exec(ctx)
		if err != nil {
			return s.nameTaken(err, row)
		}
		if fresh, err := res.RowsAffected(); err != nil || fresh > 0 {
			return err
		}
		was := new(executorRow)
		err = tx.NewRaw("SELECT * FROM executors WHERE id = ?"+s.kind.lock("UPDATE"), row.ID).Scan(ctx, was)
		if err != nil {
			return err
		}
		known, err := s.ring().hive(was)
		if err == nil {
			err = admit(known)
		}
		if err != nil {
			return err
		}
		return s.upsertExecutor(ctx, tx, row)
	})
}

// sealExecutor encrypts the secret in the row of an executor.
func (s *Store) sealExecutor(ctx context.Context, tx bun.Tx, row *executorRow) error {
	k, err := s.sealing(ctx, tx)
	if err == nil {
		row.Secret = k.seal(row.ID, row.Secret)
	}
	return err
}

func (s *Store) upsertExecutor(ctx context.Context, in bun.IDB, row *executorRow) error {
	q := in.NewInsert().Model(row).On("CONFLICT (id) DO UPDATE")
	for _, c := range []string{
		"name", "grp", "labels", "address", "tls", "secret", "slots", "handlers", "version", "boot_id", "durable",
		"seen_at", "origin", "slots_by_hand",
	} {
		q.Set("? = EXCLUDED.?", bun.Ident(c), bun.Ident(c))
	}
	_, err := q.Exec(ctx)
	return s.nameTaken(err, row)
}

// nameTaken turns the error of a unique key into the error of SaveExecutor.
func (s *Store) nameTaken(err error, row *executorRow) error {
	if err != nil && s.sortOf(err) == failureUnique {
		return hive.Errorf(hive.CodeConflict,
			"another executor is called %q; give this one another name (`--executor-name` in `hivego serve`, "+
				"else `--name`), or delete the other", row.Name).
			WithReason(hive.ErrorExecutorNameTaken, "executor", row.Name)
	}
	return err
}

func (s *Store) selectExecutors(model any) *bun.SelectQuery {
	return s.r.NewSelect().Model(model).ColumnExpr("e.*").ColumnExpr("o.name IS NOT NULL AS offline").
		Join("LEFT JOIN executors_offline AS o ON o.name = e.name")
}

// Executor finds an executor by its id.
func (s *Store) Executor(ctx context.Context, id string) (hive.Executor, error) {
	row := new(executorRow)
	if err := s.selectExecutors(row).Where("e.id = ?", text(id)).Scan(ctx); err != nil {
		return hive.Executor{},
			s.fault("read executor", missingFor(err, noExecutor(), "there is no executor with id %.80q", id))
	}
	return s.ring().hive(row)
}

// Executors lists all executors by name.
func (s *Store) Executors(ctx context.Context) ([]hive.Executor, error) {
	var rows []*executorRow
	if err := s.selectExecutors(&rows).Order("e.name").Scan(ctx); err != nil {
		return nil, s.fault("list executors", err)
	}
	out := make([]hive.Executor, len(rows))
	for i, r := range rows {
		e, err := s.ring().hive(r)
		switch {
		case errors.Is(err, errSealed) && s.ring() == nil: // this command has no key, so it can open none of them
			return nil, err
		case err != nil: // one that cannot be read does not hide the others
			s.log.Error("a part of an executor cannot be read, and it is known without that part", "executor", r.Name,
				"error", err)
		}
		out[i] = e
	}
	return out, nil
}

// SetOffline takes the executor of a name off line, or back. It holds for the name, also when the executor is
// installed anew with another id. hive.CodeNotFound if no executor has the name.
func (s *Store) SetOffline(ctx context.Context, name string, offline bool) error {
	return s.write(ctx, "set executor off line", func(ctx context.Context, tx bun.Tx) error {
		known, err := tx.NewSelect().Model((*executorRow)(nil)).Where("name = ?", text(name)).Exists(ctx)
		if err != nil {
			return err
		}
		if !known {
			return hive.Errorf(hive.CodeNotFound, "there is no executor %.80q", name).
				WithReason(hive.ErrorNoExecutor, "executor", name)
		}
		row := &offlineRow{Name: text(name)}
		if offline {
			_, err = tx.NewInsert().Model(row).On("CONFLICT (name) DO NOTHING").Exec(ctx)
		} else {
			_, err = tx.NewDelete().Model(row).WherePK().Exec(ctx)
		}
		return err
	})
}

// SetDrained keeps new work from the executor of a name while it has its present boot id, or gives it work again.
// hive.CodeNotFound if no executor has the name.
func (s *Store) SetDrained(ctx context.Context, name string, drained bool) error {
	return s.write(ctx, "drain executor", func(ctx context.Context, tx bun.Tx) error {
		res, err := tx.NewUpdate().Model((*executorRow)(nil)).Set("drained = ?", drained).Set("drained_boot = boot_id").
			Where("name = ?", text(name)).Exec(ctx)
		return noExecutor().label(needOne(res, err, "there is no executor %.80q", name), name)
	})
}

// DescribeExecutor stores the description of an executor that was added by its address. It changes nothing if the
// executor was deleted, or registers itself now.
func (s *Store) DescribeExecutor(ctx context.Context, e hive.Executor) error {
	row, err := executorOf(&e)
	if err != nil {
		return err
	}
	return s.write(ctx, "describe executor", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model(row).Column("slots", "handlers", "version", "boot_id", "durable", "seen_at").
			WherePK().Where("origin = ?", string(hive.OriginAddress)).Exec(ctx)
		return err
	})
}

// DeleteExecutor removes an executor.
func (s *Store) DeleteExecutor(ctx context.Context, id string) error {
	return s.write(ctx, "delete executor", func(ctx context.Context, tx bun.Tx) error {
		res, err := tx.NewDelete().Model((*executorRow)(nil)).Where("id = ?", text(id)).Exec(ctx)
		return noExecutor().label(needOne(res, err, "there is no executor with id %.80q", id), id)
	})
}

func noExecutor() reason { return because(hive.ErrorNoExecutor, "executor") }

// maxHeld is how many attempts of executors are listed.
const maxHeld = 500

// Held lists the attempts that executors have or were offered, oldest first, at most 500.
func (s *Store) Held(ctx context.Context, executors ...string) ([]hive.HeldView, error) {
	if len(executors) == 0 {
		return nil, nil
	}
	columns := attemptTable().all()
	// Live batches have an index, and their runs name their open attempts. CROSS makes SQLite begin with the batches,
	// so it reads no row of an ended one.
	q := s.r.NewSelect().TableExpr("batches AS b").ColumnExpr(names("a.", columns)).
		ColumnExpr("coalesce(s.name, '')").ColumnExpr(nameOfRun).ColumnExpr("r.state").
		Join("CROSS JOIN runs AS r").Join("JOIN attempts AS a ON a.id = r.attempt").
		Join("LEFT JOIN schedules AS s ON s.id = b.schedule_id").
		Where("b.live").Where("r.batch_id = b.id").Where("r.attempt <> 0").
		Where("a.executor IN (?)", bun.List(lines(executors))).
		Where("a.state <> ?", string(hive.AttemptEnded)).
		Order("a.id").Limit(maxHeld)
	held, err := scanRows(ctx, q, func(h *hive.HeldView) []any {
		return append(places(columns, &h.Attempt), &h.Schedule, &h.Task, wordPlace[hive.RunState]{&h.RunState})
	})
	return held, s.fault("list what executors have", err)
}
