package ledger

import (
	"cmp"
	"strconv"
	"strings"
)

// Ref identifies an attempt. The id comes from a counter of the server's database, which repeats ids when the database
// goes back to an earlier state; the key is random and never repeats. The same id with another key is another attempt.
type Ref struct {
	ID  int64
	Key string // MaxKey letters, digits, _ and - at most; empty if the server gave none
}

// MaxKey is the length of the longest key.
const MaxKey = 64

// String is ID-KEY, or ID alone without a key. It is the name of the attempt's folder, so no two attempts share it.
func (r Ref) String() string {
	id := strconv.FormatInt(r.ID, 10)
	if r.Key == "" {
		return id
	}
	return id + "-" + r.Key
}

// ParseRef parses the result of String.
func ParseRef(s string) (Ref, bool) {
	number, key, _ := strings.Cut(s, "-") // the id is positive; a key may have dashes too
	id, err := strconv.ParseInt(number, 10, 64)
	r := Ref{ID: id, Key: key}
	return r, err == nil && id > 0 && validKey(key) && r.String() == s
}

// validKey reports whether a key is valid. Keys become parts of paths, so no other characters are allowed.
func validKey(key string) bool {
	for _, c := range []byte(key) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return len(key) <= MaxKey
}

// CompareRefs orders attempts by id, and those with the same id by key.
func CompareRefs(a, b Ref) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Key, b.Key)) }
