package hive

import "strings"

// Nearest is the one of known that was probably meant by word: at most a third of its letters, and never more than
// three, are wrong. It ignores case, and is empty if nothing comes near. The first of several equally near ones wins.
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

// Distance is the edit distance of a and b in bytes, a swap of neighbours counting one; limit if it is not below limit.
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
