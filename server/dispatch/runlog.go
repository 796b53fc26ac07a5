package dispatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// maxRunLog is how much of a log comes with the answer of a run call, in bytes.
const maxRunLog = hivego.MAX_RUN_LOG_BYTES

// maxRunLine is the longest line of a log; a longer one is continued on the next.
const maxRunLine = 64 << 10

// runLog makes a log, as all are written, of what a run call answered: its text as output, then what went wrong. There
// was nobody who noted when each line came; they have the time of the answer.
func runLog(text, words string, at time.Time) []byte {
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
	if len(text) > maxRunLog {
		add("out", text[:maxRunLog])
		add("sys", fmt.Sprintf("the log is cut here: of %d bytes the first %d are kept", len(text), maxRunLog))
	} else {
		add("out", text)
	}
	add("sys", hive.Clean(words, hivego.MAX_ERROR_BYTES))
	return out
}

// appendLine adds one line: valid UTF-8, free of control characters but tab and the escape of colours.
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

// keep puts the whole log of an attempt into the store. An empty one leaves nothing there.
func (c *copier) keep(attempt hive.AttemptRef, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.path(attempt, partLog)), 0o700); err != nil {
		return fmt.Errorf("make log folder: %w", err)
	}
	f, err := os.OpenFile(c.path(attempt, partLog), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Close()
		return fmt.Errorf("write log: %w", err)
	}
	_, failed := c.store([]*copied{{job: &copyJob{attempt: attempt, whole: true}, file: f}})
	if len(failed) > 0 {
		return failed[0].err
	}
	return nil
}
