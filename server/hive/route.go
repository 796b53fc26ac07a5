package hive

import "slices"

// Route is the policy that chooses one of the executors that match a task. "In order" means by name.
type Route string

// The routes.
const (
	RouteLeastLoaded    Route = "least_loaded"    // the smallest share of slots in use; the default
	RouteRoundRobin     Route = "round_robin"     // one after the other, in order
	RouteRandom         Route = "random"          // any that has a free slot
	RouteFirst          Route = "first"           // the first in order; the task waits for it, whatever its state
	RouteLast           Route = "last"            // the last in order, in the same way
	RouteConsistentHash Route = "consistent_hash" // the same key goes to the same executor
	RouteLRU            Route = "lru"             // the one that was chosen the longest time ago
	RouteLFU            Route = "lfu"             // the one that was chosen the fewest times
	RouteFailover       Route = "failover"        // the first in order that is in contact; the task waits for its slot
	RouteBusyOver       Route = "busy_over"       // the first in order that has a free slot
)

// Routes lists all routes, the default first.
func Routes() []Route {
	return []Route{
		RouteLeastLoaded, RouteRoundRobin, RouteRandom, RouteFirst, RouteLast, RouteConsistentHash, RouteLRU, RouteLFU,
		RouteFailover, RouteBusyOver,
	}
}

// Known reports whether r is one of Routes.
func (r Route) Known() bool { return slices.Contains(Routes(), r) }

// RouteOrigin says who has set the route of an attempt.
type RouteOrigin string

// The origins of a route, the strongest first.
const (
	RouteOfTask     RouteOrigin = "task"
	RouteOfSchedule RouteOrigin = "schedule"
	RouteOfGroup    RouteOrigin = "group"
	RouteByDefault  RouteOrigin = "default"
)

// RouteSetting is the effective route of a task, and who has set it.
type RouteSetting struct {
	Route  Route
	Origin RouteOrigin
}

// EffectiveRoute returns the route of a task: its own, else that of its schedule, else that of its group.
func EffectiveRoute(task, schedule, group Route) RouteSetting {
	switch {
	case task != "":
		return RouteSetting{task, RouteOfTask}
	case schedule != "":
		return RouteSetting{schedule, RouteOfSchedule}
	case group != "":
		return RouteSetting{group, RouteOfGroup}
	default:
		return RouteSetting{RouteLeastLoaded, RouteByDefault}
	}
}

// RouteBuckets is the number of buckets of the keys of consistent_hash. Keys in one bucket always have the same
// executor, so that the number of different requirements stays small.
const RouteBuckets = 256

// RouteBucket returns the bucket of a key.
func RouteBucket(key string) int { return int(mix(hashText(hashStart, key)) % RouteBuckets) }

// RouteWeight returns the weight of an executor for a bucket. The executor with the greatest weight gets the tasks of
// the bucket; without it, the next one gets them, and all other buckets stay where they are.
func RouteWeight(bucket int, executor string) uint64 {
	return mix(hashText(mix(hashStart+uint64(bucket)), executor))
}

const hashStart = 14695981039346656037

// hashText is FNV-1a. The result must never change, because the same key must meet the same executor after an upgrade.
func hashText(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mix spreads similar hashes over all values: the last step of SplitMix64.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// Choice is the executor that was chosen for an attempt, or why there is none.
type Choice struct {
	Executor string // id; empty if none can take the task now
	Name     string
	Wait     WaitReason // why none can; WaitNone if one can
	For      string     // name of the one executor that the route waits for; empty if any may come
	// Scheduling is stored with the attempt. It is nil while none was chosen, and where there was no choice: the group
	// has one executor.
	Scheduling *Scheduling
}

// Scheduling records how the executor of an attempt was chosen. It is never changed once it is made.
type Scheduling struct {
	Route  Route       `json:"route"`
	Origin RouteOrigin `json:"origin"`
	Key    string      `json:"key,omitempty"` // of consistent_hash, cut to MaxRouteKey
	Group  int         `json:"group"`         // executors in the group
	// Considered holds the chosen executor, then others in order, as many as MaxConsidered and maxScheduling allow.
	Considered []Considered `json:"considered"`
}

// Considered describes an executor at the moment of the choice.
type Considered struct {
	Name  string     `json:"name"`
	Used  int        `json:"used"` // slots in use, by this server and by others
	Slots int        `json:"slots"`
	Wait  WaitReason `json:"wait,omitempty"` // why it could not take the task
}

// MaxConsidered is the number of executors that a Scheduling names.
const MaxConsidered = 8

// Limits of a Scheduling as JSON, in bytes.
const (
	maxScheduling = 1024
	frameSize     = 240 // of all but Considered, with the longest key
	entrySize     = 64  // of one Considered, without its name
)

// MaxRouteKey is the number of bytes of a key that a Scheduling keeps.
const MaxRouteKey = 64

// Consider adds an executor, unless the record would become too large.
func (s *Scheduling) Consider(c Considered) {
	size := frameSize
	for i := range s.Considered {
		size += entrySize + jsonSize(s.Considered[i].Name)
	}
	if len(s.Considered) < MaxConsidered && size+entrySize+jsonSize(c.Name) <= maxScheduling {
		s.Considered = append(s.Considered, c)
	}
}

// WithKey returns the record with the key of consistent_hash.
func (s *Scheduling) WithKey(key string) *Scheduling {
	if s == nil || key == "" {
		return s
	}
	out := *s
	for out.Key = Clean(key, MaxRouteKey); jsonSize(out.Key) > 2*MaxRouteKey; {
		out.Key = Clean(key, len(out.Key)/2)
	}
	return &out
}

// jsonSize returns the greatest number of bytes of a text in JSON.
func jsonSize(s string) int {
	n := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		case c >= 0x80 || c == '"' || c == '\\':
			n++
		}
	}
	return n
}
