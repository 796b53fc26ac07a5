package hive

import (
	"slices"
	"strings"
	"time"
)

// LimitKind is what a limit counts.
type LimitKind string

// The kinds of limits. A pool counts slots, all others count attempts.
const (
	LimitServer   LimitKind = "server"   // all attempts, of all servers of one database
	LimitGroup    LimitKind = "group"    // attempts on executors of a group
	LimitTag      LimitKind = "tag"      // attempts of the schedules with a tag
	LimitSchedule LimitKind = "schedule" // attempts of a schedule
	LimitPool     LimitKind = "pool"     // slots that tasks ask for by the name of the pool
)

// LimitKinds lists all kinds.
func LimitKinds() []LimitKind {
	return []LimitKind{LimitServer, LimitGroup, LimitTag, LimitSchedule, LimitPool}
}

// MostLimit is the largest number of a limit.
const MostLimit = 1_000_000

// LimitKey names a limit. The name is empty for LimitServer only.
type LimitKey struct {
	Kind LimitKind
	Name string
}

// String returns the key as people write it, such as "server" or "pool dw".
func (k LimitKey) String() string { return strings.TrimSuffix(string(k.Kind)+" "+k.Name, " ") }

// ParseLimitKey is the inverse of LimitKey.String.
func ParseLimitKey(text string) LimitKey {
	kind, name, _ := strings.Cut(text, " ")
	return LimitKey{LimitKind(kind), name}
}

// Compare orders keys by kind, then by name.
func (k LimitKey) Compare(other LimitKey) int {
	if by := slices.Index(LimitKinds(), k.Kind) - slices.Index(LimitKinds(), other.Kind); by != 0 {
		return by
	}
	return strings.Compare(k.Name, other.Name)
}

// Limit bounds what runs at the same time. Only attempts that are offered or have not ended count. 0 is a pause:
// nothing starts, and what runs goes on.
type Limit struct {
	LimitKey
	Most   int
	Reason string
	SetAt  time.Time
	SetBy  string
}

// ActiveLimit is a limit with the schedules that it concerns.
type ActiveLimit struct {
	Limit
	Schedules []int64 // ids, ascending; of LimitTag and LimitSchedule
}

// LimitUse is a limit with what counts for it now.
type LimitUse struct {
	Limit
	Used int
}

// HeldSlots counts the attempts of one batch that have not ended, by group and pool.
type HeldSlots struct {
	Batch    int64
	Schedule int64  // 0 for a batch without a schedule
	Group    string // of the executor
	Pool     string // empty for none
	Attempts int
	Slots    int // of the pool
}

// LimitState is all limits of a database and what counts for them. Without limits, Held is empty.
type LimitState struct {
	Limits []ActiveLimit // by key
	Held   []HeldSlots
	Groups map[string]string // of the executors by their ids; only if there is a limit of a group
}

// LimitGuard is a condition of a commit: with it, a limit is not exceeded.
type LimitGuard struct {
	LimitKey
	Schedules []int64 // see ActiveLimit
	Batches   []int64 // whose offers count for the limit, ascending
}

// Uses returns how much of the limit an attempt takes, by its batch, group and pool; 0 if it does not count.
func (l *ActiveLimit) Uses(h *HeldSlots) int {
	switch l.Kind {
	case LimitServer:
		return h.Attempts
	case LimitGroup:
		if h.Group == l.Name {
			return h.Attempts
		}
	case LimitTag, LimitSchedule:
		if _, found := slices.BinarySearch(l.Schedules, h.Schedule); found && h.Schedule != 0 {
			return h.Attempts
		}
	case LimitPool:
		if h.Pool == l.Name {
			return h.Slots
		}
	}
	return 0
}

// Pool is what a task needs of a pool while it runs.
type Pool struct {
	Name  string `json:"name"`
	Slots int    `json:"slots,omitempty"` // 1 when 0
}

// IsZero reports whether the task needs no pool.
func (p Pool) IsZero() bool { return p == Pool{} }

// EffectiveSlots returns the slots of the pool that a task needs: 0 without a pool.
func (p Pool) EffectiveSlots() int {
	if p.Name == "" {
		return 0
	}
	return max(p.Slots, 1)
}
