package db

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rprp/hivego/server/hive"
)

// A damaged page is reported with a remedy: in the answer, in the log, and by every later Ping. The store does not
// retry it, as it would retry an outage.
func TestDamagedPage(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hivego.db")
	var log bytes.Buffer
	open := func() *Store {
		s, err := Open(t.Context(), Config{URL: "sqlite:" + file, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	var page, size int64
	if err := s.w.NewRaw("SELECT rootpage FROM sqlite_master WHERE name = 'batches'").Scan(t.Context(),
		&page); err != nil {
		t.Fatal(err)
	}
	if err := s.w.NewRaw("PRAGMA page_size").Scan(t.Context(), &size); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, file, (page-1)*size, size)
	s = open()
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("before anybody has seen it: %v", err)
	}
	_, err := s.Batch(t.Context(), 1)
	for name, err := range map[string]error{"the reader": err, "Ping": s.Ping(t.Context())} {
		e, ok := errors.AsType[*hive.Error](err)
		if !ok || e.Code != hive.CodeUnavailable || e.Reason != hive.ErrorDamaged ||
			!strings.Contains(e.Words, "restore a backup") {
			t.Errorf("%s is told %v", name, err)
		}
		if errors.Is(err, hive.ErrConnection) {
			t.Errorf("%s is told to try the same again", name)
		}
	}
	if !strings.Contains(log.String(), "restore a backup") || !strings.Contains(log.String(), "malformed") {
		t.Errorf("the log: %s", log.String())
	}
}

// A file with a damaged head cannot be opened, and the error has a remedy too.
func TestDamagedHead(t *testing.T) {
	t.Parallel()
	s, file := openTemp(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, file, 100, 2000)
	_, err := Open(t.Context(), Config{URL: "sqlite:" + file, Log: slog.New(slog.DiscardHandler)})
	if e, ok := errors.AsType[*hive.Error](err); !ok || e.Reason != hive.ErrorDamaged {
		t.Errorf("it opens, or says %v", err)
	}
}

func damage(t *testing.T, file string, at, size int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, int(size)), at); err != nil {
		t.Fatal(err)
	}
}

func TestDamageOfPostgres(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"XX001", "XX002"} {
		s := &Store{kind: postgresKind{}}
		err := s.fault("read", fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}))
		if e, ok := errors.AsType[*hive.Error](err); !ok || e.Reason != hive.ErrorDamaged ||
			errors.Is(err, hive.ErrConnection) {
			t.Errorf("%s: %v", code, err)
		}
	}
	s := &Store{kind: postgresKind{}}
	if err := s.fault("read", &pgconn.PgError{Code: "XX000"}); hive.CodeOf(err) != hive.CodeInternal {
		t.Errorf("another defect of PostgreSQL: %v", err)
	}
}

// A full database returns the same error for every write.
func TestFullDatabase(t *testing.T) {
	t.Parallel()
	s, _ := openTemp(t)
	if _, err := s.w.Exec("PRAGMA max_page_count = 1"); err != nil { // SQLite takes it for as many as there are
		t.Fatal(err)
	}
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		_, err = s.AddUser(t.Context(), hive.User{Name: fmt.Sprintf("u%d", i), PasswordHash: strings.Repeat("x", 1000)})
	}
	e, ok := errors.AsType[*hive.Error](err)
	if !ok || e.Code != hive.CodeUnavailable || e.Reason != hive.ErrorDiskFull || e.Wait == 0 ||
		!errors.Is(err, hive.ErrConnection) {
		t.Errorf("%v", err)
	}
}

// All errors of a full disk have the same code and the time of the next try. So has a database that does not answer.
func TestWhenToTryAgain(t *testing.T) {
	t.Parallel()
	for _, s := range []*Store{{kind: sqliteKind{}}, {kind: postgresKind{}}} {
		for _, full := range []error{syscall.ENOSPC, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}} {
			e, ok := errors.AsType[*hive.Error](s.fault("write", full))
			if !ok || e.Reason != hive.ErrorDiskFull || e.Wait == 0 || !errors.Is(e, hive.ErrConnection) {
				t.Errorf("%v: %+v", full, e)
			}
		}
		if e, ok := errors.AsType[*hive.Error](s.fault("read", os.ErrDeadlineExceeded)); !ok || e.Wait == 0 {
			t.Errorf("a database that does not answer: %+v", e)
		}
	}
}
