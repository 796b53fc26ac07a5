package live

import (
	"context"
	"maps"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

// Batch reads in two halves, while the world goes on.
func (w *world) Batch(_ context.Context, id int64) (View, error) {
	r := w.batches[id]
	if r == nil {
		return View{}, hive.Errorf(hive.CodeNotFound, "there is no batch %d", id)
	}
	if rapid.IntRange(0, 9).Draw(w.T, "away") == 0 && w.depth < 3 {
		return View{}, hive.ErrConnection
	}
	v := View{Mine: !r.foreign}
	v.Batch = r.batch
	tasks := len(r.runs)
	half := tasks / 2
	v.Runs = append(v.Runs, r.runs[:half]...)
	w.steps()
	v.Runs = append(v.Runs, r.runs[half:tasks]...)
	w.steps()
	w.observe()
	if !r.foreign {
		t := w.published(r)
		v.Published = &t
	}
	w.steps()
	return v, nil
}

// Runs reads some runs, while the world goes on.
func (w *world) Runs(_ context.Context, id int64, numbers []int) (View, error) {
	r := w.batches[id]
	if rapid.IntRange(0, 9).Draw(w.T, "away") == 0 && w.depth < 3 {
		return View{}, hive.ErrConnection
	}
	v := View{Mine: !r.foreign}
	v.Batch = r.batch
	for _, n := range numbers {
		v.Runs = append(v.Runs, r.runs[n])
	}
	w.steps()
	w.observe()
	w.steps()
	return v, nil
}

// Others reads some batches of the other server.
func (w *world) Others(_ context.Context, ids []int64) (others []hive.Batch, err error) {
	for _, id := range ids {
		if r := w.batches[id]; r.foreign {
			others = append(others, *w.batchDelta(r).BatchRow)
		}
	}
	w.steps()
	w.observe()
	w.steps()
	return others, nil
}

func (w *world) published(r *row) hive.PublishedBatch {
	t := hive.PublishedBatch{Progress: map[int]float64{}, WaitReasons: maps.Clone(r.holds)}
	for n := range r.runs {
		v := r.shown(n)
		t.States = append(t.States, v.State)
		t.Attempts = append(t.Attempts, v.Attempts)
	}
	return t
}

func (w *world) Row(_ context.Context, id int64) (hive.Batch, error) {
	b := w.batches[id].batch
	b.Counts = w.batches[id].counts()
	return b, nil
}

func (w *world) Batches(context.Context) ([]hive.Batch, error) {
	var foreign []hive.Batch
	for _, r := range w.sorted() {
		if r.foreign && r.batch.Live {
			foreign = append(foreign, *w.batchDelta(r).BatchRow)
		}
	}
	w.steps()
	w.observe()
	live := foreign
	for _, r := range w.sorted() {
		if !r.foreign && r.batch.Live {
			live = append(live, *w.batchDelta(r).BatchRow)
		}
	}
	w.steps()
	return live, nil
}

func (w *world) Published(_ context.Context, ids []int64) (map[int64]hive.PublishedBatch, error) {
	out := map[int64]hive.PublishedBatch{}
	w.observe()
	for _, id := range ids {
		if r := w.batches[id]; r.batch.Live {
			out[id] = w.published(r)
		}
	}
	w.steps()
	return out, nil
}

func (w *world) Executors(context.Context) (string, error) { return "", nil }
