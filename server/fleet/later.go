package fleet

import "github.com/rprp/hivego/server/hive"

// maxLead is how far the epoch of a later session can be ahead of this one. No database loses that many starts; the
// bound keeps an executor that lies from using up the numbers.
const maxLead = 1 << 32

// takeLater takes that an executor refuses this session for a later one.
func (f *Fleet) takeLater(x *executorState, epoch int64) {
	switch impossible := epoch < f.epoch || epoch-f.epoch > maxLead; {
	case impossible && x.failures > 0: // it was noted at the first failure
	case impossible:
		f.note(ImpossibleSession{Executor: x.exec.Name, Reported: epoch, Epoch: f.epoch})
	case f.later == nil || f.later.Epoch < epoch:
		f.later = &hive.Later{Executor: x.exec.Name, Epoch: epoch}
	}
}

// Later returns a later session of this server that an executor has heard of; each is returned once.
func (f *Fleet) Later() (hive.Later, bool) {
	if f.later == nil {
		return hive.Later{}, false
	}
	later := *f.later
	f.later = nil
	return later, true
}
