package fleet

import "github.com/rprp/hivego/server/hive"

// Everyone lists the executors that are in contact and match a requirement, in order, whether or not they have a free
// slot. It waits for executors that this server has only begun to call. Without any, it says why there is none.
func (f *Fleet) Everyone(req hive.Requirement) ([]hive.ExecutorRef, hive.WaitReason) {
	var all []hive.ExecutorRef
	wait := hive.WaitNoGroup
	for _, x := range f.order {
		switch why := x.whyNot(&req); why {
		case hive.WaitNone, hive.WaitBusy:
			all = append(all, hive.ExecutorRef{ID: x.exec.ID, Name: x.exec.Name})
		case hive.WaitSilent:
			if !x.outOfReach() {
				return nil, why
			}
			wait = nearer(wait, why)
		default:
			wait = nearer(wait, why)
		}
	}
	if len(all) == 0 {
		return nil, wait
	}
	return all, hive.WaitNone
}

// pickBound chooses the only executor that may have a task, or says why it cannot have it now. Whether it still has the
// labels that it had when it was chosen does not count.
func (f *Fleet) pickBound(req *hive.Requirement) hive.Choice {
	x := f.executors[req.Bound]
	switch {
	case x == nil && f.learned:
		return hive.Choice{Wait: hive.WaitGone}
	case x == nil: // this server has not read the executors yet
		return hive.Choice{Wait: hive.WaitSilent}
	case x.gone:
		return hive.Choice{Wait: hive.WaitGone, For: x.exec.Name}
	}
	only := hive.Requirement{Group: x.group(), Handler: req.Handler}
	if why := x.whyNot(&only); why != hive.WaitNone {
		return hive.Choice{Wait: why, For: x.exec.Name}
	}
	return hive.Choice{Executor: x.exec.ID, Name: x.exec.Name}
}
