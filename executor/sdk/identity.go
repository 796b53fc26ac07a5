package sdk

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// identity identifies one executor. All of it except bootID is stored in the data folder.
type identity struct {
	executorID string
	bootID     string // new at every start
	secret     string // proves a server to this executor: 32 random bytes, base64
	lock       *os.File
}

// openIdentity locks the data folder for this process, and reads the identity there or makes one.
func openIdentity(dir string) (*identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("executor data folder: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("executor data folder %s: %w", dir, err)
	}
	id := &identity{bootID: randomHex(), lock: lock}
	if id.executorID, err = readOrCreate(filepath.Join(dir, "executor-id"), randomHex); err == nil {
		id.secret, err = readOrCreate(filepath.Join(dir, "secret"), randomSecret)
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return id, nil
}

// ErrInUse means that another process runs an executor on the data folder.
var ErrInUse = errors.New("another executor is using it; stop that one, or use another folder")

// lockFile locks a file exclusively. The kernel releases the lock when this process ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrInUse
		}
		return nil, fmt.Errorf("lock: %w", err)
	}
	return f, nil
}

// readOrCreate reads the line in path. If there is no file, it writes a new line, readable by the owner only.
func readOrCreate(path string, generate func() string) (string, error) {
	data, err := os.ReadFile(path)
	if text := strings.TrimSpace(string(data)); err == nil && text != "" {
		if err := os.Chmod(path, 0o600); err != nil {
			return "", fmt.Errorf("protect %s: %w", path, err)
		}
		return text, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	text := generate()
	if err := writeDurably(path, text+"\n"); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return text, nil
}

// writeDurably replaces a file atomically: after a crash it has either the old text or the new one.
func writeDurably(path, text string) error {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names of the files in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func randomHex() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func randomSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return base64.StdEncoding.EncodeToString(b[:])
}

// BootTime reads CLOCK_BOOTTIME. It is monotonic, counts while the machine sleeps, and is the same for all processes
// of a machine, so that leases outlive a restart of the executor.
func BootTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic("no CLOCK_BOOTTIME: " + err.Error()) // any Linux since 2.6.39 has it
	}
	return time.Duration(ts.Nano())
}
