package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

const codeBadComment = "bad_comment"

// holder is a schedule, job or task from JSON while its remarks (the member #) are put back.
type holder struct {
	*parser

	object *node
	self   *node                       // carries the comments of the object itself; nil for a schedule
	places map[string]place            // by path relative to the object
	texts  map[string]map[string]*node // cache of findItem: by path of a list, its items by text
	shape  reflect.Type
}

// place is a value that a remark can belong to; at carries the comments.
type place struct{ at, value *node }

// adopt puts all remarks of a tree from JSON back to their places.
func (p *parser) adopt(root *node) {
	p.adoptOne(root, nil, "", "jobs", reflect.TypeFor[hive.Definition]())
	for j, job := range root.get("jobs").list() {
		at := fmt.Sprintf("jobs[%d]", j)
		p.adoptOne(job, job, at, "tasks", reflect.TypeFor[hive.Job]())
		for t, task := range job.get("tasks").list() {
			p.adoptOne(task, task, fmt.Sprintf("%s.tasks[%d]", at, t), "", reflect.TypeFor[hive.Task]())
		}
	}
}

func (p *parser) adoptOne(object, self *node, path, inner string, shape reflect.Type) {
	n := object.cut(remarksKey)
	if n == nil || n.kind == scalar && n.tag == tagNull {
		return
	}
	at := join(path, remarksKey)
	if n.kind != mapping {
		p.badComment(n, at, hive.FaultCommentObject, "# holds the comments of this object, not "+describe(n))
		return
	}
	h := &holder{parser: p, object: object, self: self, places: map[string]place{}, shape: shape}
	h.find(object, "", inner)
	for i, key := range n.keys {
		if r, ok := p.remark(n.values[i], join(at, key.text), self == nil && key.text == ""); ok {
			h.put(key.text, r)
		}
	}
}

// badComment records a fault of a comment. Its params describe the actual value.
func (p *parser) badComment(n *node, path string, reason hive.FaultReason, message string) {
	got, value := kindOf(n)
	f := hive.NewFault(codeBadComment, reason, "",
		"leave what stands under # as the server wrote it, or take it out", "got", got, "value", value)
	f.Message = message
	p.fault(n, path, f)
}

// isRemarks reports whether a path is that of a remarks object. Its keys are paths and may be long.
func isRemarks(path string) bool {
	head, ok := strings.CutSuffix(path, remarksKey)
	return ok && (head == "" || strings.HasPrefix(head, "jobs[") && strings.HasSuffix(head, "].") &&
		!strings.Contains(head, ".params."))
}

// cut removes a key from a mapping and returns its value, or nil if there is none.
func (n *node) cut(key string) *node {
	if n.kind != mapping {
		return nil
	}
	i := slices.IndexFunc(n.keys, func(k *node) bool { return k.text == key })
	if i < 0 {
		return nil
	}
	value := n.values[i]
	n.keys, n.values = slices.Delete(n.keys, i, i+1), slices.Delete(n.values, i, i+1)
	delete(n.index, key)
	return value
}

// remark reads one remark. It makes sure that its lines can only be comments: each begins with # and has no line break.
func (p *parser) remark(n *node, path string, top bool) (remark, bool) {
	var r remark
	if n.kind != mapping {
		p.badComment(n, path, hive.FaultCommentFields, "a comment is an object of its lines, not "+describe(n))
		return r, false
	}
	ok := true
	for i, key := range n.keys {
		value, at, fine := n.values[i], join(path, key.text), false
		switch {
		case key.text == "top" && top:
			r.Top, fine = p.lines(value, at, true)
		case key.text == "tail" && top:
			r.Tail, fine = p.lines(value, at, false)
		case key.text == "above":
			r.Above, fine = p.lines(value, at, false)
		case key.text == "behind":
			r.Behind, fine = p.comment(value, at)
		case key.text == "as":
			r.As, fine = p.word(value, at)
		case key.text == "of":
			r.Of, fine = p.word(value, at)
		default:
			p.badComment(key, at, hive.FaultCommentField,
				fmt.Sprintf("%s is not a field here", hive.Clean(key.text, 80)))
		}
		ok = ok && fine
	}
	return r, ok
}

// lines reads comments on lines of their own.
func (p *parser) lines(n *node, path string, gaps bool) ([]string, bool) {
	if n.kind != list {
		p.badComment(n, path, hive.FaultCommentLines, "comments are a list of lines, not "+describe(n))
		return nil, false
	}
	out := make([]string, 0, len(n.values))
	for i, one := range n.values {
		if gaps && one.kind == scalar && one.tag == tagText && one.text == "" {
			if len(out) > 0 && out[len(out)-1] != "" {
				out = append(out, "")
			}
			continue
		}
		line, ok := p.comment(one, fmt.Sprintf("%s[%d]", path, i))
		if !ok {
			return nil, false
		}
		out = append(out, line)
	}
	if n := len(out); n > 0 && out[n-1] == "" {
		out = out[:n-1]
	}
	return out, true
}

func (p *parser) comment(n *node, path string) (string, bool) {
	text, ok := p.word(n, path)
	switch {
	case !ok:
		return "", false
	case !strings.HasPrefix(text, "#"):
		p.badComment(n, path, hive.FaultCommentSign,
			fmt.Sprintf("%q is no comment: it must begin with #", hive.Clean(text, 40)))
		return "", false
	case strings.ContainsFunc(text, breaks):
		p.badComment(n, path, hive.FaultCommentControl, "a comment holds a line break or a control character")
		return "", false
	}
	return strings.TrimRight(text, " \t"), true
}

