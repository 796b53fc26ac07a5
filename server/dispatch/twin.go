package dispatch

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Twin answers the address of another process that runs under an executor's identity and was heard just now; "" if
// there is none. An executor that was started again has left its former process's connection closed.
func (f *Fleet) Twin(now time.Time, e hive.Executor) string {
	p := f.peers[e.ID]
	switch {
	case p == nil, !p.attached, p.mute, p.failures > 0, now.Sub(p.heard) >= f.set.SilentAfter:
		return "" // nobody is heard
	case p.boot == "" || p.boot == e.BootID || p.exec.Address == e.Address:
		return "" // it is the same
	default:
		return p.exec.Address
	}
}

// RefuseTwins makes the registry ask twin, which is Fleet.Twin by way of the loop, before it takes an executor in. Two
// processes under one identity would be called in turns, and what one runs is lost to the other.
func (r *Registry) RefuseTwins(twin func(ctx context.Context, e hive.Executor) (address string, err error)) {
	r.twin = twin
}

// alone refuses an executor whose identity somebody else uses at this moment.
func (r *Registry) alone(ctx context.Context, e hive.Executor) error {
	if r.twin == nil {
		return nil
	}
	address, err := r.twin(ctx, e)
	if err == nil && address != "" {
		err = denied("an executor with the same identity runs at %s; if this one's data folder is a copy, start it with a folder "+
			"of its own (--data)", address)
	}
	return err
}
