package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rprp/hivego/e2e/keep"
)

// Pair is a PostgreSQL and a standby that follows it, both a test's own.
type Pair struct {
	Primary, Standby string // URLs
	Either           string // URL that leads to whichever of them can be written to

	t              testing.TB
	first, second  *keep.Place
	failed, lagged bool
}

// NewPair starts both. They end with the test.
func NewPair(t testing.TB) *Pair {
	t.Helper()
	p := &Pair{t: t}
	bin, err := findBinaries()
	if err != nil {
		t.Fatal(err)
	}
	primary, err := startPostgres(false)
	if err != nil {
		t.Fatal(err)
	}
	p.first, p.Primary = primary.place, primary.url
	t.Cleanup(p.Fail)
	if p.second, err = keep.New("postgres", "postgres"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.second.Remove(); err != nil {
			t.Errorf("end the standby: %v", err)
		}
	})
	p.Standby, p.Either = socketURL(p.second.Dir, ""), socketURL(p.first.Dir+","+p.second.Dir, "read-write")
	data := filepath.Join(p.second.Dir, "data")
	err = p.second.Run(filepath.Join(bin, "pg_basebackup"), "--host", p.first.Dir, "--username", "hivego", "--pgdata",
		data,
		"--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
	if err != nil {
		t.Fatal(err)
	}
	if err := appendFile(filepath.Join(data, "postgresql.conf"),
		"unix_socket_directories = '"+p.second.Dir+"'\n"); err != nil {
		t.Fatal(err)
	}
	if err := p.second.Start("QUIT", filepath.Join(bin, "postgres"), "-D", data); err != nil {
		t.Fatal(err)
	}
	if err := awaitServer(p.Standby, p.second); err != nil {
		t.Fatal(err)
	}
	return p
}

func socketURL(hosts, attributes string) string {
	query := url.Values{"host": {hosts}}
	if attributes != "" {
		query.Set("target_session_attrs", attributes)
	}
	return (&url.URL{
		Scheme: "postgres", User: url.User("hivego"), Path: "/postgres",
		RawQuery: query.Encode(),
	}).String()
}

// Lag waits until the standby has all that the primary has, and lets it get nothing more.
func (p *Pair) Lag() {
	p.t.Helper()
	var at string
	p.ask(p.Primary, &at, "SELECT pg_current_wal_flush_lsn()::text")
	p.until("the standby has followed", "SELECT pg_last_wal_replay_lsn() >= '"+at+"'::pg_lsn")
	if err := execute(p.Standby, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()"); err != nil {
		p.t.Fatal(err)
	}
	p.until("the standby follows no more", "SELECT count(*) = 0 FROM pg_stat_wal_receiver")
	p.lagged = true
}

// Fail kills the primary for good.
func (p *Pair) Fail() {
	p.t.Helper()
	if p.failed {
		return
	}
	p.failed = true
	if err := p.first.Remove(); err != nil {
		p.t.Fatalf("end the primary: %v", err)
	}
	p.await("the primary has ended", func() bool { return execute(p.Primary, "SELECT 1") != nil })
}

// Promote makes the standby, which lags, the primary.
func (p *Pair) Promote() {
	p.t.Helper()
	if !p.lagged || !p.failed {
		p.t.Fatal("the standby does not lag, or the primary is there")
	}
	var ok bool
	if p.ask(p.Standby, &ok, "SELECT pg_promote(true, 120)"); !ok {
		p.t.Fatalf("the standby was not promoted: %s", p.second.Log())
	}
}

func (p *Pair) until(what, question string) {
	p.t.Helper()
	p.await(what, func() (yes bool) {
		p.ask(p.Standby, &yes, question)
		return yes
	})
}

func (p *Pair) await(what string, ok func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			p.t.Fatalf("did not come: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *Pair) ask(server string, answer any, question string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err == nil {
		err = errors.Join(conn.QueryRow(ctx, question).Scan(answer), conn.Close(ctx))
	}
	if err != nil {
		p.t.Fatal(fmt.Errorf("%s: %w", question, err))
	}
}
