package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rprp/hivego/server/hive"
)

// schemaName are the names of PostgreSQL schemas that HiveGo takes. PostgreSQL itself keeps names that begin with pg_.
var schemaName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,62}$`)

// CheckSchema returns an error if the name cannot be that of a PostgreSQL schema for the database's tables. It is used
// as it is written, upper case included.
func CheckSchema(name string) error {
	lower := strings.ToLower(name)
	if !schemaName.MatchString(name) || strings.HasPrefix(lower, "pg_") || lower == "information_schema" {
		return fmt.Errorf("%q cannot be a schema: write up to 63 letters, digits, _ and -, with a letter first, and "+
			"not pg_ or information_schema", name)
	}
	return nil
}

// ensureSchema makes sure that the schema of a configuration exists and can be used. It creates one that is missing,
// unless the database must exist already.
func ensureSchema(ctx context.Context, pool *sql.DB, c Config, create bool) error {
	if c.Schema == "" {
		return nil
	}
	exists := func() (found bool, err error) {
		err = pool.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)", c.Schema).
			Scan(&found)
		if err != nil {
			err = fmt.Errorf("look for the schema: %w", err)
		}
		return found, err
	}
	found, err := exists()
	if err != nil {
		return err
	}
	if !found && !create {
		return hive.Errorf(hive.CodeNotFound, "the database has no schema %q; check --database-schema", c.Schema)
	}
	if !found {
		// Only then: PostgreSQL asks for the right to create it even if it exists.
		_, failed := pool.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS "+quoteName(c.Schema))
		if found, err = exists(); err != nil { // another server may have been faster
			return err
		}
		if denied, ok := errors.AsType[*pgconn.PgError](failed); ok && denied.Code == "42501" && !found {
			return hive.Errorf(hive.CodeForbidden, "the database has no schema %q, and this role may not create it; "+
				"let an administrator run: CREATE SCHEMA %s AUTHORIZATION the_role", c.Schema, quoteName(c.Schema))
		}
		if !found {
			return fmt.Errorf("create schema %q: %w", c.Schema, failed)
		}
	}
	var current sql.NullString
	if err := pool.QueryRowContext(ctx, "SELECT current_schema()").Scan(&current); err != nil {
		return fmt.Errorf("look for the schema: %w", err)
	}
	if current.String != c.Schema {
		return hive.Errorf(hive.CodeForbidden, "this role may not use schema %q; let its owner run: GRANT USAGE, "+
			"CREATE ON SCHEMA %s TO the_role", c.Schema, quoteName(c.Schema))
	}
	return nil
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
