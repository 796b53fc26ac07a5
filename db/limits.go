package db

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type limitRow struct {
	bun.BaseModel `bun:"table:limits"`

	Kind   string `bun:"kind,pk"`
	Name   string `bun:"name,pk"`
	Most   int    `bun:"most"`
	Reason string `bun:"reason"`
	SetAt  int64  `bun:"set_at"`
	SetBy  string `bun:"set_by"`
}

// Limits lists the limits on what runs by kind and name, pools included.
func (s *Store) Limits(ctx context.Context) ([]hive.Limit, error) {
	var rows []limitRow
	if err := s.r.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, s.fault("list limits", err)
	}
	out := make([]hive.Limit, len(rows))
	for i, r := range rows {
		out[i] = hive.Limit{
			LimitKey: hive.LimitKey{Kind: hive.LimitKind(r.Kind), Name: r.Name}, Most: r.Most, Reason: r.Reason,
			SetAt: at(r.SetAt), SetBy: r.SetBy,
		}
	}
	slices.SortFunc(out, func(a, b hive.Limit) int { return a.Compare(b.LimitKey) })
	return out, nil
}

// SetLimit stores a limit. It does not matter whether what it names exists.
func (s *Store) SetLimit(ctx context.Context, l hive.Limit) error {
	row := &limitRow{
		Kind: string(l.Kind), Name: text(l.Name), Most: l.Most, Reason: text(l.Reason), SetAt: ms(l.SetAt),
		SetBy: text(l.SetBy),
	}
	return s.write(ctx, "set limit", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(row).On("CONFLICT (kind, name) DO UPDATE").Set("most = EXCLUDED.most").
			Set("reason = EXCLUDED.reason").Set("set_at = EXCLUDED.set_at").Set("set_by = EXCLUDED.set_by").Exec(ctx)
		return err
	})
}

// DeleteLimit removes a limit. hive.CodeNotFound if there is none.
func (s *Store) DeleteLimit(ctx context.Context, k hive.LimitKey) error {
	return s.write(ctx, "delete limit", func(ctx context.Context, tx bun.Tx) error {
		res, err := tx.NewDelete().Model((*limitRow)(nil)).Where("kind = ?", string(k.Kind)).
			Where("name = ?", text(k.Name)).Exec(ctx)
		return because(hive.ErrorNoLimit, "name").label(needOne(res, err, "there is no limit %.80q", k.String()),
			k.String())
	})
}

// open selects the attempts that have not ended, with their batches: only live batches have any, and these have an
// index. CROSS makes SQLite begin with the batches, too.
const open = " FROM batches AS b CROSS JOIN attempts AS a WHERE b.live AND a.batch_id = b.id AND a.state <> 'ended'"

// HeldSlots counts the attempts of all servers that have not ended, by batch, group and pool.
func (s *Store) HeldSlots(ctx context.Context) ([]hive.HeldSlots, error) {
	var out []hive.HeldSlots
	err := s.r.NewRaw("SELECT o.batch, o.schedule, coalesce(e.grp, '') AS \"group\", o.pool, count(*) AS attempts, "+
		"sum(o.slots) AS slots FROM (SELECT b.id AS batch, coalesce(b.schedule_id, 0) AS schedule, a.executor, "+
		"a.pool, a.slots"+open+") AS o LEFT JOIN executors AS e ON e.id = o.executor "+
		"GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4").Scan(ctx, &out)
	return out, s.fault("count what runs", err)
}

// concerns returns the SQL condition under which an attempt a of a batch b counts for a limit. name is a placeholder,
// and schedules is SQL for a list of ids. The partial index of pools needs the second part of the condition for a pool.
func concerns(kind hive.LimitKind, name, schedules string) string {
	switch kind {
	case hive.LimitGroup:
		return " AND a.executor IN (SELECT id FROM executors WHERE grp = " + name + ")"
	case hive.LimitTag, hive.LimitSchedule:
		return " AND b.schedule_id IN (" + schedules + ")"
	case hive.LimitPool:
		return " AND a.pool = " + name + " AND a.pool <> ''"
	default:
		return ""
	}
}

// held is the query of what counts for a limit.
func held(kind hive.LimitKind, name, schedules string) string {
	what := "count(*)"
	if kind == hive.LimitPool {
		what = "coalesce(sum(a.slots), 0)"
	}
	return "(SELECT " + what + open + concerns(kind, name, schedules) + ")"
}

