package retention

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// orphanAge is how long a log without an attempt stays, in case it has only just been made.
const orphanAge = 24 * time.Hour

// StoredLogs lists logs in parts, from a place that the last call returned as next; empty: the beginning, and the end.
type StoredLogs interface {
	StoredLogs(ctx context.Context, from string) (logs []hive.StoredLog, next string, err error)
}

// Attempts knows which attempts the database has.
type Attempts interface {
	// KnownAttempts returns the given attempts that exist.
	KnownAttempts(ctx context.Context, attempts []hive.AttemptRef) (map[hive.AttemptRef]bool, error)
}

// orphans deletes logs without an attempt for a short time, or counts them. Such logs remain if a server dies between
// two deletions, or after a restore of an older database.
func (s *Service) orphans(ctx context.Context, r hive.PruneRequest) (out hive.PruneReport, err error) {
	until := s.config.Now().Add(turn)
	out.Next = r.From
	for more := true; more; more = out.Next != "" && s.config.Now().Before(until) {
		logs, next, err := s.config.Stored.StoredLogs(ctx, out.Next)
		if err != nil {
			return out, err
		}
		before := s.config.Now().Add(-orphanAge)
		logs = slices.DeleteFunc(logs, func(l hive.StoredLog) bool { return !l.At.Before(before) })
		old := make([]hive.AttemptRef, len(logs))
		for i, l := range logs {
			old[i] = l.Attempt
		}
		known, err := s.config.Attempts.KnownAttempts(ctx, old)
		if err != nil {
			return out, err
		}
		var gone []hive.AttemptRef
		for _, l := range logs {
			if !known[l.Attempt] {
				gone = append(gone, l.Attempt)
				out.OrphanLogs++
				out.OrphanBytes += l.Size
			}
		}
		if !r.DryRun && len(gone) > 0 {
			if err := s.config.RemoveLogs(ctx, gone); err != nil {
				return out, err
			}
		}
		out.Next = next
	}
	out.More = out.Next != ""
	if !r.DryRun && out.OrphanLogs > 0 {
		s.config.Log.InfoContext(ctx, "logs without an attempt were deleted by hand", "by", r.By,
			"logs", out.OrphanLogs, "bytes", out.OrphanBytes)
	}
	return out, nil
}
