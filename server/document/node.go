package document

import (
	"slices"
	"strconv"
	"strings"
)

// form is the kind of a node.
type form int

const (
	scalar form = iota
	mapping
	list
)

// The tags of scalars.
const (
	tagText  = "!!str"
	tagInt   = "!!int"
	tagFloat = "!!float"
	tagBool  = "!!bool"
	tagNull  = "!!null"
)

// node is one value of a document as written, with its position and its comments.
type node struct {
	kind      form
	tag       string // of a scalar
	text      string // of a scalar, unquoted
	flow      bool   // a collection written in braces or brackets
	line, col int    // 1-based; columns count characters

	keys   []*node // of a mapping; scalars
	values []*node // of a mapping, beside keys; or the items of a list

	index map[string]*node // of a mapping with many keys: the keys by text

	faulty bool // it has a fault, so it is written although it decodes to nothing
	kept   bool // it overrides a default, so it is written although it is the standard value

	head []string // comments above, without indentation; on keys of mappings and items of lists
	note string   // the comment at the end of the same line
	top  []string // only of the root: comments at the head of the document, apart from its first key
	tail []string // only of the root: comments after everything
}

// get returns the value of a key, or nil if there is none.
func (n *node) get(key string) *node {
	if n == nil || n.kind != mapping {
		return nil
	}
	for i, k := range n.keys {
		if k.text == key {
			return n.values[i]
		}
	}
	return nil
}

// find returns the key node of a mapping, or nil if there is none. A large mapping gets an index, so that a text with
// many keys is read in linear time.
func (n *node) find(key string) *node {
	const few = 32
	if len(n.keys) < few {
		for _, k := range n.keys {
			if k.text == key {
				return k
			}
		}
		return nil
	}
	if n.index == nil {
		n.index = make(map[string]*node, 2*len(n.keys))
		for _, k := range n.keys {
			n.index[k.text] = k
		}
	}
	return n.index[key]
}

// commented reports whether n has a comment anywhere.
func (n *node) commented() bool {
	if n == nil {
		return false
	}
	if len(n.head) > 0 || n.note != "" {
		return true
	}
	return slices.ContainsFunc(n.keys, (*node).commented) || slices.ContainsFunc(n.values, (*node).commented)
}

// matters reports whether n must be written even if it has the default value.
func (n *node) matters() bool {
	return n.faulty || n.kept || len(n.head) > 0 || n.note != "" || slices.ContainsFunc(n.keys, (*node).matters) ||
		slices.ContainsFunc(n.values, (*node).matters)
}

func (n *node) clone() *node {
	c := *n
	c.keys, c.values = make([]*node, len(n.keys)), make([]*node, len(n.values))
	for i := range n.keys {
		c.keys[i] = n.keys[i].clone()
	}
	for i := range n.values {
		c.values[i] = n.values[i].clone()
	}
	return &c
}

// expand makes a mapping with one field of a text: the long form of a value that may be written as the text alone. The
// field has the position of the text.
func (n *node) expand(field string) {
	if n.kind != scalar || n.tag != tagText || n.text == "" {
		return
	}
	key, value := *n, *n
	key.text, key.flow, key.head, key.note = field, false, nil, ""
	value.head, value.note = nil, ""
	n.kind, n.tag, n.text, n.flow = mapping, "", "", true
	n.keys, n.values = []*node{&key}, []*node{&value}
}

// removeItem removes an item of a list. Its comments move to the next item, or to the previous one.
func (n *node) removeItem(i int) {
	gone := n.values[i]
	n.values = slices.Delete(n.values, i, i+1)
	if !gone.commented() || len(n.values) == 0 {
		return
	}
	comments := slices.Clone(gone.head)
	if gone.note != "" {
		comments = append(comments, gone.note)
	}
	heir := n.values[min(i, len(n.values)-1)]
	heir.head = append(comments, heir.head...)
}

// locate finds the node of a path such as jobs[1].tasks[0].needs[2]. For a field it has the position of the key and the
// kind of the value. If there is no such node, locate returns the nearest parent.
func locate(root *node, path string) *node {
	at := root
	for rest := path; rest != ""; {
		rest = strings.TrimPrefix(rest, ".")
		next, left, ok := step(at, rest)
		if !ok {
			return at
		}
		at, rest = next, left
	}
	return at
}

// step descends by the first segment of path. Keys of user maps may contain dots and brackets, so it chooses the
// longest key that matches.
func step(at *node, path string) (next *node, rest string, ok bool) {
	if at.kind == list {
		number, after, closed := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(number)
		if !closed || err != nil || i < 0 || i >= len(at.values) {
			return nil, "", false
		}
		return at.values[i], after, true
	}
	best := -1
	for i, k := range at.keys {
		after, fits := strings.CutPrefix(path, k.text)
		if fits && (after == "" || after[0] == '.' || after[0] == '[') &&
			(best < 0 || len(k.text) > len(at.keys[best].text)) {
			best = i
		}
	}
	if best < 0 {
		return nil, "", false
	}
	return at.values[best], path[len(at.keys[best].text):], true
}
