package owner

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// View returns the state of a batch in memory, including changes that are not stored yet, and false if it is not in
// memory.
func (o *Owner) View(batch int64) (hive.LiveView, bool) {
	l := o.live[batch]
	if l == nil {
		return hive.LiveView{}, false
	}
	v := hive.LiveView{
		Batch: l.machine.Batch(), Runs: slices.Clone(l.machine.Runs()), Progress: map[int]float64{},
		WaitReasons: map[int]hive.WaitReason{}, WaitFor: map[int]string{},
	}
	maps.Copy(v.Progress, l.progress)
	for n := range l.queued {
		if why, on := l.waitReason(n); why != hive.WaitNone {
			v.WaitReasons[n] = why
			if on != "" {
				v.WaitFor[n] = on
			}
		}
	}
	return v, true
}

// Summary returns the short form of View, and false if the batch is not in memory.
func (o *Owner) Summary(batch int64) (hive.BatchSummary, bool) {
	l := o.live[batch]
	if l == nil {
		return hive.BatchSummary{}, false
	}
	return hive.BatchSummary{Counts: hive.CountRuns(l.machine.Runs()), NeedsPerson: l.needsPerson()}, true
}

// needsPerson reports whether a run of the batch waits for a person. A shard does so also while others of its task run.
func (l *liveBatch) needsPerson() bool {
	for n := range l.machine.Runs() {
		switch r := &l.machine.Runs()[n]; r.State {
		case hive.RunFailed, hive.RunUnknown:
			if l.waitsForPerson(r) {
				return true
			}
		default:
		}
	}
	return false
}

// waitsForPerson reports whether a failed or unknown run does not continue by itself, and its success is missing.
func (l *liveBatch) waitsForPerson(r *hive.Run) bool {
	switch {
	case r.State == hive.RunUnknown:
		return r.Attempt == 0 && r.Reason == hive.ReasonHeld
	case r.Shard != 0 && l.machine.Run(l.machine.TaskRun(r.Number)).State.Final():
		return false // its task counts
	}
	t, ok := l.machine.Graph().Lookup(r.Task)
	return !ok || !l.machine.Graph().Tasks[t].Spec.AllowFailure
}

// LiveBatches returns the ids of the batches in memory, ascending.
func (o *Owner) LiveBatches() []int64 {
	ids := make([]int64, 0, len(o.live))
	for id := range o.live {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, cmp.Compare[int64])
	return ids
}
