package otlp

import (
	"context"

	pb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/trace"
)

const (
	maxKnown  = 256 // batches whose rows are kept
	maxCauses = 32  // links of one batch
)

// books keeps what is known of the batches whose spans were made last. Everything in it can be read again.
type books struct {
	cfg   Config
	known map[int64]*known
	order []int64 // of known, oldest first
}

func newBooks(cfg Config) books { return books{cfg: cfg, known: map[int64]*known{}} }

// spans makes the spans of what has ended.
func (b *books) spans(ctx context.Context, e *ended) ([]*pb.Span, error) {
	k, err := b.of(ctx, e.batch)
	if err != nil {
		return nil, err
	}
	switch {
	case e.attempt != nil:
		return b.attempt(ctx, k, e)
	case e.run != nil:
		if k.misses(e.run) {
			if err := b.readAttempts(ctx, k); err != nil {
				return nil, err
			}
		}
		return []*pb.Span{k.run(e.run, e.failure)}, nil
	default:
		causes, err := b.causes(ctx, k, e.round)
		if err != nil {
			return nil, err
		}
		b.forget(e.batch) // if it is resumed, it may have another revision
		return k.round(e.round, causes), nil
	}
}

// of returns what is known of a batch, and reads it if nothing is.
func (b *books) of(ctx context.Context, id int64) (*known, error) {
	if k, ok := b.known[id]; ok {
		return k, nil
	}
	batch, err := b.cfg.Store.Batch(ctx, id)
	if err != nil {
		return nil, err
	}
	k := &known{
		batch: batch, trace: b.cfg.Cluster.Of(&batch), tasks: map[string]*hive.Task{}, offers: map[runRound]offers{},
	}
	k.batch.Params = nil
	rev, err := b.cfg.Store.Revision(ctx, batch.RevisionID)
	if err != nil {
		return nil, err
	}
	def, err := b.cfg.Definition(&rev)
	if err != nil {
		return nil, err
	}
	for i := range def.Jobs {
		for n := range def.Jobs[i].Tasks {
			t := def.Jobs[i].Effective(&def.Jobs[i].Tasks[n])
			k.tasks[t.Key] = t
		}
	}
	if len(b.order) >= maxKnown {
		b.forget(b.order[0])
	}
	b.known[id], b.order = k, append(b.order, id)
	return k, nil
}

func (b *books) forget(id int64) {
	delete(b.known, id)
	for i := range b.order {
		if b.order[i] == id {
			b.order = append(b.order[:i], b.order[i+1:]...)
			return
		}
	}
}

// attempt makes the span of an attempt.
func (b *books) attempt(ctx context.Context, k *known, e *ended) ([]*pb.Span, error) {
	run := e.run
	if run == nil {
		if k.runs == nil {
			all, err := b.cfg.Store.Runs(ctx, e.batch)
			if err != nil {
				return nil, err
			}
			k.runs = make(map[int64]*hive.Run, len(all))
			for i := range all {
				k.runs[all[i].ID] = &all[i]
			}
		}
		if run = k.runs[e.attempt.RunID]; run == nil {
			return nil, hive.Errorf(hive.CodeNotFound, "run %d of batch %d is not stored", e.attempt.RunID, e.batch)
		}
	}
	k.see(e.attempt)
	return []*pb.Span{k.attempt(e.attempt, run)}, nil
}

// readAttempts reads the attempts that ended at another server, or before a restart.
func (b *books) readAttempts(ctx context.Context, k *known) error {
	all, err := b.cfg.Store.Attempts(ctx, k.batch.ID)
	if err != nil {
		return err
	}
	clear(k.offers)
	for i := range all {
		if all[i].State == hive.AttemptEnded {
			k.see(&all[i])
		}
	}
	return nil
}

// causes returns the traces of the batches that a batch followed: those whose success let it start, and the one whose
// end its hooks follow.
func (b *books) causes(ctx context.Context, k *known, round *hive.Batch) ([]trace.ID, error) {
	if round.Round != 1 {
		return nil, nil // only the batch's own span has links
	}
	var ids []int64
	if k.batch.Hook != nil {
		ids = append(ids, k.batch.Hook.Batch)
	}
	if k.batch.ScheduleID != 0 {
		links, _, err := b.cfg.Store.Causes(ctx, k.batch.ID, maxCauses)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			ids = append(ids, l.ID)
		}
	}
	var out []trace.ID
	for _, id := range ids {
		cause, err := b.cfg.Store.Batch(ctx, id)
		switch {
		case hive.CodeOf(err) == hive.CodeNotFound: // it was deleted
		case err != nil:
			return nil, err
		default:
			out = append(out, b.cfg.Cluster.Of(&cause))
		}
	}
	return out, nil
}
