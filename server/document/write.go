package document

import (
	"strings"
	"unicode/utf8"
)

// width is the maximum length of a line with a collection in braces or brackets.
const width = 130

// writer writes the canonical text. It writes a collection on one line, in braces or brackets, if it fits into the
// width, has no comments inside, and is not a frame (see isFrame). Otherwise it writes a block.
type writer struct{ strings.Builder }

func write(p page) []byte {
	w := &writer{}
	w.comments(p.top, 0)
	if len(p.top) > 0 {
		w.WriteString("\n")
	}
	if len(p.root.entries) == 0 {
		w.WriteString("{}\n")
	}
	w.fields(p.root.entries, 0, false)
	w.comments(p.tail, 0)
	return []byte(w.String())
}

func (w *writer) indent(n int) { w.WriteString(strings.Repeat(" ", n)) }

func (w *writer) comments(lines []string, indent int) {
	for _, line := range lines {
		if line != "" {
			w.indent(indent)
		}
		w.WriteString(line + "\n")
	}
}

// fields writes the entries of a mapping. after means that the first one follows a dash on the same line.
func (w *writer) fields(entries []entry, indent int, after bool) {
	for i, e := range entries {
		if i > 0 || !after {
			w.comments(e.head, indent)
			w.indent(indent)
		}
		w.WriteString(e.key + ":")
		w.value(e, indent, indent+utf8.RuneCountInString(e.key)+2)
	}
}

// value writes the value of a key that is indented by indent; column is where the value begins on the key's line.
func (w *writer) value(e entry, indent, column int) {
	switch {
	case e.item.block != "":
		w.literal(e.item.block, e.note, indent+2)
	case fits(e.item, column):
		w.WriteString(" " + flow(e.item))
		w.note(e.note)
	case e.item.kind == mapping:
		w.note(e.note)
		w.fields(e.item.entries, indent+2, false)
	default:
		w.note(e.note)
		w.items(e.item.entries, indent+2)
	}
}

// items writes the entries of a list.
func (w *writer) items(entries []entry, indent int) {
	for _, e := range entries {
		w.comments(e.head, indent)
		switch {
		case e.item.block != "":
			w.indent(indent)
			w.WriteString("-")
			w.literal(e.item.block, e.note, indent+2)
		case fits(e.item, indent+2):
			w.indent(indent)
			w.WriteString("- " + flow(e.item))
			w.note(e.note)
		case e.item.kind == mapping:
			w.above(e.note, indent)
			w.comments(e.item.entries[0].head, indent)
			w.indent(indent)
			w.WriteString("- ")
			w.fields(e.item.entries, indent+2, true)
		default:
			w.above(e.note, indent)
			w.indent(indent)
			w.WriteString("-\n")
			w.items(e.item.entries, indent+2)
		}
	}
}

func (w *writer) note(text string) {
	if text != "" {
		w.WriteString(" " + text)
	}
	w.WriteString("\n")
}

// above writes the comment of an item on a line above it, because the item is now written as a block.
func (w *writer) above(text string, indent int) {
	if text != "" {
		w.comments([]string{text}, indent)
	}
}

// literal writes a text of several lines, with its header.
func (w *writer) literal(text, note string, indent int) {
	body := strings.TrimRight(text, "\n")
	switch newlines := len(text) - len(body); newlines {
	case 0:
		w.WriteString(" |-")
	case 1:
		w.WriteString(" |")
	default:
		w.WriteString(" |+")
		body = text[:len(text)-1]
	}
	w.note(note)
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.indent(indent)
		}
		w.WriteString(line + "\n")
	}
}

// fits reports whether a value fits on one line from column on.
func fits(it item, column int) bool {
	if it.kind == scalar || len(it.entries) == 0 {
		return true
	}
	return flowable(it) && column+utf8.RuneCountInString(flow(it)) <= width
}

// flowable reports whether a collection may be written on one line.
func flowable(it item) bool {
	if it.open && len(it.entries) > 0 || it.block != "" {
		return false
	}
	for _, e := range it.entries {
		if len(e.head) > 0 || e.note != "" || !flowable(e.item) {
			return false
		}
	}
	return true
}

// flow writes a value on one line.
func flow(it item) string {
	if it.kind == scalar {
		return it.text
	}
	if it.short != "" {
		return it.short
	}
	parts := make([]string, 0, len(it.entries))
	for _, e := range it.entries {
		if it.kind == mapping {
			parts = append(parts, e.key+": "+flow(e.item))
		} else {
			parts = append(parts, flow(e.item))
		}
	}
	if it.kind == mapping {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
