// Package doctor judges what a machine, a configuration and a database look like to HiveGo: all is well, a warning, or
// a fault, each with its remedy. It is pure: others gather the facts.
package doctor

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Facts is what is known of a server's surroundings. A part that could not be looked at is nil or empty.
type Facts struct {
	Version  string // of this program
	Now      time.Time
	Place    string   // the settings that matter most, in one line
	Refused  []string // why the configuration is refused, one sentence each
	Warnings []string // about the configuration
	// Unsynchronized is set if the system says that nothing keeps the machine's clock right.
	Unsynchronized bool
	Certificates   []Certificate
	Folders        []Folder
	LogStore       *LogStore // nil: logs stay in their folder
	Server         *Server
	Database       *Database
	Key            *Key
	Servers        []hive.Server // with a lease, of the same database
	Executors      []Executor
	Collector      *Collector // of traces; nil: none is set
	Called         bool       // the executors were called
}

// Certificate is a file with a certificate.
type Certificate struct {
	File string
	Ends time.Time
	Err  error // why it cannot be used
}

// Folder is a folder that the server writes to.
type Folder struct {
	Name, Path  string
	Missing     bool   // it is not there
	Free, Total uint64 // of its disk, in bytes
	Err         error  // why nothing can be written there
}

// LogStore is the store that complete logs move to.
type LogStore struct {
	Place   string
	Err     error // why logs cannot be stored, read and deleted there
	Overdue int   // logs in the folder that should have moved long ago
}

// Server is the server on this machine, which uses the data folder.
type Server struct {
	Running bool
	URL     string
	Err     error    // why its API does not answer, if it runs; or why it could not listen there, if it does not
	Failing []string // what /readyz says is not well
}

// Database is the database of the server.
type Database struct {
	Err        error // why it cannot be opened
	Product    string
	Have, Want int           // schema versions: of the database, and of this program
	Offset     time.Duration // this machine's clock minus the database's
	Write      error         // why nothing can be stored
	Ahead      int           // schedules whose decisions are later than this machine's clock
}

// Key is the key of the database's secrets.
type Key struct {
	Path   string
	Listed bool  // a command or the environment gives it instead of the file
	Err    error // why it does not fit
}

// Executor is a known executor, and how it answered.
type Executor struct {
	Name, Address, Version string
	Err                    error         // why it does not answer
	Offset                 time.Duration // this machine's clock minus the executor's
	OffsetKnown            bool
	Durable                bool
	Offline                bool // by hand
	Inside                 bool // it runs inside the server
}

// Collector is where traces are sent.
type Collector struct {
	URL string
	Err error // why it does not take them
}
