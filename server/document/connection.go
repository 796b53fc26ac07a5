package document

import (
	"slices"

	"github.com/rprp/hivego/server/connection"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// MaxConnection is the limit of the text of a connection, in bytes.
const MaxConnection = 64 << 10

// ParseConnection reads one connection from YAML or JSON. The document is nil if a fault is more than a warning.
func ParseConnection(src []byte, o Options) (*Document, []hive.Fault) {
	if o.Limit == 0 && !o.Stored {
		o.Limit = MaxConnection
	}
	p := &parser{options: o}
	roots := p.read(src)
	if len(roots) == 0 {
		return nil, p.sorted()
	}
	d := p.connection(roots[0])
	if len(roots) > 1 {
		d = nil
		p.several(roots[1])
	}
	return d, p.sorted()
}

// connection makes the document of the tree of a connection. It is nil if a fault of the tree is more than a warning.
func (p *parser) connection(root *node) *Document {
	d := &Document{root: root, Connection: &hive.ConnectionDefinition{}}
	before := len(p.faults)
	p.refused = nil
	if !p.decodeInto(root, d.value()) {
		return nil
	}
	def := d.Connection
	if slices.Equal(def.Groups, []string{hive.DefaultGroup}) {
		def.Groups = nil
	}
	dropEmpty(&def.Groups)
	if len(def.Options) == 0 {
		def.Options = nil
	}
	if !p.shapeOnly && !p.options.Stored {
		head := hive.Definition{APIVersion: def.APIVersion, Kind: def.Kind, Name: def.Name, Title: def.Title}
		p.place(root, append(graph.ValidateHead(&head, hive.KindConnection,
			`"‹value›" cannot be the name of a connection`), connection.Check(def, p.options.Secrets)...))
	}
	if hive.Refused(p.faults[before:]) {
		return nil
	}
	d.finish()
	return d
}

// connectionFaults lists the faults of the name of a connection, in a field that takes one. An executor may have
// connections of its own, which the server does not know: an unknown name is only a warning, and none while the server
// has no connections.
func (x *expressions) connectionFaults(path string, value any, group string) []hive.Fault {
	name, ok := value.(string)
	if !ok || len(x.connections) == 0 || !hive.IsConnectionName(name) {
		return nil
	}
	known, found := x.connections[name]
	switch {
	case !found:
		names := make([]string, 0, len(x.connections))
		for name := range x.connections {
			names = append(names, name)
		}
		slices.Sort(names)
		u := unknown{
			hive.FaultUnknownConnection, hive.FaultNoConnectionNear,
			"it works where connections.yaml of the executor has it; else make it: hivego apply",
		}
		f := u.fault(codeUnknownConnection, "the server has no connection ‹value›", name, names, "value", name)
		f.Warning = true
		return []hive.Fault{f.At(path)}
	case !known.Allows(group):
		return []hive.Fault{hive.NewFault(codeUnknownConnection, hive.FaultConnectionGroup,
			"executors of group ‹group› may not have the connection ‹value›",
			"name another group, or let an administrator add it to groups of the connection",
			"value", name, "group", hive.Clean(group, 80)).At(path)}
	default:
		return nil
	}
}
