package dbtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rprp/hivego/e2e/keep"
)

// EnvPostgres names a PostgreSQL that tests shall use instead of starting one: a URL with the right to create
// databases.
const EnvPostgres = "HIVEGO_TEST_POSTGRES_URL"

// The server is started once for each test process, by the first test that needs it.
var shared = sync.OnceValues(func() (*server, error) {
	if given := os.Getenv(EnvPostgres); given != "" {
		return &server{url: given, given: true}, nil
	}
	return startPostgres(false)
})

// Postgres makes an empty PostgreSQL database for the test and returns its URL. The server is the one of EnvPostgres,
// or one that is started from the installed binaries and ends with the test process, also when that is killed. Without
// either the test fails, and says what to install.
func Postgres(t testing.TB) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	name, err := s.database()
	if err != nil {
		t.Fatalf("create the test's database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.release(name); err != nil {
			t.Errorf("clean the test's database up: %v", err)
		}
	})
	u, err := s.at(name)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// server is a PostgreSQL that tests may use.
type server struct {
	url   string
	given bool // it is somebody's own: nothing may be left in it
	place *keep.Place

	mu   sync.Mutex
	free []string // emptied databases
}

// at returns the server's URL with this database.
func (s *server) at(database string) (string, error) {
	u, err := url.Parse(s.url)
	if err != nil {
		return "", fmt.Errorf("%s: %w", EnvPostgres, err)
	}
	u.Path = "/" + database
	return u.String(), nil
}

// database makes an empty database, or takes one that was emptied.
func (s *server) database() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		name := s.free[last]
		s.free = s.free[:last]
		return name, nil
	}
	name := newName()
	return name, execute(s.url, "CREATE DATABASE "+name)
}

func newName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return "hivego_test_" + hex.EncodeToString(b[:])
}

// release takes a database back. Dropping one costs half a second of fsyncs, so on our own server it is emptied and
// gets a new name: what a test has left running does not find it any more.
func (s *server) release(name string) error {
	if s.given {
		return execute(s.url, "DROP DATABASE "+name+" WITH (FORCE)")
	}
	next := newName()
	err := execute(s.url,
		"ALTER DATABASE "+name+" WITH ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '"+name+"'",
		"ALTER DATABASE "+name+" RENAME TO "+next,
		"ALTER DATABASE "+next+" WITH ALLOW_CONNECTIONS true")
	if err != nil {
		return err
	}
	u, err := s.at(next)
	if err != nil {
		return err
	}
	if err := execute(u, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, next)
	return nil
}

// execute runs statements as Execute does, within a minute.
func execute(server string, statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return Execute(ctx, server, statements...)
}

// Execute runs statements, each on its own, over a new connection.
func Execute(ctx context.Context, server string, statements ...string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is under way
	for _, st := range statements {
		if _, err := conn.Exec(ctx, st); err != nil {
			return fmt.Errorf("%s: %w", st, err)
		}
	}
	return nil
}

// Another one, of programs that measure.
var durable = sync.OnceValues(func() (*server, error) { return startPostgres(true) })

// Server returns the URL of a durable server, for programs that measure: the one of EnvPostgres, or one that is started
// and ends with the process.
func Server() (string, error) {
	if given := os.Getenv(EnvPostgres); given != "" {
		return given, nil
	}
	s, err := durable()
	if err != nil {
		return "", err
	}
	return s.url, nil
}
