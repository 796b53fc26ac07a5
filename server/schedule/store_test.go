package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

var _ schedule.Store = (*store)(nil)

// store is a database in memory, with the rules of the real one: a tick is stored once, marks never go back. Its
// documents are JSON.
type store struct {
	mu        sync.Mutex
	rows      map[int64]*hive.Schedule
	revisions map[int64][]hive.Revision
	ticks     map[int64][]hive.Tick
	live      map[int64][]hive.Batch
	batches   []hive.NewBatch
	replaced  []int64 // batches that decisions replaced
	double    int     // decisions about a moment that was in the ledger
	calls     int
	reads     int // of revisions
	fetched   int // rows that were asked for by id
	fail      func(ids []int64) error
	failRead  func() error
	calendar  []hive.CalendarRevision // of calendar c
	lost      bool                    // the next decision is stored, and its answer is lost
	ids       int64
	ended     map[int64]hive.BatchState // batches that have ended, by id
	endedAt   map[int64]time.Time       // when the last batch ended, by schedule
	called    []hive.WebhookCall
	changes   map[int64][]hive.PlannedChange
	index     map[int64]*index
	indexed   int // rows of batches that are in the index
	// stored hears of each batch as it is stored, with those that it replaces, if it is set.
	stored func(b hive.Batch, replaced []int64)

	dependants map[string][]int64 // by the name of the schedule that they wait for
}

func newStore() *store {
	return &store{
		rows: map[int64]*hive.Schedule{}, revisions: map[int64][]hive.Revision{}, ticks: map[int64][]hive.Tick{},
		live: map[int64][]hive.Batch{}, endedAt: map[int64]time.Time{}, index: map[int64]*index{},
		dependants: map[string][]int64{},
	}
}

// publish makes def the newest revision of schedule id.
func (s *store) publish(id int64, now time.Time, def hive.Definition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rows[id]
	if row == nil {
		row = &hive.Schedule{ID: id, Name: fmt.Sprintf("s%d", id), Enabled: true, CreatedAt: now}
		s.rows[id] = row
	}
	row.Revision++
	row.UpdatedAt = now
	document, err := json.Marshal(def)
	if err != nil {
		panic(err)
	}
	s.revisions[id] = append(s.revisions[id], hive.Revision{
		ID: id*1000 + row.Revision, ScheduleID: id, Number: row.Revision, Document: string(document), CreatedAt: now,
	})
	s.link(id, def)
	s.touch(id)
}

func (s *store) RevisionAt(_ context.Context, id, number int64) (hive.Revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return s.revisionAt(id, number)
}

func (s *store) revisionAt(id, number int64) (hive.Revision, error) {
	if all := s.revisions[id]; number >= 1 && int(number) <= len(all) {
		return all[number-1], nil
	}
	return hive.Revision{}, hive.Errorf(hive.CodeNotFound, "there is no revision %d", number)
}

func (s *store) DecideManyTicks(_ context.Context, _ hive.Server, ids []int64, _ time.Time,
	decide func(hive.TickView) ([]hive.TickWrite, error),
) ([]int64, error) {
	s.mu.Lock()
	s.calls++
	if s.fail != nil {
		if err := s.fail(ids); err != nil {
			s.mu.Unlock()
			return nil, err
		}
	}
	views := make([]hive.TickView, 0, len(ids))
	for _, id := range ids {
		if row := s.rows[id]; row != nil {
			rev := s.revisions[id][row.Revision-1]
			views = append(views,
				hive.TickView{
					Schedule: *row, Document: rev.Document, RevisionID: rev.ID, Revision: rev.Number,
					Live: slices.Clone(s.live[id]), Counted: s.indexOf(id).counted, Waiting: s.waiting(id),
					Calendars: int64(len(s.calendar)), Changes: s.toCome(id),
				})
		}
	}
	s.mu.Unlock()
	var all [][]hive.TickWrite
	for _, v := range views {
		writes, err := decide(v)
		if err != nil {
			return nil, err
		}
		all = append(all, writes)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var made []int64
	for i, v := range views {
		made = append(made, s.keep(v.Schedule.ID, all[i])...)
	}
	if s.lost {
		s.lost = false
		return nil, fmt.Errorf("commit: %w", hive.ErrConnection)
	}
	return made, nil
}

func (s *store) keep(id int64, writes []hive.TickWrite) []int64 {
	var made []int64
	for _, w := range writes {
		switch {
		case w.Passed:
			s.rows[id].Mark = latest(s.rows[id].Mark, w.Tick.Moment)
			continue
		case w.Tick.ID != 0:
			s.endWait(id, w.Tick)
		case s.result(id, w.Tick.Moment).Decision != "":
			s.double++
			continue
		default:
			s.ids++
			w.Tick.ID = s.ids
			s.ticks[id] = append(s.ticks[id], w.Tick)
			if !w.Follows {
				s.rows[id].Mark = latest(s.rows[id].Mark, latest(w.Tick.Moment, w.Tick.Until))
			}
		}
		s.replaced = append(s.replaced, w.Replace...)
		if w.Batch != nil {
			s.batches = append(s.batches, *w.Batch)
			row := w.Batch.Batch
			row.ID = int64(len(s.batches))
			made = append(made, row.ID)
			if s.lost {
				s.live[id] = append(s.live[id], row)
			}
			if s.stored != nil {
				s.stored(row, w.Replace)
			}
		}
	}
	return made
}

// ledger returns the ticks of a schedule as decided writes them.
func (s *store) ledger(id int64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, 0, len(s.ticks[id]))
	for _, t := range s.ticks[id] {
		out = append(out, fmt.Sprintf("%s %s %s", t.Moment.Format("15:04:05"), t.Decision, t.Rule))
	}
	return out
}

func parseJSON(document string) (*hive.Definition, error) {
	var def hive.Definition
	if err := json.Unmarshal([]byte(document), &def); err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return &def, nil
}

func runsOf(def *hive.Definition) ([]hive.Run, error) {
	var runs []hive.Run
	for _, j := range def.Jobs {
		for _, t := range j.Tasks {
			if t.Handler == "" {
				return nil, errors.New("a task without a handler")
			}
			runs = append(runs, hive.Run{Number: len(runs), Job: j.Key, Task: t.Key, State: hive.RunWaiting})
		}
	}
	return runs, nil
}
