package find

import "bytes"

// needle is a text to find. The case of the letters A to Z does not matter.
type needle struct{ text []byte }

func newNeedle(text string) needle { return needle{text: lower([]byte(text))} }

// in returns the offset of the first match in a block, or of the last one; -1 if there is none. It ignores the marks of
// lines: time and stream.
func (n needle) in(block []byte, last bool) int {
	folded := lower(block)
	from, to := 0, len(folded)
	for {
		at := bytes.Index(folded[from:to], n.text)
		if last {
			at = bytes.LastIndex(folded[from:to], n.text)
		}
		if at < 0 {
			return -1
		}
		at += from
		begin := bytes.LastIndexByte(block[:at], '\n') + 1
		if _, mark := parse(lineAt(block, begin)); at-begin >= mark {
			return begin
		}
		if last {
			to = at + len(n.text) - 1
		} else {
			from = at + 1
		}
	}
}

// lower returns a copy with the letters A to Z in lower case. Every byte keeps its offset.
func lower(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}

// lineAt returns the line that begins at an offset, without its line end.
func lineAt(block []byte, begin int) []byte {
	line := block[begin:]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return line
}

// stream is the stream of a line. The executor itself writes the lines of sys.
type stream string

const (
	out stream = "out"
	bad stream = "err"
	sys stream = "sys"
)

// markLen is the length of the mark that executors write before each line: `2026-11-21T03:22:58.114Z out `.
const markLen = len("2006-01-02T15:04:05.000Z out ")

// parse reads the mark of a line and returns its length. A line without a mark is output, with length 0.
func parse(line []byte) (s stream, mark int) {
	if len(line) < markLen || line[4] != '-' || line[10] != 'T' || line[23] != 'Z' || line[24] != ' ' ||
		line[28] != ' ' {
		return out, 0
	}
	switch s := stream(line[25:28]); s {
	case out, bad, sys:
		return s, markLen
	default:
		return out, 0
	}
}
