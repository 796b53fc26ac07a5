package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rprp/hivego/db/transfer"
)

// Order says what to write, and where.
type Order struct {
	File    string
	Force   bool // replace the file if it exists
	Places  Places
	Version string // of the program
	From    string // for people
	KeyID   string // of the key of the database's secrets
	Now     time.Time
}

// partEnd is the end of the name of a file that is being written.
const partEnd = ".part"

// Write writes a backup and checks it. The file has its name only when it is complete, checked and on the disk.
func Write(ctx context.Context, src *transfer.Source, o Order) (Contents, error) {
	if _, err := os.Lstat(o.File); err == nil && !o.Force {
		return Contents{}, exists(o.File)
	}
	part := o.File + partEnd
	f, err := openPart(part)
	if err != nil {
		return Contents{}, err
	}
	defer f.Close()
	if err := writeTo(ctx, f, src, o); err != nil {
		return Contents{}, errors.Join(fmt.Errorf("write the backup: %w", err), os.Remove(part))
	}
	c, err := read(part, visitor{})
	if err != nil {
		return Contents{}, errors.Join(fmt.Errorf("check what was written: %w", err), os.Remove(part))
	}
	if o.Force {
		err = os.Rename(part, o.File)
	} else if err = os.Link(part, o.File); err == nil {
		err = os.Remove(part)
	} else {
		if errors.Is(err, fs.ErrExist) {
			err = exists(o.File)
		}
		err = errors.Join(err, os.Remove(part))
	}
	if err != nil {
		return Contents{}, err
	}
	return c, syncFolder(filepath.Dir(o.File))
}

func exists(file string) error {
	return fmt.Errorf("%s exists already; give another name, or replace it with --force", file)
}

// openPart opens a file that only its owner can read. An earlier run that was killed may have left one; a run that
// works on it has it locked.
func openPart(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the backup: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("another hivego writes %s", name)
	}
	if err == nil {
		err = errors.Join(f.Truncate(0), f.Chmod(0o600))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create the backup: %w", err), f.Close())
	}
	return f, nil
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("make the backup durable: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("make the backup durable: %w", err)
	}
	return nil
}

// writer writes the entries of a backup.
type writer struct {
	archive  *tar.Writer
	seen     *summer
	now      time.Time
	manifest Manifest
}

func writeTo(ctx context.Context, f *os.File, src *transfer.Source, o Order) error {
	buffered := bufio.NewWriterSize(f, 1<<20)
	zipped, err := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := &writer{
		archive: tar.NewWriter(zipped), seen: newSummer(), now: o.Now,
		manifest: Manifest{Tables: map[string]transfer.Sum{}},
	}
	err = w.json(headerEntry, Header{
		Format: formatVersion, Version: o.Version, Schema: src.Schema, CreatedAt: o.Now.UTC(), From: o.From,
		ClusterID: src.ClusterID, KeyID: o.KeyID, Tables: src.Tables,
	})
	if err != nil {
		return err
	}
	for _, t := range src.Tables {
		if err := w.table(ctx, src, t.Name); err != nil {
			return err
		}
	}
	if w.manifest.Sequences, err = src.Sequences(ctx); err != nil {
		return err
	}
	// After the rows: every log that they know is there then, or was deleted.
	if err := o.Places.each(func(name, path string) error { return w.file(ctx, name, path) }); err != nil {
		return err
	}
	w.manifest.Entries, w.manifest.Hash = w.seen.entries, w.seen.sum()
	if err := w.json(manifestEntry, w.manifest); err != nil {
		return err
	}
	for _, end := range []func() error{w.archive.Close, zipped.Close, buffered.Flush, f.Sync} {
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) json(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return w.bytes(name, append(raw, '\n'))
}

func (w *writer) bytes(name string, content []byte) error {
	if err := w.begin(name, int64(len(content)), 0o600); err != nil {
		return err
	}
	_, _ = w.seen.hash.Write(content) // never fails
	_, err := w.archive.Write(content)
	return err
}

func (w *writer) begin(name string, size int64, mode fs.FileMode) error {
	w.seen.entry(name, size)
	return w.archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(mode.Perm()), ModTime: w.now,
	})
}

// table writes the rows of a table, and compares their number with what the database counts.
func (w *writer) table(ctx context.Context, src *transfer.Source, name string) error {
	sum, hash, parts := transfer.Sum{}, sha256.New(), 0
	err := src.Chunks(ctx, name, func(c transfer.Chunk) error {
		parts++
		sum.Rows += int64(c.Rows)
		_, _ = hash.Write(c.Lines) // never fails
		return w.bytes(fmt.Sprintf("%s%s/%08d", tablesFolder, name, parts), c.Lines)
	})
	if err != nil {
		return err
	}
	count, err := src.Count(ctx, name)
	if err != nil {
		return err
	}
	if count != sum.Rows {
		return fmt.Errorf("table %s has %d rows, and %d could be read", name, count, sum.Rows)
	}
	sum.Hash = hex.EncodeToString(hash.Sum(nil))
	w.manifest.Tables[name] = sum
	return nil
}

// file writes a file of the server. A log may grow meanwhile; what it has now is written.
func (w *writer) file(ctx context.Context, name, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // a log was deleted, or completed and renamed
		if f, name, err = openWhole(name, path); f == nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.begin(filesFolder+name, info.Size(), info.Mode()); err != nil {
		return err
	}
	w.manifest.Files++
	n, err := io.Copy(io.MultiWriter(w.archive, w.seen.hash), io.LimitReader(f, info.Size()))
	if err == nil && n < info.Size() {
		err = fmt.Errorf("%s became shorter; try again", path)
	}
	return err
}
