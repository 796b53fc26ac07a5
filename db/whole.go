package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/rprp/hivego/db/transfer"
	"github.com/rprp/hivego/server/hive"
)

// Name names the database for people, without a password. A SQLite file has its full path.
func (c Config) Name() string {
	if file := c.File(); file != "" {
		if full, err := filepath.Abs(file); err == nil {
			file = full
		}
		return "sqlite:" + file
	}
	config, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return "the database"
	}
	name := (&url.URL{Scheme: "postgres", Host: config.Host, Path: "/" + config.Database}).String()
	if c.Schema != "" {
		name += " schema " + c.Schema
	}
	return name
}

// OpenSource opens a database to read all of it, in one state, while servers may use it. With alone, it refuses a
// database that a server uses, and keeps servers from starting.
func OpenSource(ctx context.Context, c Config, alone bool) (*transfer.Source, error) {
	s, err := openWhole(ctx, c, false, func(s *Store, file string) (*sql.DB, error) {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no database at %s; name the server's data folder with --data, or its "+
				"database with a URL", file)
		}
		if alone {
			lock, err := holdFile(ctx, file+".lock", false)
			if err != nil {
				return nil, err
			}
			s.onClose(lock)
		}
		return s.sqlitePool(file, 1, url.Values{"_pragma": {"busy_timeout(10000)", "query_only(ON)"}})
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.Name(), err)
	}
	src, err := transfer.OpenSource(ctx, s.w, alone, s.Close)
	if err != nil {
		return nil, s.fault("read "+c.Name(), err)
	}
	return src, nil
}

// OpenTarget opens an empty database to fill it, or one that an earlier try has left incomplete. With resume, it goes
// on where a try with the same origin stopped.
func OpenTarget(ctx context.Context, c Config, from transfer.Origin, resume bool) (*transfer.Target, error) {
	s, err := openWhole(ctx, c, true, func(s *Store, file string) (*sql.DB, error) {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, fmt.Errorf("create the data folder: %w", err)
		}
		lock, err := holdFile(ctx, file+".lock", false)
		if err != nil {
			return nil, err
		}
		s.onClose(lock)
		if err := createPrivate(file); err != nil {
			return nil, err
		}
		return s.sqlitePool(file, 1, url.Values{
			"_txlock": {"immediate"},
			"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)"},
		})
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.Name(), err)
	}
	if err := s.alonePostgres(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", c.Name(), err), s.Close())
	}
	t, err := transfer.OpenTarget(ctx, s.w, from, resume, s.Close)
	if err != nil {
		return nil, s.fault("fill "+c.Name(), err)
	}
	return t, nil
}

// fillKey is the advisory lock of a PostgreSQL that is being filled (any fixed number).
const fillKey = 0x48495645474f + 1

// alonePostgres lets one process fill a PostgreSQL at a time. A process that was killed may have a transaction there
// for a moment longer, so it waits for a while.
func (s *Store) alonePostgres(ctx context.Context) error {
	if _, lite := s.kind.(sqliteKind); lite {
		return nil // its file is locked
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		var mine bool
		if err := s.w.NewRaw("SELECT pg_try_advisory_lock(?)", fillKey).Scan(ctx, &mine); err != nil {
			return fmt.Errorf("lock the target: %w", err)
		}
		if mine {
			return nil
		}
		if time.Now().After(deadline) {
			return hive.Errorf(hive.CodeConflict, "another hivego fills this database; wait until it has ended")
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the target: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// openWhole opens the pool of a database for transfers. With create, it creates a schema that does not exist.
func openWhole(ctx context.Context, c Config, create bool, sqlite func(s *Store, file string) (*sql.DB, error)) (
	*Store, error,
) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &Store{log: c.Log}
	if file := c.File(); file != "" {
		s.kind = sqliteKind{}
		pool, err := sqlite(s, file)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.w = bun.NewDB(pool, sqlitedialect.New())
		return s, nil
	}
	s.kind = postgresKind{}
	config, err := postgresConfig(c)
	if err != nil {
		return nil, err
	}
	// Its transactions are idle while the other side works.
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	config.RuntimeParams["statement_timeout"] = "0"
	pool := s.postgresPool(config, 1) // a lock of its session is valid for everything
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(unreachable(err), s.Close())
	}
	if err := ensureSchema(ctx, pool, c, create); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.w = bun.NewDB(pool, pgdialect.New())
	return s, nil
}
