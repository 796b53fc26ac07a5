package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// paramsOf takes parameters from the body of a call, by their JSON pointers. Where the body has no value, or null, the
// parameter is left out. A body is only read if a parameter is to be taken from it.
func paramsOf(accept map[string]string, body []byte) (map[string]any, error) {
	if len(accept) == 0 || len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	var root any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err := d.Decode(&root)
	if err == nil {
		if _, rest := d.Token(); !errors.Is(rest, io.EOF) {
			err = errors.New("there is text after the value")
		}
	}
	if err != nil {
		return nil, hive.Errorf(hive.CodeInvalid, "the body is not JSON, but the webhook takes parameters from it").
			WithReason(hive.ErrorWebhookBody)
	}
	out := map[string]any{}
	for name, pointer := range accept {
		if v, ok := at(root, pointer); ok && v != nil {
			out[name] = v
		}
	}
	return out, nil
}

// at finds the value at a JSON pointer (RFC 6901).
func at(v any, pointer string) (any, bool) {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch node := v.(type) {
		case map[string]any:
			next, ok := node[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(node) || strconv.Itoa(i) != part {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}
