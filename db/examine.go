package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/server/hive"
)

// metaExamined is the Meta key that TryWrite writes.
const metaExamined = "examined"

// Schema returns the schema version of the database, and the newest one that this program knows. 0 is an empty
// database.
func (s *Store) Schema(ctx context.Context) (have, want int, err error) {
	have, err = migration.Version(ctx, s.r)
	return have, migration.Latest(), s.fault("read the schema version", err)
}

// Product returns the name and the version of the database program.
func (s *Store) Product(ctx context.Context) (string, error) {
	name, query := "PostgreSQL ", "SELECT current_setting('server_version')"
	if s.file != "" {
		name, query = "SQLite ", "SELECT sqlite_version()"
	}
	var version string
	err := s.r.NewRaw(query).Scan(ctx, &version)
	return name + version, s.fault("read the version of the database", err)
}

// Clock returns the time of the database's clock.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	var now int64
	err := s.r.NewRaw("SELECT "+s.kind.now()).Scan(ctx, &now)
	return at(now), s.fault("read the clock of the database", err)
}

// TryWrite stores a value that nobody reads, and so finds out whether anything can be stored.
func (s *Store) TryWrite(ctx context.Context) error {
	return s.write(ctx, "write into the database", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("INSERT INTO meta (key, value) VALUES (?, CAST("+s.kind.now()+" AS TEXT)) "+
			"ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value", metaExamined).Exec(ctx)
		return err
	})
}

// ReadSecrets decrypts secrets with keys from now on, and stores nothing. The first key is the present one; the others
// are needed while it is being changed. hive.CodeConflict if the database has another key.
func (s *Store) ReadSecrets(ctx context.Context, key []byte, others ...[]byte) error {
	ring, err := newKeyring(append([][]byte{key}, others...)...)
	if err != nil {
		return err
	}
	id, err := s.SecretKeyID(ctx)
	switch {
	case err != nil:
		return err
	case id != "" && id != KeyID(key):
		return hive.Errorf(hive.CodeConflict, "the database's secrets are encrypted with key %s, and this is key %s",
			id, KeyID(key))
	}
	s.setRing(ring)
	return nil
}
