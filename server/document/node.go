package document

import (
	"slices"
	"strconv"
	"strings"
)

// form is what a node is.
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

// node is one value of a document as it was written, with its place and its comments.
type node struct {
	kind      form
	tag       string // of a scalar
	text      string // of a scalar, unquoted
	flow      bool   // a collection written in braces or brackets
	line, col int    // 1-based; columns count characters

	keys   []*node // of a mapping; scalars
	values []*node // of a mapping, beside keys; or the items of a list

	index map[string]*node // of a mapping of many keys: its keys

	kept bool // it says what is wrong, and must not be left out because it decodes to nothing

	head []string // comments above, without indentation; on keys of mappings and items of lists
	note string   // the comment behind, on the same line
	top  []string // only of the root: comments at the head of the document, apart from its first key
	tail []string // only of the root: comments after everything
}

// get is the value under a key; nil if there is none.
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

// find is the key node of a mapping; nil if there is none. Large maps get an index, so that a text of nothing but keys
// is read in linear time.
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

// commented says whether there is a comment anywhere in n.
func (n *node) commented() bool {
	if n == nil {
		return false
	}
	if len(n.head) > 0 || n.note != "" {
		return true
	}
	return slices.ContainsFunc(n.keys, (*node).commented) || slices.ContainsFunc(n.values, (*node).commented)
}

// matters says whether there is anything in n that must be written, though it says nothing but the default.
func (n *node) matters() bool {
	return n.kept || len(n.head) > 0 || n.note != "" || slices.ContainsFunc(n.keys, (*node).matters) ||
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

// removeItem takes an item out of a list. Its comments go to the next item, or the one before.
func (n *node) removeItem(i int) {
	gone := n.values[i]
	n.values = slices.Delete(n.values, i, i+1)
	if !gone.commented() || len(n.values) == 0 {
		return
	}
	words := slices.Clone(gone.head)
	if gone.note != "" {
		words = append(words, gone.note)
	}
	heir := n.values[min(i, len(n.values)-1)]
	heir.head = append(words, heir.head...)
}

// locate finds the node of a path such as jobs[1].tasks[0].needs[2]; of a field, its key's place with its value's
// kind. If there is no such node it is the nearest one above.
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

// step goes down by the first segment of path. Keys of user maps may hold dots and brackets: the longest key that
// fits is taken.
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
