package document

import (
	"strings"
)

// The YAML library attaches comments by its own rules, which move some of them when a text is read again. This file
// attaches them by stable rules: a comment on a line of its own belongs to the first key or item that begins below it.
// A comment at the end of a line belongs to the outermost key or item that is written on that line alone. Comments
// after everything are the tail.

// comment is one comment of the text.
type comment struct {
	line, col int    // 1-based
	text      string // with its #
	behind    bool   // at the end of a line with other text
	spaced    bool   // an empty line follows
}

// anchor is a key of a mapping or an item of a list. A comment can belong to it.
type anchor struct {
	at     *node // carries the comments
	value  *node
	isItem bool
}

// splitLines splits a text at the line breaks of YAML. The text has no \r any more.
func splitLines(text string) []string {
	return strings.Split(strings.NewReplacer("\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text), "\n")
}

// attach finds the comments of a text and attaches them to the nodes of its documents.
func attach(lines []string, roots []*node) {
	if len(roots) == 0 {
		return
	}
	var skip []span
	text := &characters{lines: lines}
	for _, root := range roots {
		skip = scalars(root, 0, text, skip)
	}
	found := comments(lines, skip)
	if len(found) == 0 {
		return
	}
	for i, root := range roots {
		end := len(lines) + 1
		if i+1 < len(roots) {
			end = separator(lines, skip, root.line, roots[i+1].line)
		}
		n := 0
		for n < len(found) && found[n].line < end {
			n++
		}
		distribute(root, found[:n])
		found = found[n:]
	}
}

// separator returns the line of the --- that ends a document.
func separator(lines []string, skip []span, from, to int) int {
	for i := to; i > from; i-- {
		if strings.HasPrefix(lines[i-1], "---") && !covered(skip, i, 1) {
			return i
		}
	}
	return to
}

// distribute attaches the comments of one document to its nodes.
func distribute(root *node, found []comment) {
	anchors := collect(root, nil)
	heads := headEnd(anchors, found)
	next := 0 // the first anchor on the comment's line or below it
	for i, c := range found {
		for next < len(anchors) && anchors[next].at.line < c.line {
			next++
		}
		if c.behind {
			if a := owner(anchors[next:], c); a != nil {
				a.note = c.text
				continue
			}
		}
		below := next
		for below < len(anchors) && anchors[below].at.line == c.line {
			below++
		}
		switch {
		case below == len(anchors):
			root.tail = append(root.tail, c.text)
		case next == 0 && below == 0 && i < heads:
			root.top = append(root.top, c.text)
			if c.spaced {
				root.top = append(root.top, "")
			}
		default:
			anchors[below].at.head = append(anchors[below].at.head, c.text)
		}
	}
	for len(root.top) > 0 && root.top[len(root.top)-1] == "" {
		root.top = root.top[:len(root.top)-1]
	}
}

// headEnd returns how many comments belong to the document itself: an empty line separates them from the first key.
func headEnd(anchors []anchor, found []comment) int {
	end := 0
	for i, c := range found {
		if len(anchors) > 0 && c.line < anchors[0].at.line && c.spaced {
			end = i + 1
		}
	}
	return end
}

// collect lists all anchors in the order of the text, outer ones first.
func collect(n *node, into []anchor) []anchor {
	for i, v := range n.values {
		at := v
		if n.kind == mapping {
			at = n.keys[i]
		}
		into = append(into, anchor{at: at, value: v, isItem: n.kind == list})
		into = collect(v, into)
	}
	return into
}

// owner returns the anchor of a comment at the end of a line: the outermost anchor that is written on this line alone,
// or else the innermost that begins on it. It skips items whose first key begins on the line too. It is nil if no
// anchor begins there, or if the anchor has a comment already.
func owner(anchors []anchor, c comment) *node {
	var found *node
	for _, a := range anchors {
		if a.at.line != c.line || a.at.col > c.col {
			break
		}
		if a.isItem && a.value.kind != scalar && !a.value.flow {
			continue
		}
		found = a.at
		if lastLine(a.value) == c.line {
			break
		}
	}
	if found == nil || found.note != "" {
		return nil
	}
	return found
}

// lastLine returns the line on which the last value within n begins.
func lastLine(n *node) int {
	for n.kind != scalar && len(n.values) > 0 {
		n = n.values[len(n.values)-1]
	}
	return n.line
}
