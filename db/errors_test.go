package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rprp/hivego/server/hive"
)

func TestFaultOfPostgres(t *testing.T) {
	t.Parallel()
	s := &Store{kind: postgresKind{}}
	for _, c := range []struct {
		err  error
		want failure
	}{
		{&pgconn.PgError{Code: "08006"}, failureConnection},
		{&pgconn.PgError{Code: "53100"}, failureConnection}, // disk full
		{&pgconn.PgError{Code: "57P01"}, failureConnection},
		{&pgconn.PgError{Code: "58030"}, failureConnection},
		{&pgconn.PgError{Code: "25P03"}, failureConnection},
		{&pgconn.PgError{Code: "25006"}, failureConnection},
		{&pgconn.PgError{Code: "40P01"}, failureConnection},
		{&pgconn.PgError{Code: "23505"}, failureUnique},
		{&pgconn.PgError{Code: "23503"}, failureReference},
		{&pgconn.PgError{Code: "23514"}, failureOther}, // check
		{&pgconn.PgError{Code: "22021"}, failureOther}, // not UTF-8
		{&pgconn.PgError{Code: ""}, failureOther},
		{&pgconn.ConnectError{}, failureConnection},
		{driver.ErrBadConn, failureConnection},
		{io.ErrUnexpectedEOF, failureConnection},
		{&net.OpError{Op: "read", Err: errors.New("reset")}, failureConnection},
		{context.DeadlineExceeded, failureConnection},
		{errors.New("a defect"), failureOther},
	} {
		if got := s.sortOf(fmt.Errorf("wrapped: %w", c.err)); got != c.want {
			t.Errorf("%v is sorted as %d, want %d", c.err, got, c.want)
		}
		err := s.fault("try", c.err)
		if (c.want == failureConnection) != errors.Is(err, hive.ErrConnection) {
			t.Errorf("%v became %v", c.err, err)
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%v was lost in %v", c.err, err)
		}
	}
}

func TestFaultKeepsHivesOwn(t *testing.T) {
	t.Parallel()
	s := &Store{kind: sqliteKind{}}
	for _, err := range []error{
		nil, hive.ErrSessionLost, &hive.GuardError{Batches: []int64{1}}, hive.Errorf(hive.CodeNotFound, "no"),
	} {
		if got := s.fault("try", err); got != err { //nolint:errorlint // the very same
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestFaultOfFullDisk(t *testing.T) {
	t.Parallel()
	s := &Store{kind: postgresKind{}}
	err := s.fault("commit", &pgconn.PgError{Code: "53100"})
	if !errors.Is(err, hive.ErrConnection) || !strings.Contains(err.Error(), "disk of the database is full") {
		t.Errorf("a full disk is told as %v", err)
	}
}
