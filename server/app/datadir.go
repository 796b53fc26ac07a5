package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const (
	// identityFile holds the id of the data folder's server. The running server holds a lock on it.
	identityFile = "server-id"
	// dataDirWait is how long a start waits for a server that is about to end.
	dataDirWait = 2 * time.Second
)

// openDataDir creates the data folder, locks it for this process, and returns the server's id from it. Two servers with
// one id would take each other's session away again and again, whatever their database is. The kernel releases the lock
// when the process ends.
func openDataDir(ctx context.Context, dir string) (id string, lock io.Closer, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("make the data folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, identityFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, fmt.Errorf("open the server's id in the data folder: %w", err)
	}
	if err = lockFolder(ctx, f, dir); err == nil {
		id, err = identity(f)
	}
	if err != nil {
		_ = f.Close()
		return "", nil, err
	}
	return id, f, nil
}

func lockFolder(ctx context.Context, f *os.File, dir string) error {
	for deadline := time.Now().Add(dataDirWait); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return fmt.Errorf("lock the data folder: %w", err)
		case time.Now().After(deadline):
			return hive.Errorf(hive.CodeConflict,
				"another hivego server uses the data folder %s; stop it, or choose another "+
					"--data folder: servers that share a PostgreSQL have one each", dir)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the data folder: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// minIdentity is the smallest length of a server's id. A crash may leave a shorter text.
const minIdentity = 16

// identity reads the id, or creates one that survives a crash.
func identity(f *os.File) (string, error) {
	raw, err := io.ReadAll(f)
	if err != nil {
		return "", fmt.Errorf("read the server's id: %w", err)
	}
	if id := strings.TrimSpace(string(raw)); len(id) >= minIdentity {
		return id, nil
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	id := hex.EncodeToString(b[:])
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(id+"\n"), 0)
	}
	if err = errors.Join(err, f.Sync()); err != nil {
		return "", fmt.Errorf("write the server's id: %w", err)
	}
	return id, nil
}
