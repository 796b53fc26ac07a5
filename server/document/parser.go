package document

import (
	"cmp"
	"math"
	"slices"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// The codes of the faults of this package. They are stable. Faults of packages graph and schedule have their own codes.
const (
	codeSyntax            = "syntax"
	codeTooLarge          = "too_large"
	codeTooDeep           = "too_deep"
	codeNotText           = "not_text" // not UTF-8, or with control characters
	codeEmpty             = "empty"
	codeSeveralDocuments  = "several_documents"
	codeAlias             = "alias" // anchors, aliases, merge keys
	codeTag               = "tag"
	codeWrongType         = "wrong_type"
	codeUnknownField      = "unknown_field"
	codeDuplicateField    = "duplicate_field"
	codeDuplicateName     = "duplicate_name"
	codeBadDuration       = "bad_duration"
	codeBadExpression     = "bad_expression"
	codeUnknownParam      = "unknown_param"
	codeUnknownTask       = "unknown_task"
	codeUnknownCalendar   = "unknown_calendar"
	codeBadSecret         = "bad_secret"
	codeUnknownConnection = "unknown_connection"
	codeNotRendered       = "not_rendered"    // ${{ }} where it would be pasted into code
	codeUnknownHandler    = "unknown_handler" // a warning
	codeBadHandlerParams  = "bad_params"
)

// parser collects the faults of one text.
type parser struct {
	options   Options
	shapeOnly bool
	faults    []hive.Fault
	misread   bool            // the definition lacks part of the text
	refused   map[string]bool // paths of wrong shapes; further faults at these paths are left out
	calendars []string        // that the last checked definition names
}

// fault records a fault at a node.
func (p *parser) fault(at *node, path string, f hive.Fault) {
	f.Path = path
	if at != nil {
		f.Line, f.Column = at.line, at.col
	}
	p.add(f)
}

func (p *parser) add(f hive.Fault) {
	switch n := len(p.faults); {
	case n < graph.MaxFaults:
		p.faults = append(p.faults, f)
	case n == graph.MaxFaults:
		last := graph.TooManyFaults()
		last.Line, last.Column = f.Line, f.Column
		p.faults = append(p.faults, last)
	}
}

// shape records a fault of the shape of a value. The value then counts as missing.
func (p *parser) shape(at *node, path string, f hive.Fault) {
	if p.refused == nil {
		p.refused = map[string]bool{}
	}
	p.refused[path] = true
	at.faulty, p.misread = true, p.misread || !tolerable(at, f.Code)
	p.fault(at, path, f)
}

// place adds lines and columns to faults that only have paths. It drops faults at places of a wrong shape, and repeated
// faults of one place.
func (p *parser) place(root *node, faults []hive.Fault) {
	reported := map[string]bool{}
	for _, f := range p.faults {
		reported[f.Path] = true
	}
	for _, f := range faults {
		if p.misshapen(f.Path) || reported[f.Path] && f.Path != "" {
			continue
		}
		at := locate(root, f.Path)
		f.Line, f.Column = at.line, at.col
		p.add(f)
	}
}

// misshapen reports whether the value at path or one of its parents has a wrong shape.
func (p *parser) misshapen(path string) bool {
	if len(p.refused) == 0 {
		return false
	}
	for i := 1; i < len(path); i++ {
		if (path[i] == '.' || path[i] == '[') && p.refused[path[:i]] {
			return true
		}
	}
	return p.refused[path]
}

// sorted returns all faults in the order of the text.
func (p *parser) sorted() []hive.Fault {
	slices.SortStableFunc(p.faults, func(a, b hive.Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return p.faults
}

// document makes the document of one tree. It is nil if a fault of the tree is more than a warning.
func (p *parser) document(root *node) *Document {
	before := len(p.faults)
	p.refused = nil
	def := p.decode(root)
	if def == nil {
		return nil
	}
	if !p.shapeOnly {
		p.check(root, def)
	}
	if hive.Refused(p.faults[before:]) {
		return nil
	}
	d := finish(root, def)
	d.Calendars, p.calendars = p.calendars, nil
	if n := len(d.Canonical); !p.shapeOnly && n > p.limit() {
		p.fault(root, "", hive.NewFault(codeTooLarge, hive.FaultTextTooLargeStored,
			"as it would be stored, the text has ‹value› bytes, more than ‹most›", lessText,
			"value", n, "most", p.limit()))
		return nil
	}
	return d
}

// lessText is the remedy for a text that is too long.
const lessText = "split the schedule, or keep long scripts in files"

// limit returns how many bytes a text may have. A stored text has no limit.
func (p *parser) limit() int {
	switch {
	case p.options.Limit != 0:
		return p.options.Limit
	case p.options.Stored:
		return math.MaxInt
	default:
		return MaxSize
	}
}
