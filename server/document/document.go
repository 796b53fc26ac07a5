// Package document turns YAML or JSON text into a definition and back into the one canonical text. Every fault is
// found at once, with its line and column. It is pure: no I/O, no clock but the one in Options.
package document

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// MaxSize is the default limit of a text, in bytes.
const MaxSize = 4 << 20

// Document is one schedule, read and well formed.
type Document struct {
	Definition *hive.Definition // fields that say what is the default anyway are left empty
	Canonical  []byte           // the one way to write it, with its comments
	Hash       string           // hex SHA-256 of Canonical

	root *node
}

// Options say what beyond its structure a text is checked against.
type Options struct {
	// bytes, of the text and of its canonical form; when 0, MaxSize for a text that is not Stored
	Limit    int
	Handlers []hive.Handler // what executors offer; nil: handlers and their params are not checked
	Now      time.Time      // triggers must fire after it; the present when zero
	Stored   bool           // the text was checked when it was stored: only what its graph needs is checked again
}

// Parse reads one schedule from YAML or JSON. The document is nil if one of the faults is more than a warning.
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

// ParseAll reads a text of several YAML documents, one schedule each. If any fault is more than a warning, no document
// is returned: what belongs together is taken together.
func ParseAll(src []byte, o Options) ([]*Document, []hive.Fault) {
	p := &parser{options: o}
	var all []*Document
	names := map[string]int{}
	for _, root := range p.read(src) {
		d := p.document(root)
		if d == nil {
			continue
		}
		name := d.Definition.Name
		if line, ok := names[name]; ok {
			p.fault(locate(root, "name"), "name", hive.NewFault(codeDuplicateName, hive.FaultDuplicateSchedule,
				"the schedule ‹value› is already defined on line ‹line›", "give each schedule a name of its own",
				"value", name, "line", line))
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

// Format is the canonical text of src, which may hold several documents. Only the shape is checked: a definition with
// an unknown need is formatted too. Its error is a *hive.Error of CodeInvalid.
func Format(src []byte) ([]byte, error) {
	p := &parser{options: Options{Stored: true, Limit: MaxSize}, shapeOnly: true}
	var out []byte
	for i, root := range p.read(src) {
		if d := p.document(root); d != nil {
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

// FromDefinition makes the document of a definition that did not come as text. Keys of user maps are sorted.
func FromDefinition(def *hive.Definition, o Options) (*Document, []hive.Fault) {
	src, err := json.Marshal(def)
	if err != nil {
		return nil, []hive.Fault{hive.NewFault(codeWrongType, hive.FaultUnwritable,
			"the definition holds a value that cannot be written: ‹words›",
			"use texts, numbers, true, false, lists and maps only", "words", err)}
	}
	d, faults := Parse(src, o)
	for i := range faults { // lines of a text that nobody has seen
		faults[i].Line, faults[i].Column = 0, 0
	}
	return d, faults
}

// RemoveRedundant is d without its redundant needs. Everything else, comments too, stays; d itself is not changed.
// The second value says how many needs are gone.
func RemoveRedundant(d *Document) (*Document, int, error) {
	g, err := graph.Compile(d.Definition)
	if err != nil {
		return nil, 0, err
	}
	paths := redundantNeeds(g)
	if len(paths) == 0 {
		return d, 0, nil
	}
	root := d.root.clone()
	for _, path := range slices.Backward(paths) { // from the end, so that positions before stay
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

// finish makes the document of a tree whose definition is known.
func finish(root *node, def *hive.Definition) *Document {
	text := write(canonical(root, def))
	sum := sha256.Sum256(text)
	return &Document{Definition: def, Canonical: text, Hash: hex.EncodeToString(sum[:]), root: root}
}
