package document

import (
	"sort"
	"strings"
)

// span is the range of a quoted scalar or a block. A # inside is not a comment. Ends are exclusive.
type span struct {
	line, col       int
	endLine, endCol int
}

// characters gives access to the characters of lines. It only decodes the current line, once, because a single line may
// be the entire text.
type characters struct {
	lines []string
	line  int
	runes []rune
}

// at returns the characters of a line, counted from 1.
func (c *characters) at(line int) []rune {
	if c.line != line {
		c.line, c.runes = line, []rune(c.lines[line-1])
	}
	return c.runes
}

// scalars lists the spans below n in the order of the text. parent is the column of the mapping or list around n, 0 for
// none. A line that is not indented further ends a block.
func scalars(n *node, parent int, text *characters, into []span) []span {
	if n.kind == scalar {
		return appendSpan(n, parent, text, into)
	}
	for i, v := range n.values {
		indent := n.col
		if n.kind == mapping {
			into = appendSpan(n.keys[i], parent, text, into)
			indent = n.keys[i].col
		}
		if n.flow {
			indent = parent
		}
		into = scalars(v, indent, text, into)
	}
	return into
}

func appendSpan(n *node, parent int, text *characters, into []span) []span {
	if n.line < 1 || n.line > len(text.lines) {
		return into
	}
	line := text.at(n.line)
	if n.col > len(line) {
		return into
	}
	switch c := line[n.col-1]; c {
	case '"', '\'':
		return append(into, quoted(n, c, text))
	case '|', '>':
		return append(into, block(n, parent, text.lines))
	default:
		return into
	}
}

// quoted returns the span of a scalar in quotes.
func quoted(n *node, quote rune, text *characters) span {
	col := n.col // 0-based index of the first character after the quote
	for at := n.line; at <= len(text.lines); at++ {
		line := text.at(at)
		for ; col < len(line); col++ {
			switch {
			case quote == '"' && line[col] == '\\':
				col++
			case line[col] != quote:
			case quote == '\'' && col+1 < len(line) && line[col+1] == quote:
				col++
			default:
				return span{n.line, n.col, at, col + 2}
			}
		}
		col = 0
	}
	return span{n.line, n.col, len(text.lines) + 1, 1}
}

// block returns the span of the lines of a literal or folded scalar. The header is not part of it, because it may end
// in a comment.
func block(n *node, parent int, lines []string) span {
	at := n.line + 1
	for ; at <= len(lines); at++ {
		line := lines[at-1]
		if strings.Trim(line, " ") == "" {
			continue
		}
		if indent := len(line) - len(strings.TrimLeft(line, " ")); indent < parent {
			break
		}
		first := len(line) - len(strings.TrimLeft(line, " "))
		if explicit := explicitIndent(lines[n.line-1], n.col); explicit > 0 {
			first = min(first, max(parent-1, 0)+explicit)
		}
		return span{n.line + 1, 1, blockEnd(lines, at, first), 1}
	}
	return span{n.line + 1, 1, n.line + 1, 1}
}

// explicitIndent returns the indentation indicator of a block's header, as in |2-, or 0 if there is none.
func explicitIndent(line string, col int) int {
	runes := []rune(line)
	for _, r := range runes[col:min(col+2, len(runes))] {
		if r >= '1' && r <= '9' {
			return int(r - '0')
		}
	}
	return 0
}

// blockEnd returns the first line from at on that is neither empty nor indented by indent.
func blockEnd(lines []string, at, indent int) int {
	for ; at <= len(lines); at++ {
		line := lines[at-1]
		if strings.Trim(line, " ") != "" && len(line)-len(strings.TrimLeft(line, " ")) < indent {
			return at
		}
	}
	return at
}

// covered reports whether a position is inside one of the spans, which are sorted and do not overlap.
func covered(spans []span, line, col int) bool {
	after := sort.Search(len(spans), func(i int) bool {
		s := spans[i]
		return s.line > line || s.line == line && s.col > col
	})
	if after == 0 {
		return false
	}
	s := spans[after-1]
	return line < s.endLine || line == s.endLine && col < s.endCol
}

// comments lists the comments of a text. A comment is a # at the start of a line or after a blank, outside of the
// spans.
func comments(lines []string, spans []span) []comment {
	var out []comment
	for i, line := range lines {
		if !strings.Contains(line, "#") {
			continue
		}
		runes := []rune(line)
		for col, r := range runes {
			if r != '#' || col > 0 && runes[col-1] != ' ' && runes[col-1] != '\t' || covered(spans, i+1, col+1) {
				continue
			}
			before := strings.TrimLeft(string(runes[:col]), " \t")
			out = append(out, comment{
				line: i + 1, col: col + 1, text: strings.TrimRight(string(runes[col:]), " \t"),
				behind: before != "" && strings.TrimRight(before, " \t") != "---",
				spaced: i+1 < len(lines) && strings.TrimSpace(lines[i+1]) == "",
			})
			break
		}
	}
	return out
}
