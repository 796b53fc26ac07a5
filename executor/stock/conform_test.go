package stock_test

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/executor/conform"
)

// The stock executor complies with every rule of the contract that can be checked without starting it. The check uses
// its handler shell.
func TestConforms(t *testing.T) {
	t.Parallel()
	x, _ := inProcess(t, t.TempDir())
	r, err := conform.Check(t.Context(), conform.Options{Target: conform.Target{Address: x.addr, Token: x.secret}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		needsStart := f.Result == conform.Unchecked && strings.Contains(f.Why, "--start")
		if f.Result != conform.Pass && !needsStart {
			t.Errorf("%s: %s: %s", f.Rule, f.Result, f.Why)
		}
	}
	if len(r.Findings) != len(conform.Names()) || r.Handler != "shell" {
		t.Errorf("the report is not whole: %+v", r)
	}
}
