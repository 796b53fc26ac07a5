package db

import (
	"os"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The write-ahead log is deleted while the server runs. The error names the remedy, and the remedy loses no data.
func TestDeletedLog(t *testing.T) {
	t.Parallel()
	s, file := openTemp(t)
	save := hive.SaveSchedule{Name: "kept", Document: "x", Hash: "1", Now: time.Unix(1, 0)}
	if _, _, _, err := s.SaveSchedule(t.Context(), save); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file + "-wal"); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("after the log was deleted: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Config{URL: "sqlite:" + file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	if _, err := again.Schedule(t.Context(), "kept"); err != nil {
		t.Errorf("after a stop: %v", err)
	}
	if err := again.Ping(t.Context()); err != nil {
		t.Errorf("opened again: %v", err)
	}
}
