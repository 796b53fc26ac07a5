package db

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type executorGroupRow struct {
	bun.BaseModel `bun:"table:executor_groups"`

	Name   string `bun:"name,pk"`
	Route  string `bun:"route"`
	Reason string `bun:"reason"`
	SetAt  int64  `bun:"set_at"`
	SetBy  string `bun:"set_by"`
}

// ExecutorGroups lists the settings of groups of executors by name. Groups without settings have no entry.
func (s *Store) ExecutorGroups(ctx context.Context) ([]hive.ExecutorGroup, error) {
	var rows []executorGroupRow
	if err := s.r.NewSelect().Model(&rows).Order("name").Scan(ctx); err != nil {
		return nil, s.fault("list groups of executors", err)
	}
	out := make([]hive.ExecutorGroup, len(rows))
	for i, r := range rows {
		out[i] = hive.ExecutorGroup{
			Name: r.Name, Route: hive.Route(r.Route), Reason: r.Reason, SetAt: at(r.SetAt), SetBy: r.SetBy,
		}
	}
	return out, nil
}

// SetExecutorGroup stores the settings of a group of executors. The group need not have executors.
func (s *Store) SetExecutorGroup(ctx context.Context, g hive.ExecutorGroup) error {
	row := &executorGroupRow{
		Name: text(g.Name), Route: text(string(g.Route)), Reason: text(g.Reason), SetAt: ms(g.SetAt),
		SetBy: text(g.SetBy),
	}
	return s.write(ctx, "set group of executors", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(row).On("CONFLICT (name) DO UPDATE").Set("route = EXCLUDED.route").
			Set("reason = EXCLUDED.reason").Set("set_at = EXCLUDED.set_at").Set("set_by = EXCLUDED.set_by").Exec(ctx)
		return err
	})
}
