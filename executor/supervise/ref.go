package supervise

import (
	"cmp"
	"hash/fnv"
	"strconv"
)

// Ref names a process: by the attempt that it is, which is an id and a key.
type Ref struct {
	ID  int64  `json:"id"`
	Key string `json:"key,omitempty"`
}

// name is how people read it.
func (r Ref) name() string {
	id := strconv.FormatInt(r.ID, 10)
	if r.Key == "" {
		return id
	}
	return id + "-" + r.Key
}

// number is the name for a supervisor of an earlier version, which goes on across the upgrade of its executor and knows
// ids only: an id that is made of both, and that is no attempt's, as it is negative.
func (r Ref) number() Ref {
	if r.Key == "" {
		return r
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.name())) // never fails
	return Ref{ID: -1 - int64(h.Sum64()>>1)}
}

// is says that x names the same process, in either form.
func (r Ref) is(x Ref) bool { return x == r || x == r.number() }

func compareRefs(a, b Ref) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Key, b.Key)) }
