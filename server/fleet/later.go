package fleet

import "github.com/rprp/hivego/server/hive"

// maxLead is the largest possible lead of a later session's epoch over this one. No database loses that many starts.
// The bound prevents a faulty executor from using up the numbers.
const maxLead = 1 << 32

// noteLater records that an executor refuses this session because it has heard of a later one. An impossible epoch only
// makes a note.
func (f *Fleet) noteLater(x *executorState, epoch int64) {
	switch impossible := epoch < f.epoch || epoch-f.epoch > maxLead; {
	case impossible && x.failures > 0: // it was noted at the first failure
	case impossible:
		f.note(ImpossibleSession{Executor: x.exec.Name, Reported: epoch, Epoch: f.epoch})
	case f.later == nil || f.later.Epoch < epoch:
		f.later = &hive.Later{Executor: x.exec.Name, Epoch: epoch}
	}
}

// Later returns a later session of this server that an executor has heard of. It returns each one once.
func (f *Fleet) Later() (hive.Later, bool) {
	if f.later == nil {
		return hive.Later{}, false
	}
	later := *f.later
	f.later = nil
	return later, true
}
