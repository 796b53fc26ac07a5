package hive

import (
	"slices"
	"strings"
	"time"
)

// KindConnection is the kind of the document of a connection.
const KindConnection = "Connection"

// MaxConnections is how many connections there may be.
const MaxConnections = 1000

// ConnectionDefinition is one connection as people write it: a database, and who may use it.
type ConnectionDefinition struct {
	APIVersion  string            `json:"apiVersion"`
	Kind        string            `json:"kind"`
	Name        string            `json:"name"` // unique among the connections of a server; as names of schedules
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Type        string            `json:"type"`
	Host        string            `json:"host,omitempty"`
	Port        int               `json:"port,omitempty"` // that of the type when 0
	Database    string            `json:"database,omitempty"`
	User        string            `json:"user,omitempty"`
	Password    string            `json:"password,omitempty"` // ${{ secrets.NAME }} and nothing else
	Options     map[string]string `json:"options,omitempty"`
	Groups      []string          `json:"groups,omitempty"` // of executors; the default group when empty
}

// maxConnectionName is the length of the longest name of a connection. Those of executors may have any form.
const maxConnectionName = 200

// IsConnectionName reports whether a text in the params of a task may be the name of a connection. An address, and a
// text that is not filled in yet, is none.
func IsConnectionName(text string) bool {
	return text != "" && len(text) <= maxConnectionName && !strings.ContainsAny(text, ":{")
}

// Allows reports whether executors of a group may have the connection.
func (d *ConnectionDefinition) Allows(group string) bool {
	return slices.Contains(d.EffectiveGroups(), group)
}

// EffectiveGroups returns the groups of executors that may have the connection.
func (d *ConnectionDefinition) EffectiveGroups() []string {
	if len(d.Groups) == 0 {
		return []string{DefaultGroup}
	}
	return d.Groups
}

// ConnectionType describes a type of connections. Pages and commands show it, so that a new type needs no other place.
type ConnectionType struct {
	Name    string
	Title   string
	Port    int    // the usual one; 0: the type has no host
	Handler string // that tries a connection of the type
	Options []ConnectionOption
}

// ConnectionOption is an option that connections of a type may have.
type ConnectionOption struct {
	Name   string
	Values []string // nil: any text
}

// StoredConnection is a connection as the database has it.
type StoredConnection struct {
	Name      string
	Revision  int64 // how often it was changed
	Document  string
	Hash      string
	CreatedAt time.Time
	CreatedBy string
	UpdatedAt time.Time
	UpdatedBy string
}

// SaveConnection stores the document of a connection.
type SaveConnection struct {
	Name, Document, Hash string
	Base                 int64 // the revision that it was made from; 0: any
	Fresh                bool  // there must be none yet
	By                   string
	Now                  time.Time
}

// ConnectionView is a connection with what its document says.
type ConnectionView struct {
	StoredConnection

	Definition ConnectionDefinition
	Secret     string   // that has the password; empty for none
	UsedBy     []string // the schedules whose newest revision names it
}

// SavedConnection is the result of saving a connection.
type SavedConnection struct {
	Connection StoredConnection
	Changed    bool
	Faults     []Fault // warnings
}

// Connection is a connection for one call to an executor, with its password. It is never logged, stored or sent to
// anybody but an executor that may have it.
type Connection struct {
	Name, Type, Host         string
	Port                     int
	Database, User, Password string
	Options                  map[string]string
	Refusal                  Sentence // why the executor may not have it; then it has a name and nothing else
}

// String hides the password from whoever prints it.
func (c Connection) String() string { return "connection " + c.Name }

// GoString hides the password from whoever prints it.
func (c Connection) GoString() string { return c.String() }

// MarshalText hides the password from whoever writes it as JSON, such as a log.
func (c Connection) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// ConnectionTest is the result of a test of a connection.
type ConnectionTest struct {
	OK       bool
	Detail   string // the first line of the error; empty if it is OK
	Group    string
	Executor string // that tried it; empty if none did
	Took     time.Duration
	Batch    int64 // has the log
}
