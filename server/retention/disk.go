package retention

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Disk measures the database and remembers sizes.
type Disk interface {
	DatabaseBytes(ctx context.Context) (hive.DatabaseSize, error)
	NoteDiskUse(ctx context.Context, u hive.DiskUse) error
	DiskUses(ctx context.Context, since time.Time) ([]hive.DiskUse, error)
}

// Folder measures the data folder of this server.
type Folder interface {
	// LogBytes sums up the logs. With many logs it takes seconds.
	LogBytes(ctx context.Context) (int64, error)
	// Space returns the free and total bytes of the file system.
	Space() (free, total uint64, err error)
	// HasDatabase reports whether the database is on the same file system.
	HasDatabase() bool
}

const (
	growthOver  = 7 * 24 * time.Hour
	shortGrowth = 20 * time.Hour // a shorter time says little
)

// Measure stores the present sizes as those of today.
func (s *Service) Measure(ctx context.Context) error {
	logs, err := s.config.Folder.LogBytes(ctx)
	if err != nil {
		return err
	}
	size, err := s.config.Disk.DatabaseBytes(ctx)
	if err != nil {
		return err
	}
	now := s.now()
	return s.config.Disk.NoteDiskUse(ctx, hive.DiskUse{
		Day: now.Truncate(24 * time.Hour), Server: s.config.Server().ID, At: now,
		Database: size.Total - size.Free, Logs: logs,
	})
}

// DiskUse returns the disk use of this server, and how it grows.
func (s *Service) DiskUse(ctx context.Context) (hive.DiskReport, error) {
	var r hive.DiskReport
	size, err := s.config.Disk.DatabaseBytes(ctx)
	if err != nil {
		return r, err
	}
	r.Database, r.HasDatabase = size, s.config.Folder.HasDatabase()
	free, total, err := s.config.Folder.Space()
	if err != nil {
		return r, err
	}
	r.Free, r.Total = int64(min(free, 1<<62)), int64(min(total, 1<<62))
	now := s.now()
	list, err := s.config.Disk.DiskUses(ctx, now.Add(-growthOver))
	if err != nil {
		return r, err
	}
	r.Grow(list, s.config.Server().ID, shortGrowth)
	return r, nil
}
