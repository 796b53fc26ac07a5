package catalog

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// ListStore selects schedules for lists, and stores what these select by.
type ListStore interface {
	// FindSchedules lists the schedules of a selection by name after one, or before one if the order is descending.
	FindSchedules(ctx context.Context, sel *hive.ScheduleSelection, after string, descending bool, limit int,
	) ([]hive.Schedule, error)
	CountFound(ctx context.Context, sel *hive.ScheduleSelection) (int, error)
	// ScheduleKeys reads what an order needs of each schedule of a selection, by name.
	ScheduleKeys(ctx context.Context, sel *hive.ScheduleSelection) ([]hive.ScheduleKey, error)
	// EndedSince lists the schedules that have a batch that ended at a time or later.
	EndedSince(ctx context.Context, t time.Time) ([]int64, error)
	// Undescribed lists schedules whose stored texts are not those of their newest revision.
	Undescribed(ctx context.Context, limit int) ([]hive.Schedule, error)
	DescribeSchedules(ctx context.Context, list []hive.ScheduleTexts) error
	// LabeledSchedules lists the ids of the schedules, archived ones too, with a tag and an owner; an empty one is any.
	LabeledSchedules(ctx context.Context, tag, owner string) ([]int64, error)
	// ScheduleLabels lists the tags and the owners of the schedules that are not archived, sorted.
	ScheduleLabels(ctx context.Context) (tags, owners []string, err error)
}

// List returns a page of schedules in the order of the filter, or with a query those that match it, the best first.
// Each has the next moment at which it is due.
func (s *Service) List(ctx context.Context, f hive.ScheduleFilter) (hive.SchedulePage, error) {
	var out hive.SchedulePage
	rows, err := s.page(ctx, &f, &out)
	if err != nil {
		return out, err
	}
	out.Views, err = s.views(ctx, rows)
	return out, err
}

// page reads the rows of a page, and adds to out which page follows and how many schedules there are.
func (s *Service) page(ctx context.Context, f *hive.ScheduleFilter, out *hive.SchedulePage) ([]hive.Schedule, error) {
	if f.Query != "" {
		if err := f.CheckQuery(); err != nil {
			return nil, err
		}
		return s.search(ctx, f)
	}
	sel, err := s.selection(ctx, f)
	if err != nil {
		return nil, err
	}
	if f.Count {
		if out.Count, err = s.lists.CountFound(ctx, sel); err != nil {
			return nil, err
		}
		if out.Total, err = s.directory.CountSchedules(ctx); err != nil {
			return nil, err
		}
	}
	var rows []hive.Schedule
	switch f.Order {
	case hive.ScheduleByNeed:
		rows, out.Next, err = s.pageByNeed(ctx, f, sel)
	case hive.ScheduleByNext, hive.ScheduleByUsual:
		rows, out.Next, err = s.pageByValue(ctx, f, sel)
	default:
		if strings.Contains(f.After, cursorMark) {
			return nil, noCursor(f.After)
		}
		rows, err = s.lists.FindSchedules(ctx, sel, f.After, f.Descending, f.Limit+1)
		if len(rows) > f.Limit {
			rows, out.Next = rows[:f.Limit], rows[f.Limit-1].Name
		}
	}
	return rows, err
}

