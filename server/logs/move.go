package logs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Archive keeps complete logs outside the folder. An error has the code CodeUnavailable if it cannot be used now.
type Archive interface {
	// Put stores the log in a file, and returns nil only after the archive has it for certain. It may be repeated.
	Put(ctx context.Context, attempt hive.AttemptRef, log *os.File) error
	// Read returns bytes [offset, offset+limit) of a log; found is false if the archive does not have it.
	Read(ctx context.Context, attempt hive.AttemptRef, offset int64, limit int) (part hive.LogPart, found bool,
		err error)
	// Remove deletes logs, at most 1000. Those that are not there do no harm.
	Remove(ctx context.Context, attempts []hive.AttemptRef) error
	// List lists logs, from a place that the last call returned as next; empty: the beginning, and the end.
	List(ctx context.Context, from string, limit int) (logs []hive.StoredLog, next string, err error)
}

// The pace of moving.
const (
	movers      = 4 // logs that are moved at the same time
	moveSoonest = 10 * time.Second
	moveLatest  = 10 * time.Minute
	moveAgain   = 5 * time.Second // the first pause while the archive is away; doubled up to moveLatest
	removeMany  = 1000            // logs that the archive deletes at once
)

// Moves is what is known of moving since the start.
type Moves struct {
	Moved, Bytes, Failed int64
	Waiting              int64 // logs that were due at the last pass, and have not been moved
	Away                 bool  // the archive could not be used at the last try
}

// mover moves complete logs from the folder to the archive.
type mover struct {
	archive Archive
	after   time.Duration // since the last change of a log
	wake    chan struct{} // a log is complete now; nil unless logs move at once
	again   time.Duration // the first pause while the archive is away

	mu    sync.Mutex
	moves Moves
	noted map[hive.AttemptRef]bool // logs whose failure the program's log has
}

func newMover(c *Config) *mover {
	m := &mover{archive: c.Archive, after: c.MoveAfter, again: moveAgain, noted: map[hive.AttemptRef]bool{}}
	if m.archive != nil && m.after == 0 {
		m.wake = make(chan struct{}, 1)
	}
	return m
}

// Moves returns what is known of moving.
func (s *Store) Moves() Moves {
	s.mover.mu.Lock()
	defer s.mover.mu.Unlock()
	return s.mover.moves
}

// completed tells the mover that logs are complete now.
func (m *mover) completed() {
	select {
	case m.wake <- struct{}{}:
	default: // also if it is nil
	}
}

// moveAll moves logs that are due, until ctx ends.
func (s *Store) moveAll(ctx context.Context) {
	every, again := min(max(s.mover.after/24, moveSoonest), moveLatest), s.mover.again
	for ctx.Err() == nil {
		wait, wake := every, s.mover.wake
		if err := s.moveDue(ctx); err != nil && ctx.Err() == nil {
			s.awayNow(ctx, err)
			wait, wake = again, nil
			again = min(2*again, moveLatest)
		} else {
			s.backNow(ctx)
			again = s.mover.again
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (s *Store) awayNow(ctx context.Context, err error) {
	s.mover.mu.Lock()
	before := s.mover.moves.Away
	s.mover.moves.Away = true
	s.mover.mu.Unlock()
	if !before {
		s.cfg.Log.WarnContext(ctx, "logs stay in the folder for now; moving them will be tried again", "error", err)
	}
}

func (s *Store) backNow(ctx context.Context) {
	s.mover.mu.Lock()
	before := s.mover.moves.Away
	s.mover.moves.Away = false
	s.mover.mu.Unlock()
	if before {
		s.cfg.Log.InfoContext(ctx, "the store of logs can be used again; logs are moved")
	}
}

// dueLog is a complete log in the folder that is old enough to move.
type dueLog struct {
	attempt hive.AttemptRef
	size    int64
}

// moveDue moves the logs that are due. It returns the error of an archive that cannot be used, and then stops. Servers
// that share a folder take turns by a lock on the folder. Without the lock nothing would be lost: both would store the
// same text under the same name.
func (s *Store) moveDue(ctx context.Context) error {
	unlock, ok, err := lockFolder(s.cfg.Dir)
	if err != nil || !ok {
		return err
	}
	defer unlock()
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	logs := make(chan dueLog)
	var workers sync.WaitGroup
	var moved atomic.Int64
	for range movers {
		workers.Go(func() {
			for l := range logs {
				switch err := s.move(work, l); {
				case err == nil:
					moved.Add(1)
				case hive.CodeOf(err) == hive.CodeUnavailable && work.Err() == nil:
					cancel(err)
				}
			}
		})
	}
	var due int64
	err = dueLogs(ctx, s.cfg.Dir, time.Now().Add(-s.mover.after), func(l dueLog) {
		due++
		select {
		case logs <- l:
		case <-work.Done(): // the rest is only counted
		}
	})
	close(logs)
	workers.Wait()
	s.mover.passed(due - moved.Load())
	if cause := context.Cause(work); cause != nil {
		return cause
	}
	return err
}

// passed notes the end of a pass.
func (m *mover) passed(waiting int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.moves.Waiting = waiting; waiting == 0 {
		clear(m.noted)
	}
}

// Due counts the logs in a folder that are complete, and unchanged since a time.
func Due(ctx context.Context, dir string, before time.Time) (n int, err error) {
	err = dueLogs(ctx, dir, before, func(dueLog) { n++ })
	return n, err
}

// dueLogs calls f for each complete log of a folder that has not changed since a time.
func dueLogs(ctx context.Context, dir string, before time.Time, f func(dueLog)) error {
	groups, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the folder of logs: %w", err)
	}
	for _, g := range groups {
		if _, err := strconv.ParseUint(g.Name(), 10, 63); err != nil || !g.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, g.Name()))
		if err != nil {
			return fmt.Errorf("read a folder of logs: %w", err)
		}
		for _, file := range files {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			attempt, ok := hive.AttemptOfLog(file.Name())
			if !ok || !file.Type().IsRegular() {
				continue
			}
			info, err := file.Info()
			if err == nil && !info.ModTime().After(before) { // with an error, it was removed meanwhile
				f(dueLog{attempt, info.Size()})
			}
		}
	}
	return nil
}

