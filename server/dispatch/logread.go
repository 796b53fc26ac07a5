package dispatch

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

// readLogWithin is how long a reader waits for an executor before he gets what was copied.
const readLogWithin = 5 * time.Second

// ReadLog answers bytes [offset, offset+limit) of an attempt's log: from the store if it is whole there, else from
// its executor, else what has been copied so far. e is nil if the executor is not known any more. limit is at most
// 1 MiB. A log that nobody has is empty, unless more is known of it: then it is refused, as another server of this
// database may have stored it where this one does not look.
func (s *Service) ReadLog(ctx context.Context, e *hive.Executor, a hive.Attempt, offset int64,
	limit int,
) (LogPart, error) {
	limit = min(max(limit, 0), copyChunk)
	part, err := s.logs.stored(a.Ref(), wholeLog, offset, limit)
	if err != nil || part.found {
		return part, err
	}
	ended := a.State == hive.AttemptEnded
	unknown := a.Outcome == hive.OutcomeLost && !a.StartedAt.IsZero() && (e == nil || e.Durable) // how much it wrote
	if e != nil && !e.Durable {
		e = nil // it came with the answer, or does not come
	}
	over := ended && (e == nil || a.Outcome == hive.OutcomeLost) // nobody will bring more of it
	if e != nil {
		limited, cancel := context.WithTimeout(ctx, readLogWithin)
		defer cancel()
		live, err := s.logs.read(limited, *e, lineRead, a.Ref(), offset, limit)
		if err == nil && live.found && (live.Size > 0 || ended) {
			return live, nil
		}
		over = over || ended && err == nil
	}
	for _, suffix := range []string{wholeLog, partLog} { // it may have been finished meanwhile
		part, err = s.logs.stored(a.Ref(), suffix, offset, limit)
		if err != nil || part.found {
			part.Complete = part.Complete || over
			return part, err
		}
	}
	switch {
	case !over || a.LogBytes == 0 && !unknown:
		return LogPart{Complete: over}, nil
	case a.LogBytes > 0 && offset >= a.LogBytes: // whoever asks for it has read it to its end, while it was there
		return LogPart{Size: a.LogBytes, Complete: true}, nil
	default:
		return LogPart{}, elsewhere(a)
	}
}

// elsewhere refuses a log that neither this server nor the attempt's executor has.
func elsewhere(a hive.Attempt) error {
	return hive.Errorf(hive.CodeNotFound,
		"this server does not have the log of attempt %d: another server of this database may have "+
			"stored it in its own folder, or it was deleted; give all servers the same --logs folder", a.Number).
		WithReason(hive.ErrorLogElsewhere, "attempt", a.Number)
}

// stored reads from the log store; found is false if there is no such file.
func (c *copier) stored(attempt hive.AttemptRef, suffix string, offset int64, limit int) (LogPart, error) {
	f, err := os.Open(c.path(attempt, suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return LogPart{}, nil
	}
	if err != nil {
		return LogPart{}, fmt.Errorf("open log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return LogPart{}, fmt.Errorf("look at log: %w", err)
	}
	buf := make([]byte, min(int64(limit), max(info.Size()-offset, 0)))
	n, err := f.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return LogPart{}, fmt.Errorf("read log: %w", err)
	}
	return LogPart{Data: buf[:n], Size: info.Size(), Complete: suffix == wholeLog, found: true}, nil
}
