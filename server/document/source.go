package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

// maxDepth is how deep values may nest. The fields of a schedule nest at most 6 deep.
const maxDepth = 50

// maxKey bounds the keys of user maps, in bytes.
const maxKey = 255

// read parses a text into trees, one for each document that is not empty.
func (p *parser) read(src []byte) []*node {
	if limit := p.limit(); len(src) > limit {
		p.fault(nil, "", hive.NewFault(codeTooLarge, hive.FaultTextTooLarge,
			"the text has ‹value› bytes, more than ‹most›", lessText, "value", len(src), "most", limit))
		return nil
	}
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	if !p.isText(src) {
		return nil
	}
	var roots []*node
	if trimmed := bytes.TrimSpace(src); len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(src) {
		roots = p.readJSON(src)
	} else {
		roots = p.readYAML(src)
	}
	if len(roots) == 0 && len(p.faults) == 0 {
		p.fault(&node{line: 1, col: 1}, "", hive.NewFault(codeEmpty, hive.FaultTextEmpty,
			"there is no schedule in the text", "begin with apiVersion: hivego/v1"))
	}
	return roots
}

// isText refuses text that is not UTF-8, and control characters. The errors of the YAML library have no position for
// them.
func (p *parser) isText(src []byte) bool {
	line, start := 1, 0
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		broken := r == utf8.RuneError && size <= 1
		if broken || r < 0x20 && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			at := &node{line: line, col: utf8.RuneCount(src[start:i]) + 1}
			if broken {
				p.fault(at, "", hive.NewFault(codeNotText, hive.FaultTextByte, "the byte ‹value› is not UTF-8",
					"save the text as UTF-8", "value", fmt.Sprintf("0x%02x", src[i])))
			} else {
				p.fault(at, "", hive.NewFault(codeNotText, hive.FaultTextControl,
					"the control character ‹value› cannot stand in a text",
					`take it out, or write it in quotes as "‹escape›"`,
					"value", fmt.Sprintf("0x%02x", r), "escape", fmt.Sprintf(`\x%02x`, r)))
			}
			return false
		}
		i += size
		if r == '\n' {
			line, start = line+1, i
		}
	}
	return true
}

// readYAML reads all documents of a YAML text.
func (p *parser) readYAML(src []byte) []*node {
	text := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\r", "\n")
	lines := splitLines(text)
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var roots []*node
	for {
		var doc yaml.Node
		err := decodeNode(decoder, &doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p.syntax(err, lines)
			return nil
		}
		if len(doc.Content) == 0 || doc.Content[0].ShortTag() == tagNull && doc.Content[0].Kind == yaml.ScalarNode {
			continue
		}
		before := len(p.faults)
		if root := p.convert(doc.Content[0], "", 0); len(p.faults) == before {
			roots = append(roots, root)
		}
	}
	if len(p.faults) == 0 {
		attach(lines, roots)
	}
	return roots
}

// decodeNode turns the panics that the YAML library lets through into errors.
func decodeNode(d *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return d.Decode(into)
}

// syntax places the YAML library's one error; it knows the line only.
func (p *parser) syntax(err error, lines []string) {
	message, at := strings.TrimPrefix(err.Error(), "yaml: "), &node{line: 1, col: 1}
	if m := regexp.MustCompile(`^line (\d+): (.*)$`).FindStringSubmatch(message); m != nil {
		at.line, _ = strconv.Atoi(m[1])
		message = m[2]
	}
	at.line = min(max(at.line, 1), max(len(lines), 1))
	reason, remedy := hive.FaultYAMLSyntax, "check indentation, quotes and brackets on this line and the one before"
	if at.line <= len(lines) {
		line := lines[at.line-1]
		at.col = utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimLeft(line, " \t")) + 1
		if strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
			reason, remedy = hive.FaultYAMLTabs, "indent with spaces, not with tabs"
		}
	}
	p.fault(at, "", hive.NewFault(codeSyntax, reason, "this is not YAML: ‹words›", remedy, "words", message))
}

func tooDeep() hive.Fault {
	return hive.NewFault(codeTooDeep, hive.FaultTooDeep, "values nest deeper than ‹most›", "flatten them",
		"most", maxDepth)
}

// convert copies a YAML node. It refuses the features of YAML that schedules do not support: anchors, aliases, merge
// keys, tags, and keys that are collections or duplicates.
func (p *parser) convert(y *yaml.Node, path string, depth int) *node {
	n := &node{line: y.Line, col: y.Column, flow: y.Style&yaml.FlowStyle != 0}
	switch {
	case depth > maxDepth:
		p.fault(n, path, tooDeep())
		return n
	case y.Kind == yaml.AliasNode, y.Anchor != "":
		p.fault(n, path, hive.NewFault(codeAlias, hive.FaultYAMLAlias,
			"anchors and aliases (& and *) are not known here",
			"write the value out, or put a text that begins with & or * in quotes"))
		return n
	case y.Style&yaml.TaggedStyle != 0:
		p.fault(n, path, hive.NewFault(codeTag, hive.FaultYAMLTag, "tags such as ‹value› are not known here",
			"take it out; put a text that begins with ! in quotes", "value", fmt.Sprintf("%.40s", y.Tag)))
		return n
	}
	switch y.Kind {
	case yaml.MappingNode:
		n.kind = mapping
		p.convertMap(n, y, path, depth)
	case yaml.SequenceNode:
		n.kind = list
		for i, item := range y.Content {
			n.values = append(n.values, p.convert(item, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	default:
		n.text, n.tag = y.Value, y.ShortTag()
		if n.tag != tagInt && n.tag != tagFloat && n.tag != tagBool && n.tag != tagNull {
			n.tag = tagText // dates are texts
		}
	}
	return n
}

func (p *parser) convertMap(n *node, y *yaml.Node, path string, depth int) {
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		k := &node{tag: tagText, text: key.Value, line: key.Line, col: key.Column}
		switch {
		case key.Kind != yaml.ScalarNode:
			p.fault(k, path, hive.NewFault(codeWrongType, hive.FaultYAMLKeyKind, "a key must be a single value",
				"put a text that holds { or [ in quotes"))
			continue
		case key.Anchor != "" || key.ShortTag() == "!!merge":
			p.fault(k, path, hive.NewFault(codeAlias, hive.FaultYAMLMerge,
				"anchors and merge keys (& and <<) are not known here", "write the values out"))
			continue
		case key.Style&yaml.TaggedStyle != 0:
			p.fault(k, path, hive.NewFault(codeTag, hive.FaultYAMLKeyTag, "tags such as ‹value› are not known here",
				"take it out", "value", fmt.Sprintf("%.40s", key.Tag)))
			continue
		}
		value := p.convert(y.Content[i+1], join(path, k.text), depth+1)
		p.entry(n, k, value, path)
	}
}

// entry adds a key and its value to a mapping. A duplicate key is a fault.
func (p *parser) entry(n, key, value *node, path string) {
	if len(key.text) > maxKey && !isRemarks(path) {
		p.fault(key, path, hive.NewFault(codeWrongType, hive.FaultYAMLKeyLong, "a key is longer than ‹most› bytes",
			"shorten it", "most", maxKey))
		return
	}
	if first := n.find(key.text); first != nil {
		p.fault(key, join(path, key.text), hive.NewFault(codeDuplicateField, hive.FaultTwice,
			"‹value› already stands on line ‹line›", "keep one of them", "value", key.text, "line", first.line))
		return
	}
	n.keys, n.values = append(n.keys, key), append(n.values, value)
	if n.index != nil {
		n.index[key.text] = key
	}
}

// join returns the path of a field.
func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}
