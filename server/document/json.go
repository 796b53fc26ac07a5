package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rprp/hivego/server/hive"
)

// jsonReader parses well-formed JSON into a tree. The YAML parser could not do it: JSON has other escapes beyond the
// 16-bit plane, and allows tabs.
type jsonReader struct {
	p       *parser
	src     []byte
	decoder *json.Decoder

	// The position of the last token. It advances with the tokens, so that the characters of a long line are counted
	// once.
	offset, line, col int
}

func (p *parser) readJSON(src []byte) []*node {
	r := &jsonReader{p: p, src: src, line: 1, col: 1, decoder: json.NewDecoder(bytes.NewReader(src))}
	r.decoder.UseNumber()
	before := len(p.faults)
	root := r.value("", 0)
	if len(p.faults) == before {
		p.adopt(root)
	}
	if len(p.faults) > before {
		return nil
	}
	return []*node{root}
}

// token reads the next token and returns a node with its position.
func (r *jsonReader) token() (json.Token, *node) {
	at := int(r.decoder.InputOffset())
	for at < len(r.src) && strings.IndexByte(" \t\r\n,:", r.src[at]) >= 0 {
		at++
	}
	between := r.src[r.offset:at]
	if lines := bytes.Count(between, []byte("\n")); lines > 0 {
		r.line, r.col = r.line+lines, 1
		between = between[bytes.LastIndexByte(between, '\n')+1:]
	}
	r.offset, r.col = at, r.col+utf8.RuneCount(between)
	n := &node{line: r.line, col: r.col, flow: true}
	token, err := r.decoder.Token()
	if err != nil { // the text is valid JSON, so only its nesting can be too deep for the decoder
		r.p.fault(n, "", hive.NewFault(codeSyntax, hive.FaultNotJSON, "this is not JSON: ‹words›",
			"check quotes, commas and brackets", "words", err))
	}
	return token, n
}

func (r *jsonReader) value(path string, depth int) *node {
	token, n := r.token()
	switch x := token.(type) {
	case json.Delim:
		r.collection(n, x, path, depth)
	case string:
		n.tag, n.text = tagText, strings.ToValidUTF8(x, "\uFFFD")
	case json.Number:
		n.tag, n.text = tagInt, x.String()
		if strings.ContainsAny(n.text, ".eE") {
			n.tag = tagFloat
		}
	case bool:
		n.tag, n.text = tagBool, strconv.FormatBool(x)
	default:
		n.tag, n.text = tagNull, "null"
	}
	return n
}

func (r *jsonReader) collection(n *node, open json.Delim, path string, depth int) {
	if depth > maxDepth {
		r.p.fault(n, path, tooDeep())
		r.skip()
		return
	}
	n.kind = list
	if open == '{' {
		n.kind = mapping
	}
	for r.decoder.More() {
		if n.kind == list {
			n.values = append(n.values, r.value(fmt.Sprintf("%s[%d]", path, len(n.values)), depth+1))
			continue
		}
		token, key := r.token()
		key.tag, key.flow = tagText, false
		key.text, _ = token.(string)
		r.p.entry(n, key, r.value(join(path, key.text), depth+1), path)
	}
	_, _ = r.decoder.Token() // the closing bracket
}

// skip reads the rest of a collection after its opening bracket.
func (r *jsonReader) skip() {
	for open := 1; open > 0; {
		token, err := r.decoder.Token()
		if err != nil {
			return
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
}
