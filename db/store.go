// Package db stores everything HiveGo must not forget, in SQLite or PostgreSQL, behind one Store. Both kinds pass
// one conformance suite (package dbtest).
//
// Errors of all methods: *hive.Error for missing objects, conflicts and a database out of reach (which also matches
// hive.ErrConnection); hive.ErrSessionLost and *hive.GuardError if the comment of the method has them; any other error
// is a defect or a damaged database.
//
// A new column of a task run or an attempt is written down in five places: the struct in server/hive with its Equal,
// runTable or attemptTable here (reading, creating and both commit writers use it), a migration for each database,
// server/api/openapi.yaml, and the mapping in server/api/runs.go. Tests fail where one of them is left out.
package db

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// Config says which database to open.
type Config struct {
	// URL is sqlite:PATH, postgres://… or postgresql://…; "" is sqlite:hivego.db. A relative path is below Dir.
	URL string
	// Dir is the data folder.
	Dir string
	// Beside opens a SQLite file that a running server may hold: for short commands such as "user add". It takes
	// no lock, and refuses a file whose schema is not this program's.
	Beside bool
	// Existing refuses to make a SQLite file: for commands that only make sense where there is one.
	Existing bool
	// Log takes what happens in the background; nil is slog.Default.
	Log *slog.Logger
}

const defaultFile = "hivego.db"

// File returns the SQLite file; "" for another kind of database.
func (c Config) File() string {
	file, ok := strings.CutPrefix(c.URL, "sqlite:")
	file = strings.TrimPrefix(file, "//")
	switch {
	case c.URL == "":
		file = defaultFile
	case !ok || file == "":
		return ""
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.Dir, file)
	}
	return file
}

// Store is the only access to the database. It is safe for concurrent use.
type Store struct {
	log  *slog.Logger
	kind kind
	w    *bun.DB // write transactions
	r    *bun.DB // reads; on PostgreSQL the same as w
	beat *bun.DB // leases of sessions; on SQLite the same as w
	// files are watched on SQLite; nil on PostgreSQL.
	files  *files
	writer commitWriter
	ids    allocator
	// sealer encrypts secrets; nil before UseSecretKey.
	sealer *sealer
	// damage is the first sign that the database is damaged; nil: none was seen.
	damage atomic.Pointer[hive.Error]

	closers []io.Closer // in the order of opening
}

// kind holds what differs between the databases, apart from the commit writer.
type kind interface {
	// now returns the SQL expression of the database's clock, in UTC milliseconds.
	now() string
	// lock is appended to a SELECT that locks its rows: strength is "SHARE", "NO KEY UPDATE", …
	lock(strength string) string
	// batchIDs reserves n ids without gaps where that is cheap: people read and type them.
	batchIDs(ctx context.Context, tx bun.Tx, n int) ([]int64, error)
	// sort says what kind of failure err is.
	sort(err error) failure
	// full reports whether err is for want of room on the disk.
	full(err error) bool
}

// MetaClusterID is the Meta key of the id that all servers of one database share.
const MetaClusterID = "clusterId"

// Open opens the database, creates it where it is a file that is missing, and brings its schema up to date. A
// SQLite file that another server holds is refused.
func Open(ctx context.Context, c Config) (*Store, error) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	s := &Store{log: c.Log}
	s.ids.reserve = s.reserveBlock
	if err := s.open(ctx, c); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, c Config) error {
	scheme, rest, found := strings.Cut(c.URL, ":")
	switch {
	case c.URL == "":
		rest = defaultFile
	case !found:
		// It may hold a password, so it is not repeated.
		return errors.New("this is no database URL; write sqlite:FILE or postgres://USER@HOST/NAME")
	case scheme == "postgres" || scheme == "postgresql":
		if err := s.openPostgres(ctx, c.URL); err != nil {
			return err
		}
		return s.identify(ctx)
	case scheme != "sqlite":
		return fmt.Errorf("no database of kind %q; write sqlite:FILE or postgres://USER@HOST/NAME", scheme)
	}
	if strings.TrimPrefix(rest, "//") == "" {
		return fmt.Errorf("%q names no file; write sqlite:FILE", c.URL)
	}
	if err := s.openSQLite(ctx, c.File(), c); err != nil {
		return err
	}
	return s.identify(ctx)
}

// identify gives a new database its cluster id.
func (s *Store) identify(ctx context.Context) error {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	_, err := s.w.NewInsert().Model(&metaRow{Key: MetaClusterID, Value: hex.EncodeToString(b[:])}).
		On("CONFLICT (key) DO NOTHING").Exec(ctx)
	return s.fault("give the database its cluster id", err)
}

// Ping says whether the database answers, whether no damage of it was seen, and on SQLite, whether its files are those
// that were opened.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.r.NewRaw("SELECT 1").Scan(ctx, &one); err != nil {
		return s.fault("reach the database", err)
	}
	if damage := s.damage.Load(); damage != nil {
		return damage
	}
	return s.files.intact()
}

// Close ends the background work and closes the database. It may be called twice.
func (s *Store) Close() error {
	var first error
	for _, c := range slices.Backward(s.closers) {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	s.closers = nil
	if first != nil {
		return fmt.Errorf("close the database: %w", first)
	}
	return nil
}

func (s *Store) onClose(c io.Closer) { s.closers = append(s.closers, c) }

// write runs f in one transaction. What f answers is what the caller gets, sorted by fault.
func (s *Store) write(ctx context.Context, what string, f func(ctx context.Context, tx bun.Tx) error) error {
	return s.fault(what, s.w.RunInTx(ctx, nil, f))
}
