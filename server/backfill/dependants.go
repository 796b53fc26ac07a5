package backfill

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Limits of one decision about a backfill with several schedules; the next one goes on.
const (
	mostActs  = 100
	mostSkips = 500
)

// decideMany is Decide for a backfill with several schedules. The view has all of its moments.
//
// A moment reads results of other schedules. It is ready when all of these have succeeded. It is skipped when one of
// them failed or was skipped, and waits again when that one succeeds later. Of the moments that are ready, those of the
// last schedules come first, so that what has begun is finished before more begins.
func decideMany(v *hive.BackfillView) hive.BackfillWrite {
	b := &v.Backfill
	w := hive.BackfillWrite{State: hive.BackfillRunning}
	if b.Counts.Waiting > 0 && b.OnFailure == hive.OnFailureStop && len(v.Failed) > 0 {
		w.State, w.StoppedBy = hive.BackfillStopped, v.Failed[0]
		return w
	}
	j := judge(v)
	running, open, acts, skips := b.Counts.Running, 0, 0, 0
	for i := range v.Next {
		m := &v.Next[i]
		f := &j.fates[i]
		switch {
		case m.Outcome != "" || f.bad && m.SkippedFor == f.cause:
		case f.bad && skips < mostSkips:
			skips++
			w.Moments = append(w.Moments, hive.BackfillMomentWrite{
				Position: m.Position, ScheduleID: m.ScheduleID, Moment: m.Moment, Act: hive.ActSkipped,
				SkippedFor: f.cause,
			})
		case f.bad:
			open++
		case !f.ready && m.SkippedFor >= 0:
			open++
			w.Moments = append(w.Moments, hive.BackfillMomentWrite{
				Position: m.Position, ScheduleID: m.ScheduleID, Moment: m.Moment, Act: hive.ActWaiting,
			})
		default:
			open++
		}
	}
	for _, i := range j.ready {
		m := &v.Next[i]
		out := hive.BackfillMomentWrite{
			Position: m.Position, ScheduleID: m.ScheduleID, Moment: m.Moment, Act: actOn(b.Existing, m.Batch),
			Causes: j.fates[i].batches,
		}
		if m.Batch != nil {
			out.Batch = m.Batch.ID
			if j.follows(b, i) {
				out.Act = hive.ActKept
			}
		}
		if acts == mostActs || out.Act != hive.ActKept && running >= b.Parallel {
			continue
		}
		if out.Act != hive.ActKept {
			running++
		}
		acts++
		open--
		w.Moments = append(w.Moments, out)
	}
	if open == 0 && running == 0 {
		w.State = hive.BackfillDone
	}
	return w
}

// fate is what the needs of a moment say about it.
type fate struct {
	good, bad bool // it has succeeded; it has not, or is skipped
	ready     bool // it may start
	cause     int  // of bad: position of the moment that has not succeeded
	batches   []int64
	until     time.Time // when the last of batches ended
}

// judgement has the fates of the moments of a view, and the ready ones in the order in which they start.
type judgement struct {
	moments []hive.BackfillMoment
	fates   []fate
	ready   []int
}

// lane is the moments of one schedule in their order, with the numbers of good and bad ones before each.
type lane struct {
	at        []int // indexes in the view
	good, bad []int
}

func judge(v *hive.BackfillView) *judgement {
	j := &judgement{moments: v.Next, fates: make([]fate, len(v.Next))}
	lanes := map[int64]*lane{}
	for i := range v.Next {
		id := v.Next[i].ScheduleID
		if lanes[id] == nil {
			lanes[id] = &lane{}
		}
		lanes[id].at = append(lanes[id].at, i)
	}
	for _, s := range v.Backfill.Schedules {
		l := lanes[s.ScheduleID]
		if l == nil {
			continue
		}
		inTurn := slices.Clone(l.at)
		slices.SortFunc(l.at, func(a, b int) int { return v.Next[a].Moment.Compare(v.Next[b].Moment) })
		l.good, l.bad = make([]int, len(l.at)+1), make([]int, len(l.at)+1)
		for n, i := range l.at {
			f := j.fateOf(i, lanes)
			j.fates[i] = f
			l.good[n+1], l.bad[n+1] = l.good[n]+count(f.good), l.bad[n]+count(f.bad)
		}
		inTurn = slices.DeleteFunc(inTurn, func(i int) bool { return !j.fates[i].ready })
		j.ready = slices.Concat(inTurn, j.ready)
	}
	return j
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (j *judgement) fateOf(i int, lanes map[int64]*lane) fate {
	m := &j.moments[i]
	switch m.Outcome {
	case hive.BatchSucceeded:
		return fate{good: true}
	case hive.BatchFailed, hive.BatchCanceled:
		return fate{bad: true, cause: m.Position}
	case "":
	default:
		return fate{}
	}
	f := fate{ready: true}
	for _, n := range m.Needs {
		l := lanes[n.ScheduleID]
		if l == nil {
			continue
		}
		from, to := l.between(j.moments, n.First, n.Last)
		good, bad := l.good[to]-l.good[from], l.bad[to]-l.bad[from]
		switch {
		case n.Any && good > 0, good == to-from:
			j.read(&f, l.at[from:to])
		case bad > 0 && (!n.Any || bad == to-from):
			first := l.at[from:to][slices.IndexFunc(l.at[from:to], func(i int) bool { return j.fates[i].bad })]
			return fate{bad: true, cause: j.fates[first].cause}
		default:
			f.ready = false
		}
	}
	return f
}

// between returns the place of the first moment of a time in the lane, and that after its last one.
func (l *lane) between(moments []hive.BackfillMoment, first, last time.Time) (from, to int) {
	compare := func(i int, at time.Time) int { return moments[i].Moment.Compare(at) }
	from, _ = slices.BinarySearchFunc(l.at, first, compare)
	to, found := slices.BinarySearchFunc(l.at, last, compare)
	if found {
		to++
	}
	return from, max(from, to)
}

// read notes the batches that a moment reads.
func (j *judgement) read(f *fate, from []int) {
	for _, i := range from {
		if m := &j.moments[i]; j.fates[i].good {
			f.batches = append(f.batches, m.Got)
			if m.FinishedAt.After(f.until) {
				f.until = m.FinishedAt
			}
		}
	}
}

// follows reports whether the batch that a moment has began after the backfill and after all that the moment reads.
// Such a batch has followed by itself, as waiting ticks do, so it does not run again.
func (j *judgement) follows(b *hive.Backfill, i int) bool {
	m := &j.moments[i]
	began := m.Batch.CreatedAt
	if m.Batch.RoundAt.After(began) {
		began = m.Batch.RoundAt
	}
	return len(m.Needs) > 0 && !began.Before(b.CreatedAt) && !began.Before(j.fates[i].until)
}
