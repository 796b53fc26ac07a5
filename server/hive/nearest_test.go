package hive

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"timeout", "title", "tasks", "key", "needs"}
	for word, want := range map[string]string{
		"timeuot": "timeout", "Timeout": "timeout", "task": "tasks", "kye": "key", "need": "needs",
		"xyz": "", "": "", "titel": "title", "timeoutseconds": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 9, 0},
		{"", "abc", 9, 3},
		{"kitten", "sitting", 9, 3},
		{"ab", "ba", 9, 1},
		{"paris", "paris", 1, 0},
		{"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 2},
		{"a", "abcdef", 2, 2},
		{"abc", "xyz", 3, 3},
	} {
		if got, back := Distance(c.a, c.b, c.limit), Distance(c.b, c.a, c.limit); got != c.want || back != c.want {
			t.Errorf("%q and %q below %d: %d and %d, want %d", c.a, c.b, c.limit, got, back, c.want)
		}
	}
}
