package db

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type textsRow struct {
	bun.BaseModel `bun:"table:schedule_texts"`

	ScheduleID int64  `bun:"schedule_id,pk"`
	Title      string `bun:"title"`
	Words      string `bun:"words"`
}

type labelRow struct {
	bun.BaseModel `bun:"table:schedule_labels"`

	Kind       string `bun:"kind,pk"`
	Label      string `bun:"label,pk"`
	ScheduleID int64  `bun:"schedule_id,pk"`
}

// The kinds of labels.
const (
	labelTag   = "tag"
	labelOwner = "owner"
)

// storeTexts replaces the stored texts and labels of a schedule with the ones in its newest revision.
func storeTexts(ctx context.Context, tx bun.Tx, schedule int64, t *hive.ScheduleTexts) error {
	for _, table := range []any{(*textsRow)(nil), (*labelRow)(nil)} {
		if _, err := tx.NewDelete().Model(table).Where("schedule_id = ?", schedule).Exec(ctx); err != nil {
			return fmt.Errorf("remove the texts: %w", err)
		}
	}
	texts := &textsRow{ScheduleID: schedule, Title: text(t.Title), Words: text(t.Words)}
	if _, err := tx.NewInsert().Model(texts).Exec(ctx); err != nil {
		return fmt.Errorf("store the texts: %w", err)
	}
	var rows []*labelRow
	add := func(kind string, labels []string) {
		for _, label := range slices.Compact(slices.Sorted(slices.Values(labels))) {
			rows = append(rows, &labelRow{Kind: kind, Label: text(label), ScheduleID: schedule})
		}
	}
	add(labelTag, t.Tags)
	add(labelOwner, t.Owners)
	return insertAll(ctx, tx, rows)
}

// Undescribed lists schedules whose stored texts are not those of their newest revision, by id, at most limit: an older
// HiveGo has saved them.
func (s *Store) Undescribed(ctx context.Context, limit int) ([]hive.Schedule, error) {
	var rows []*scheduleRow
	err := s.r.NewSelect().Model(&rows).Where("described <> revision").Order("id").Limit(int64(limit)).Scan(ctx)
	return hiveSchedules(rows), s.fault("list schedules without texts", err)
}

