package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/db/transfer"
)

// temporary begins the names of files that are being restored.
const temporary = ".hivego-restore-"

// Check reads a whole backup, and returns an error if it cannot be restored with this program.
func Check(file string) (Contents, error) {
	return read(file, visitor{header: restorable})
}

func restorable(h Header) error {
	if h.Schema > migration.Latest() {
		return fmt.Errorf("the backup was made by hivego %s with schema version %d, this hivego knows %d; use the "+
			"newer hivego", h.Version, h.Schema, migration.Latest())
	}
	return nil
}

// Origin returns what to open a target for this backup with.
func (c *Contents) Origin(file string) transfer.Origin {
	return transfer.Origin{
		Purpose: transfer.PurposeRestore, From: file, Schema: c.Header.Schema, ClusterID: c.Header.ClusterID,
	}
}

// Restore fills the target and writes the files. It returns how many files were there already: they stay as they are.
// An error leaves a target that says that it is incomplete.
func Restore(ctx context.Context, file string, target *transfer.Target, places Places) (kept int, err error) {
	c, err := read(file, visitor{
		header: func(h Header) error {
			if err := restorable(h); err != nil {
				return err
			}
			return target.Fits(h.Tables)
		},
		chunk: func(c transfer.Chunk) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return target.Write(ctx, c)
		},
		file: func(name string, mode os.FileMode, _ int64, content io.Reader) error {
			if err := ctx.Err(); err != nil {
				return ours(err)
			}
			there, err := restoreFile(places.path(name), mode, content)
			if there {
				kept++
			}
			return err
		},
	})
	if err != nil {
		return kept, err
	}
	for _, t := range c.Header.Tables {
		have, err := target.Sum(ctx, t.Name)
		if err != nil {
			return kept, err
		}
		if want := c.Manifest.Tables[t.Name]; have != want {
			return kept, fmt.Errorf("check the restored rows: %s has %d rows, and the backup %d, or they differ",
				t.Name, have.Rows, want.Rows)
		}
	}
	if err := target.SetSequences(ctx, c.Manifest.Sequences); err != nil {
		return kept, err
	}
	syscall.Sync() // the files, all at once
	return kept, target.Finish(ctx, transfer.PurposeRestore)
}

// restoreFile writes a file that is complete or missing after a crash. A file that is there stays.
func restoreFile(path string, mode os.FileMode, content io.Reader) (there bool, err error) {
	if path == "" {
		return false, nil
	}
	for _, name := range []string{path, strings.TrimSuffix(path, partLog) + wholeLog} {
		if _, err := os.Lstat(name); err == nil && (name == path || strings.HasSuffix(path, partLog)) {
			return true, nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, ours(fmt.Errorf("restore a file: %w", err))
	}
	// A name of its own for each file: a run that was killed leaves one, and the next run replaces it.
	name := filepath.Join(filepath.Dir(path), temporary+filepath.Base(path))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return false, ours(fmt.Errorf("restore a file: %w", err))
	}
	defer os.Remove(name) //nolint:errcheck // it has its name, or is of no use
	_, err = io.Copy(output{f}, content)
	if err != nil {
		_ = f.Close()
		return false, err
	}
	if err := errors.Join(f.Chmod(mode&0o700), f.Close()); err != nil {
		return false, ours(fmt.Errorf("restore a file: %w", err))
	}
	if err := os.Link(name, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, ours(fmt.Errorf("restore a file: %w", err))
	}
	return false, nil
}

// output marks the errors of writing a file, so that they are not taken for damage of the backup.
type output struct{ f *os.File }

func (o output) Write(p []byte) (int, error) {
	n, err := o.f.Write(p)
	if err != nil {
		err = ours(fmt.Errorf("restore a file: %w", err))
	}
	return n, err
}
