package document

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// remarksKey is the member of a schedule, job or task in JSON for the parts that only YAML can express: comments, and
// the notation of numbers. It is part of its object, so it stays with an object that is moved, renamed or copied.
const remarksKey = "#"

// remark has the comments and the notation of one place of an object.
type remark struct {
	Above  []string `json:"above,omitempty"` // full lines, with their #
	Behind string   `json:"behind,omitempty"`
	// As is the notation of the number there, such as 0x1F, or null for a field that is present and empty. It is
	// ignored if the place has another value now.
	As string `json:"as,omitempty"`
	// Of is the text of a list item. It serves to find the item after the list has changed.
	Of string `json:"of,omitempty"`
	// Top and Tail are the comments of the document, before and after everything. Empty texts are empty lines.
	Top  []string `json:"top,omitempty"`
	Tail []string `json:"tail,omitempty"`
}

// remarks are the remarks of one object, by path relative to the object.
type remarks struct {
	paths []string
	by    map[string]remark
}

func (r *remarks) add(path string, one remark) {
	if len(one.Above) == 0 && one.Behind == "" && one.As == "" && len(one.Top) == 0 && len(one.Tail) == 0 {
		return
	}
	if r.by == nil {
		r.by = map[string]remark{}
	}
	r.paths, r.by[path] = append(r.paths, path), one
}

// The paths of remarks are like the paths of faults, but keys with special characters are quoted: params["a.b"][2].

// below returns the path of a key below a path.
func below(path, key string) string {
	switch {
	case !isWord(key):
		return path + "[" + string(quoteJSON(key)) + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

func itemOf(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func isWord(key string) bool {
	return key != "" && strings.Trim(key, "_-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// quoteJSON writes a text as JSON.
func quoteJSON(s string) []byte { return plainJSON(s) }

// plainJSON writes texts, or a remark of texts, as JSON without the escapes for HTML.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // texts never fail
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
