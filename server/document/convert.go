package document

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Converted is one schedule in both forms. Required fields that are missing are written as empty values, so that both
// forms are complete.
type Converted struct {
	Forms
	Definition *hive.Definition
}

// Forms are the forms of a document.
type Forms struct {
	Canonical []byte // YAML
	Hash      string // hex SHA-256 of Canonical
	JSON      []byte // as Document.JSON returns it
}

// formsOf writes a tree in both forms, with empty values for required fields that are missing.
func formsOf(root *node, v reflect.Value) Forms {
	fill(root, v.Type())
	page := canonical(root, v)
	text := write(page)
	sum := sha256.Sum256(text)
	return Forms{Canonical: text, Hash: hex.EncodeToString(sum[:]), JSON: writeJSON(page)}
}

// Convert reads one schedule that may have faults, and writes it in both forms. It returns nil if a wrong shape makes
// the forms lose part of the text.
func Convert(src []byte, o Options) (*Converted, []hive.Fault) {
	p := &parser{options: o}
	root, def := p.lenient(src)
	if def == nil || p.misread {
		return nil, p.sorted()
	}
	return &Converted{Definition: def, Forms: formsOf(root, reflect.ValueOf(def).Elem())}, p.sorted()
}

// Read reads one schedule that may have any faults. It leaves out values of a wrong shape, and returns nil if nothing
// is left.
func Read(src []byte, o Options) (*hive.Definition, []hive.Fault) {
	p := &parser{options: o}
	_, def := p.lenient(src)
	return def, p.sorted()
}

// lenient reads and checks the first tree of a text, even after faults.
func (p *parser) lenient(src []byte) (*node, *hive.Definition) {
	roots := p.read(src)
	if len(roots) == 0 {
		return nil, nil
	}
	def := p.decode(roots[0])
	if def == nil {
		return nil, nil
	}
	p.check(roots[0], def)
	if len(roots) > 1 {
		p.several(roots[1])
	}
	return roots[0], def
}

// tolerable reports whether a value of a wrong shape can still be written unchanged in both forms.
func tolerable(at *node, code string) bool {
	switch code {
	case graph.CodeMissingField, graph.CodeOutOfRange:
		return true
	case codeBadDuration:
		return at.kind == scalar && at.tag == tagText
	default:
		return false
	}
}

// fill adds missing required fields as empty texts and lists.
func fill(n *node, t reflect.Type) {
	if n.kind != mapping {
		return
	}
	for _, f := range fieldsOf(t) {
		value := n.get(f.name)
		switch {
		case value == nil && f.required:
			value = &node{}
			n.keys, n.values = append(n.keys, &node{tag: tagText, text: f.name}), append(n.values, value)
			fallthrough
		case f.required && value.kind == scalar && value.tag == tagNull:
			value.kind, value.tag, value.text = scalar, tagText, ""
			if f.typ.Kind() == reflect.Slice {
				value.kind, value.flow = list, true
			}
		case value == nil:
		case f.typ.Kind() == reflect.Struct:
			fill(value, f.typ)
		case f.typ.Kind() == reflect.Slice && f.typ.Elem().Kind() == reflect.Struct:
			for _, one := range value.list() {
				fill(one, f.typ.Elem())
			}
		}
	}
}
