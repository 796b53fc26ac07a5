package dispatch

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs"
)

// ReadLog returns bytes [offset, offset+limit) of an attempt's log; see logs.Store.Read. e is nil if the executor is
// unknown.
func (s *Service) ReadLog(ctx context.Context, e *hive.Executor, a hive.Attempt, offset int64, limit int) (
	hive.LogPart, error,
) {
	return s.logs.Read(ctx, e, a, offset, limit)
}

// DiskShort returns why the disk of the server is short of space; nil if it has enough.
func (s *Service) DiskShort() error { return s.logs.DiskShort() }

// RemoveLogs deletes the logs of attempts that have ended long ago, as far as this server has them.
func (s *Service) RemoveLogs(ctx context.Context, attempts []hive.AttemptRef) error {
	return s.logs.RemoveAll(ctx, attempts)
}

// StoredLogs lists the logs that this server can reach, in parts; see logs.Store.List.
func (s *Service) StoredLogs(ctx context.Context, from string) ([]hive.StoredLog, string, error) {
	return s.logs.List(ctx, from)
}

// LogMoves returns what is known of moving logs to the archive.
func (s *Service) LogMoves() logs.Moves { return s.logs.Moves() }

// logView asks the loop for the input of the store of logs; false: ctx has ended before the answer. It closes the
// connections to executors that were deleted.
func (s *Service) logView(ctx context.Context) (fleet.LogView, bool) {
	out := make(chan fleet.LogView, 1)
	s.cfg.Post(func(time.Time) { out <- s.LogView() })
	select {
	case v := <-out:
		s.client.Keep(v.Executors)
		return v, true
	case <-ctx.Done():
		return fleet.LogView{}, false
	}
}

// logSource reads logs from executors by the calls of a service.
type logSource struct{ s *Service }

// ReadLog returns a *logs.RefusedError if the executor answers and refuses the log.
func (l logSource) ReadLog(ctx context.Context, e hive.Executor, forCopy bool, attempt hive.AttemptRef, offset int64,
	limit int,
) (hive.LogPart, bool, error) {
	part, found, err := l.s.client.ReadLog(ctx, l.s.caller(&e), e, forCopy, attempt, offset, limit)
	if wire.IsAnswer(err) {
		err = &logs.RefusedError{Err: err}
	}
	return part, found, err
}
