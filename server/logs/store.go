// Package logs is the store of the logs of attempts, in a folder. It copies them from the executors, reads them, and
// moves them to an archive if there is one.
package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// Suffixes of the files: a complete log, and one that may still grow.
const (
	wholeLog = ".log"
	partLog  = ".part"
)

// syncers is the number of files that are made durable at the same time, so that the disk's journal combines them.
const syncers = 8

// Source reads logs from executors.
type Source interface {
	// ReadLog returns at most limit bytes of a log; found is false if the executor does not have it. Calls for copies
	// do not delay other calls. The error is a *RefusedError if the executor answers and refuses the log.
	ReadLog(ctx context.Context, e hive.Executor, forCopy bool, attempt hive.AttemptRef, offset int64, limit int) (
		part hive.LogPart, found bool, err error)
}

// RefusedError reports that an executor answers and refuses a log.
type RefusedError struct{ Err error }

// Error returns the text of the executor's answer.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the executor's answer.
func (e *RefusedError) Unwrap() error { return e.Err }

// Config configures a Store. All fields but Failing and Archive are required.
type Config struct {
	Dir    string
	Source Source
	Log    *slog.Logger
	// Failing reports whether nothing can be stored in the database: copies then leave the room on the disk to it. Any
	// goroutine may call it.
	Failing func() bool
	// Copied is called with the attempts of an executor whose logs are durable in the store, so that the executor may
	// delete its own.
	Copied func(executor string, attempts []hive.AttemptRef)
	// View returns the executors, and the growing logs; false: ctx has ended before the answer.
	View func(ctx context.Context) (fleet.LogView, bool)
	// Archive keeps logs that have not changed for MoveAfter; nil: they stay in the folder.
	Archive   Archive
	MoveAfter time.Duration
}

// Store copies the logs of attempts from the executors into a folder: every few seconds while an attempt runs, and
// completely once it has ended. Only then may the executor delete its own. Each executor has a queue with one worker,
// so that an executor that does not answer delays no other.
type Store struct {
	cfg   Config
	every time.Duration
	space *diskSpace
	mover *mover

	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // of the workers; nil before the start and after the end
	workers sync.WaitGroup
	queues  map[string]*copyQueue // by executor
}

// New makes a store. Nothing is copied before Run.
func New(cfg Config) *Store {
	s := &Store{cfg: cfg, every: copyEvery, space: newDiskSpace(cfg.Dir), queues: map[string]*copyQueue{}}
	s.mover = newMover(&cfg)
	if cfg.Failing != nil {
		s.space.failing = cfg.Failing
	}
	return s
}

func (s *Store) path(attempt hive.AttemptRef, suffix string) string {
	if !attempt.Valid() { // callers never pass such a key; a key must not lead out of the folder
		attempt.Key = "invalid"
	}
	return filepath.Join(s.cfg.Dir, strconv.FormatInt(attempt.ID/1000, 10), attempt.Name()+suffix)
}

// Keep stores the complete log of an attempt. An empty one leaves no file.
func (s *Store) Keep(attempt hive.AttemptRef, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path(attempt, partLog)), 0o700); err != nil {
		return fmt.Errorf("make log folder: %w", err)
	}
	f, err := os.OpenFile(s.path(attempt, partLog), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Close()
		return fmt.Errorf("write log: %w", err)
	}
	_, failed := s.seal([]*copied{{job: &copyJob{attempt: attempt, whole: true}, file: f}})
	if len(failed) > 0 {
		return failed[0].err
	}
	s.mover.completed()
	return nil
}

