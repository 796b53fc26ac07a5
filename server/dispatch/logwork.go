package dispatch

import "github.com/rprp/hivego/server/hive"

// LogWork is one attempt whose log is still with its executor alone, or grows there.
type LogWork struct {
	Attempt  hive.AttemptRef
	Executor hive.Executor
}

// finish has an ended attempt released: at once if it has no log, else when that is copied.
func (p *peer) finish(attempt hive.AttemptRef, noLog bool) {
	if noLog {
		p.frees = append(p.frees, attempt)
	} else {
		p.log = append(p.log, attempt)
	}
}

// LogWork hands out the ended attempts of which the log is to be copied before the executor may forget them.
func (f *Fleet) LogWork() []LogWork {
	var work []LogWork
	for _, p := range f.order {
		for _, ref := range p.log {
			work = append(work, LogWork{Attempt: ref, Executor: p.exec})
		}
		p.log = nil
	}
	return work
}

// Released says that nothing of some attempts is needed from their executor any more.
func (f *Fleet) Released(executor string, attempts ...hive.AttemptRef) {
	if p := f.peers[executor]; p != nil {
		p.frees = append(p.frees, attempts...)
	}
}

// LogView is what the copier of logs needs to know now and then.
type LogView struct {
	Executors map[string]hive.Executor // all that are known, by id
	Running   []LogWork                // attempts that they run now
}

// LogView tells it.
func (f *Fleet) LogView() LogView {
	v := LogView{Executors: make(map[string]hive.Executor, len(f.order))}
	for _, p := range f.order {
		v.Executors[p.exec.ID] = p.exec
		if !p.attached {
			continue
		}
		f.each(p, func(h *held) {
			if h.phase == running && !h.orphan && !h.blocking {
				v.Running = append(v.Running, LogWork{Attempt: h.ref, Executor: p.exec})
			}
		})
	}
	return v
}
