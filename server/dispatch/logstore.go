package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Suffixes of the log store's files: a whole log, and one that may still grow.
const (
	wholeLog = ".log"
	partLog  = ".part"
)

func (c *copier) path(attempt hive.AttemptRef, suffix string) string {
	if !attempt.Valid() { // nothing with such a key comes here; no key leads out of the folder
		attempt.Key = "invalid"
	}
	return filepath.Join(c.dir, strconv.FormatInt(attempt.ID/1000, 10), attempt.Name()+suffix)
}

// copied is a log of which every byte is here, but not durable yet. file is nil for one that is empty, or was stored
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

// copy brings what the executor has beyond the copy. It answers nil unless the log is whole and was asked for whole.
func (c *copier) copy(ctx context.Context, exec hive.Executor, j *copyJob) (*copied, error) {
	if _, err := os.Stat(c.path(j.attempt, wholeLog)); err == nil {
		if j.whole {
			return &copied{job: j}, nil
		}
		return nil, nil //nolint:nilnil // it has ended meanwhile
	}
	f, err := c.openPart(j.attempt, false)
	if err != nil {
		return nil, err
	}
	f, complete, err := c.fetch(ctx, exec, j.attempt, f)
	if err == nil && complete && j.whole {
		return &copied{job: j, file: f}, nil
	}
	if f != nil {
		err = c.giveBack(j.attempt, errors.Join(err, f.Close()))
	}
	return nil, err
}

// openPart opens the copy so far; nil if there is none, unless it is to be made.
func (c *copier) openPart(attempt hive.AttemptRef, create bool) (*os.File, error) {
	name, flags := c.path(attempt, partLog), os.O_WRONLY
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

// fetch appends to f, which is made when there is something to write. complete: the log will not grow any more, and
// all of it is here. What is here stays, should the executor have less: its log was made anew, or lost. Each byte is
// written to its own place, so that two servers that share the folder, one of which was frozen, write the same file.
func (c *copier) fetch(ctx context.Context, exec hive.Executor, attempt hive.AttemptRef, f *os.File) (
	_ *os.File, complete bool, err error,
) {
	var at int64
	if f != nil {
		if at, err = f.Seek(0, io.SeekEnd); err != nil {
			return f, false, fmt.Errorf("find the end of the log copy: %w", err)
		}
	}
	for {
		r, err := c.read(ctx, exec, lineLog, attempt, at, copyChunk)
		if err != nil {
			return f, false, err
		}
		if len(r.Data) > 0 {
			if err := c.mayCopy(); err != nil {
				return f, false, err
			}
			if f == nil {
				if f, err = c.openPart(attempt, true); err != nil {
					return nil, false, err
				}
			}
			if _, err := f.WriteAt(r.Data, at); err != nil {
				return f, false, fmt.Errorf("write log copy: %w", err)
			}
			at += int64(len(r.Data))
		}
		switch {
		case !r.found:
			return f, true, nil
		case at >= r.Size:
			return f, r.Complete, nil
		case len(r.Data) == 0:
			return f, false, fmt.Errorf("the executor has %d bytes of the log and gave none from byte %d", r.Size, at)
		}
	}
}

// store gives copied logs their final names and makes them durable. It answers the attempts that their executors may
// forget.
func (c *copier) store(logs []*copied) (free []hive.AttemptRef, failed []*copied) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, sealers) // side by side, so that the disk's journal takes several at once
	for _, l := range logs {
		turns <- struct{}{}
		wg.Go(func() {
			l.err = c.storeOne(l)
			<-turns
		})
	}
	wg.Wait()
	dirs := map[string]error{}
	for _, l := range logs {
		dir := filepath.Dir(c.path(l.job.attempt, wholeLog))
		if _, synced := dirs[dir]; !synced && l.file != nil {
			dirs[dir] = errors.Join(syncDir(dir), syncDir(c.dir))
		}
	}
	for _, l := range logs {
		if l.err == nil && l.file != nil {
			l.err = dirs[filepath.Dir(c.path(l.job.attempt, wholeLog))]
		}
		if l.err != nil {
			failed = append(failed, l)
		} else {
			free = append(free, l.job.attempt)
		}
	}
	return free, failed
}

func (c *copier) storeOne(l *copied) error {
	if l.file == nil {
		return nil
	}
	if err := errors.Join(l.file.Sync(), l.file.Close()); err != nil {
		return c.giveBack(l.job.attempt, fmt.Errorf("sync log copy: %w", err))
	}
	if err := os.Rename(c.path(l.job.attempt, partLog), c.path(l.job.attempt, wholeLog)); err != nil {
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

// LogPart is a piece of an attempt's log.
type LogPart struct {
	Data     []byte
	Size     int64 // of the log now, in bytes
	Complete bool  // it will not grow any more

	found bool
}

// read asks an executor for bytes of a log.
func (c *copier) read(ctx context.Context, e hive.Executor, l line, attempt hive.AttemptRef, offset int64,
	limit int,
) (LogPart, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var part LogPart
	err := c.pool.use(ctx, e, l, func(x *conn) error {
		most := int32(min(limit, copyChunk))
		r, err := x.client.ReadLog(ctx, &hivego.LogCall{
			Caller: c.caller(&e).wire(), AttemptId: &attempt.ID, Key: &attempt.Key, Offset: &offset, Limit: &most,
		})
		if err != nil {
			return callError("read log", err)
		}
		part = LogPart{Data: r.GetData(), Size: r.GetSize(), Complete: r.GetComplete(), found: r.GetFound()}
		return nil
	})
	return part, err
}
