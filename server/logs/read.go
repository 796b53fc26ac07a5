package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// readTimeout is how long a reader waits for an executor. After that the store returns its own copy.
const readTimeout = 5 * time.Second

// Read returns bytes [offset, offset+limit) of an attempt's log: from the folder if the log is complete there, else
// from the archive, else from its executor, else from the copy so far. e is nil if the executor is unknown. limit is at
// most 1 MiB. A log that nobody has is empty. If it cannot be empty, Read returns an error: another server of this
// database may have stored it in its own folder, or the archive does not answer.
func (s *Store) Read(ctx context.Context, e *hive.Executor, a hive.Attempt, offset int64, limit int) (
	hive.LogPart, error,
) {
	limit = min(max(limit, 0), hive.MaxLogPart)
	part, found, err := s.readFile(a.Ref(), wholeLog, offset, limit)
	if err != nil || found {
		return part, err
	}
	part, found, away, err := s.readArchive(ctx, &a, offset, limit)
	if err != nil || found {
		return part, err
	}
	mayHaveWritten := a.LogBytes > 0 ||
		a.Outcome == hive.OutcomeLost && !a.StartedAt.IsZero() && (e == nil || e.Durable) // its length is unknown
	if e != nil && !e.Durable {
		e = nil // the log comes with the answer of the run call, or never
	}
	ended := a.State == hive.AttemptEnded
	final := ended && (e == nil || a.Outcome == hive.OutcomeLost) // no more of it can arrive
	if e != nil {
		live, found, err := s.readLive(ctx, *e, a.Ref(), offset, limit)
		if err == nil && found && (live.Size > 0 || ended) {
			return live, nil
		}
		final = final || ended && err == nil
	}
	if part, found, err = s.readCopy(a.Ref(), offset, limit); err != nil || found {
		part.Complete = part.Complete || final
		return part, err
	}
	switch {
	case away != nil && mayHaveWritten:
		return hive.LogPart{}, away
	case !final || !mayHaveWritten:
		return hive.LogPart{Offset: offset, Complete: final}, nil
	case a.LogBytes > 0 && offset >= a.LogBytes: // the reader had all of it while the copy was here
		return hive.LogPart{Offset: offset, Size: a.LogBytes, Complete: true}, nil
	default:
		return hive.LogPart{}, s.elsewhere(a)
	}
}

// elsewhere returns the error for a log that neither this server nor the attempt's executor has.
func (s *Store) elsewhere(a hive.Attempt) error {
	if s.mover.archive != nil {
		return hive.Errorf(hive.CodeNotFound,
			"neither this server nor the store of logs (--logs-s3) has the log of attempt %d: it was deleted, another "+
				"server of this database has it in its own folder, or --logs-s3 has changed", a.Number).
			WithReason(hive.ErrorLogElsewhere, "attempt", a.Number)
	}
	return hive.Errorf(hive.CodeNotFound,
		"this server does not have the log of attempt %d: another server of this database may have "+
			"stored it in its own folder, or it was deleted; give all servers the same --logs folder", a.Number).
		WithReason(hive.ErrorLogElsewhere, "attempt", a.Number)
}

// readLive reads from an executor, within readTimeout.
func (s *Store) readLive(ctx context.Context, e hive.Executor, attempt hive.AttemptRef, offset int64, limit int) (
	hive.LogPart, bool, error,
) {
	limited, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.cfg.Source.ReadLog(limited, e, false, attempt, offset, limit)
}

// readCopy reads the copy of a log, which may have become complete meanwhile.
func (s *Store) readCopy(attempt hive.AttemptRef, offset int64, limit int) (hive.LogPart, bool, error) {
	part, found, err := s.readFile(attempt, wholeLog, offset, limit)
	if err != nil || found {
		return part, found, err
	}
	return s.readFile(attempt, partLog, offset, limit)
}

// readFile reads from a file of the store; found is false if there is none.
func (s *Store) readFile(attempt hive.AttemptRef, suffix string, offset int64, limit int) (
	part hive.LogPart, found bool, err error,
) {
	f, err := os.Open(s.path(attempt, suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return part, false, nil
	}
	if err != nil {
		return part, false, fmt.Errorf("open log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return part, false, fmt.Errorf("read the size of a log: %w", err)
	}
	buf := make([]byte, min(int64(limit), max(info.Size()-offset, 0)))
	n, err := f.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return part, false, fmt.Errorf("read log: %w", err)
	}
	return hive.LogPart{Data: buf[:n], Offset: offset, Size: info.Size(), Complete: suffix == wholeLog}, true, nil
}
