package supervise

import (
	"cmp"
	"hash/fnv"
	"strconv"
)

// Ref names a process by its attempt: the attempt's id and key.
type Ref struct {
	ID  int64  `json:"id"`
	Key string `json:"key,omitempty"`
}

// name formats the reference for people. It is not called String because the types that embed Ref would inherit it.
func (r Ref) name() string {
	id := strconv.FormatInt(r.ID, 10)
	if r.Key == "" {
		return id
	}
	return id + "-" + r.Key
}

// legacy returns the reference for a supervisor of an earlier version, which knows ids without keys and may outlive the
// upgrade of its executor. The id is a hash of id and key. It is negative, so it is never the id of another attempt.
func (r Ref) legacy() Ref {
	if r.Key == "" {
		return r
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.name())) // never fails
	return Ref{ID: -1 - int64(h.Sum64()>>1)}
}

// matches reports whether x names the same process, by its key or in the legacy form.
func (r Ref) matches(x Ref) bool { return x == r || x == r.legacy() }

func compareRefs(a, b Ref) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Key, b.Key)) }
