package document

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// remarksKey is the member of a schedule, job or task in JSON that carries what only YAML can say: its comments, and
// how its numbers are written. It travels with its object, whoever moves, renames or copies that.
const remarksKey = "#"

// remark is what YAML says about one place of an object, beside its value.
type remark struct {
	Above  []string `json:"above,omitempty"` // whole lines, with their #
	Behind string   `json:"behind,omitempty"`
	// As is how the number there is written, such as 0x1F; null for a field that is there and empty. It counts as long
	// as the place says the same.
	As string `json:"as,omitempty"`
	// Of is the text of an item of a list, which finds it again when the list has changed.
	Of string `json:"of,omitempty"`
	// Top and Tail are the comments of the whole document, before and after everything. Empty lines part them.
	Top  []string `json:"top,omitempty"`
	Tail []string `json:"tail,omitempty"`
}

// remarks are those of one object, by their paths below it.
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

// Paths of remarks are those of faults, but every key that is no plain word is in quotes: params["a.b"][2].

// below is the path of a key below a path.
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

// plainJSON writes texts, or a remark made of them, as JSON without the escapes that only HTML needs.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // texts always can
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
