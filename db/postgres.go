package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/db/transfer"
	"github.com/rprp/hivego/server/hive"
)

const (
	// postgresConns is the pool of everything but the commit writer and the heartbeat.
	postgresConns = 12
	// writerConns are two: one commits, and one keeps the session alive. They have their own pool, so that many readers
	// cannot make a server lose its lease.
	writerConns = 2
	// frozenAfter ends the open transaction of a server that was stopped in the middle of it. It is well below any
	// lease, so a frozen server never blocks its takeover.
	frozenAfter = 5 * time.Second
	connectWait = 5 * time.Second
)

func (s *Store) openPostgres(ctx context.Context, c Config) error {
	s.kind = postgresKind{}
	config, err := postgresConfig(c)
	if err != nil {
		return err
	}
	s.direct = config
	pool := s.postgresPool(config, postgresConns)
	s.w = bun.NewDB(pool, pgdialect.New())
	s.r = s.w
	direct := config.Copy()
	// The commit writer finds every row by its id. PostgreSQL keeps its plans: one that is made while a table is small
	// would scan the whole table later, when it has grown.
	direct.RuntimeParams["enable_seqscan"] = "off"
	writer := s.postgresPool(direct, writerConns)
	s.beat = bun.NewDB(writer, pgdialect.New())
	s.writer = &postgresWriter{pool: writer}
	if err := pool.PingContext(ctx); err != nil {
		return unreachable(err)
	}
	if err := ensureSchema(ctx, pool, c, !c.Existing && !c.Examine); err != nil {
		return err
	}
	if err := transfer.Complete(ctx, s.w); err != nil || c.Examine {
		return err
	}
	return migration.Run(ctx, s.w)
}

// unreachable makes the error of a start without PostgreSQL; the text of pgx has no password.
func unreachable(err error) error {
	return hive.Errorf(hive.CodeUnavailable, "PostgreSQL cannot be used: %w; check --database-url, and that it runs",
		err)
}

// postgresConfig reads the URL and adds what it leaves out.
func postgresConfig(c Config) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err) // pgx leaves the password out
	}
	// Bun writes literals into its statements. If each were prepared, they would fill the server's memory and halve the
	// speed.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWait
	}
	for name, value := range map[string]string{
		"application_name":                    "hivego",
		"standard_conforming_strings":         "on", // bun's literals are written for it
		"idle_in_transaction_session_timeout": fmt.Sprint(frozenAfter.Milliseconds()),
		// The statements are short. To compile one takes 25 ms, a hundred times as long as to run it, and without
		// scans the planner takes a small table for an expensive one.
		"jit": "off",
	} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	if c.Schema != "" {
		config.RuntimeParams["search_path"] = quoteName(c.Schema)
	}
	return config, nil
}

func (s *Store) postgresPool(config *pgx.ConnConfig, size int) *sql.DB {
	pool := stdlib.OpenDB(*config, stdlib.OptionShouldPing(s.shouldPing))
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	s.onClose(pool)
	return pool
}

// Connections that are tried with a ping before they are used again: those idle for longer than pingIdle, and all of
// them for pingAfter since a failure. A failover breaks every connection of the pool at once. Each would otherwise fail
// one request of its own.
const (
	pingIdle  = time.Second
	pingAfter = 10 * time.Second
)

func (s *Store) shouldPing(_ context.Context, p stdlib.ShouldPingParams) bool {
	return p.IdleDuration > pingIdle || time.Since(time.Unix(0, s.brokenAt.Load())) < pingAfter
}

// postgresKind is kind for PostgreSQL.
type postgresKind struct{}

// now returns the wall clock, not the transaction's start: a lease may end within a transaction that waits.
func (postgresKind) now() string { return "(extract(epoch FROM clock_timestamp()) * 1000)::bigint" }

func (postgresKind) paramIs() string {
	return "(CASE WHEN b.params <> '' THEN b.params::jsonb ->> ? END) = ?"
}

func (postgresKind) size() string { return "SELECT pg_database_size(current_database()), 0" }

func (postgresKind) lock(strength string) string { return " FOR " + strength }

func (postgresKind) batchIDs(ctx context.Context, tx bun.Tx, n int) ([]int64, error) {
	ids := make([]int64, 0, n)
	err := tx.NewRaw("SELECT nextval('batch_ids') FROM generate_series(1, ?)", n).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("reserve batch ids: %w", err)
	}
	return ids, nil
}

func (postgresKind) full(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "53100" // disk_full
}

func (postgresKind) sort(err error) failure {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return failureConnection
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if pgconn.SafeToRetry(err) || pgconn.Timeout(err) {
			return failureConnection
		}
		return failureOther
	}
	switch e.Code {
	case "23505": // unique_violation
		return failureUnique
	case "23503": // foreign_key_violation
		return failureReference
	case "25006", // read_only_sql_transaction: a standby, just before or after a failover
		"25P03", // idle_in_transaction_session_timeout
		"40001", // serialization_failure
		"40P01", // deadlock_detected
		"55P03": // lock_not_available
		return failureConnection
	}
	if e.Code == "XX001" || e.Code == "XX002" { // data_corrupted, index_corrupted
		return failureDamage
	}
	switch e.Code[:min(2, len(e.Code))] {
	case "08", // connection exception
		"53", // insufficient resources: disk full, too many connections
		"57", // operator intervention: shutdown, restart, canceled
		"58": // system error: I/O
		return failureConnection
	}
	return failureOther
}
