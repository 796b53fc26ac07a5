package engine

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// heedEvery is the least time between two epochs that are taken because executors have heard of later sessions. Two
// servers that share an identity, on copies of one database, would outdo each other without end.
const raiseEvery = 10 * time.Second

// heed has the epoch raised if an executor has heard of a later session of this server. The database says that this
// session is the latest one, so it went back to an earlier state.
func (e *Engine) noticeLaterSession(now time.Time) {
	later, ok := e.cfg.Driver.Later()
	if !ok || !e.raisedAt.IsZero() && now.Sub(e.raisedAt) < raiseEvery {
		return // the executor says it again at the next try
	}
	select {
	case e.laterSessions <- later:
		e.raisedAt = now
	default: // one is about to be raised
	}
}

// raise takes an epoch above that of a later session, so that the executors answer again. As with a takeover the store
// refuses the old epoch from then on.
func (e *Engine) raiseEpoch(ctx context.Context, epoch int64, later hive.Later) {
	if later.Epoch < epoch {
		return // of an earlier session: this one is heard
	}
	if e.blockCommits(ctx) != nil {
		return
	}
	began := e.cfg.Now()
	limited, cancel := context.WithTimeout(ctx, e.pace.lease)
	defer cancel()
	fresh, err := e.cfg.Store.RaiseEpoch(limited, e.cfg.Server.ID, epoch, e.pace.lease, later)
	if err != nil && ctx.Err() == nil {
		e.cfg.Log.Warn("the epoch was not raised; it will be tried again", "error", err)
	}
	e.post(ctx, func(time.Time) {
		e.commitsBlocked = false
		if err != nil || e.lapsed || e.session.epoch() != epoch {
			return
		}
		e.cfg.Log.Warn("the database went back to an earlier state: an executor has heard of a later session of this server; "+
			"this server took a new session above it, and asks all executors what they have",
			"executor", later.Executor, "heard", later.Epoch, "before", epoch, "epoch", fresh)
		e.owner.SetEpoch(fresh)
		e.session.begin(fresh, began.Add(e.pace.lease))
		e.notifier.session(fresh)
		e.cfg.Driver.SetEpoch(fresh, e.cfg.NewSession())
	})
}