// DescribeSchedules stores texts of schedules. Those that have another newest revision meanwhile stay as they are.
func (s *Store) DescribeSchedules(ctx context.Context, list []hive.ScheduleTexts) error {
	return s.write(ctx, "store texts of schedules", func(ctx context.Context, tx bun.Tx) error {
		for i := range list {
			t := &list[i]
			res, err := tx.NewRaw("UPDATE schedules SET described = ?0 WHERE id = ?1 AND revision = ?0 "+
				"AND described <> ?0", t.Revision, t.ScheduleID).Exec(ctx)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				if err != nil {
					return fmt.Errorf("store the texts: %w", err)
				}
				continue
			}
			if err := storeTexts(ctx, tx, t.ScheduleID, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// LabeledSchedules lists the ids of the schedules, archived ones too, with a tag and an owner; an empty one is any.
func (s *Store) LabeledSchedules(ctx context.Context, tag, owner string) ([]int64, error) {
	var ids []int64
	q := s.r.NewSelect().Model((*scheduleRow)(nil)).Column("id").Order("id")
	err := labeled(q, &hive.ScheduleSelection{Tag: tag, Owner: owner}).Scan(ctx, &ids)
	return ids, s.fault("list schedules by label", err)
}

// ScheduleLabels lists the tags and the owners of the schedules that are not archived, sorted.
func (s *Store) ScheduleLabels(ctx context.Context) (tags, owners []string, err error) {
	var rows []labelRow
	err = s.r.NewRaw("SELECT l.kind, l.label FROM schedule_labels AS l JOIN schedules AS s ON s.id = l.schedule_id "+
		"WHERE s.archived_at = 0 GROUP BY l.kind, l.label ORDER BY l.kind, l.label").Scan(ctx, &rows)
	for i := range rows {
		if rows[i].Kind == labelTag {
			tags = append(tags, rows[i].Label)
		} else {
			owners = append(owners, rows[i].Label)
		}
	}
	return tags, owners, s.fault("list the labels of schedules", err)
}

// Schedules that need a person as the database knows, and those with a live batch.
const (
	openSchedules = "SELECT b.schedule_id FROM batches AS b WHERE b.state = 'failed' AND b.closed_note = '' " +
		"AND b.schedule_id > 0 AND " + sameDate
	liveSchedules = "SELECT schedule_id FROM batches WHERE live AND schedule_id > 0"
)

// FindSchedules lists the schedules of a selection by name after one, or before one if the order is descending, at most
// limit, with their former names. An empty name is none.
func (s *Store) FindSchedules(
	ctx context.Context, sel *hive.ScheduleSelection, after string, descending bool, limit int,
) ([]hive.Schedule, error) {
	var rows []*scheduleRow
	// A few schedules are found by their ids, and then sorted: the index of names would be read whole.
	name := "s.name"
	if sel.Need == hive.NeedPerson || sel.Need == hive.NeedLive || sel.Among != nil || sel.Running {
		name = "(s.name || '')"
	}
	q := selected(s.r.NewSelect().Model(&rows), sel).Limit(int64(limit))
	switch {
	case !descending:
		q = q.Where(name+" > ?", text(after)).OrderExpr(name)
	case after != "":
		q = q.Where(name+" < ?", text(after)).OrderExpr(name + " DESC")
	default:
		q = q.OrderExpr(name + " DESC")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.fault("list schedules", err)
	}
	out := hiveSchedules(rows)
	return out, s.fault("read former names", addFormer(ctx, s.r, out))
}

// CountFound counts the schedules of a selection.
func (s *Store) CountFound(ctx context.Context, sel *hive.ScheduleSelection) (int, error) {
	n, err := selected(s.r.NewSelect().Model((*scheduleRow)(nil)), sel).Count(ctx)
	return int(n), s.fault("count schedules", err)
}

// ScheduleKeys reads what an order needs of each schedule of a selection, by name.
func (s *Store) ScheduleKeys(ctx context.Context, sel *hive.ScheduleSelection) ([]hive.ScheduleKey, error) {
	var rows []struct {
		ID      int64
		Name    string
		Title   string
		Enabled bool
		NextAt  int64
		Version int64
	}
	q := s.r.NewSelect().Model((*scheduleRow)(nil)).
		ColumnExpr("s.id, s.name, coalesce(t.title, '') AS title, s.enabled, s.next_at, s.version").
		Join("LEFT JOIN schedule_texts AS t ON t.schedule_id = s.id").Order("name")
	if err := selected(q, sel).Scan(ctx, &rows); err != nil {
		return nil, s.fault("list the keys of schedules", err)
	}
	out := make([]hive.ScheduleKey, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = hive.ScheduleKey{
			ID: r.ID, Name: r.Name, Title: r.Title, Enabled: r.Enabled, NextAt: at(r.NextAt), Version: r.Version,
		}
	}
	return out, nil
}

// EndedSince lists the schedules that have a batch that ended at a time or later.
func (s *Store) EndedSince(ctx context.Context, t time.Time) ([]int64, error) {
	var ids []int64
	err := s.r.NewRaw("SELECT DISTINCT schedule_id FROM batches WHERE finished_at > 0 AND kind <> 'adhoc' "+
		"AND finished_at >= ? AND schedule_id > 0", ms(t)).Scan(ctx, &ids)
	return ids, s.fault("list the schedules whose batches ended", err)
}

// selected adds the conditions of a selection to a query of schedules.
func selected(q *bun.SelectQuery, sel *hive.ScheduleSelection) *bun.SelectQuery {
	if sel.Archived {
		q = q.Where("s.archived_at > 0")
	} else {
		q = q.Where("s.archived_at = 0")
	}
	for _, word := range sel.Words {
		q = q.Where("(s.name LIKE ?0 ESCAPE '!' OR s.id IN (SELECT schedule_id FROM schedule_texts "+
			"WHERE words LIKE ?0 ESCAPE '!') OR s.id IN (SELECT schedule_id FROM former_names "+
			"WHERE name LIKE ?0 ESCAPE '!'))", pattern(word, sel.Spread))
	}
	if sel.Disabled {
		q = q.Where("NOT s.enabled")
	}
	if sel.Running {
		q = q.Where("s.id IN (" + liveSchedules + " AND state = 'running')")
	}
	if sel.Among != nil {
		q = q.Where("s.id IN (?)", bun.List(sel.Among))
	}
	person := "s.id IN (" + openSchedules + ")"
	if len(sel.Urgent) > 0 {
		ids := make([]string, len(sel.Urgent))
		for i, id := range sel.Urgent {
			ids[i] = strconv.FormatInt(id, 10)
		}
		person = "(" + person + " OR s.id IN (" + strings.Join(ids, ", ") + "))"
	}
	switch sel.Need {
	case hive.NeedPerson:
		q = q.Where(person)
	case hive.NeedLive:
		q = q.Where("s.id IN (" + liveSchedules + ")").Where("NOT " + person)
	case hive.NeedNone:
		q = q.Where("s.id NOT IN (" + liveSchedules + ")").Where("NOT " + person)
	}
	return labeled(q, sel)
}

func labeled(q *bun.SelectQuery, sel *hive.ScheduleSelection) *bun.SelectQuery {
	const has = "s.id IN (SELECT schedule_id FROM schedule_labels WHERE kind = ? AND label = ?)"
	if sel.Tag != "" {
		q = q.Where(has, labelTag, text(sel.Tag))
	}
	if sel.Owner != "" {
		q = q.Where(has, labelOwner, text(sel.Owner))
	}
	return q
}

// pattern returns a LIKE pattern for the texts with a word. If it is spread, a text may have other letters between the
// letters of the word.
func pattern(word string, spread bool) string {
	if !spread {
		return "%" + likeWord(text(word)) + "%"
	}
	var out strings.Builder
	for _, letter := range text(word) {
		out.WriteString("%" + likeWord(string(letter)))
	}
	return out.String() + "%"
}
