package document

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/rprp/hivego/server/hive"
)

// item is one value of the canonical text.
type item struct {
	kind    form
	text    string  // of a scalar, as it is written on one line
	block   string  // a text of several lines, if it can be written as a block
	short   string  // the notation of a mapping that may be written as one text; JSON does not have it
	entries []entry // of a collection
	open    bool    // never written on one line: the frame of a schedule
	from    *node   // source of a scalar; nil for a duration
	void    bool    // a known field that is present and empty
}

// entry is one field or item, with its comments.
type entry struct {
	key  string // in quotes if YAML needs them; empty for items of lists
	name string // the key without quotes
	item item
	head []string
	note string
}

// page is one canonical text.
type page struct {
	root      item
	top, tail []string
}

// canonical converts a tree into the canonical layout. Known fields are in the order of their struct, and fields with
// the default value are left out unless they have a comment. User maps keep their order. Each value has one notation.
func canonical(root *node, def reflect.Value) page {
	c := &canon{shapes: shapes{}}
	return page{root: c.structure(root, def), top: root.top, tail: root.tail}
}

type canon struct{ shapes shapes }

// structure writes the known fields of a struct. v is its decoded and normalized value.
func (c *canon) structure(n *node, v reflect.Value) item {
	out := item{kind: mapping, open: isFrame(v.Type())}
	for _, f := range c.shapes.of(v.Type()) {
		for i, key := range n.keys {
			value := v.Field(f.index)
			if key.text != f.name || value.IsZero() && !f.required && !key.commented() && !n.values[i].matters() {
				continue
			}
			out.entries = append(out.entries, entry{
				key: f.name, name: f.name, item: c.typed(n.values[i], value), head: key.head, note: key.note,
			})
		}
	}
	return out
}

// shortOf returns the text of a mapping that has only this field, without comments; empty for any other.
func shortOf(it item, field string) string {
	if len(it.entries) != 1 {
		return ""
	}
	e := it.entries[0]
	if e.name != field || len(e.head) > 0 || e.note != "" || e.item.block != "" || e.item.void {
		return ""
	}
	return e.item.text
}

// hoist moves the comments above the first key of an item to the item, because both are written in the same place.
func hoist(e entry) entry {
	if e.item.kind != mapping || len(e.item.entries) == 0 || len(e.item.entries[0].head) == 0 {
		return e
	}
	first := &e.item.entries[0]
	e.head, first.head = slices.Concat(e.head, first.head), nil
	return e
}

// isFrame reports whether a struct is always written as a block. People move, compare and comment these.
func isFrame(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[hive.Definition](), reflect.TypeFor[hive.Policy](), reflect.TypeFor[hive.Trigger](),
		reflect.TypeFor[hive.Job](), reflect.TypeFor[hive.CalendarDefinition](),
		reflect.TypeFor[hive.AlertDefinition](), reflect.TypeFor[hive.ChannelDefinition](),
		reflect.TypeFor[hive.EmailChannel](), reflect.TypeFor[hive.HTTPChannel](),
		reflect.TypeFor[hive.ConnectionDefinition]():
		return true
	default:
		return false
	}
}

// typed writes a value of a known type. n is its source, with the comments, and with the original value if normalize
// has emptied v.
func (c *canon) typed(n *node, v reflect.Value) item {
	t := v.Type()
	switch {
	case n.kind == scalar && n.tag == tagNull:
		return item{text: "null", from: n, void: true}
	case isDuration(t) || t == reflect.TypeFor[*hive.Duration]():
		d, err := hive.ParseDuration(n.text)
		if err != nil { // refused by decode
			return c.free(n)
		}
		return item{text: d.String()}
	case t.Kind() == reflect.Struct && n.kind == mapping:
		out := c.structure(n, v)
		if t == reflect.TypeFor[hive.Pool]() {
			out.short = shortOf(out, "name")
		}
		return out
	case t.Kind() == reflect.Slice && n.kind == list && t.Elem().Kind() == reflect.Struct && v.Len() == len(n.values):
		out := item{kind: list, open: t.Elem() != reflect.TypeFor[hive.Task]() || len(n.values) > 0}
		for i, one := range n.values {
			out.entries = append(out.entries,
				hoist(entry{item: c.typed(one, v.Index(i)), head: one.head, note: one.note}))
		}
		return out
	default:
		return c.free(n)
	}
}

// free writes a value of a user map without changes.
func (c *canon) free(n *node) item {
	out := item{kind: n.kind}
	switch n.kind {
	case mapping:
		for i, key := range n.keys {
			out.entries = append(out.entries, entry{
				key: line(key.text), name: key.text, item: c.free(n.values[i]), head: key.head, note: key.note,
			})
		}
	case list:
		for _, one := range n.values {
			out.entries = append(out.entries, hoist(entry{item: c.free(one), head: one.head, note: one.note}))
		}
	default:
		out.from = n
		switch n.tag {
		case tagText:
			out.text, out.block = line(n.text), blockText(n.text)
		case tagBool:
			out.text = strconv.FormatBool(n.text[0] == 't' || n.text[0] == 'T')
		case tagNull:
			out.text = "null"
		default:
			out.text = n.text
		}
	}
	return out
}