// LimitHolders lists the attempts that count for a limit, oldest first, at most 500.
func (s *Store) LimitHolders(ctx context.Context, k hive.LimitKey, schedules []int64) ([]hive.HeldView, error) {
	columns := attemptTable().all()
	// CROSS makes SQLite begin with the live batches, as in open.
	q := s.r.NewSelect().TableExpr("batches AS b").ColumnExpr(names("a.", columns)).
		ColumnExpr("coalesce(s.name, '')").ColumnExpr(nameOfRun).ColumnExpr("r.state").
		Join("CROSS JOIN attempts AS a").Join("JOIN runs AS r ON r.id = a.run_id").
		Join("LEFT JOIN schedules AS s ON s.id = b.schedule_id").
		Where("b.live").Where("a.batch_id = b.id").
		Where("a.state <> ?", string(hive.AttemptEnded)).Order("a.id").Limit(maxHeld)
	if where := concerns(k.Kind, "?0", numbers(schedules)); where != "" {
		var args []any
		if strings.Contains(where, "?0") {
			args = append(args, k.Name)
		}
		q = q.Where(strings.TrimPrefix(where, " AND "), args...)
	}
	list, err := scanRows(ctx, q, func(h *hive.HeldView) []any {
		return append(places(columns, &h.Attempt), &h.Schedule, &h.Task, wordPlace[hive.RunState]{&h.RunState})
	})
	return list, s.fault("list what counts for a limit", err)
}

// numbers returns ids as the SQL of a list. An empty list has no match.
func numbers(ids []int64) string {
	if len(ids) == 0 {
		return "-1"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}

// sqliteLimits checks the guards of a group after all its rows: each of its offers counts already. A transaction of
// SQLite is alone, so nothing is locked.
func sqliteLimits(ctx context.Context, tx *sql.Tx, guards []hive.LimitGuard, failed *guardFailures) error {
	for i := range guards {
		g := &guards[i]
		var fits bool
		query := "SELECT coalesce((SELECT most FROM limits WHERE kind = ?1 AND name = ?2), " + without(g.Kind) +
			") >= " + held(g.Kind, "?2", numbers(g.Schedules))
		if err := tx.QueryRowContext(ctx, query, string(g.Kind), g.Name).Scan(&fits); err != nil {
			return fmt.Errorf("check limit %s: %w", g.LimitKey, err)
		}
		if !fits {
			failed.limit(g)
		}
	}
	return nil
}

// without is the number of a limit that does not exist: nothing runs without its pool, and all else is free.
func without(kind hive.LimitKind) string {
	if kind == hive.LimitPool {
		return "0"
	}
	return fmt.Sprint(1 << 40)
}

// pgLimits makes the statements that check the guards of a group. Each locks its limit before it counts: so of two
// servers one waits for the other's commit, and its count, which reads what was committed before it, has what that one
// has offered. All groups lock in the order of the keys, and as the last thing before their commit.
func pgLimits(guards []hive.LimitGuard) []pgStatement {
	out := make([]pgStatement, 0, 2*len(guards))
	for i := range guards {
		g := &guards[i]
		out = append(out, pgStatement{
			sql:  "SELECT 1::bigint FROM limits WHERE kind = $1 AND name = $2 FOR UPDATE",
			args: []any{string(g.Kind), g.Name},
			free: true,
		})
		st := pgStatement{
			sql: "SELECT unnest($3::bigint[]) WHERE " +
				"coalesce((SELECT most FROM limits WHERE kind = $1 AND name = $2), " + without(g.Kind) + ") >= " +
				held(g.Kind, "$2", "SELECT unnest($4::bigint[])"),
			args: []any{string(g.Kind), g.Name, g.Batches}, what: limitWhat,
		}
		if g.Kind == hive.LimitTag || g.Kind == hive.LimitSchedule {
			st.args = append(st.args, g.Schedules)
		}
		for _, id := range g.Batches {
			st.want = append(st.want, rowRef{id: id, batch: id})
		}
		out = append(out, st)
	}
	return out
}

const limitWhat = "limit"

// limit adds a limit that the offers of a group would exceed.
func (f *guardFailures) limit(g *hive.LimitGuard) {
	for _, id := range g.Batches {
		f.add(id, id, limitWhat)
	}
}

// moveLimits gives the limit of a schedule that is renamed, if there is one, its new name.
func moveLimits(ctx context.Context, tx bun.Tx, from, to string) error {
	_, err := tx.NewRaw("DELETE FROM limits WHERE kind = 'schedule' AND name = ?1 AND EXISTS "+
		"(SELECT 1 FROM limits AS l WHERE l.kind = 'schedule' AND l.name = ?0)", text(from), text(to)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove the limit of the new name: %w", err)
	}
	_, err = tx.NewRaw("UPDATE limits SET name = ?1 WHERE kind = 'schedule' AND name = ?0", text(from), text(to)).
		Exec(ctx)
	return err
}
