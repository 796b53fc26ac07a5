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

// failure is a kind of error that a database may answer.
type failure int

// The kinds of failures.
const (
	failureOther      failure = iota
	failureConnection         // out of reach, or so troubled that the same again may work: try again
	failureDamage             // what is stored cannot be read: the same again does not work
	failureUnique             // a unique key is taken
	failureReference          // a foreign key names no row
)

// fault makes err what a method answers: nil, hive's own errors as they are, and the others wrapped with what was
// being done. A connection that is gone is both a *hive.Error and hive.ErrConnection.
func (s *Store) fault(what string, err error) error {
	if err == nil {
		return nil
	}
	if known(err) {
		return err
	}
	switch s.sortOf(err) {
	case failureConnection:
		e := &hive.Error{
			Code:  hive.CodeUnavailable,
			Words: "the database is out of reach; try again in a moment", Reason: hive.ErrorDatabase, Wait: waitDatabase,
			Err: fmt.Errorf("%s: %w: %w", what, hive.ErrConnection, err),
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

// When to try again what failed for want of the database, or of room on its disk.
const (
	waitDatabase = 5 * time.Second
	waitRoom     = 30 * time.Second
)

// full says that err is for want of room on a disk, as the database or the system says it.
func (s *Store) full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || s.kind.full(err)
}

// damagedWords say what a damaged database is and what to do.
const damagedWords = "the database is damaged: what is stored cannot be read; stop the server and restore a backup, as the " +
	"section \"A damaged database\" of docs/operations.md says"

// damaged is the error of a damaged database. The same again does not help, so it is no hive.ErrConnection. The store
// remembers it: from then on Ping says so, too.
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

// known says that err is one of hive's own already.
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

// broken knows the failures of connections that every driver has.
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

// missingFor is missing, and tells programs why; the words have one arg.
func missingFor(err error, why reason, format string, arg any) error {
	return why.label(missing(err, format, arg), arg)
}

// reason is what programs are told of an error: its refusal, and the name of its one param.
type reason struct {
	refusal hive.ErrorReason
	param   string
}

func because(r hive.ErrorReason, param string) reason { return reason{refusal: r, param: param} }

// label gives the reason to an error that says that something is not there, and leaves others as they are.
func (r reason) label(err error, value any) error {
	if e, ok := errors.AsType[*hive.Error](err); ok && e.Code == hive.CodeNotFound {
		return e.WithReason(r.refusal, r.param, value)
	}
	return err
}
