package hive

import "time"

// Origin is the way in which an executor came to the server.
type Origin string

// The origins.
const (
	OriginRegistered Origin = "registered" // it registers itself, again and again
	OriginAddress    Origin = "address"    // a person added its address; the server asks for its description
)

// NewExecutor is a person's request to add an executor by its address. The executor's description replaces empty
// fields.
type NewExecutor struct {
	Address string // host:port
	Group   string // else DefaultGroup
	Name    string // else the address
	TLS     bool
	Token   string // the secret by which the executor knows the server
	Slots   int    // else 1
	Labels  map[string]string
}

// HeldView is an attempt that an executor has, or was offered.
type HeldView struct {
	Attempt
	Schedule string   // empty for adhoc batches
	Task     string   // its key, or the name of a shard
	RunState RunState // unknown while its executor is out of contact
}

// ExecutorGroup has the settings of a group of executors, and who has set them. Without settings all but Name is empty.
type ExecutorGroup struct {
	Name   string
	Route  Route // of tasks that have no route, neither of their own nor of their schedule; empty: RouteLeastLoaded
	Reason string
	SetAt  time.Time
	SetBy  string
}

// ExecutorGroupView is a group with what it has now.
type ExecutorGroupView struct {
	ExecutorGroup
	Executors int
}
