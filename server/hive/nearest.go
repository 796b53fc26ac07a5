package hive

import "strings"

// Nearest returns the item of known that word probably means. At most a third of the letters of word, and never more
// than three, may be wrong. Nearest ignores case, and returns "" if nothing is similar. The first of several equally
// similar items wins.
func Nearest(word string, known []string) string {
	best, found := min(3, max(1, len(word)/3))+1, ""
	lower := strings.ToLower(word)
	for _, k := range known {
		if d := Distance(lower, strings.ToLower(k), best); d < best {
			best, found = d, k
		}
	}
	return found
}

// Distance returns the edit distance of a and b in bytes, or limit if it is not below limit. A swap of neighbours
// counts as one edit.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		low := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			low = min(low, row[j])
		}
		if low >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
