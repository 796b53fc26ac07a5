// Package db stores everything that HiveGo must not forget, in SQLite or PostgreSQL, behind one Store. Both kinds pass
// one conformance suite (package dbtest).
//
// Methods return a *hive.Error for missing objects, conflicts, a damaged database, and a database out of reach (which
// also matches hive.ErrConnection). They return hive.ErrSessionLost and *hive.GuardError if their comments have them.
// Any other error is a defect.
//
// ARCHITECTURE.md lists the places that a new column of a run or an attempt changes ("A run, and its copies").
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

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// Config configures Open.
type Config struct {
	// URL is sqlite:PATH, postgres://… or postgresql://…; "" is sqlite:hivego.db. A relative path is below Dir.
	URL string
	// Schema is the PostgreSQL schema of the tables; "" is the first one in the role's search path. It is created if it
	// does not exist.
	Schema string
	// Dir is the data folder.
	Dir string
	// Beside opens a SQLite file that a running server may use, for short commands such as "user add". Open then takes
	// no lock, and refuses a file whose schema is not that of this program.
	Beside bool
	// Existing makes Open refuse a SQLite file that does not exist, for commands that need one.
	Existing bool
	// Examine opens the database to look at it, whatever its schema is, with or without a running server. Open then
	// creates, locks and changes nothing.
	Examine bool
	// Log gets the events of the background work; nil means slog.Default.
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
	file string  // of SQLite; "" on PostgreSQL
	// files are watched on SQLite; nil on PostgreSQL.
	files  *files
	writer commitWriter
	direct *pgx.ConnConfig // of a connection outside the pools; nil on SQLite
	// channel is where servers send each other messages on PostgreSQL. Its name has the cluster's id, because several
	// clusters may share a database, in schemas of their own.
	channel string
	ids     allocator
	// transitions tells Commit to store facts of all transitions of batches.
	transitions atomic.Bool
	// keys encrypt secrets; nil before UseSecretKey.
	keys atomic.Pointer[keyring]
	// damage is the first sign that the database is damaged; nil if there was none.
	damage atomic.Pointer[hive.Error]
	// brokenAt is the time of the last failure of a connection, in nanoseconds since 1970; 0 if there was none.
	brokenAt atomic.Int64

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
	// sort returns the kind of failure of an error.
	sort(err error) failure
	// size returns a query with two results: the bytes of the database, and how many of these bytes are free.
	size() string
	// full reports whether an error means that the disk is full.
	full(err error) bool
	// paramIs returns the condition that a batch was given a parameter with a value: two placeholders. A database may
	// evaluate conditions in any order, so it copes with batches without parameters.
	paramIs() string
}

// MetaClusterID is the Meta key of the id that all servers of one database share.
const MetaClusterID = "clusterId"

// Open opens the database and updates its schema. It creates a SQLite file that does not exist, and refuses one that
// another server has open.
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
	if err := c.check(); err != nil {
		return err
	}
	if file := c.File(); file != "" {
		if err := s.openSQLite(ctx, file, c); err != nil {
			return err
		}
	} else if err := s.openPostgres(ctx, c); err != nil {
		return err
	}
	return s.identify(ctx, c)
}

// check returns an error if the URL names no database.
func (c Config) check() error {
	scheme, rest, found := strings.Cut(c.URL, ":")
	switch {
	case c.URL == "":
	case !found:
		// The text may have a password, so the error does not quote it.
		return errors.New("this is no database URL; write sqlite:FILE or postgres://USER@HOST/NAME")
	case scheme == "postgres", scheme == "postgresql":
	case scheme != "sqlite":
		return fmt.Errorf("no database of kind %q; write sqlite:FILE or postgres://USER@HOST/NAME", scheme)
	case strings.TrimPrefix(rest, "//") == "":
		return fmt.Errorf("%q names no file; write sqlite:FILE", c.URL)
	}
	if c.Schema == "" {
		return nil
	}
	if c.File() != "" {
		return errors.New("--database-schema is for PostgreSQL; this database is a SQLite file, which has one schema")
	}
	if err := CheckSchema(c.Schema); err != nil {
		return fmt.Errorf("--database-schema: %w", err)
	}
	return nil
}

// identify gives a new database its cluster id.
func (s *Store) identify(ctx context.Context, c Config) error {
	if c.Examine {
		return nil
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	_, err := s.w.NewInsert().Model(&metaRow{Key: MetaClusterID, Value: hex.EncodeToString(b[:])}).
		On("CONFLICT (key) DO NOTHING").Exec(ctx)
	if err != nil {
		return s.fault("give the database its cluster id", err)
	}
	cluster, err := s.Meta(ctx, MetaClusterID)
	s.channel = "hivego_" + cluster
	return err
}

// Ping returns an error if the database cannot be reached, if damage of it was seen, or, on SQLite, if its files are
// not those that were opened.
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

// write runs f in one transaction, and returns the error of f as fault converts it.
func (s *Store) write(ctx context.Context, what string, f func(ctx context.Context, tx bun.Tx) error) error {
	return s.fault(what, s.w.RunInTx(ctx, nil, f))
}
