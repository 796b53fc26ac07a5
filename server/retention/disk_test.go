package retention

import (
	"context"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (s *store) DatabaseBytes(context.Context) (hive.DatabaseSize, error) {
	return hive.DatabaseSize{Total: 1000, Free: 100}, nil
}

func (s *store) NoteDiskUse(_ context.Context, u hive.DiskUse) error {
	s.uses = append(s.uses, u)
	return nil
}

func (s *store) DiskUses(context.Context, time.Time) ([]hive.DiskUse, error) { return s.uses, nil }

func (s *store) LogBytes(context.Context) (int64, error) { return 70, nil }

func (s *store) Space() (free, total uint64, err error) { return 4000, 9000, nil }

func (s *store) HasDatabase() bool { return true }

// TestUse computes how long the disk lasts.
func TestUse(t *testing.T) {
	t.Parallel()
	use := func(days int, server string, database, logs int64) hive.DiskUse {
		return hive.DiskUse{At: now().Add(time.Duration(days) * day), Server: server, Database: database, Logs: logs}
	}
	for name, c := range map[string]struct {
		uses  []hive.DiskUse
		grows int64
		left  int
	}{
		"nothing is known": {left: -1},
		"one day":          {uses: []hive.DiskUse{use(-1, "a", 900, 70)}, left: -1},
		"it grows": {
			[]hive.DiskUse{use(-4, "a", 500, 70), use(-1, "b", 1, 1), use(0, "a", 860, 110)},
			100,
			40,
		},
		"it does not grow":  {[]hive.DiskUse{use(-4, "a", 900, 70), use(0, "a", 860, 70)}, -10, -1},
		"of another server": {[]hive.DiskUse{use(-4, "b", 500, 70), use(0, "b", 860, 110)}, 0, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore()
			s.uses = c.uses
			svc := s.service(Limits{})
			svc.config.Disk, svc.config.Folder = s, s
			got, err := svc.DiskUse(t.Context())
			if err != nil || got.GrowthPerDay != c.grows || got.DaysLeft != c.left || got.Free != 4000 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
