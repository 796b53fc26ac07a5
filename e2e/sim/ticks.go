package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// scheduled is a schedule with a trigger.
type scheduled struct {
	row     hive.Schedule
	revs    []*revision // by number, from 1
	counted int
	links   []hive.ScheduleLink // of the newest revision

	overtaken bool // a wrong clock has decided beyond the start of a later revision
	away      []absence
	calm      int // batches that it has made since the faults stopped

	changes map[int64]*hive.PlannedChange // by moment, in Unix milliseconds
	calls   []hive.WebhookCall            // in the order in which they came
}

// tickKey identifies a tick.
type tickKey struct {
	schedule int64
	moment   int64 // Unix milliseconds
}

// definition returns the definition of a stored document.
func (s *store) definition(text string) *hive.Definition {
	var def hive.Definition
	if err := json.Unmarshal([]byte(text), &def); err != nil {
		s.w.failf("document", "a stored revision is no JSON: %v", err)
	}
	return &def
}

func (s *store) revisionAt(id, number int64) (hive.Revision, error) {
	x := s.schedules[id]
	if x == nil || number < 1 || number > int64(len(x.revs)) {
		return hive.Revision{}, hive.Errorf(hive.CodeNotFound, "schedule %d has no revision %d", id, number)
	}
	return x.revs[number-1].row, nil
}

// publishSchedule stores a revision of a schedule with a trigger. With id 0 it creates the schedule.
func (s *store) publishSchedule(id int64, def *hive.Definition) int64 {
	now := milli(epoch.Add(s.w.now))
	x := s.schedules[id]
	if x == nil {
		id = firstSchedule + s.draw("schedule", 1)
		x = &scheduled{row: hive.Schedule{ID: id, Name: def.Name, Enabled: true, CreatedAt: now}}
		s.schedules[id] = x
	}
	if !now.After(x.row.Mark) {
		x.overtaken = true
	}
	rev := s.publish(def, int64(len(x.revs))+1)
	rev.row.ScheduleID, rev.row.CreatedAt = id, now
	x.revs = append(x.revs, rev)
	x.row.Revision, x.row.UpdatedAt = rev.row.Number, now
	x.link(def)
	return id
}

// firstSchedule is above the ids of the schedules without a trigger.
const firstSchedule = 100

// decideTicks follows the rules of DecideManyTicks in package db: one transaction under the rows' locks.
func (s *store) decideTicks(server hive.Server, ids []int64, now time.Time,
	decide func(hive.TickView) ([]hive.TickWrite, error),
) ([]int64, error) {
	if err := s.holds(server.ID, server.Epoch); err != nil {
		return nil, err
	}
	type decided struct {
		x      *scheduled
		writes []hive.TickWrite
	}
	var all []decided
	for _, id := range slices.Sorted(slices.Values(ids)) {
		x := s.schedules[id]
		if x == nil {
			continue
		}
		v := s.tickView(x)
		writes, err := decide(v)
		if err != nil {
			return nil, err
		}
		s.checkDecisions(x, &v, writes, now)
		all = append(all, decided{x, writes})
	}
	var made []int64
	for _, d := range all {
		for i := range d.writes {
			if id := s.storeTick(server, d.x, &d.writes[i]); id != 0 {
				made = append(made, id)
			}
		}
	}
	return made, nil
}

// tickView returns the view of a schedule on which a decision is based.
func (s *store) tickView(x *scheduled) hive.TickView {
	rev := x.revs[len(x.revs)-1]
	v := hive.TickView{
		Schedule: x.row, Document: rev.row.Document, RevisionID: rev.row.ID, Revision: rev.row.Number,
		Counted: x.counted, Waiting: s.waitingTicks(x.row.ID), Changes: s.changesToCome(x),
	}
	if s.w.opt.Mutation == MutateMark && s.w.chance(0.3) && !x.row.Mark.IsZero() {
		v.Schedule.Mark = x.row.Mark.Add(-time.Minute)
	}
	for _, id := range slices.Sorted(maps.Keys(s.batches)) {
		if b := s.batches[id]; b.Live && b.ScheduleID == x.row.ID {
			v.Live = append(v.Live, *b)
		}
	}
	s.mislead(&v)
	return v
}

// storeTick stores one decision with its batch, and returns the batch.
func (s *store) storeTick(server hive.Server, x *scheduled, w *hive.TickWrite) int64 {
	t := w.Tick
	if w.Passed { // it was decided before its moment
		x.row.Mark = later(x.row.Mark, t.Moment)
		return 0
	}
	key := tickKey{x.row.ID, t.Moment.UnixMilli()}
	if t.ID == 0 {
		if s.ticks[key] != nil {
			s.w.failf("tick", "%s decides %s of %s again", server.ID, t.Moment, x.row.Name)
		}
		t.ID = s.draw("tick", 1)
	} else if old := s.ticks[key]; old == nil || old.ID != t.ID || old.Decision != hive.DecisionWaiting {
		s.w.failf("tick", "%s ends the wait for %s of %s, which does not wait", server.ID, t.Moment, x.row.Name)
	}
	if w.Batch != nil {
		rev := s.revs[w.Batch.Batch.RevisionID]
		b := w.Batch.Batch
		b.Owner = server.ID
		t.BatchID = s.createBatch(b, rev)
		if n := len(s.byBatch[t.BatchID].runs); len(w.Batch.Runs) != n {
			s.w.failf("tick", "batch %d of %s has %d runs, want %d", t.BatchID, x.row.Name, len(w.Batch.Runs), n)
		}
		x.counted++
		if s.w.calm {
			x.calm++
		}
	}
	s.ticks[key] = &t
	if w.Tick.ID == 0 && !w.Follows {
		x.row.Mark = later(x.row.Mark, later(t.Moment, t.Until))
	}
	s.w.stats.Ticks[t.Decision]++
	s.w.tracef("store", "tick %s of %s: %s (%s), batch %d", t.Moment.Format(time.TimeOnly), x.row.Name, t.Decision,
		t.Rule, t.BatchID)
	for _, id := range w.Replace {
		s.replace(id, t.BatchID)
	}
	return t.BatchID
}

// replace requests the end of a batch that another one replaces.
func (s *store) replace(id, by int64) {
	text, err := json.Marshal(hive.WishPayload{Wish: hive.WishCancel, Reason: hive.ReasonReplaced})
	if err != nil {
		s.w.failf("command", "%v", err)
	}
	s.addCommand(hive.Command{
		BatchID: id, Kind: hive.CommandWish, Key: fmt.Sprintf("replace:%d:%d", id, by), Payload: text,
		CreatedBy: "overlap", CreatedAt: milli(epoch.Add(s.w.now)),
	})
}
