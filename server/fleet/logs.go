package fleet

import "github.com/rprp/hivego/server/hive"

// AttemptLog names the log of an attempt that its executor has: it still grows, or is not copied completely yet.
type AttemptLog struct {
	Attempt  hive.AttemptRef
	Executor hive.Executor
}

// releaseLater releases an ended attempt: at once if it has no log, else after its log is copied.
func (x *executorState) releaseLater(attempt hive.AttemptRef, noLog bool) {
	if noLog {
		x.releases = append(x.releases, attempt)
	} else {
		x.logs = append(x.logs, attempt)
	}
}

// TakeFinishedLogs returns the logs of ended attempts since the last call. They are to be copied, and then passed to
// Release.
func (f *Fleet) TakeFinishedLogs() []AttemptLog {
	var logs []AttemptLog
	for _, x := range f.order {
		for _, ref := range x.logs {
			logs = append(logs, AttemptLog{Attempt: ref, Executor: x.exec})
		}
		x.logs = nil
	}
	return logs
}

// Release lets an executor delete the logs and folders of ended attempts.
func (f *Fleet) Release(executor string, attempts ...hive.AttemptRef) {
	x := f.executors[executor]
	if x == nil {
		return
	}
	x.releases = append(x.releases, attempts...)
	for _, a := range attempts {
		if _, noted := x.noted[a]; noted {
			x.noted[a] = true
		}
	}
}

// LogView is the periodic input of the copier of logs.
type LogView struct {
	Executors map[string]hive.Executor // all, by id
	Running   []AttemptLog             // of attempts that run now
}

// LogView returns the executors, and the logs that grow.
func (f *Fleet) LogView() LogView {
	v := LogView{Executors: make(map[string]hive.Executor, len(f.order))}
	for _, x := range f.order {
		v.Executors[x.exec.ID] = x.exec
		if !x.attached {
			continue
		}
		f.each(x, func(a *attemptState) {
			if a.phase == running && !a.unowned && !a.viaRunCall {
				v.Running = append(v.Running, AttemptLog{Attempt: a.ref, Executor: x.exec})
			}
		})
	}
	return v
}
