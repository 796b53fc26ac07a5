package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type linkRow struct {
	bun.BaseModel `bun:"table:schedule_links,alias:u"`

	ScheduleID int64  `bun:"schedule_id,pk"`
	Upstream   string `bun:"upstream,pk"`
	Follows    bool   `bun:"follows"`
}

// DueSchedules lists the schedules that the ticker looks at up to a time: those whose next look is known to be later
// are left out. The soonest come first.
func (s *Store) DueSchedules(ctx context.Context, until time.Time) ([]int64, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT id FROM schedules WHERE next_at <= ? ORDER BY next_at", ms(until)).Scan(ctx, &ids)
	return ids, s.fault("list the schedules that are due", err)
}

// MarkedAfter lists the schedules whose ticks are decided up to a moment after a time.
func (s *Store) MarkedAfter(ctx context.Context, t time.Time) ([]int64, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT id FROM schedules WHERE mark > ?", ms(t)).Scan(ctx, &ids)
	return ids, s.fault("list the schedules with future marks", err)
}

// NamedSchedules lists the schedules that are not archived and whose names have a text, by name.
func (s *Store) NamedSchedules(ctx context.Context, find string) ([]hive.NamedSchedule, error) {
	var out []hive.NamedSchedule
	err := s.r.NewRaw("SELECT id, name FROM schedules WHERE archived_at = 0 AND name LIKE ? ESCAPE '!' ORDER BY name",
		"%"+likeWord(strings.ToLower(find))+"%").Scan(ctx, &out)
	return out, s.fault("list the names of schedules", err)
}

// SchedulesByID reads schedules in the order of their ids. One that does not exist is left out.
func (s *Store) SchedulesByID(ctx context.Context, ids []int64) ([]hive.Schedule, error) {
	return readSchedules(ctx, s, "id IN (?)", slices.Sorted(slices.Values(ids)))
}

// SchedulesNamed reads schedules by their names, or by former ones, with their former names. One that does not exist is
// left out.
func (s *Store) SchedulesNamed(ctx context.Context, names []string) ([]hive.Schedule, error) {
	clean := make([]string, len(names))
	for i := range names {
		clean[i] = text(names[i])
	}
	out, err := readSchedules(ctx, s, "name IN (?0) OR id IN (SELECT schedule_id FROM former_names WHERE name IN (?0))",
		clean)
	if err != nil || len(out) == 0 {
		return out, err
	}
	return out, s.fault("read former names", addFormer(ctx, s.r, out))
}

func readSchedules[K any](ctx context.Context, s *Store, where string, keys []K) ([]hive.Schedule, error) {
	out := make([]hive.Schedule, 0, len(keys))
	for chunk := range slices.Chunk(keys, insertChunk) {
		var rows []*scheduleRow
		if err := s.r.NewSelect().Model(&rows).Where(where, bun.List(chunk)).Order("id").Scan(ctx); err != nil {
			return nil, s.fault("read schedules", err)
		}
		out = append(out, hiveSchedules(rows)...)
	}
	return out, nil
}

func hiveSchedules(rows []*scheduleRow) []hive.Schedule {
	out := make([]hive.Schedule, len(rows))
	for i, r := range rows {
		out[i] = r.hive()
	}
	return out
}

// addFormer adds their former names to schedules.
func addFormer(ctx context.Context, q bun.IDB, list []hive.Schedule) error {
	former, err := formerNames(ctx, q, 0)
	for i := range list {
		list[i].Former = former[list[i].ID]
	}
	return err
}

// CountSchedules counts the schedules that are not archived.
func (s *Store) CountSchedules(ctx context.Context) (int, error) {
	n, err := s.r.NewSelect().Model((*scheduleRow)(nil)).Where("archived_at = 0").Count(ctx)
	return int(n), s.fault("count schedules", err)
}

// ScheduleNames lists the names of the schedules that are not archived.
func (s *Store) ScheduleNames(ctx context.Context) ([]string, error) {
	var names []string
	err := s.r.NewRaw("SELECT name FROM schedules WHERE archived_at = 0 ORDER BY name").Scan(ctx, &names)
	return names, s.fault("list schedules", err)
}

