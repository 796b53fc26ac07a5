package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// lockWait is how long a start waits for a short command that has the lock.
const lockWait = 2 * time.Second

// holdFile locks name until the lock is closed. The kernel keeps the lock, so it ends with the process in any case. If
// another process holds it, the result is nil with beside, and otherwise a conflict after a wait.
func holdFile(ctx context.Context, name string, beside bool) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data folder: %w", err)
	}
	for deadline := time.Now().Add(lockWait); ; {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		busy := errors.Is(err, syscall.EWOULDBLOCK)
		if !busy || beside || time.Now().After(deadline) {
			_ = f.Close()
			return nil, refuseLock(name, err, busy, beside)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("wait for %s: %w", name, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func refuseLock(name string, err error, busy, beside bool) error {
	switch {
	case busy && beside:
		return nil
	case busy:
		return hive.Errorf(hive.CodeConflict,
			"another hivego server uses this data folder (%s is locked); stop it, choose another --data folder, "+
				"or give both servers one PostgreSQL with --database-url", name)
	default:
		return fmt.Errorf("lock %s: %w", name, err)
	}
}
