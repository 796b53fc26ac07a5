package hive

// Origin is how an executor came to be known.
type Origin string

// The origins.
const (
	OriginRegistered Origin = "registered" // it makes itself known, again and again
	OriginAddress    Origin = "address"    // a person named its address; the server asks it what it is
)

// NewExecutor is what a person says of an executor that is to be added by its address. What is left empty, the executor
// says itself.
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
	Schedule string // empty for adhoc batches
	Task     string
	RunState RunState // unknown while nobody can say what became of it
}