// Remove deletes the log of an attempt from the folder, if it is there.
func (s *Store) Remove(attempt hive.AttemptRef) error {
	for _, suffix := range []string{wholeLog, partLog} {
		if err := os.Remove(s.path(attempt, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a log: %w", err)
		}
	}
	return nil
}

// copied is a log that was copied completely but is not durable yet. file is nil if the log is empty, or was stored
// before.
type copied struct {
	job  *copyJob
	file *os.File
	err  error
}

func closeAll(logs []*copied) {
	for _, l := range logs {
		if l.file != nil {
			_ = l.file.Close()
		}
	}
}

// copy fetches the part of a log that the copy lacks. It returns nil unless the job asks for the complete log and it is
// here now.
func (s *Store) copy(ctx context.Context, exec hive.Executor, j *copyJob) (*copied, error) {
	if _, err := os.Stat(s.path(j.attempt, wholeLog)); err == nil {
		if j.whole {
			return &copied{job: j}, nil
		}
		return nil, nil //nolint:nilnil // it has ended meanwhile
	}
	f, err := s.openPart(j.attempt, false)
	if err != nil {
		return nil, err
	}
	f, complete, err := s.fetch(ctx, exec, j.attempt, f)
	if err == nil && complete && j.whole {
		return &copied{job: j, file: f}, nil
	}
	if f != nil {
		err = s.removeIfFull(j.attempt, errors.Join(err, f.Close()))
	}
	return nil, err
}

// openPart opens the copy so far. If there is none it returns nil, or creates it if create is set.
func (s *Store) openPart(attempt hive.AttemptRef, create bool) (*os.File, error) {
	name, flags := s.path(attempt, partLog), os.O_WRONLY
	if create {
		flags |= os.O_CREATE
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, fmt.Errorf("make log folder: %w", err)
		}
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, nil //nolint:nilnil // nothing was copied yet
	}
	if err != nil {
		return nil, fmt.Errorf("open log copy: %w", err)
	}
	return f, nil
}

// fetch appends to f, which it creates when there is something to write. complete: the log will not grow any more, and
// the copy has all of it. If the executor has less than the copy, because its log was recreated or lost, the copy
// stays. Each byte is written to its own offset, so that two servers that share the folder write the same file, even if
// one of them was frozen.
func (s *Store) fetch(ctx context.Context, exec hive.Executor, attempt hive.AttemptRef, f *os.File) (
	_ *os.File, complete bool, err error,
) {
	var at int64
	if f != nil {
		if at, err = f.Seek(0, io.SeekEnd); err != nil {
			return f, false, fmt.Errorf("find the end of the log copy: %w", err)
		}
	}
	for {
		part, found, err := s.cfg.Source.ReadLog(ctx, exec, true, attempt, at, hive.MaxLogPart)
		if err != nil {
			return f, false, err
		}
		if len(part.Data) > 0 {
			if f, err = s.write(f, attempt, part.Data, at); err != nil {
				return f, false, err
			}
			at += int64(len(part.Data))
		}
		switch {
		case !found:
			return f, true, nil
		case at >= part.Size:
			return f, part.Complete, nil
		case len(part.Data) == 0:
			return f, false, fmt.Errorf("the executor has %d bytes of the log and gave none from byte %d",
				part.Size, at)
		}
	}
}

// write writes a piece of a copy, and creates the file if f is nil.
func (s *Store) write(f *os.File, attempt hive.AttemptRef, data []byte, at int64) (*os.File, error) {
	if err := s.mayCopy(); err != nil {
		return f, err
	}
	if f == nil {
		var err error
		if f, err = s.openPart(attempt, true); err != nil {
			return nil, err
		}
	}
	if _, err := f.WriteAt(data, at); err != nil {
		return f, fmt.Errorf("write log copy: %w", err)
	}
	return f, nil
}

// seal gives copied logs their final names and makes them durable. It returns the attempts whose logs are in the store
// now, and the logs that could not be stored.
func (s *Store) seal(logs []*copied) (stored []hive.AttemptRef, failed []*copied) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, syncers)
	for _, l := range logs {
		turns <- struct{}{}
		wg.Go(func() {
			l.err = s.sealOne(l)
			<-turns
		})
	}
	wg.Wait()
	dirs := map[string]error{}
	for _, l := range logs {
		dir := filepath.Dir(s.path(l.job.attempt, wholeLog))
		if _, synced := dirs[dir]; !synced && l.file != nil {
			dirs[dir] = errors.Join(syncDir(dir), syncDir(s.cfg.Dir))
		}
	}
	for _, l := range logs {
		if l.err == nil && l.file != nil {
			l.err = dirs[filepath.Dir(s.path(l.job.attempt, wholeLog))]
		}
		if l.err != nil {
			failed = append(failed, l)
		} else {
			stored = append(stored, l.job.attempt)
		}
	}
	return stored, failed
}

func (s *Store) sealOne(l *copied) error {
	if l.file == nil {
		return nil
	}
	if err := errors.Join(l.file.Sync(), l.file.Close()); err != nil {
		return s.removeIfFull(l.job.attempt, fmt.Errorf("sync log copy: %w", err))
	}
	if err := os.Rename(s.path(l.job.attempt, partLog), s.path(l.job.attempt, wholeLog)); err != nil {
		return fmt.Errorf("finish log: %w", err)
	}
	return nil
}

// syncDir makes the names in a folder durable.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open log folder: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
