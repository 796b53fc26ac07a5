package cli_test

import "testing"

func TestChainRepairOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, args := range map[string][]string{
		"rerun-chain.txt":         {"rerun", "7", "--with-dependants"},
		"rerun-chain-dry.txt":     {"rerun", "7", "a", "--with-dependants", "--dry-run"},
		"chain-repairs.txt":       {"chain-repairs", "--batch", "7", "--live"},
		"chain-repairs.json":      {"chain-repairs", "-o", "json"},
		"chain-repair.txt":        {"chain-repairs", "show", "6"},
		"chain-repair-cancel.txt": {"chain-repairs", "cancel", "6"},
	} {
		o := w.hivego(args...)
		if o.code != 0 || o.stderr != "" {
			t.Errorf("%v: exit %d: %s", args, o.code, o.stderr)
		}
		golden(t, name, o.stdout)
	}
	w.want(w.hivego("chain-repairs", "show", "x"), 2, "", "number")
	w.want(w.hivego("rerun", "7", "a", "--with-dependants", "--wait", "-o", "json"), 1, "", "is stopped")
}
