package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// failure is a kind of error of a database.
type failure int

// The kinds of failures.
const (
	failureOther      failure = iota
	failureConnection         // out of reach, or a temporary failure: another try may work
	failureDamage             // stored data cannot be read: another try does not help
	failureUnique             // a unique key is taken
	failureReference          // a foreign key names no row
)

// fault turns err into the error that a method returns. Nil and hive's own errors stay; others are wrapped with what
// was being done. A lost connection is both a *hive.Error and hive.ErrConnection.
func (s *Store) fault(what string, err error) error {
	if err == nil {
		return nil
	}
	if known(err) {
		return err
	}
	switch s.sortOf(err) {
	case failureConnection:
		if !errors.Is(err, context.Canceled) {
			s.brokenAt.Store(time.Now().UnixNano())
		}
		e := &hive.Error{
			Code: hive.CodeUnavailable, Reason: hive.ErrorDatabase, Wait: waitDatabase,
			Words: "the database is out of reach; try again in a moment",
			Err:   fmt.Errorf("%s: %w: %w", what, hive.ErrConnection, err),
		}
		if s.full(err) {
			e.Reason, e.Wait = hive.ErrorDiskFull, waitRoom
			e.Words = "the disk of the database is full; make room on it, and all goes on by itself"
		}
		return e
	case failureDamage:
		return s.damaged(what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// How long to wait before another try, while the database cannot be reached or its disk is full.
const (
	waitDatabase = 5 * time.Second
	waitRoom     = 30 * time.Second
)

// full reports whether err means that a disk is full. The database or the system may say so.
func (s *Store) full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || s.kind.full(err)
}

// damagedWords say what a damaged database is and what to do.
const damagedWords = "the database is damaged: what is stored cannot be read; stop the server and restore a backup, " +
	"as the section \"A damaged database\" of docs/operations.md says"

// damaged returns the error of a damaged database. Another try does not help, so it is no hive.ErrConnection. The store
// remembers it, and Ping returns it from then on.
func (s *Store) damaged(what string, err error) error {
	e := &hive.Error{
		Code: hive.CodeUnavailable, Words: damagedWords, Reason: hive.ErrorDamaged, Err: fmt.Errorf("%s: %w", what,
			err),
	}
	if s.damage.CompareAndSwap(nil, e) && s.log != nil {
		s.log.Error(damagedWords, "error", e.Err)
	}
	return e
}

// known reports whether err is one of hive's own errors.
func known(err error) bool {
	if errors.Is(err, hive.ErrSessionLost) || errors.Is(err, hive.ErrConnection) {
		return true
	}
	if _, ok := errors.AsType[*hive.GuardError](err); ok {
		return true
	}
	_, ok := errors.AsType[*hive.Error](err)
	return ok
}

func (s *Store) sortOf(err error) failure {
	if broken(err) { // the errors of the system are among them
		return failureConnection
	}
	return s.kind.sort(err)
}

// broken reports whether err is a failure of the connection that every driver may return.
func broken(err error) bool {
	for _, e := range []error{
		driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	_, network := errors.AsType[net.Error](err)
	return network
}

// missing turns sql.ErrNoRows into a *hive.Error with these words.
func missing(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return hive.Errorf(hive.CodeNotFound, format, args...)
	}
	return err
}

// noRows returns none for sql.ErrNoRows and for no error. Other errors stay.
func noRows(err, none error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return none
	}
	return err
}

// missingFor is missing with a reason for programs. The words have one arg.
func missingFor(err error, why reason, format string, arg any) error {
	return why.label(missing(err, format, arg), arg)
}

// reason tells programs what an error is: its reason, and the name of the one param.
type reason struct {
	refusal hive.ErrorReason
	param   string
}

func because(r hive.ErrorReason, param string) reason { return reason{refusal: r, param: param} }

// label adds the reason to an error that says that something does not exist. Other errors stay.
func (r reason) label(err error, value any) error {
	if e, ok := errors.AsType[*hive.Error](err); ok && e.Code == hive.CodeNotFound {
		return e.WithReason(r.refusal, r.param, value)
	}
	return err
}
