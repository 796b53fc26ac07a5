package db

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Size returns the size of the database in bytes. An error means that it cannot be reached.
func (s *Store) Size(ctx context.Context) (int64, error) {
	if s.file == "" {
		var n int64
		err := s.r.NewRaw("SELECT pg_database_size(current_database())").Scan(ctx, &n)
		return n, s.fault("read the size of the database", err)
	}
	if err := s.Ping(ctx); err != nil {
		return 0, err
	}
	var n int64
	for _, name := range []string{s.file, s.file + "-wal"} {
		switch info, err := os.Stat(name); {
		case err == nil:
			n += info.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return 0, s.fault("read the size of the database", err)
		}
	}
	return n, nil
}