// LinkedSchedules lists the schedules that wait for others or for which others wait, by name. The one with the given
// name is always among them.
func (s *Store) LinkedSchedules(ctx context.Context, name string) ([]hive.Schedule, error) {
	var rows []*scheduleRow
	err := s.r.NewRaw("SELECT * FROM schedules WHERE id IN (SELECT schedule_id FROM schedule_links) UNION "+
		"SELECT * FROM schedules WHERE name IN (SELECT upstream FROM schedule_links) UNION "+
		"SELECT * FROM schedules WHERE id IN (SELECT f.schedule_id FROM former_names AS f "+
		"JOIN schedule_links AS l ON l.upstream = f.name) UNION "+
		"SELECT * FROM schedules WHERE name = ? ORDER BY name", text(name)).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("list linked schedules", err)
	}
	return hiveSchedules(rows), nil
}

// DependantNames lists the schedules that wait for another one, by its present name or a former one, by name.
func (s *Store) DependantNames(ctx context.Context, name string, archived bool) ([]string, error) {
	var names []string
	err := s.r.NewRaw("SELECT s.name FROM schedule_links AS l JOIN schedules AS s ON s.id = l.schedule_id "+
		"WHERE (l.upstream = ?0 OR l.upstream IN (SELECT f.name FROM former_names AS f JOIN schedules AS u "+
		"ON u.id = f.schedule_id WHERE u.name = ?0)) AND s.name <> ?0 AND (?1 OR s.archived_at = 0) "+
		"GROUP BY s.name ORDER BY s.name", text(name), archived).
		Scan(ctx, &names)
	return names, s.fault("list the dependants", err)
}

// Dependants lists which schedules wait for which of the given ones, archived ones included.
func (s *Store) Dependants(ctx context.Context, ids []int64) ([]hive.Dependant, error) {
	var out []hive.Dependant
	for chunk := range slices.Chunk(ids, insertChunk) {
		var found []hive.Dependant
		err := s.r.NewRaw("SELECT l.schedule_id, s.id AS of FROM schedules AS s "+
			"JOIN schedule_links AS l ON l.upstream = s.name WHERE s.id IN (?0) UNION "+
			"SELECT l.schedule_id, f.schedule_id AS of FROM former_names AS f "+
			"JOIN schedule_links AS l ON l.upstream = f.name WHERE f.schedule_id IN (?0) ORDER BY 1, 2",
			bun.List(chunk)).Scan(ctx, &found)
		if err != nil {
			return nil, s.fault("list the dependants", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// NoteLooks stores when a ticker looks at schedules next. Those that have changed since it read them stay as they are.
func (s *Store) NoteLooks(ctx context.Context, looks []hive.ScheduleLook) error {
	if len(looks) == 0 {
		return nil
	}
	looks = slices.Clone(looks)
	slices.SortFunc(looks, func(a, b hive.ScheduleLook) int { return int(a.ScheduleID - b.ScheduleID) })
	return s.write(ctx, "note the next looks", func(ctx context.Context, tx bun.Tx) error {
		for i := range looks {
			l := &looks[i]
			linked := ""
			if l.Linked != 0 {
				linked = fmt.Sprintf(", linked = %d", l.Linked)
			}
			res, err := tx.NewRaw("UPDATE schedules SET next_at = ?"+linked+" WHERE id = ? AND version = ?",
				ms(l.NextAt), l.ScheduleID, l.Version).Exec(ctx)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err == nil && n > 0 && l.Linked != 0 {
				err = storeLinks(ctx, tx, l.ScheduleID, l.Links)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// storeLinks replaces the stored links of a schedule by those of its newest revision.
func storeLinks(ctx context.Context, tx bun.Tx, schedule int64, links []hive.ScheduleLink) error {
	_, err := tx.NewDelete().Model((*linkRow)(nil)).Where("schedule_id = ?", schedule).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove the links: %w", err)
	}
	rows := make([]*linkRow, len(links))
	for i, l := range links {
		rows[i] = &linkRow{ScheduleID: schedule, Upstream: text(l.Upstream), Follows: l.Follows}
	}
	return insertAll(ctx, tx, rows)
}

// touch lets all tickers look at a schedule again.
func touch(ctx context.Context, tx bun.Tx, schedule int64) error {
	_, err := tx.NewRaw("UPDATE schedules SET next_at = 0, version = version + 1 WHERE id = ?", schedule).Exec(ctx)
	return err
}

// touch is touch for a row that is being changed. It returns the columns that must be stored too.
func (r *scheduleRow) touch(columns ...string) []string {
	r.NextAt, r.Version = 0, r.Version+1
	return append(columns, "next_at", "version")
}