// breaks reports whether a character ends a line of YAML or is not allowed in it.
func breaks(r rune) bool {
	return r < 0x20 && r != '\t' || 0x7f <= r && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == 0xFFFE ||
		r == 0xFFFF
}

func (p *parser) word(n *node, path string) (string, bool) {
	if n.kind == scalar && n.tag == tagText {
		return n.text, true
	}
	p.badComment(n, path, hive.FaultCommentText, "this must be a text, not "+describe(n))
	return "", false
}

// find lists the places below n, except within jobs or tasks, which have their own remarks.
func (h *holder) find(n *node, path, inner string) {
	for i, value := range n.values {
		at, carrier := itemOf(path, i), value
		if n.kind == mapping {
			at, carrier = below(path, n.keys[i].text), n.keys[i]
		}
		h.places[at] = place{at: carrier, value: value}
		if inner == "" || at != inner || value.kind != list {
			h.find(value, at, inner)
		}
	}
}

// put puts a remark back. If its place does not exist any more, the comments go to the nearest existing parent, or to
// the object itself.
func (h *holder) put(path string, r remark) {
	if path == "" {
		h.putSelf(r)
		return
	}
	to, ok := h.places[path]
	if r.Of != "" && (!ok || to.value.text != r.Of) {
		if item, found := h.findItem(path, r.Of); found {
			to, ok = item, true
		}
	}
	if !ok && r.As == "null" {
		to, ok = h.void(path)
	}
	if !ok {
		h.orphan(path, r)
		return
	}
	to.at.head = append(to.at.head, r.Above...)
	if to.at.note == "" {
		to.at.note = r.Behind
	} else if r.Behind != "" {
		to.at.head = append(to.at.head, r.Behind)
	}
	to.value.write(r.As)
}

// putSelf puts back the remark about the object itself.
func (h *holder) putSelf(r remark) {
	if h.self == nil {
		h.object.top, h.object.tail = append(h.object.top, r.Top...), append(h.object.tail, r.Tail...)
		h.orphan("", r)
		return
	}
	h.self.head, h.self.note = append(slices.Clone(r.Above), h.self.head...), r.Behind
}

// orphan finds a place for comments whose own place does not exist any more.
func (h *holder) orphan(path string, r remark) {
	lines := slices.Clone(r.Above)
	if r.Behind != "" {
		lines = append(lines, r.Behind)
	}
	const steps = 64 // values nest less deeply
	end := len(path)
	for range steps {
		if end = strings.LastIndexAny(path[:end], ".["); end <= 0 {
			break
		}
		if to, ok := h.places[path[:end]]; ok {
			to.at.head = append(to.at.head, lines...)
			return
		}
	}
	switch {
	case len(lines) == 0:
	case h.self != nil:
		h.self.head = append(h.self.head, lines...)
	default:
		if len(h.object.top) > 0 {
			h.object.top = append(h.object.top, "")
		}
		h.object.top = append(h.object.top, lines...)
	}
}

// findItem finds an item of a list by its text.
func (h *holder) findItem(path, text string) (place, bool) {
	end := strings.LastIndexByte(path, '[')
	if end < 0 {
		return place{}, false
	}
	list := path[:end]
	texts, known := h.texts[list]
	if !known {
		texts = map[string]*node{}
		for _, n := range slices.Backward(h.places[list].value.list()) {
			if n.kind == scalar && n.tag == tagText {
				texts[n.text] = n // the first one stays
			}
		}
		if h.texts == nil {
			h.texts = map[string]map[string]*node{}
		}
		h.texts[list] = texts
	}
	n, found := texts[text]
	return place{at: n, value: n}, found
}

// void puts back a known field that is empty, because it has a comment.
func (h *holder) void(path string) (place, bool) {
	parent, name, nested := h.object, path, false
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		to, ok := h.places[path[:i]]
		if !ok || to.value.kind != mapping {
			return place{}, false
		}
		parent, name, nested = to.value, path[i+1:], true
	}
	shape := h.shape
	if nested {
		shape = within(shape, path[:len(path)-len(name)-1])
	}
	if shape == nil || parent.get(name) != nil || !slices.Contains(names(fieldsOf(shape)), name) {
		return place{}, false
	}
	key, value := &node{tag: tagText, text: name}, &node{tag: tagNull, text: "null"}
	parent.keys, parent.values = append(parent.keys, key), append(parent.values, value)
	if parent.index != nil {
		parent.index[name] = key
	}
	to := place{at: key, value: value}
	h.places[path] = to
	return to, true
}

// within returns the type of the struct at a path of fields, or nil if there is none.
func within(t reflect.Type, path string) reflect.Type {
	for name := range strings.SplitSeq(path, ".") {
		name, _, _ = strings.Cut(name, "[")
		fields := fieldsOf(t)
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			return nil
		}
		t = fields[i].typ
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return nil
		}
	}
	return t
}

// numeral returns a text as YAML reads it without quotes.
func numeral(text string) *node {
	return &node{text: text, tag: (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag()}
}

// write restores the original notation of a number if it means the same number. It changes nothing else.
func (n *node) write(as string) {
	if as == "" || n.kind != scalar || n.tag != tagInt && n.tag != tagFloat || n.text == as {
		return
	}
	was := numeral(as)
	if number(was) != nil && (n.text == plainNumber(was) || n.text == shortNumber(was)) {
		n.text, n.tag = was.text, was.tag
	}
}
