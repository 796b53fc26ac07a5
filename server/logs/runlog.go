package logs

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// maxRunLine is the greatest length of a line in bytes. A longer one continues in the next line.
const maxRunLine = 64 << 10

// OfRun makes a log in the usual format from the answer to a run call: the first limit bytes of its text as output,
// then its error. The times of the lines are unknown, so all have the time of the answer.
func OfRun(text, failure string, limit int, at time.Time) []byte {
	var out []byte
	stamp := at.UTC().Format("2006-01-02T15:04:05.000Z")
	add := func(stream, text string) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			for len(line) > maxRunLine {
				cut := maxRunLine
				for cut > maxRunLine-utf8.UTFMax && !utf8.RuneStart(line[cut]) {
					cut--
				}
				out = appendLine(out, stamp, stream, line[:cut])
				line = line[cut:]
			}
			out = appendLine(out, stamp, stream, line)
		}
	}
	if len(text) > limit {
		add("out", text[:limit])
		add("sys", fmt.Sprintf("the log is cut here: of %d bytes the first %d are kept", len(text), limit))
	} else {
		add("out", text)
	}
	add("sys", failure)
	return out
}

// appendLine adds one line. It makes the text valid UTF-8 without control characters except tab and the escape of
// colours.
func appendLine(out []byte, stamp, stream, text string) []byte {
	out = append(append(append(append(out, stamp...), ' '), stream...), ' ')
	for _, r := range text {
		if r < ' ' && r != '\t' && r != 0x1b || r >= 0x7f && r < 0xa0 {
			r = utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
	}
	return append(out, '\n')
}
