package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // to ask for its version

	"github.com/rprp/hivego/db/dbtest"
)

// postgres is a server with PostgreSQL's own defaults for durability.
type postgres struct{ url *url.URL }

func startPostgres(ctx context.Context) (*postgres, error) {
	raw, err := dbtest.Server()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the URL of PostgreSQL: %w", err)
	}
	return &postgres{url: u}, dbtest.Execute(ctx, raw, "SELECT 1")
}

// database creates a database, in place of one of that name, and returns its URL.
func (p *postgres) database(ctx context.Context, name string) (string, error) {
	err := dbtest.Execute(ctx, p.url.String(), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name,
		"CHECKPOINT")
	if err != nil {
		return "", err
	}
	u := *p.url
	u.Path = "/" + name
	return u.String(), nil
}

// describe names the version and the settings that decide the cost of a commit.
func (p *postgres) describe(ctx context.Context) string {
	words := ""
	for _, name := range []string{
		"server_version", "fsync", "synchronous_commit", "wal_sync_method",
		"shared_buffers",
	} {
		var value string
		if err := query(ctx, p.url.String(), "SHOW "+name, &value); err != nil {
			value = err.Error()
		}
		if words != "" {
			words += ", " + name + " "
		}
		words += value
	}
	return words
}

func query(ctx context.Context, server, st string, to *string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is under way
	return conn.QueryRow(ctx, st).Scan(to)
}

func sqliteVersion(ctx context.Context) string {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err.Error()
	}
	defer db.Close()
	var v string
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&v); err != nil {
		return err.Error()
	}
	return v
}
