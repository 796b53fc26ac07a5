package owner

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// knownAttempts are those whose end is not durable yet, and their batches. They are listed by batch too, so that the
// load of one batch does not look at the attempts of all others.
type knownAttempts struct {
	batches map[hive.AttemptRef]int64
	ofBatch map[int64]map[hive.AttemptRef]bool
}

func newAttempts() knownAttempts {
	return knownAttempts{batches: map[hive.AttemptRef]int64{}, ofBatch: map[int64]map[hive.AttemptRef]bool{}}
}

// batch returns the batch of an attempt.
func (a *knownAttempts) batch(ref hive.AttemptRef) (id int64, known bool) {
	id, known = a.batches[ref]
	return id, known
}

func (a *knownAttempts) add(ref hive.AttemptRef, batch int64) {
	a.batches[ref] = batch
	if a.ofBatch[batch] == nil {
		a.ofBatch[batch] = map[hive.AttemptRef]bool{}
	}
	a.ofBatch[batch][ref] = true
}

func (a *knownAttempts) remove(ref hive.AttemptRef) {
	batch, known := a.batches[ref]
	if !known {
		return
	}
	delete(a.batches, ref)
	delete(a.ofBatch[batch], ref)
	if len(a.ofBatch[batch]) == 0 {
		delete(a.ofBatch, batch)
	}
}

// of lists the attempts of a batch, sorted.
func (a *knownAttempts) of(batch int64) []hive.AttemptRef {
	refs := make([]hive.AttemptRef, 0, len(a.ofBatch[batch]))
	for ref := range a.ofBatch[batch] {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, hive.AttemptRef.Compare)
	return refs
}
