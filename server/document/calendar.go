package document

import (
	"reflect"
	"slices"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// MaxCalendar is the default limit of the text of a calendar, in bytes.
const MaxCalendar = 1 << 20

// ParseCalendar reads one calendar from YAML or JSON. The document is nil if a fault is more than a warning.
func ParseCalendar(src []byte, o Options) (*Document, []hive.Fault) {
	if o.Limit == 0 && !o.Stored {
		o.Limit = MaxCalendar
	}
	p := &parser{options: o}
	roots := p.read(src)
	if len(roots) == 0 {
		return nil, p.sorted()
	}
	d := p.calendar(roots[0])
	if len(roots) > 1 {
		d = nil
		p.several(roots[1])
	}
	return d, p.sorted()
}

// FromCalendar makes the document of a calendar without a source text.
func FromCalendar(def *hive.CalendarDefinition) (*Document, []hive.Fault) {
	return fromValue(def, func(src []byte) (*Document, []hive.Fault) { return ParseCalendar(src, Options{}) })
}

// calendar makes the document of a calendar's tree. It is nil if a fault of the tree is more than a warning.
func (p *parser) calendar(root *node) *Document {
	before := len(p.faults)
	p.refused = nil
	def := &hive.CalendarDefinition{}
	if !p.decodeInto(root, reflect.ValueOf(def).Elem()) {
		return nil
	}
	normalizeCalendar(def)
	if !p.shapeOnly {
		p.place(root, graph.ValidateCalendar(def))
		p.place(root, calendar.Check(def))
	}
	if hive.Refused(p.faults[before:]) {
		return nil
	}
	d := &Document{Calendar: def, root: root}
	d.finish()
	return d
}

// normalizeCalendar empties fields that have their default value.
func normalizeCalendar(def *hive.CalendarDefinition) {
	if len(def.Weekend) == 2 && slices.Contains(def.Weekend, "sat") && slices.Contains(def.Weekend, "sun") {
		def.Weekend = nil
	}
	if len(def.Holidays) == 0 {
		def.Holidays = nil
	}
	if len(def.Workdays) == 0 {
		def.Workdays = nil
	}
}