// move moves one log. The archive has it before the folder loses it, so whatever happens in between, a reader finds it,
// and the next pass moves it again.
func (s *Store) move(ctx context.Context, l dueLog) error {
	err := s.moveOne(ctx, l)
	s.mover.mu.Lock()
	defer s.mover.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case err == nil:
		s.mover.moves.Moved++
		s.mover.moves.Bytes += l.size
		delete(s.mover.noted, l.attempt)
	default:
		s.mover.moves.Failed++
		if hive.CodeOf(err) != hive.CodeUnavailable && !s.mover.noted[l.attempt] {
			s.mover.noted[l.attempt] = true
			s.cfg.Log.ErrorContext(ctx, "a log cannot be moved; it will be tried again", "attempt", l.attempt.ID,
				"file", s.path(l.attempt, wholeLog), "error", err)
		}
	}
	return err
}

func (s *Store) moveOne(ctx context.Context, l dueLog) error {
	name := s.path(l.attempt, wholeLog)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was removed meanwhile
	}
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer f.Close()
	if err := s.mover.archive.Put(ctx, l.attempt, f); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a moved log: %w", err)
	}
	return nil
}

// lockFolder takes the right to move the logs of a folder; ok is false if another server has it. A process that dies
// gives it back. A file system without locks gives it to everybody.
func lockFolder(dir string) (unlock func(), ok bool, err error) {
	f, err := os.OpenFile(filepath.Join(dir, ".moving"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("lock the folder of logs: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, false, f.Close()
	}
	return func() { _ = f.Close() }, true, nil
}

// RemoveAll deletes the logs of attempts that have ended long ago, from the folder and from the archive.
func (s *Store) RemoveAll(ctx context.Context, attempts []hive.AttemptRef) error {
	for _, a := range attempts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.Remove(a); err != nil {
			return err
		}
	}
	if s.mover.archive == nil {
		return nil
	}
	for len(attempts) > 0 {
		n := min(len(attempts), removeMany)
		if err := s.mover.archive.Remove(ctx, attempts[:n]); err != nil {
			return err
		}
		attempts = attempts[n:]
	}
	return nil
}

// readArchive reads a log that may have moved. away is the error of an archive that does not answer.
func (s *Store) readArchive(ctx context.Context, a *hive.Attempt, offset int64, limit int) (part hive.LogPart,
	found bool, away, err error,
) {
	if s.mover.archive == nil || a.State != hive.AttemptEnded {
		return part, false, nil, nil // only complete logs move
	}
	part, found, err = s.mover.archive.Read(ctx, a.Ref(), offset, limit)
	refused, ok := errors.AsType[*hive.Error](err)
	if ok && refused.Reason == hive.ErrorLogStoreAway {
		return part, false, err, nil
	}
	return part, found, nil, err
}
