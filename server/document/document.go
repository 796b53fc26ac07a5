// Package document parses YAML or JSON text into a definition, and writes the canonical text of a definition. It
// reports all faults at once, with line and column. It is pure: no I/O, and no clock except Options.Now.
package document

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// MaxSize is the default limit of a text, in bytes.
const MaxSize = 4 << 20

// Document is one valid schedule, calendar, rule of alerts, channel, or connection.
type Document struct {
	Definition *hive.Definition           // of a schedule; fields with their default value are empty
	Calendar   *hive.CalendarDefinition   // of a calendar, instead
	Alert      *hive.AlertDefinition      // of a rule, instead
	Channel    *hive.ChannelDefinition    // of a channel, instead
	Connection *hive.ConnectionDefinition // of a connection, instead
	Canonical  []byte                     // the canonical text, with comments
	Hash       string                     // hex SHA-256 of Canonical
	Calendars  []string                   // that a schedule names, in triggers and expressions; not of a stored text

	root *node
}

// Kind returns the kind of the document.
func (d *Document) Kind() string {
	switch {
	case d.Calendar != nil:
		return hive.KindCalendar
	case d.Alert != nil:
		return hive.KindAlert
	case d.Channel != nil:
		return hive.KindChannel
	case d.Connection != nil:
		return hive.KindConnection
	default:
		return hive.KindSchedule
	}
}

// Name returns the name of what the document defines.
func (d *Document) Name() string {
	switch {
	case d.Calendar != nil:
		return d.Calendar.Name
	case d.Alert != nil:
		return d.Alert.Name
	case d.Channel != nil:
		return d.Channel.Name
	case d.Connection != nil:
		return d.Connection.Name
	default:
		return d.Definition.Name
	}
}

// value returns the definition for the canonical text.
func (d *Document) value() reflect.Value {
	switch {
	case d.Calendar != nil:
		return reflect.ValueOf(d.Calendar).Elem()
	case d.Alert != nil:
		return reflect.ValueOf(d.Alert).Elem()
	case d.Channel != nil:
		return reflect.ValueOf(d.Channel).Elem()
	case d.Connection != nil:
		return reflect.ValueOf(d.Connection).Elem()
	default:
		return reflect.ValueOf(d.Definition).Elem()
	}
}

// Options configure the checks of a text.
type Options struct {
	// bytes, of the text and of its canonical form; when 0, MaxSize for a text that is not Stored
	Limit    int
	Handlers []hive.Handler // of the executors; nil: handlers and their params are not checked
	Now      time.Time      // triggers must fire after it; zero means the present
	// Schedules finds the schedules that triggers wait for; nil: their names are not checked.
	Schedules *schedule.Others
	// Calendars finds the calendars that triggers and expressions name; nil: what depends on them is not checked.
	Calendars schedule.Calendars
	// Secrets are the secrets of tasks by name; nil: what depends on them is not checked.
	Secrets map[string]hive.Secret
	// Connections of the server by name; nil: what depends on them is not checked.
	Connections map[string]hive.ConnectionDefinition
	Pools       map[string]int // slots of the pools by name; nil: what depends on them is not checked
	Channels    []string       // that the rules of alerts may name; nil: their names are not checked
	Named       []string       // schedules that the rules of alerts may name; nil: their names are not checked
	Stored      bool           // the text was checked before it was stored, so only its graph is checked again
}

// Parse reads one schedule from YAML or JSON. The document is nil if a fault is more than a warning.
func Parse(src []byte, o Options) (*Document, []hive.Fault) {
	p := &parser{options: o}
	roots := p.read(src)
	if len(roots) == 0 {
		return nil, p.sorted()
	}
	d := p.document(roots[0])
	if len(roots) > 1 {
		d = nil
		p.several(roots[1])
	}
	return d, p.sorted()
}

func (p *parser) several(second *node) {
	p.misread = true
	p.fault(second, "", hive.NewFault(codeSeveralDocuments, hive.FaultSeveralDocuments, "a second document begins here",
		"put each schedule in a file of its own"))
}

