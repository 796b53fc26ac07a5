package graph

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// RollUp sums up the task runs of each job, in the order of the runs. allowed reports whether a task may fail.
//
// The state of a job is the first of these that one of its runs has: failed, unless the task may fail; unknown;
// running; ready; waiting; canceled; skipped because of a failure; succeeded, or failed and allowed to; skipped because
// its rule did not apply; ignored. So a state that needs a person is seen first, and a job ends well only if nothing in
// it is left to do.
//
// The times are those of the job's current round, as those of a batch: runs that a repair left alone have an older
// round, and their times do not count beside those of the repaired ones.
func RollUp(runs []hive.RunView, allowed func(task string) bool, now time.Time) []hive.JobView {
	place := map[string]int{}
	var jobs []jobSum
	for i := range runs {
		if runs[i].Shard != 0 {
			continue // the run of its task counts
		}
		at, seen := place[runs[i].Job]
		if !seen {
			at = len(jobs)
			place[runs[i].Job] = at
			jobs = append(jobs, jobSum{rank: len(jobRanks()), view: hive.JobView{
				Key: runs[i].Job, Counts: hive.Counts{},
			}})
		}
		jobs[at].add(&runs[i].Run, allowed(runs[i].Task))
	}
	out := make([]hive.JobView, len(jobs))
	for i := range jobs {
		out[i] = jobs[i].end(now)
	}
	return out
}

// jobRank is a kind of run for the state of its job.
type jobRank struct {
	state  hive.RunState
	effect hive.Effect
}

// jobRanks lists the kinds of runs, first those that decide.
func jobRanks() []jobRank {
	return []jobRank{
		{hive.RunFailed, hive.EffectFailure},
		{hive.RunUnknown, hive.EffectPending},
		{hive.RunRunning, hive.EffectPending},
		{hive.RunReady, hive.EffectPending},
		{hive.RunWaiting, hive.EffectPending},
		{hive.RunCanceled, hive.EffectFailure},
		{hive.RunSkipped, hive.EffectFailure},
		{hive.RunSucceeded, hive.EffectSuccess},
		{hive.RunSkipped, hive.EffectNone},
		{hive.RunIgnored, hive.EffectSuccess},
	}
}

type jobSum struct {
	view  hive.JobView
	rank  int
	round int
	open  bool // a run is not final
}

func (j *jobSum) add(r *hive.Run, allowed bool) {
	effect := hive.EffectOf(r.State, r.Reason, allowed)
	kind := jobRank{r.State, effect}
	if r.State == hive.RunFailed && allowed {
		kind.state = hive.RunSucceeded
	}
	j.rank = min(j.rank, slices.Index(jobRanks(), kind))
	j.view.Counts[r.State]++
	j.view.Total++
	if effect == hive.EffectSuccess || effect == hive.EffectNone {
		j.view.Done++
	}
	if r.Round > j.round {
		j.round, j.view.StartedAt, j.view.FinishedAt = r.Round, time.Time{}, time.Time{}
	}
	j.open = j.open || effect == hive.EffectPending
	if r.Round < j.round {
		return
	}
	if at := r.StartedAt; !at.IsZero() && (j.view.StartedAt.IsZero() || at.Before(j.view.StartedAt)) {
		j.view.StartedAt = at
	}
	if r.FinishedAt.After(j.view.FinishedAt) {
		j.view.FinishedAt = r.FinishedAt
	}
}

func (j *jobSum) end(now time.Time) hive.JobView {
	v := j.view
	v.State = jobRanks()[j.rank].state
	until := now
	if j.open {
		v.FinishedAt = time.Time{}
	} else {
		until = v.FinishedAt
	}
	if !v.StartedAt.IsZero() {
		v.Took = max(0, until.Sub(v.StartedAt))
	}
	return v
}
