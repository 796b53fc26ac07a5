package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// diskUseDays is how long the sizes of a day are kept.
const diskUseDays = 400

const dayMillis = 24 * 60 * 60 * 1000

// DatabaseBytes measures the database.
func (s *Store) DatabaseBytes(ctx context.Context) (size hive.DatabaseSize, err error) {
	err = s.r.NewRaw(s.kind.size()).Scan(ctx, &size.Total, &size.Free)
	return size, s.fault("measure the database", err)
}

// NoteDiskUse stores the sizes of a day, instead of earlier ones of that day and server, and forgets very old ones.
func (s *Store) NoteDiskUse(ctx context.Context, u hive.DiskUse) error {
	day := u.Day.UnixMilli() / dayMillis
	return s.write(ctx, "note the disk use", func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM disk_uses WHERE day < ?", day-diskUseDays).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw("INSERT INTO disk_uses (day, server, at, database_bytes, log_bytes) "+
			"VALUES (?, ?, ?, ?, ?) ON CONFLICT (day, server) DO UPDATE SET at = excluded.at, "+
			"database_bytes = excluded.database_bytes, log_bytes = excluded.log_bytes",
			day, text(u.Server), ms(u.At), u.Database, u.Logs).Exec(ctx)
		return err
	})
}

// DiskUses lists the stored sizes of a day and later ones, oldest first.
func (s *Store) DiskUses(ctx context.Context, since time.Time) ([]hive.DiskUse, error) {
	var rows []struct {
		Day           int64
		Server        string
		At            int64
		DatabaseBytes int64
		LogBytes      int64
	}
	err := s.r.NewRaw("SELECT day, server, at, database_bytes, log_bytes FROM disk_uses WHERE day >= ? "+
		"ORDER BY day, server", since.UnixMilli()/dayMillis).Scan(ctx, &rows)
	out := make([]hive.DiskUse, len(rows))
	for i, r := range rows {
		out[i] = hive.DiskUse{
			Day: moment(r.Day * dayMillis), Server: r.Server, At: at(r.At), Database: r.DatabaseBytes, Logs: r.LogBytes,
		}
	}
	return out, s.fault("read the disk use", err)
}