// ParseAll reads a text of several YAML documents of any kinds. If a fault is more than a warning, it
// returns no document, so that what a text holds is saved together or not at all.
func ParseAll(src []byte, o Options) ([]*Document, []hive.Fault) {
	p := &parser{options: o}
	var all []*Document
	type named struct{ kind, name string }
	names := map[named]int{}
	for _, root := range p.read(src) {
		d := p.either(root)
		if d == nil {
			continue
		}
		name := named{d.Kind(), d.Name()}
		if line, ok := names[name]; ok {
			f := hive.NewFault(codeDuplicateName, hive.FaultDuplicateSchedule,
				"the schedule ‹value› is already defined on line ‹line›", "give each schedule a name of its own",
				"value", name.name, "line", line)
			switch name.kind {
			case hive.KindCalendar:
				f = hive.NewFault(codeDuplicateName, hive.FaultDuplicateCalendar,
					"the calendar ‹value› is already defined on line ‹line›", "give each calendar a name of its own",
					"value", name.name, "line", line)
			case hive.KindAlert, hive.KindChannel, hive.KindConnection:
				f = hive.NewFault(codeDuplicateName, hive.FaultDuplicateDocument,
					"the document ‹kind› ‹value› is already defined on line ‹line›",
					"give each document of a kind a name of its own", "value", name.name, "line", line, "kind",
					name.kind)
			}
			p.fault(locate(root, "name"), "name", f)
			continue
		}
		names[name] = locate(root, "name").line
		all = append(all, d)
	}
	if faults := p.sorted(); hive.Refused(faults) {
		return nil, faults
	}
	return all, p.sorted()
}

// either makes the document of a tree of any kind.
func (p *parser) either(root *node) *Document {
	switch kind := kindOfTree(root); {
	case kind == hive.KindCalendar:
		return p.calendar(root)
	case isAlert(kind):
		return p.alert(root, kind)
	case kind == hive.KindConnection:
		return p.connection(root)
	default:
		return p.document(root)
	}
}

// Format returns the canonical text of src, which may have several documents. It only checks the shape, so that it also
// formats a definition with, for example, an unknown need. Its error is a *hive.Error of CodeInvalid.
func Format(src []byte) ([]byte, error) {
	p := &parser{options: Options{Stored: true, Limit: MaxSize}, shapeOnly: true}
	var out []byte
	for i, root := range p.read(src) {
		if d := p.either(root); d != nil {
			if i > 0 {
				out = append(out, "---\n"...)
			}
			out = append(out, d.Canonical...)
		}
	}
	if faults := p.sorted(); hive.Refused(faults) {
		return nil, invalid(faults)
	}
	return out, nil
}

// FromDefinition makes the document of a definition without a source text. It sorts the keys of user maps.
func FromDefinition(def *hive.Definition, o Options) (*Document, []hive.Fault) {
	return fromValue(def, func(src []byte) (*Document, []hive.Fault) { return Parse(src, o) })
}

func fromValue(def any, parse func([]byte) (*Document, []hive.Fault)) (*Document, []hive.Fault) {
	src, err := json.Marshal(def)
	if err != nil {
		return nil, []hive.Fault{hive.NewFault(codeWrongType, hive.FaultUnwritable,
			"the definition holds a value that cannot be written: ‹words›",
			"use texts, numbers, true, false, lists and maps only", "words", err)}
	}
	d, faults := parse(src)
	for i := range faults { // the user has not seen the text that the lines refer to
		faults[i].Line, faults[i].Column = 0, 0
	}
	return d, faults
}

// RemoveRedundant returns a copy of d without its redundant needs, and the number of removed needs. Everything else is
// preserved, including comments.
func RemoveRedundant(d *Document) (*Document, int, error) {
	if d.Definition == nil {
		return d, 0, nil
	}
	g, err := graph.Compile(d.Definition)
	if err != nil {
		return nil, 0, err
	}
	paths := redundantNeeds(g)
	if len(paths) == 0 {
		return d, 0, nil
	}
	root := d.root.clone()
	for _, path := range slices.Backward(paths) { // from the end, so that earlier positions stay valid
		locate(root, path.task+".needs").removeItem(path.need)
	}
	p := &parser{options: Options{Stored: true}}
	less := p.document(root)
	if less == nil {
		return nil, 0, invalid(p.sorted())
	}
	return less, len(paths), nil
}

func invalid(faults []hive.Fault) error {
	return &hive.Error{Code: hive.CodeInvalid, Words: "the document has faults", Faults: faults}
}

// finish makes the document of a tree and its definition.
func finish(root *node, def *hive.Definition) *Document {
	d := &Document{Definition: def, root: root}
	d.finish()
	return d
}

// finish writes the canonical text of a document.
func (d *Document) finish() {
	d.Canonical = write(canonical(d.root, d.value()))
	sum := sha256.Sum256(d.Canonical)
	d.Hash = hex.EncodeToString(sum[:])
}
