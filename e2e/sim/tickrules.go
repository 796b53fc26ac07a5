package sim

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// This file has the invariants of ticks: every due moment has exactly one decision, by the revision in force at it.

// grace is the greatest delay with which a tick still counts as on time.
const grace = 5 * time.Second

// interval returns the time between two ticks of a definition. Its only trigger fires at the multiples of this time.
func interval(def *hive.Definition) int64 {
	for seconds, cron := range crons() {
		if len(def.Triggers) == 1 && def.Triggers[0].Cron == cron {
			return seconds
		}
	}
	return 0
}

// crons are triggers by the seconds between their moments.
func crons() map[int64]string {
	return map[int64]string{10: "*/10 * * * * *", 30: "*/30 * * * * *", 60: "* * * * *", 120: "*/2 * * * *"}
}

// inForce returns the revision of a schedule that was in force at a moment; nil before the first.
func (x *scheduled) inForce(at time.Time) *revision {
	var found *revision
	for _, r := range x.revs {
		if !r.row.CreatedAt.After(at) {
			found = r
		}
	}
	return found
}

// due reports whether a moment is due by the revision in force.
func (x *scheduled) due(at time.Time) bool {
	r := x.inForce(at)
	if r == nil || interval(r.def) == 0 {
		return false // calls and ends of batches give its moments
	}
	return at.After(x.row.CreatedAt) && !x.isAway(at) && at.Unix()%interval(r.def) == 0
}

// dueIn lists the due moments after one time and up to another, as Unix seconds.
func (x *scheduled) dueIn(after, until time.Time) []int64 {
	var out []int64
	for t := after.Truncate(time.Second).Add(time.Second); !t.After(until); t = t.Add(time.Second) {
		if x.due(t) {
			out = append(out, t.Unix())
		}
	}
	return out
}

// decidedFrom returns the time after which a schedule had no decision.
func decidedFrom(row *hive.Schedule) time.Time {
	if row.Mark.IsZero() {
		return row.CreatedAt
	}
	return row.Mark
}

// checkDecisions checks that the decisions of one transaction cover all due moments and no others.
func (s *store) checkDecisions(x *scheduled, v *hive.TickView, writes []hive.TickWrite, now time.Time) {
	want := x.dueIn(decidedFrom(&v.Schedule), now)
	var got []int64
	for i := range writes {
		t := &writes[i].Tick
		r := x.inForce(t.Moment)
		if t.ID != 0 || writes[i].Follows || writes[i].Called {
			r = x.revs[len(x.revs)-1]
		}
		if r == nil || t.RevisionID != r.row.ID {
			s.w.failf("tick", "%s of %s is decided by revision %d; in force was %+v", t.Moment, x.row.Name,
				t.RevisionID, r)
		}
		if b := writes[i].Batch; b != nil && b.Batch.RevisionID != r.row.ID {
			s.w.failf("tick", "%s of %s runs revision %d of another time", t.Moment, x.row.Name, b.Batch.RevisionID)
		}
		if t.ID != 0 || writes[i].Follows {
			continue // its moment was covered before, or is still to come
		}
		until := t.Moment
		if t.Count > 1 {
			until = t.Until
		}
		got = append(got, x.covers(t, until, func(at int64) bool {
			return slices.ContainsFunc(writes, func(w hive.TickWrite) bool { return w.Tick.Moment.Unix() == at })
		})...)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.w.failf("tick", "%s: decided is %v, due between %s and %s was %v", x.row.Name, got,
			decidedFrom(&v.Schedule), now, want)
	}
	s.checkPolicy(x, v, writes, now)
	s.checkMoments(x, writes, now)
}

// covers lists the moments of a row up to a time. Those after its first one may have rows of their own: what a person
// has planned is never in a row of a backlog.
func (x *scheduled) covers(t *hive.Tick, until time.Time, own func(at int64) bool) []int64 {
	return append(x.dueIn(t.Moment.Add(-time.Second), t.Moment), slices.DeleteFunc(x.dueIn(t.Moment, until), own)...)
}

// checkPolicy checks that the decisions follow from the policy of the newest revision and from the live batches.
func (s *store) checkPolicy(x *scheduled, v *hive.TickView, writes []hive.TickWrite, now time.Time) {
	policy := x.revs[len(x.revs)-1].def.Policy
	live, late := len(v.Live), 0
	for i := range writes {
		t := &writes[i].Tick
		bad := func(why string) {
			s.w.failf("policy", "%s of %s is %s (%s): %s", t.Moment, x.row.Name, t.Decision, t.Rule, why)
		}
		makes := writes[i].Batch != nil
		wasLate := now.Sub(dueAt(&writes[i])) > grace
		switch {
		case makes != (t.Decision == hive.DecisionFired || t.Decision == hive.DecisionQueued):
			bad("its batch does not fit")
		case !v.Schedule.Enabled && makes:
			bad("the schedule is disabled")
		case makes && wasLate && policy.CatchUp.Mode == hive.CatchUpNone:
			bad("it was late, and late ticks are not run")
		case makes && wasLate && policy.CatchUp.Mode == hive.CatchUpLatest:
			if late++; late > 1 {
				bad("it is the second late one")
			}
		case t.Decision == hive.DecisionFired && live > 0 && policy.Overlap != hive.OverlapAllow && !wasLate:
			bad("another batch is live")
		case len(writes[i].Replace) > 0 && policy.Overlap != hive.OverlapReplace:
			bad("it replaces a batch")
		}
		if makes {
			live++
		}
	}
}

// checkLedger checks, at rest, that each due moment up to the mark is covered by one row, and each batch has its tick.
func (s *store) checkLedger() {
	for _, id := range slices.Sorted(maps.Keys(s.schedules)) {
		x := s.schedules[id]
		var got []int64
		for _, key := range s.tickKeys(id) {
			t := s.ticks[key]
			if x.early(t) {
				continue
			}
			got = append(got, x.covers(t, later(t.Moment, t.Until), func(at int64) bool {
				return s.ticks[tickKey{id, at * 1000}] != nil
			})...)
		}
		slices.Sort(got)
		want := x.dueIn(x.row.CreatedAt, later(x.row.CreatedAt, x.row.Mark))
		if !x.overtaken && !slices.Equal(got, want) {
			s.w.failf("tick", "the ledger of %s has %v, due were %v", x.row.Name, got, want)
		}
		s.checkMark(x)
	}
	of := map[int64]int{}
	for _, t := range s.ticks {
		if t.BatchID != 0 {
			of[t.BatchID]++
		}
	}
	for _, b := range s.batches {
		if b.Kind == hive.KindScheduled && of[b.ID] != 1 {
			s.w.failf("tick", "batch %d has %d ticks", b.ID, of[b.ID])
		}
	}
}

// checkMark checks that ticks are decided up to the present. After a clock was set back, they may wait for it.
func (s *store) checkMark(x *scheduled) {
	slowest := s.slowestWall()
	behind := x.dueIn(decidedFrom(&x.row), slowest.Add(-2*time.Minute))
	if len(behind) > 0 {
		s.w.failf("tick", "%s is decided up to %s, and %d moments until %s are not", x.row.Name, x.row.Mark,
			len(behind), slowest)
	}
}

func (s *store) tickKeys(schedule int64) []tickKey {
	var keys []tickKey
	for key := range s.ticks {
		if key.schedule == schedule {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b tickKey) int { return cmp.Compare(a.moment, b.moment) })
	return keys
}
