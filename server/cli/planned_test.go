package cli_test

import (
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, args := range map[string][]string{
		"release-skip.txt": {
			"release", "warehouse", "2026-05-02T03:20:00Z", "--skip", "--reason", "not today",
		},
		"plan.txt": {
			"plan", "warehouse", "2026-05-02T03:20:00Z", "--move", "2h", "--param", "region=west", "--reason", "late",
		},
		"plan-skip.txt":  {"plan", "warehouse", "2026-05-02T03:20:00Z", "--skip", "--reason", "inventory"},
		"plan-undo.txt":  {"plan", "warehouse", "2026-05-02T03:20:00Z", "--undo"},
		"plan-list.txt":  {"plan", "warehouse"},
		"plan-list.json": {"plan", "warehouse", "-o", "json"},
	} {
		o := w.hivego(args...)
		if o.code != 0 || o.stderr != "" {
			t.Errorf("%v: exit %d: %s", args, o.code, o.stderr)
		}
		golden(t, name, o.stdout)
	}
	for _, tc := range []struct {
		args  []string
		words string
	}{
		{[]string{"plan", "x", "--skip"}, "which moment"},
		{[]string{"plan", "x", "2026-05-02T03:20:00Z", "--skip"}, "--reason"},
		{[]string{"plan", "x", "2026-05-02T03:20:00Z", "--reason", "r"}, "say what"},
		{[]string{"plan", "x", "2026-05-02T03:20:00Z", "--reason", "r", "--move", "noon"}, "--move"},
	} {
		o := w.hivego(tc.args...)
		if o.code != 2 || o.stdout != "" || !strings.Contains(o.stderr, tc.words) {
			t.Errorf("%v: exit %d %q %q, want %q", tc.args, o.code, o.stdout, o.stderr, tc.words)
		}
	}
}
