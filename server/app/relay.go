package app

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
)

// maxRelayed is the greatest length of a line. Only a malicious process writes longer lines.
const maxRelayed = 64 << 10

// relay copies the log lines of another process into this process's log. It stores other output as the process's last
// message.
type relay struct {
	log *slog.Logger

	mu   sync.Mutex
	rest []byte
	last string
}

// Write handles output of the process.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = append(r.rest, p...)
	for {
		i := bytes.IndexByte(r.rest, '\n')
		if i < 0 && len(r.rest) < maxRelayed {
			return len(p), nil
		}
		if i < 0 {
			i = len(r.rest) - 1
		}
		r.line(r.rest[:i])
		r.rest = r.rest[i+1:]
	}
}

func (r *relay) line(raw []byte) {
	var output map[string]any
	var level slog.Level
	text, ok := "", false
	if json.Unmarshal(raw, &output) == nil {
		word, _ := output["level"].(string)
		text, ok = output["msg"].(string)
		ok = ok && level.UnmarshalText([]byte(word)) == nil
	}
	if !ok {
		if words := strings.TrimSpace(string(raw)); words != "" {
			r.last = words
			r.log.Warn("the executor says", "words", words)
		}
		return
	}
	attrs := []slog.Attr{slog.Bool("ofExecutor", true)}
	for _, name := range slices.Sorted(maps.Keys(output)) {
		if name != "time" && name != "level" && name != "msg" {
			attrs = append(attrs, slog.Any(name, output[name]))
		}
	}
	r.log.LogAttrs(context.Background(), level, text, attrs...)
}

// words returns the last output that was not a log line.
func (r *relay) words() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}
