// Package chainrepair runs a batch again, and after it the batches of other schedules that followed it. Decide is the
// pure rule for what a chain repair does next, Service has the use cases of people, and Driver is the long-lived part
// that carries the decisions out.
package chainrepair

import "github.com/rprp/hivego/server/hive"

// Decide says what a chain repair does next. It is pure. The commands of the answer are left out.
//
// A step begins when all steps that it needs have succeeded. A failed step holds up those that need it until its batch
// has succeeded after all; the others go on. A step whose batch somebody else has changed is left alone, and those that
// need it wait for the success of that batch. A failure that holds up nothing does not keep the chain repair open.
func Decide(r *hive.ChainRepair) hive.ChainRepairWrite {
	w := hive.ChainRepairWrite{State: r.State, StoppedBy: r.StoppedBy}
	if r.State.Final() {
		return w
	}
	if len(r.Steps) > 0 && r.Steps[0].Command == hive.CommandRefused {
		w.State, w.StoppedBy = hive.ChainRepairCanceled, 0
		return w
	}
	w.State, w.StoppedBy = hive.ChainRepairRunning, 0
	open := 0
	for i := range r.Steps {
		s := &r.Steps[i]
		switch s.Progress() {
		case hive.ProgressRunning:
			open++
			continue
		case hive.ProgressWaiting:
			open++
		default:
			continue
		}
		met, failed := needsOf(r.Steps, s)
		switch {
		case failed != 0 && w.StoppedBy == 0:
			w.State, w.StoppedBy = hive.ChainRepairStopped, failed
		case !met:
		case s.Live || s.RoundNow != s.Round:
			w.Steps = append(w.Steps, hive.ChainStepWrite{Position: i, Act: hive.StepSuperseded})
		default:
			w.Steps = append(w.Steps, hive.ChainStepWrite{Position: i, Act: hive.StepSent})
		}
	}
	if open == 0 {
		w.State = hive.ChainRepairDone
	}
	return w
}

// needsOf reports whether all needs of a step have succeeded, and the batch of the first that has failed; 0 for none.
func needsOf(steps []hive.ChainStep, s *hive.ChainStep) (met bool, failed int64) {
	met = true
	for _, n := range s.Needs {
		need := &steps[n]
		good, bad := false, false
		switch need.Progress() {
		case hive.ProgressSucceeded:
			good = true
		case hive.ProgressFailed, hive.ProgressCanceled, hive.ProgressRefused:
			bad = true
		case hive.ProgressLeftOut, hive.ProgressSuperseded:
			good = !need.Live && need.State == hive.BatchSucceeded
			bad = !need.Live && !good
		default:
		}
		met = met && good
		if bad && failed == 0 {
			failed = need.Batch
		}
	}
	return met, failed
}

// changes reports whether a decision changes anything.
func changes(r *hive.ChainRepair, w *hive.ChainRepairWrite) bool {
	return len(w.Steps) > 0 || w.State != r.State || w.StoppedBy != r.StoppedBy
}
