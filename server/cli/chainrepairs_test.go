package cli_test

import (
	"slices"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

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

// TestRepairsHaveANote: what a person writes with a repair is in the history of the batch.
func TestRepairsHaveANote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repair := w.RepairF
	var notes []string
	w.RepairF = func(r hive.RepairRequest) (hive.Command, error) {
		notes = append(notes, r.Note)
		return repair(r)
	}
	for _, args := range [][]string{
		{"resume", "7", "--note", "the disk is back"},
		{"rerun", "7", "a"},
		{"mark", "7", "b", "--as", "success", "--note", "by hand"},
	} {
		if o := w.hivego(args...); o.code != 0 {
			t.Errorf("%q: exit %d: %s", args, o.code, o.stderr)
		}
	}
	if want := []string{"the disk is back", "", "by hand"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}
