package sdk

import (
	"maps"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Connection is a connection of the server that the params name. It lives in memory only.
type Connection struct {
	Name, Type, Host         string
	Port                     int // 0: that of the type
	Database, User, Password string
	Options                  map[string]string // by the type

	refusal message.Text
}

// String hides the password from whoever prints it.
func (c Connection) String() string { return "connection " + c.Name }

// GoString hides the password from whoever prints it.
func (c Connection) GoString() string { return c.String() }

// MarshalText hides the password from whoever writes it as JSON, such as a log.
func (c Connection) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Connection returns a connection of the server that the params name; false if the server has sent none of that name.
// The error says why this executor may not have it. A handler with connections of its own looks there first.
func (t *Task) Connection(name string) (Connection, bool, error) {
	for i := range t.connections {
		c := t.connections[i]
		if c.Name != name {
			continue
		}
		if c.refusal.Words != "" {
			return Connection{}, true, c.refusal.Err()
		}
		c.Options = maps.Clone(c.Options)
		return c, true, nil
	}
	return Connection{}, false, nil
}

// takeConnections takes the connections of an assignment. Their passwords are secrets of the task.
func (t *Task) takeConnections(list []*hivego.Connection) {
	for _, c := range list {
		taken := Connection{
			Name: c.GetName(), Type: c.GetType(), Host: c.GetHost(), Port: int(c.GetPort()), Database: c.GetDatabase(),
			User: c.GetUser(), Password: c.GetPassword(), Options: c.GetOptions(),
		}
		if c.GetRefusal() != "" {
			taken = Connection{Name: c.GetName(), refusal: cleanText(message.Text{
				Words: c.GetRefusal(), Reason: message.Reason(c.GetReason()), Params: c.GetParams(),
			})}
		}
		if taken.Password != "" {
			t.Secrets = append(t.Secrets, taken.Password)
		}
		t.connections = append(t.connections, taken)
	}
}