// selection returns what the store compares for a filter.
func (s *Service) selection(ctx context.Context, f *hive.ScheduleFilter) (*hive.ScheduleSelection, error) {
	sel := &hive.ScheduleSelection{
		Archived: f.Archived, Words: searchWords(f.Find), Tag: f.Tag, Owner: f.Owner,
	}
	if len(sel.Words) > 0 || sel.Tag != "" || sel.Owner != "" {
		if err := s.describe(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	switch f.Show {
	case hive.ShowDisabled:
		sel.Disabled = true
	case hive.ShowRunning:
		sel.Running = true
	case hive.ShowLate:
		if sel.Among, err = s.late(ctx); sel.Among == nil {
			sel.Among = []int64{}
		}
	case hive.ShowPerson:
		sel.Need = hive.NeedPerson
	}
	if err == nil && (f.Order == hive.ScheduleByNeed || sel.Need == hive.NeedPerson) {
		sel.Urgent, err = s.urgent(ctx)
	}
	return sel, err
}

// pageByNeed reads a page of the groups of ScheduleByNeed, one after another: the first ones are small, and the last
// one is in the order of an index. The cursor has the group, and the name of the last schedule.
func (s *Service) pageByNeed(ctx context.Context, f *hive.ScheduleFilter, sel *hive.ScheduleSelection) (
	rows []hive.Schedule, next string, err error,
) {
	list := listOf(f)
	after, err := parseCursor(f.After, list)
	if err != nil {
		return nil, "", err
	}
	first, last := hive.NeedPerson, hive.NeedNone
	if sel.Need == hive.NeedPerson {
		last = hive.NeedPerson
	}
	if f.After != "" {
		first = hive.NeedGroup(after.value)
		if first < hive.NeedPerson || first > last {
			return nil, "", noCursor(f.After)
		}
	}
	end := cursor{list: list, known: true}
	for group := first; group <= last; group++ {
		one := *sel
		one.Need = group
		from := ""
		if group == first {
			from = after.name
		}
		more, err := s.lists.FindSchedules(ctx, &one, from, false, f.Limit+1-len(rows))
		if err != nil {
			return nil, "", err
		}
		for i := range more {
			if len(rows) == f.Limit {
				return rows, end.String(), nil
			}
			rows, end.value, end.name = append(rows, more[i]), int64(group), more[i].Name
		}
	}
	return rows, "", nil
}

// cursor is where a page ends: the value of its last schedule in the order, if it has one, and its name. In the order
// of names it is only the name.
type cursor struct {
	list  string // the list of the page, as listOf names it
	value int64
	known bool
	name  string
}

// cursorMark is in no name of a schedule.
const cursorMark = "~"

// listOf names the list of a filter: its order, its direction and what it selects. A page of another list does not
// continue it.
func listOf(f *hive.ScheduleFilter) string {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%q %t %t %q %q %q %q", f.Order, f.Descending, f.Archived, f.Find, f.Tag, f.Owner, f.Show)
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

func (c cursor) String() string {
	value := ""
	if c.known {
		value = strconv.FormatInt(c.value, 10)
	}
	return c.list + cursorMark + value + cursorMark + c.name
}

// parseCursor reads what String has written for a page of a list; the zero cursor for an empty text.
func parseCursor(text, list string) (cursor, error) {
	if text == "" {
		return cursor{}, nil
	}
	of, rest, _ := strings.Cut(text, cursorMark)
	value, name, ok := strings.Cut(rest, cursorMark)
	c := cursor{list: of, name: name, known: value != ""}
	ok = ok && of == list
	if c.known && ok {
		var err error
		c.value, err = strconv.ParseInt(value, 10, 64)
		ok = err == nil
	}
	if !ok {
		return c, noCursor(text)
	}
	return c, nil
}

func noCursor(text string) error {
	return hive.Errorf(hive.CodeInvalid, "after: %.80q is not the next of a page of this list; send it with the same "+
		"sort, desc and filters, or leave it out to begin with the first page", text).
		WithReason(hive.ErrorOtherList, "value", text)
}

// views adds to schedules what lists show of them.
func (s *Service) views(ctx context.Context, rows []hive.Schedule) ([]hive.ScheduleView, error) {
	views, after, err := s.timesOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	if err := s.addArchived(ctx, views, after); err != nil {
		return nil, err
	}
	return views, s.addRecent(ctx, views)
}

// timesOf returns what the newest revisions of schedules say, with the next moment of each. after has the schedules
// that they wait for.
func (s *Service) timesOf(ctx context.Context, rows []hive.Schedule) (
	views []hive.ScheduleView, after map[int64][]string, err error,
) {
	around, err := s.around(ctx)
	if err != nil {
		return nil, nil, err
	}
	views = make([]hive.ScheduleView, 0, len(rows))
	after = map[int64][]string{}
	delayed := map[int64]digest{}
	for i := range rows {
		d, err := s.digestOf(ctx, &rows[i], around)
		if err != nil {
			return nil, nil, err
		}
		v := d.view
		v.Schedule = rows[i]
		after[rows[i].ID] = d.after
		d.addTimes(&v, s.now(), 1)
		if d.times.Delayed() {
			delayed[rows[i].ID] = d
		}
		views = append(views, v)
	}
	return views, after, s.addDelayed(ctx, views, delayed, 1)
}
