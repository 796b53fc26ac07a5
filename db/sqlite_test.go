package db

import (
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func openTemp(t *testing.T) (s *Store, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "hivego.db")
	s, err := Open(t.Context(), Config{URL: "sqlite:" + file, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, file
}

func TestPragmas(t *testing.T) {
	t.Parallel()
	s, _ := openTemp(t)
	for pragma, want := range map[string][2]int{ // of the writer, of readers
		"synchronous": {2, 2}, "wal_autocheckpoint": {0, 1000}, "foreign_keys": {1, 0}, "query_only": {
			0,
			1,
		}, "busy_timeout": {10000, 10000},
	} {
		var w, r int
		if err := s.w.NewRaw("PRAGMA "+pragma).Scan(t.Context(), &w); err != nil {
			t.Fatal(err)
		}
		if err := s.r.NewRaw("PRAGMA "+pragma).Scan(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
		if w != want[0] || r != want[1] {
			t.Errorf("%s is %d for the writer and %d for readers, want %v", pragma, w, r, want)
		}
	}
	var mode string
	if err := s.r.NewRaw("PRAGMA journal_mode").Scan(t.Context(), &mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %q, %v", mode, err)
	}
}

// Opening a database removes the rights of other users from its file.
func TestDatabaseIsPrivate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hivego.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o644, 0o600} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		s, err := Open(t.Context(), Config{URL: "sqlite:" + file, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if n := strings.Count(log.String(), "others could read the database"); n == 1 != (mode == 0o644) {
			t.Errorf("%v: it was logged %d times:\n%s", mode, n, log.String())
		}
	}
}

// The error for a file that is not a database has a remedy.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hivego.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("garbage ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Config{URL: "sqlite:" + file, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), file+" is no SQLite database") ||
		!strings.Contains(err.Error(), "put a backup in its place") {
		t.Errorf("%v", err)
	}
}

// The log is copied into the file if it is large enough and has changed since the last checkpoint.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	s, file := openTemp(t)
	for i := range 8 {
		_, _, _, err := s.SaveSchedule(t.Context(), hive.SaveSchedule{
			Name: "big", Document: strings.Repeat("x", checkpointFrom/4), Hash: fmt.Sprint(i), Now: time.Unix(1, 0),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	own, err := s.sqlitePool(file, 1, url.Values{"_pragma": {"busy_timeout(10000)"}})
	if err != nil {
		t.Fatal(err)
	}
	c := &checkpointer{db: own, wal: file + "-wal", log: slog.New(slog.DiscardHandler)}
	last := c.runOnce(time.Time{})
	if last.IsZero() {
		t.Fatal("a log of two MiB was not copied")
	}
	if again := c.runOnce(last); !again.Equal(last) {
		t.Errorf("copied again at %s, nothing was written since %s", again, last)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() < checkpointFrom {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}
