// Package backup writes, checks and restores backups: one file that holds a whole database and the files of a server
// that a restore needs. The file does not depend on the kind of the database, so a backup of SQLite can be restored
// into PostgreSQL, and the other way round.
//
// It is a tar, compressed with gzip: hivego-backup.json (Header), the rows of all tables, the files, and manifest.json
// (Manifest) as the last entry, with sums of all that precedes it. A file without a right manifest is refused.
package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/rprp/hivego/db/transfer"
)

// formatVersion is the version of the file's format. A reader refuses later ones.
const formatVersion = 1

// Names of entries.
const (
	headerEntry   = "hivego-backup.json"
	manifestEntry = "manifest.json"
	tablesFolder  = "tables/"
	filesFolder   = "files/"
)

// maxSmall is the greatest size of an entry that is read into memory: a chunk of rows has at most one row more than
// fits its limit, and rows have at most a few MiB.
const maxSmall = 256 << 20

// Header is the first entry: where the backup comes from.
type Header struct {
	Format    int              `json:"format"`
	Version   string           `json:"version"` // of the program
	Schema    int              `json:"schema"`  // version of the schema
	CreatedAt time.Time        `json:"createdAt"`
	From      string           `json:"from"` // for people
	ClusterID string           `json:"clusterId"`
	KeyID     string           `json:"keyId"` // of the key of the database's secrets; empty: it has none
	Tables    []transfer.Table `json:"tables"`
}

// Manifest is the last entry: what the file holds.
type Manifest struct {
	Tables    map[string]transfer.Sum `json:"tables"`
	Sequences map[string]int64        `json:"sequences"` // last generated ids, by table
	Files     int                     `json:"files"`
	Entries   int                     `json:"entries"` // before this one
	Hash      string                  `json:"sha256"`  // of the names, sizes and contents of these entries
}

// Contents describes a checked backup.
type Contents struct {
	Header   Header
	Manifest Manifest
	Size     int64    // of the file, in bytes
	Keys     []string // names of the key files that it has
}

// Rows returns the number of rows of all tables.
func (c *Contents) Rows() (n int64) {
	for _, s := range c.Manifest.Tables {
		n += s.Rows
	}
	return n
}

// summer computes the hash of entries.
type summer struct {
	hash    hash.Hash
	entries int
}

func newSummer() *summer { return &summer{hash: sha256.New()} }

// entry begins an entry; its content follows.
func (s *summer) entry(name string, size int64) {
	s.entries++
	_, _ = io.WriteString(s.hash, name+"\x00") // never fails, as below
	_ = binary.Write(s.hash, binary.BigEndian, size)
}

func (s *summer) sum() string { return hex.EncodeToString(s.hash.Sum(nil)) }

// visitor gets what is in a backup, in its order. Any function may be nil.
type visitor struct {
	header func(Header) error
	chunk  func(transfer.Chunk) error
	file   func(name string, mode os.FileMode, size int64, content io.Reader) error
}

// read reads a backup from begin to end, and checks it. What the visitor gets is only right if there is no error.
func read(name string, v visitor) (Contents, error) {
	f, err := os.Open(name)
	if err != nil {
		return Contents{}, fmt.Errorf("open the backup: %w", err)
	}
	defer f.Close()
	c, err := readFrom(f, v)
	var own *visitError
	switch {
	case err == nil:
	case errors.As(err, &own):
		return Contents{}, own.error
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, errNoHeader):
		return Contents{}, fmt.Errorf("%s is no backup of hivego: %w", name, err)
	default:
		return Contents{}, fmt.Errorf("the backup %s is damaged or incomplete: %w; use another one", name, err)
	}
	info, err := f.Stat()
	if err != nil {
		return Contents{}, fmt.Errorf("look at the backup: %w", err)
	}
	c.Size = info.Size()
	return c, nil
}

var errNoHeader = errors.New("it does not begin like one")

// visitError is an error that is not the backup's fault.
type visitError struct{ error }

func (e *visitError) Unwrap() error { return e.error }

func ours(err error) error {
	if err == nil {
		return nil
	}
	return &visitError{err}
}

func readFrom(f io.Reader, v visitor) (Contents, error) {
	buffered := bufio.NewReaderSize(f, 1<<20)
	unzipped, err := gzip.NewReader(buffered)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errNoHeader
	}
	if err != nil {
		return Contents{}, err
	}
	unzipped.Multistream(false)
	archive := tar.NewReader(unzipped)
	r := reader{archive: archive, visitor: v, seen: newSummer(), tables: map[string]*tableSum{}}
	if err := r.first(); err != nil {
		return Contents{}, err
	}
	for {
		done, err := r.next()
		if err != nil {
			return Contents{}, err
		}
		if done {
			break
		}
	}
	// The end of the tar, and the checksum of gzip.
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return Contents{}, errors.New("something follows its end")
	}
	if n, err := unzipped.Read(make([]byte, 1)); n > 0 {
		return Contents{}, errors.New("something follows its end")
	} else if !errors.Is(err, io.EOF) {
		return Contents{}, err
	}
	if _, err := buffered.ReadByte(); !errors.Is(err, io.EOF) {
		return Contents{}, errors.New("something follows its end")
	}
	return r.contents, nil
}

