// Package journal stores records in an append-only file. Each record has a CRC. An unfinished record at the end is cut
// off. All records that arrive during one fdatasync share the next one. Compaction rewrites the file.
package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Layout of a record: magic, length and CRC-32C (each 4 bytes, little endian), then the payload. The CRC covers length
// and payload. The magic lets a reader find the next record after damaged bytes.
const (
	magic      = 0x314A4748 // "HGJ1"
	headerSize = 12
	// MaxPayload limits one record, in bytes.
	MaxPayload = 16 << 20
)

var errDamaged = errors.New("damaged record")

// Damage counts the bytes that a reader had to skip.
type Damage struct {
	Skipped int64 // bytes between good records: the disk or another program damaged them
	Torn    int64 // bytes at the end: a crash interrupted their write before it was reported as durable
}

// preallocation is how many zero bytes the file gets ahead of the records. Syncing bytes that the file has already
// costs a third of syncing a file that grows.
const preallocation = 256 << 10

// file is the open journal file.
type file struct {
	path      string
	f         *os.File
	allocated int64  // size of the file, with the zeros at its end
	size      int64  // bytes written
	durable   int64  // bytes known to be on disk
	tail      []byte // the bytes between durable and size, to be written again after a failure
}

// openFile reads a journal, calls replay with each payload, and cuts off an unfinished record at the end. A payload is
// only valid during the call. Records after damaged bytes are still read: an attempt that is forgotten could run twice.
func openFile(path string, replay func(payload []byte) error) (*file, Damage, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Damage{}, fmt.Errorf("open journal: %w", err)
	}
	good, damage, err := readAll(f, replay)
	if err == nil && damage.Torn > 0 {
		err = f.Truncate(good)
	}
	if err == nil {
		_, err = f.Seek(good, io.SeekStart)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		_ = f.Close()
		return nil, damage, fmt.Errorf("read journal %s: %w", path, err)
	}
	w := &file{path: path, f: f, size: good, durable: good}
	if info, err := f.Stat(); err == nil {
		w.allocated = info.Size()
	}
	return w, damage, nil
}

func readAll(r io.Reader, replay func([]byte) error) (good int64, d Damage, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return 0, d, err
	}
	pos := 0
	for pos < len(data) {
		payload, n, bad := parse(data[pos:])
		if bad != nil {
			next := findNext(data, pos+1)
			if next < 0 {
				d.Torn = int64(len(bytes.TrimRight(data[pos:], "\x00"))) // without the preallocated zeros
				return int64(pos), d, nil
			}
			d.Skipped += int64(next - pos)
			pos = next
			continue
		}
		if err := replay(payload); err != nil {
			return 0, d, fmt.Errorf("record at byte %d: %w", pos, err)
		}
		pos += n
	}
	return int64(pos), d, nil
}

// findNext finds the next complete record that starts at from or later. It returns -1 if there is none.
func findNext(data []byte, from int) int {
	var prefix [4]byte
	binary.LittleEndian.PutUint32(prefix[:], magic)
	for from < len(data) {
		i := bytes.Index(data[from:], prefix[:])
		if i < 0 {
			return -1
		}
		from += i
		if _, _, err := parse(data[from:]); err == nil {
			return from
		}
		from++
	}
	return -1
}

func parse(data []byte) (payload []byte, size int, err error) {
	if len(data) < headerSize || binary.LittleEndian.Uint32(data) != magic {
		return nil, 0, errDamaged
	}
	n := int(binary.LittleEndian.Uint32(data[4:]))
	if n > MaxPayload || headerSize+n > len(data) {
		return nil, 0, errDamaged
	}
	if checksum(data[4:8], data[headerSize:headerSize+n]) != binary.LittleEndian.Uint32(data[8:]) {
		return nil, 0, errDamaged
	}
	return data[headerSize : headerSize+n], headerSize + n, nil
}

func checksum(length, payload []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(length, table), table, payload)
}

// frame appends a record to buf.
func frame(buf, payload []byte) []byte {
	var h [headerSize]byte
	binary.LittleEndian.PutUint32(h[0:], magic)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(h[8:], checksum(h[4:8], payload))
	return append(append(buf, h[:]...), payload...)
}

// write appends framed bytes. After a failure, call it again with nil: it keeps all bytes that are not durable, and
// writes them again.
func (w *file) write(framed []byte) error {
	w.tail = append(w.tail, framed...)
	end := w.durable + int64(len(w.tail))
	if end > w.allocated {
		// An error, for example of a full disk, only makes the sync slower. If the records do not fit either, the write
		// below fails.
		if _, err := w.f.WriteAt(make([]byte, preallocation), end); err == nil {
			w.allocated = end + preallocation
		}
	}
	_, err := w.f.WriteAt(w.tail[w.size-w.durable:], w.size)
	if err != nil {
		w.size = w.durable
		return fmt.Errorf("write journal: %w", err)
	}
	w.size = end
	return nil
}

// sync makes all written bytes durable.
func (w *file) sync() error {
	if w.size == w.durable && len(w.tail) == 0 {
		return nil
	}
	if err := fdatasync(w.f); err != nil {
		// The kernel may have dropped the pages and marked them clean, so the next try must write them again.
		w.size = w.durable
		return fmt.Errorf("sync journal: %w", err)
	}
	w.durable = w.size
	w.tail = w.tail[:0]
	if cap(w.tail) > 1<<20 {
		w.tail = nil
	}
	return nil
}

// rewrite replaces all records atomically: after a crash the journal has either the old records or the new ones.
func (w *file) rewrite(payloads [][]byte) error {
	var buf []byte
	for _, p := range payloads {
		buf = frame(buf, p)
	}
	tmp := w.path + ".new"
	f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("compact journal: %w", err)
	}
	_, err = f.Write(buf)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(tmp, w.path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(w.path))
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(tmp) // to free disk space; fails after the rename
		return fmt.Errorf("compact journal: %w", err)
	}
	_ = w.f.Close()
	w.f, w.allocated, w.size, w.durable, w.tail = f, int64(len(buf)), int64(len(buf)), int64(len(buf)), nil
	return nil
}

// close syncs, and cuts off the preallocated bytes.
func (w *file) close() error {
	err := w.sync()
	return errors.Join(err, w.f.Truncate(w.size), w.f.Close())
}

func fdatasync(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.Fdatasync(int(fd))
		for failed == unix.EINTR {
			failed = unix.Fdatasync(int(fd))
		}
	})
	return errors.Join(err, failed)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