// reader reads the entries of a backup.
type reader struct {
	archive  *tar.Reader
	visitor  visitor
	seen     *summer
	tables   map[string]*tableSum
	contents Contents
	files    int
}

type tableSum struct {
	rows int64
	hash hash.Hash
}

// first reads the header.
func (r *reader) first() error {
	e, err := r.archive.Next()
	if err != nil || e.Name != headerEntry {
		return errNoHeader
	}
	raw, err := r.small(e)
	if err != nil {
		return err
	}
	h := &r.contents.Header
	if err := json.Unmarshal(raw, h); err != nil {
		return fmt.Errorf("%s: %w", headerEntry, err)
	}
	if h.Format > formatVersion {
		return &visitError{fmt.Errorf("the backup was made by hivego %s in a newer format; use that hivego", h.Version)}
	}
	if r.visitor.header != nil {
		return ours(r.visitor.header(*h))
	}
	return nil
}

// small reads a whole entry.
func (r *reader) small(e *tar.Header) ([]byte, error) {
	if e.Size < 0 || e.Size > maxSmall {
		return nil, fmt.Errorf("%s has %d bytes", e.Name, e.Size)
	}
	r.seen.entry(e.Name, e.Size)
	raw, err := io.ReadAll(r.archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	_, _ = r.seen.hash.Write(raw)
	return raw, nil
}

// next reads one entry. The manifest is the last one.
func (r *reader) next() (done bool, err error) {
	e, err := r.archive.Next()
	if errors.Is(err, io.EOF) {
		return false, errors.New("its end is missing")
	}
	if err != nil {
		return false, err
	}
	switch {
	case e.Name == manifestEntry:
		return true, r.last(e)
	case strings.HasPrefix(e.Name, tablesFolder):
		return false, r.rows(e)
	case strings.HasPrefix(e.Name, filesFolder):
		return false, r.file(e)
	default:
		return false, fmt.Errorf("it has the unknown entry %q", e.Name)
	}
}

func (r *reader) rows(e *tar.Header) error {
	table := path.Base(path.Dir(e.Name))
	raw, err := r.small(e)
	if err != nil {
		return err
	}
	t := r.tables[table]
	if t == nil {
		t = &tableSum{hash: sha256.New()}
		r.tables[table] = t
	}
	c := transfer.Chunk{Table: table, Rows: strings.Count(string(raw), "\n"), Lines: raw}
	t.rows += int64(c.Rows)
	_, _ = t.hash.Write(raw)
	if r.visitor.chunk != nil {
		return ours(r.visitor.chunk(c))
	}
	return nil
}

func (r *reader) file(e *tar.Header) error {
	name := strings.TrimPrefix(e.Name, filesFolder)
	if !allowed(name) || e.Typeflag != tar.TypeReg {
		return fmt.Errorf("it has the unknown file %q", name)
	}
	if isKey(name) {
		r.contents.Keys = append(r.contents.Keys, name)
	}
	r.files++
	r.seen.entry(e.Name, e.Size)
	content := io.TeeReader(r.archive, r.seen.hash)
	if r.visitor.file != nil {
		if err := r.visitor.file(name, e.FileInfo().Mode().Perm(), e.Size, content); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	return nil
}

// last reads the manifest and compares it with what was read.
func (r *reader) last(e *tar.Header) error {
	entries, sum := r.seen.entries, r.seen.sum()
	raw, err := r.small(e)
	if err != nil {
		return err
	}
	m := &r.contents.Manifest
	if err := json.Unmarshal(raw, m); err != nil {
		return fmt.Errorf("%s: %w", manifestEntry, err)
	}
	if m.Entries != entries || m.Hash != sum || m.Files != r.files {
		return errors.New("its contents have other checksums than its manifest says")
	}
	for _, t := range r.contents.Header.Tables {
		want, known := m.Tables[t.Name]
		have := transfer.Sum{Hash: hex.EncodeToString(sha256.New().Sum(nil))}
		if s := r.tables[t.Name]; s != nil {
			have = transfer.Sum{Rows: s.rows, Hash: hex.EncodeToString(s.hash.Sum(nil))}
		}
		if !known || want != have {
			return fmt.Errorf("its table %s has %d rows, and not those that its manifest says", t.Name, have.Rows)
		}
	}
	return nil
}
